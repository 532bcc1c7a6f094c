/// Makes the folder that an output file goes into.
#pragma once

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace assay {

/// Makes the missing folders above a file. A failure is not reported here:
/// opening the file afterwards says why.
inline void makeFolderOf(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    (void)llvm::sys::fs::create_directories(folder);
}

} // namespace assay
