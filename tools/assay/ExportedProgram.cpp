// Only PyTorch can read an ExportedProgram (its graph is JSON of its own
// version, its weights are in its archives), so the package's
// assay.torch.exporting writes the program and its weights into a folder.
#include "ExportedProgram.h"
#include "assay/engine/PythonWorker.h"
#include "llvm/Support/FileSystem.h"

using namespace assay;
using namespace assay::tools;

/// The exit code of assay.torch.exporting after it has printed the error
/// itself.
static constexpr int kExplained = 2;

bool tools::isExportedProgram(llvm::StringRef path) {
  return path.ends_with(".pt2");
}

ConvertedProgram::~ConvertedProgram() {
  if (!temporary_.empty())
    llvm::sys::fs::remove_directories(temporary_);
}

std::string ConvertedProgram::folder() const {
  return temporary_.str().str() + "/program";
}

llvm::Error ConvertedProgram::convert(llvm::StringRef path,
                                      llvm::ArrayRef<std::string> inputs) {
  if (!llvm::sys::fs::exists(path))
    return makeError(ErrorCode::NotFound, "there is no file '{0}'", path);
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("assay-pt2", temporary_))
    return makeError(ErrorCode::InvalidArgument,
                     "no temporary folder can be made: {0}", error.message());
  std::vector<std::string> words{path.str(), folder()};
  words.insert(words.end(), inputs.begin(), inputs.end());
  llvm::Expected<engine::PythonRun> ran = engine::runPythonModule(
      "assay.torch.exporting", words, temporary_.str().str() + "/log");
  if (!ran)
    return addContext(ran.takeError(), "a .pt2 file is read by PyTorch");
  if (ran->code == 0)
    return llvm::Error::success();
  llvm::StringRef said = ran->said, last = said.rsplit('\n').second;
  if (ran->code == kExplained)
    return makeError(ErrorCode::Unsupported, "{0}: {1}", path, said);
  return makeError(ErrorCode::Unsupported,
                   "'{0}' is read by PyTorch, in {1}: {2}; install torch "
                   "there, or name another Python in ASSAY_PYTHON",
                   path, ran->interpreter, last.empty() ? said : last);
}
