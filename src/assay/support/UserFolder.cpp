#include "assay/support/UserFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>

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

std::string assay::userModelFolder() {
  llvm::SmallString<256> path(userDataFolder());
  if (path.empty())
    return "";
  llvm::sys::path::append(path, "models");
  return path.str().str();
}

/// Adds the `models` folders, installed or in a build tree, above a file.
static void addPlacesAbove(llvm::StringRef file,
                           std::vector<std::string> &folders) {
  llvm::SmallString<256> folder(file);
  for (int up = 0; up < 4 && llvm::sys::path::has_parent_path(folder); ++up) {
    llvm::sys::path::remove_filename(folder);
    for (const char *place : {"models", "share/assay/models"}) {
      llvm::SmallString<256> candidate(folder);
      llvm::sys::path::append(candidate, place);
      folders.push_back(candidate.str().str());
    }
  }
}

std::vector<std::string> assay::modelFolders() {
  std::vector<std::string> folders;
  if (const char *named = std::getenv("ASSAY_MODEL_DIR")) {
    folders.push_back(named); // no other folder: an empty one turns models off
    return folders;
  }
  if (std::string own = userModelFolder(); !own.empty())
    folders.push_back(std::move(own));
  // Search beside this code, which may be a library in another program.
  Dl_info self = {};
  llvm::SmallString<256> library;
  if (dladdr(reinterpret_cast<void *>(&modelFolders), &self))
    (void)llvm::sys::fs::real_path(self.dli_fname, library);
  addPlacesAbove(library, folders);
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  if (library != program)
    addPlacesAbove(program, folders);
  return folders;
}
