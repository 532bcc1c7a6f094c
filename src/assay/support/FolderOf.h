/// The folder that an output goes into.
#pragma once

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace assay {

/// Makes the folders on the way to a file that are missing. Where that fails,
/// opening the file says why.
inline void makeFolderOf(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    (void)llvm::sys::fs::create_directories(folder);
}

} // namespace assay
