// Fuzzes the HDF5 reader: any bytes as a file. The catalogue is made and every
// dataset is read, by offset where it is contiguous and through the library
// where it is not. The file lives in memory (memfd): nothing touches a disk.
#include "assay/tensor/Hdf5Reader.h"
#include "assay/trace/DumpName.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int memory = memfd_create("fuzz.h5", 0);
  if (memory < 0)
    return 0;
  std::string path = "/proc/self/fd/" + std::to_string(memory);
  if (write(memory, data, size) == static_cast<ssize_t>(size)) {
    auto file = assay::tensor::Hdf5Reader::open(path);
    if (file) {
      for (const auto &dataset : (*file)->datasets()) {
        (void)assay::trace::parseDumpName(dataset.path).text();
        if (!dataset.unsupported.empty() || dataset.sizeBytes > (1 << 24))
          continue;
        if (auto tensor = (*file)->readTensor(dataset); !tensor)
          llvm::consumeError(tensor.takeError());
      }
    } else {
      llvm::consumeError(file.takeError());
    }
  }
  close(memory);
  return 0;
}
