// JAX's callbacks into Python (jax.debug.print, io_callback, pure_callback).
// Their functions exist only in the process that exported the program. A call
// without results is skipped, with a note; a call with results cannot run.
#include "assay/program/Program.h"
#include "assay/reference/custom/CustomCalls.h"

namespace assay::reference {

llvm::Expected<std::unique_ptr<Step>> hostCallback(const StepSpec &spec) {
  for (mlir::Type type : spec.op->getResultTypes())
    if (mlir::isa<mlir::ShapedType>(type))
      return makeError(ErrorCode::Unsupported,
                       "the result comes from a Python function of the "
                       "process that exported the program; give one with "
                       "--custom-call");
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    std::string note = program::describeLocation(context.op->getLoc()) +
                       ": a callback into Python is left out";
    if (!llvm::is_contained(context.run.notes, note))
      context.run.notes.push_back(std::move(note));
    for (size_t i = 0; i < context.results.size(); ++i)
      context.setResult(i, Value(program::Token()));
    return llvm::Error::success();
  });
}

} // namespace assay::reference
