// Fuzzes the .pt reader: any bytes as an archive, and any bytes as the pickle
// in one.
#include "assay/formats/PtFile.h"

using namespace assay::formats;
using namespace assay::tensor;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (auto value = readPickle({data, size}, "fuzz"); !value)
    llvm::consumeError(value.takeError());
  auto reader = PtReader::fromBytes({data, size}, "fuzz.pt", nullptr);
  if (!reader) {
    llvm::consumeError(reader.takeError());
    return 0;
  }
  for (size_t i = 0; i < reader->tensors().size(); ++i)
    if (auto tensor = reader->read(i); !tensor)
      llvm::consumeError(tensor.takeError());
  return 0;
}
