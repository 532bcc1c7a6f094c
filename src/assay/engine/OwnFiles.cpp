// The layouts: a build has bin, lib and python/assay; an installation has bin
// and lib/assay; a wheel has the extension module in assay, with assay/bin and
// assay/lib. dladdr names the file that contains this code, whatever program
// loaded it.
#include "assay/engine/OwnFiles.h"
#include "assay/support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace assay;

/// The file that contains this code; the program itself if the code is linked
/// into it.
static std::string ownFile() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&ownFile), &info) == 0 ||
      llvm::sys::fs::equivalent(info.dli_fname, "/proc/self/exe") ||
      !llvm::sys::fs::exists(info.dli_fname))
    return llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  return info.dli_fname;
}

static llvm::Expected<std::string>
findBeside(llvm::StringRef name, std::initializer_list<const char *> tails) {
  std::string file = ownFile();
  for (const char *tail : tails) {
    llvm::SmallString<256> path(llvm::sys::path::parent_path(file));
    llvm::sys::path::append(path, tail, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return makeError(ErrorCode::NotFound,
                   "module '{0}' is not beside the program '{1}' nor in ../lib",
                   name, file);
}

llvm::Expected<std::string> engine::ownProgram() {
  if (llvm::sys::fs::equivalent(ownFile(), "/proc/self/exe"))
    return "/proc/self/exe";
  return findBeside("assay", {"bin", "../bin", "../../bin"});
}

llvm::Expected<std::string> engine::ownModule(llvm::StringRef name) {
  return findBeside(name, {"", "../lib", "../lib/assay", "lib", "../../lib"});
}
