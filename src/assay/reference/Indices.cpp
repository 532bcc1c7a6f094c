// Reads index tensors.
#include "assay/reference/Indices.h"

#include "assay/program/Program.h"

#include <algorithm>

namespace assay::reference {

int64_t indexAt(const tensor::Tensor &tensor, int64_t i) {
  if (tensor.isSplat())
    i = 0;
  bool isSigned = tensor.elementType().isSigned();
  switch (tensor.elementType().storageBytes()) {
  case 1:
    return isSigned ? tensor.data<int8_t>()[i] : tensor.data<uint8_t>()[i];
  case 2:
    return isSigned ? tensor.data<int16_t>()[i] : tensor.data<uint16_t>()[i];
  case 4:
    return isSigned ? tensor.data<int32_t>()[i]
                    : static_cast<int64_t>(tensor.data<uint32_t>()[i]);
  default:
    if (isSigned)
      return tensor.data<int64_t>()[i];
    return static_cast<int64_t>(
        std::min<uint64_t>(tensor.data<uint64_t>()[i], INT64_MAX));
  }
}

llvm::SmallVector<int64_t, 8> indicesOf(const tensor::Tensor &tensor) {
  llvm::SmallVector<int64_t, 8> values;
  for (int64_t i = 0; i < tensor.size(); ++i)
    values.push_back(indexAt(tensor, i));
  return values;
}

void SortedPromise::see(llvm::ArrayRef<int64_t> start) {
  if (!made_ || broken_)
    return;
  broken_ = !last_.empty() &&
            std::lexicographical_compare(start.begin(), start.end(),
                                         last_.begin(), last_.end());
  last_.assign(start.begin(), start.end());
}

void noteBrokenPromise(program::StepContext &context, llvm::StringRef promise,
                       llvm::StringRef how) {
  std::string note =
      llvm::formatv("{0}: '{1}' says {2}, but {3}: what an implementation "
                    "makes of that is left open",
                    program::describeLocation(context.op->getLoc()),
                    context.op->getName().getStringRef(), promise, how)
          .str();
  if (!llvm::is_contained(context.run.notes, note))
    context.run.notes.push_back(std::move(note));
}

} // namespace assay::reference
