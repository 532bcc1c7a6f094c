#include "assay/support/UserFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

std::string assay::userDataFolder() {
  llvm::SmallString<256> path;
  if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data)
    path = data;
  else if (llvm::sys::path::home_directory(path))
    llvm::sys::path::append(path, ".local", "share");
  else
    return "";
  llvm::sys::path::append(path, "assay");
  return path.str().str();
}
