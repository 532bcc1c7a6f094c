// Programs: reading, parsing, finding the entry function, naming locations.
#include "assay/program/Program.h"
#include "assay/dialect/OlderProperties.h"
#include "assay/dialect/Register.h"
#include "assay/program/Clone.h"
#include "assay/program/ContextPool.h"
#include "assay/program/Expansions.h"
#include "assay/dialect/exporters/ExporterOps.h"
#include "assay/support/HelperProcess.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

namespace assay::program {

llvm::Expected<std::string> readFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
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

std::unique_ptr<mlir::MLIRContext> makeContext() { return takeContext(); }

/// Checks in a forked copy of this process whether reading the bytecode
/// crashes.
static llvm::Error tryBytecode(llvm::StringRef bytes, llvm::StringRef name) {
  if (bytecodeIn(bytes).empty())
    return llvm::Error::success();
  constexpr int kSeconds = 5, kBytesASecond = 20 << 20;
  auto service = [&](llvm::StringRef) -> llvm::Expected<std::string> {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = parseProgramText(bytes, name, context);
    if (!module)
      return module.takeError();
    return std::string();
  };
  auto helper = HelperProcess::start(service, [] { return ::fork(); });
  if (!helper)
    return helper.takeError();
  llvm::Expected<std::string> answer = (*helper)->ask(
      "", kSeconds + static_cast<int>(bytes.size() / kBytesASecond));
  if (answer)
    return llvm::Error::success();
  if ((*helper)->isAlive())
    return answer.takeError();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is damaged: reading its bytecode {1}", name,
                   takeError(answer.takeError()).message);
}

llvm::Expected<std::shared_ptr<const Program>>
Program::parse(llvm::StringRef text, llvm::StringRef name) {
  if (name.ends_with(".py"))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is Python, not a program: `python -m pytest {0}` "
                     "runs its tests, assay.check(kernel, reference, ...) "
                     "checks a function of it (docs/check.md)",
                     name);
  if (llvm::Error error = tryBytecode(text, name))
    return error;
  std::shared_ptr<Program> program(new Program());
  program->name_ = name.str();
  program->context_ = makeContext();
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      parseProgramText(text, name, *program->context_);
  if (!module)
    return module.takeError();
  program->module_ = std::move(*module);
  exporters::lowerExporterOps(*program->module_);
  expandOperations(*program->module_);
  return std::shared_ptr<const Program>(std::move(program));
}

llvm::Expected<std::shared_ptr<const Program>>
Program::load(llvm::StringRef path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  return parse(*text, path);
}

// Runs a step that reports through the context's diagnostics; if it fails, the
// diagnostics become the error.
static llvm::Error
collectErrors(mlir::MLIRContext &context, llvm::StringRef name,
              llvm::function_ref<mlir::LogicalResult()> step) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          messages += (messages.empty() ? "" : "\n") + diagnostic.str();
      });
  if (mlir::succeeded(step()))
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument, "{0}: {1}", name, messages);
}

// A null context means that the module is a clone: its context belongs to
// another program, which has been verified.
llvm::Expected<std::shared_ptr<const Program>>
Program::adopt(std::unique_ptr<mlir::MLIRContext> context,
               mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef name) {
  if (context) {
    if (llvm::Error error = collectErrors(
            *context, name, [&] { return mlir::verify(module.get()); })) {
      module = {}; // must be destroyed before its context
      return error;
    }
    expandOperations(*module);
  }
  std::shared_ptr<Program> program(new Program(), [](Program *gone) {
    if (gone->context_)
      giveBack(std::move(gone->context_), std::move(gone->module_));
    else if (hasLargeConstants(*gone->module_))
      retire(*gone->module_->getContext());
    delete gone;
  });
  program->name_ = name.str();
  program->context_ = std::move(context);
  program->module_ = std::move(module);
  return std::shared_ptr<const Program>(std::move(program));
}

std::shared_ptr<const Program> cloneOf(std::shared_ptr<const Program> program,
                                       mlir::IRMapping *copies) {
  mlir::IRMapping own;
  struct Both {
    std::shared_ptr<const Program> original, clone; // the clone is destroyed
                                                    // first
  };
  auto both = std::make_shared<Both>();
  both->clone = llvm::cantFail(Program::adopt(
      nullptr, mlir::cast<mlir::ModuleOp>(
          program->module()->clone(copies ? *copies : own)),
      program->name()));
  both->original = std::move(program);
  return {both, both->clone.get()};
}

static std::string bytecodeOf(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  // The writer can fail only for a requested bytecode version.
  (void)mlir::writeBytecodeToFile(module, os);
  return bytes;
}

std::string Program::toBytecode() const { return bytecodeOf(module()); }

llvm::Expected<std::shared_ptr<const Program>>
Program::copyOf(mlir::ModuleOp module, llvm::StringRef name) {
  return fromBytecode(bytecodeOf(module), name);
}

llvm::Expected<std::shared_ptr<const Program>>
Program::fromBytecode(llvm::StringRef bytes, llvm::StringRef name) {
  // The reader requires a buffer that is at least as aligned as its data.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), name,
                                                        llvm::Align(64));
  llvm::copy(bytes, buffer->getBufferStart());
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::Block block;
  auto read = [&] {
    return collectErrors(*context, name, [&] {
      return mlir::readBytecodeFile(buffer->getMemBufferRef(), &block,
                                    mlir::ParserConfig(context.get()));
    });
  };
  llvm::Error error = read();
  if (error && OlderProperties::mayMatter(bytes)) {
    llvm::consumeError(std::move(error));
    block.clear();
    OlderProperties older;
    error = read();
  }
  if (error)
    return error;
  auto module = block.empty() ? mlir::ModuleOp()
                              : mlir::dyn_cast<mlir::ModuleOp>(block.front());
  if (!module)
    return makeError(ErrorCode::InvalidArgument,
                     "{0}: the bytecode holds no module", name);
  module->remove();
  return adopt(std::move(context), module, name);
}

llvm::Expected<mlir::func::FuncOp>
Program::function(llvm::StringRef name) const {
  std::string known;
  mlir::func::FuncOp onlyPublic;
  int publicCount = 0;
  bool declared = false; ///< a function of the wanted name has no body
  llvm::StringRef wanted = name.empty() ? "main" : name;
  for (mlir::func::FuncOp function : module().getOps<mlir::func::FuncOp>()) {
    if (function.getSymName() == wanted && !function.isDeclaration())
      return function;
    if (function.isDeclaration()) {
      declared |= function.getSymName() == wanted;
      continue;
    }
    known += (known.empty() ? "@" : ", @") + function.getSymName().str();
    if (function.isPublic()) {
      onlyPublic = function;
      ++publicCount;
    }
  }
  if (name.empty() && publicCount == 1)
    return onlyPublic;
  if (known.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' {1}has no function to run", name_,
                     module().getBody()->empty() ? "is empty: it " : "");
  return makeError(
      ErrorCode::InvalidArgument,
      declared ? "'{0}' has no body for @{1}, only a declaration; it has {2}: "
                 "name one with --entry"
               : "'{0}' has no function @{1}; it has {2}: name one with "
                 "--entry",
      name_, wanted, known);
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
