// Fuzzes the HDF5 readers: any bytes as a file. The catalogue is made and the
// rows of every chunked dataset are read, in this process: what readers do in a
// helper process would leave no trace of the code that ran. The file lives in
// memory (memfd): nothing touches a disk.
#include "assay/formats/Hdf5Session.h"
#include "assay/trace/DumpName.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace assay::formats;
using namespace assay::tensor;

static void readAll(const hdf5::Session &file, const hdf5::Catalogue &all) {
  for (const Hdf5Dataset &dataset : all.datasets) {
    (void)assay::trace::parseDumpName(dataset.path).text();
    if (!dataset.unsupported.empty() || dataset.offset >= 0 ||
        dataset.sizeBytes == 0 || dataset.sizeBytes > (1 << 24))
      continue;
    std::vector<uint8_t> bytes(static_cast<size_t>(dataset.sizeBytes));
    llvm::ArrayRef<int64_t> shape = dataset.type.shape;
    int64_t rows = shape.empty() ? 1 : shape[hdf5::slabDimension(shape)];
    if (auto error = file.readRows(dataset.path, shape, 0, rows, bytes.data()))
      llvm::consumeError(std::move(error));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int memory = memfd_create("fuzz.h5", 0);
  if (memory < 0)
    return 0;
  std::string path = "/proc/self/fd/" + std::to_string(memory);
  if (write(memory, data, size) == static_cast<ssize_t>(size)) {
    auto file = assay::formats::hdf5::Session::open(path);
    if (file) {
      auto catalogue = file->list();
      if (catalogue)
        readAll(*file, *catalogue);
      else
        llvm::consumeError(catalogue.takeError());
    } else {
      llvm::consumeError(file.takeError());
    }
  }
  close(memory);
  return 0;
}
