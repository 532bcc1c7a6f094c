// JAX's callbacks into Python (jax.debug.print, io_callback, pure_callback):
// the function lives in the process that exported the program. A call without a
// result is left out, and a note says so; one with a result cannot run.
#include "assay/program/Print.h"
#include "assay/program/Program.h"
#include "assay/reference/custom/CustomCalls.h"

#include <atomic>

namespace assay::reference {

llvm::Expected<std::unique_ptr<Step>> hostCallback(const StepSpec &spec) {
  for (mlir::Type type : spec.op->getResultTypes())
    if (mlir::isa<mlir::ShapedType>(type))
      return makeError(ErrorCode::Unsupported,
                       "the result comes from a Python function of the "
                       "process that exported the program; give one with "
                       "--custom-call");
  auto said = std::make_shared<std::atomic<bool>>(false);
  return program::makeOwningStep([said](StepContext &context) -> llvm::Error {
    if (!said->exchange(true))
      llvm::errs() << "note: "
                   << program::describeLocation(context.op->getLoc())
                   << ": a callback into Python is left out\n";
    for (size_t i = 0; i < context.results.size(); ++i)
      context.setResult(i, Value(program::Token()));
    return llvm::Error::success();
  });
}

} // namespace assay::reference
