// Driver `op`: the problem is a StableHLO program in a file, `PROGRAM.mlir` or
// `PROGRAM.mlir@FUNCTION`. Its sizes and types stand in the program itself;
// program/OpSession.cpp runs and judges it.
#include "assay/verify/drivers/Drivers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  auto [path, function] = token.rsplit('@');
  if (llvm::sys::fs::exists(token)) {
    path = token;
    function = "";
  }
  problem.path = path.str();
  problem.name = function.str();
  if (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_directory(path))
    return makeError(ErrorCode::NotFound, "no program at '{0}'", path);
  return llvm::Error::success();
}

/// The public functions of a file, in its order, by their text: every
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
  llvm::StringRef rest = (*buffer)->getBuffer();
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

static Dims noDims(const Problem &problem, Role role) { return {}; }
static Dims noBias(const Problem &problem) { return {}; }
static std::string text(const Problem &problem) {
  return problem.path + (problem.name.empty() ? "" : "@" + problem.name);
}
static double operations(const Problem &problem) { return 0; }

const Driver drivers::kOp = {DriverKind::Op,
                             "op",
                             parse,
                             noDims,
                             noBias,
                             text,
                             tokens,
                             operations,
                             /*hasDirections=*/false,
                             /*hasAlgorithm=*/false,
                             /*hasStrides=*/false,
                             /*hasBiasMask=*/false};
