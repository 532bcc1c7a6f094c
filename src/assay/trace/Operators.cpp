// The operators of a dump: a list of traced PyTorch calls (dump.json) or a
// StableHLO program, each call or operation made into a small program.
#include "assay/trace/Operators.h"
#include "assay/trace/OneOp.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace assay::trace {

Operators::Operators() = default;
Operators::Operators(Operators &&) = default;
Operators::~Operators() = default;

/// dump.json of an operator dump, by the places where the recorder puts it.
static std::string descriptionBeside(llvm::StringRef dumpPath) {
  llvm::StringRef stem = dumpPath;
  stem.consume_back(".h5");
  std::string beside = stem.str() + "_operators.json";
  if (llvm::sys::fs::exists(beside))
    return beside;
  llvm::SmallString<256> up(llvm::sys::path::parent_path(dumpPath));
  if (up.empty())
    up = ".";
  llvm::sys::path::append(up, "..", "dump.json");
  bool recorders = llvm::sys::path::filename(dumpPath) == "operators.h5";
  return recorders && llvm::sys::fs::exists(up) ? up.str().str() : "";
}

llvm::Expected<Operators> Operators::of(llvm::StringRef dumpPath,
                                        llvm::StringRef description) {
  Operators result;
  result.description_ =
      description.empty() ? descriptionBeside(dumpPath) : description.str();
  if (result.description_.empty())
    return result;
  if (llvm::StringRef(result.description_).ends_with(".json")) {
    llvm::Expected<std::vector<TracedCall>> calls =
        readOperatorTrace(result.description_);
    if (!calls)
      return calls.takeError();
    result.calls_ = std::move(*calls);
    for (size_t i = 0; i < result.calls_.size(); ++i)
      result.byName_[result.calls_[i].name] = i;
    return result;
  }
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(result.description_);
  if (!program)
    return program.takeError();
  (*program)->module().walk([&](mlir::Operation *op) {
    if (!op->getParentOfType<mlir::func::FuncOp>() || op->getNumOperands() == 0)
      return;
    if (std::string bytes = oneOpProgram(op); !bytes.empty())
      result.programs_[operationPath(op) + "." +
                       op->getName().stripDialect().str()] = std::move(bytes);
  });
  return result;
}

llvm::Expected<AtenProgram> Operators::program(const DumpName &name,
                                               Stages stages) const {
  if (auto call = byName_.find(name.module); call != byName_.end())
    return atenProgram(calls_[call->second], stages);
  auto bytes = programs_.find(name.module + "." + name.className);
  if (bytes == programs_.end())
    return makeError(ErrorCode::Unsupported, "'{0}' is not described",
                     name.callText());
  llvm::Expected<std::shared_ptr<const program::Program>> read =
      program::Program::fromBytecode(bytes->second, name.callText());
  if (!read)
    return read.takeError();
  llvm::Expected<mlir::func::FuncOp> function = (*read)->function("main");
  if (!function)
    return function.takeError();
  AtenProgram program;
  program.program = *read;
  for (unsigned i = 0; i < function->getNumArguments(); ++i)
    program.inputs.push_back(std::to_string(i));
  for (unsigned i = 0; i < function->getNumResults(); ++i)
    program.outputs.push_back(i);
  return program;
}

llvm::StringRef Operators::source(const DumpName &name) const {
  auto call = byName_.find(name.module);
  return call == byName_.end() ? ""
                               : llvm::StringRef(calls_[call->second].source);
}

} // namespace assay::trace
