// Driver `op`: the problem is a StableHLO program in a file, `PROGRAM.mlir` or
// `PROGRAM.mlir@FUNCTION`. Its sizes and types are in the program itself; the
// arguments are filled by their types.
#include "assay/program/Types.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/verify/drivers/Drivers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace assay;
using namespace assay::verify;

/// The public functions of a file, in order, found in its text: every
/// `func.func` that is not private.
static llvm::Expected<std::vector<std::string>> tokens(llvm::StringRef token) {
  if (!token.ends_with("@*") || llvm::sys::fs::exists(token))
    return std::vector<std::string>{token.str()};
  llvm::StringRef path = token.drop_back(2);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  std::vector<std::string> found;
  llvm::StringRef rest = withoutByteOrderMark((*buffer)->getBuffer());
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    line = line.ltrim();
    if (!line.consume_front("func.func ") || line.starts_with("private"))
      continue;
    line.consume_front("public ");
    if (line.consume_front("@"))
      found.push_back((path + "@" + line.take_until([](char c) {
                        return c == '(' || c == ' ';
                      })).str());
  }
  if (found.empty())
    return makeError(ErrorCode::InvalidArgument, "'{0}' has no public function",
                     path);
  return found;
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  if (llvm::Error error = tokens(token).takeError())
    return error;
  auto [path, function] = token.rsplit('@');
  if (llvm::sys::fs::exists(token)) {
    path = token;
    function = "";
  }
  std::string entry = problem.knob("entry").str();
  if (!entry.empty() && !function.empty() && function != entry)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' names a function, and --entry={1} another; give "
                     "one of them",
                     token, entry);
  if (!entry.empty())
    function = entry;
  problem.own["entry"] = ""; // from here on the token contains it
  problem.path = path.str();
  problem.name = function.str();
  if (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_directory(path))
    return makeError(ErrorCode::NotFound, "no program at '{0}'", path);
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  return problem.path + (problem.name.empty() ? "" : "@" + problem.name);
}

static bool hasCalls(mlir::func::FuncOp function) {
  bool found = false;
  function->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    found |= name == "func.call" || name == "stablehlo.composite" ||
             name == "stablehlo.custom_call";
  });
  return found;
}

/// The function as a program of its own, so that the work for one function of a
/// file does not grow with the number of others.
static llvm::Expected<std::shared_ptr<const program::Program>>
alone(const program::Program &file, mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(file.module().getLoc());
  module->push_back(function.clone());
  return program::Program::copyOf(*module, file.name());
}

static llvm::Error addBindings(llvm::ArrayRef<mlir::Type> types,
                               const char *role, const char *what,
                               std::vector<Binding> &bindings) {
  for (mlir::Type type : types) {
    if (llvm::Error error = program::tensorTypeOf(type).takeError()) {
      ErrorText text = takeError(std::move(error));
      return makeError(ErrorCode::Unsupported, "{0} {1}: {2}", what,
                       bindings.size(), text.message);
    }
    Binding binding;
    binding.role =
        role + (bindings.empty() ? "" : std::to_string(bindings.size()));
    bindings.push_back(std::move(binding));
  }
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  BoundProgram bound;
  bound.program = problem.source;
  bound.entry = problem.name;
  llvm::Expected<mlir::func::FuncOp> entry =
      bound.program->function(bound.entry);
  if (!entry)
    return addContext(entry.takeError(), "--op FILE@FUNCTION");
  auto functions = bound.program->module().getOps<mlir::func::FuncOp>();
  if (!llvm::hasSingleElement(functions) && !hasCalls(*entry))
    if (llvm::Error error =
            alone(*bound.program, *entry).moveInto(bound.program))
      return error;
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  if (llvm::Error error = addBindings(function.getArgumentTypes(), "src",
                                      "argument", bound.inputs))
    return error;
  if (llvm::Error error = addBindings(function.getResultTypes(), "dst",
                                      "result", bound.outputs))
    return error;
  return bound;
}

/// "@foo" as "foo".
static llvm::Expected<std::string> readEntry(llvm::StringRef value) {
  value.consume_front("@");
  return value.str();
}

static constexpr OwnKnob kKnobs[] = {
    {"entry", "", "NAME,...: the function, as in PROGRAM.mlir@NAME",
     readEntry}};

const Driver drivers::kOp = {.name = "op",
                             .parse = parse,
                             .text = text,
                             .build = build,
                             .tokens = tokens,
                             .knobs = kKnobs,
                             .defaultEngine = "native",
                             .readsFile = true};
