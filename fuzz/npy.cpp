// Feeds arbitrary bytes to the .npy reader: for any input it returns
// a tensor or one clear error.
#include "assay/formats/Npy.h"
#include "assay/support/Error.h"

using namespace assay;
using namespace assay::formats;
using namespace assay::tensor;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<StoredTensor> stored =
      parseNpy(llvm::ArrayRef<uint8_t>(data, size), "input");
  if (!stored) {
    llvm::consumeError(stored.takeError());
    return 0;
  }
  llvm::Expected<Tensor> finished =
      finishStored(*stored, std::nullopt, "input");
  if (!finished)
    llvm::consumeError(finished.takeError());
  return 0;
}
