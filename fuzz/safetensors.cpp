// Fuzzes the .safetensors reader: any bytes as a file; every tensor is read.
#include "assay/formats/Safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto reader = assay::formats::SafetensorsReader::fromBytes(
      {data, size}, "fuzz.safetensors", nullptr);
  if (!reader) {
    llvm::consumeError(reader.takeError());
    return 0;
  }
  for (const std::string &name : reader->names())
    if (auto tensor = reader->read(name); !tensor)
      llvm::consumeError(tensor.takeError());
  return 0;
}
