// Opens a dump, and prints the note about its repair.
#include "OpenDump.h"
#include "Options.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::tools {

llvm::Expected<std::unique_ptr<formats::Hdf5Reader>>
openDump(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> file =
      formats::Hdf5Reader::open(path);
  if (file && (*file)->repaired())
    tools::err() << "assay: note: '" << path
                 << "' was left by a recorder that was killed; repaired, "
                 << (*file)->repaired()->tensors << " tensors are complete\n";
  return file;
}

} // namespace assay::tools
