// Programs: reading, parsing, finding the entry function, naming locations.
#include "assay/program/Program.h"
#include "assay/dialect/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

namespace assay::program {

llvm::Expected<std::string> readFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     file.getError().message());
  return (*file)->getBuffer().str();
}

std::vector<std::string> splitInput(llvm::StringRef text) {
  std::vector<std::string> parts;
  std::string current;
  int64_t line = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    bool hadNewline = first.size() < text.size();
    text = rest;
    ++line;
    if (first.trim() == "// -----") {
      parts.push_back(std::move(current));
      current.assign(static_cast<size_t>(line), '\n');
      continue;
    }
    current += first;
    if (hadNewline)
      current += '\n';
  }
  parts.push_back(std::move(current));
  return parts;
}

llvm::Expected<std::shared_ptr<const Program>>
Program::parse(llvm::StringRef text, llvm::StringRef name) {
  std::shared_ptr<Program> program(new Program());
  program->name_ = name.str();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  program->context_ = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      parseProgramText(text, name, *program->context_);
  if (!module)
    return module.takeError();
  program->module_ = std::move(*module);
  return std::shared_ptr<const Program>(std::move(program));
}

llvm::Expected<std::shared_ptr<const Program>>
Program::load(llvm::StringRef path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  return parse(*text, path);
}

llvm::Expected<mlir::func::FuncOp>
Program::function(llvm::StringRef name) const {
  std::string known;
  mlir::func::FuncOp onlyPublic;
  int publicCount = 0;
  llvm::StringRef wanted = name.empty() ? "main" : name;
  for (mlir::func::FuncOp function : module().getOps<mlir::func::FuncOp>()) {
    if (function.getSymName() == wanted && !function.isDeclaration())
      return function;
    known += (known.empty() ? "@" : ", @") + function.getSymName().str();
    if (function.isPublic() && !function.isDeclaration()) {
      onlyPublic = function;
      ++publicCount;
    }
  }
  if (name.empty() && publicCount == 1)
    return onlyPublic;
  if (known.empty())
    return makeError(ErrorCode::NotFound, "'{0}' has no function to run",
                     name_);
  return makeError(
      ErrorCode::NotFound,
      "'{0}' has no function @{1}; it has {2}: name one with --entry", name_,
      wanted, known);
}

static std::string fileLineCol(mlir::Location location) {
  std::string text;
  location->walk([&](mlir::Location inner) {
    if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(inner)) {
      text = llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                           file.getLine(), file.getColumn())
                 .str();
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return text;
}

std::string describeLocation(mlir::Location location) {
  std::string text = fileLineCol(location);
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    return text + (text.empty() ? "\"" : " (\"") + named.getName().str() +
           (text.empty() ? "\"" : "\")");
  return text.empty() ? "unknown location" : text;
}

} // namespace assay::program
