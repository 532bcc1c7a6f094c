// Fuzzes the .npz reader: any bytes as an archive; every member is unpacked and
// read.
#include "assay/formats/Npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto reader =
      assay::formats::NpzReader::fromBytes({data, size}, "fuzz.npz", nullptr);
  if (!reader) {
    llvm::consumeError(reader.takeError());
    return 0;
  }
  for (const std::string &name : reader->names())
    if (auto tensor = reader->read(name); !tensor)
      llvm::consumeError(tensor.takeError());
  return 0;
}
