#include "assay/engine/native/ProgramDump.h"

#include "assay/support/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <atomic>

namespace assay::engine {

/// The folder for the next program.
static llvm::Expected<std::string> nextFolder(const std::string &folder) {
  static std::atomic<int> programs{0};
  int number = ++programs;
  llvm::SmallString<128> path(folder);
  if (number > 1)
    llvm::sys::path::append(path, std::to_string(number));
  if (std::error_code error = llvm::sys::fs::create_directories(path))
    return makeError(ErrorCode::InvalidArgument, "cannot make '{0}': {1}", path,
                     error.message());
  return path.str().str();
}

llvm::Expected<PassObserver> dumpInto(const std::string &folder) {
  if (folder.empty())
    return PassObserver();
  llvm::Expected<std::string> own = nextFolder(folder);
  if (!own)
    return own.takeError();
  return [folder = *own, count = 0](llvm::StringRef pass,
                                    mlir::ModuleOp module) mutable {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, mlir::OpPrintingFlags().enableDebugInfo());
    return writeAtomically(
        llvm::formatv("{0}/{1:d2}_{2}.mlir", folder, count++, pass).str(),
        text);
  };
}

} // namespace assay::engine
