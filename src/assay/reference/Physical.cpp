// Elements that share bytes are converted row by row; other tensors are copied
// with copyStrided.
#include "assay/reference/Physical.h"
#include "assay/numerics/SubByte.h"
#include "assay/reference/Strided.h"

using namespace assay;
using tensor::TensorType;

/// Calls row(first element, its physical index, number of elements, stride) for
/// every innermost row.
template <typename Row>
static void forEachRow(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> strides, Row row) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  if (shape.empty())
    return row(0, 0, 1, 1);
  llvm::SmallVector<int64_t, 6> index(shape.size(), 0);
  int64_t width = shape.back(), first = 0;
  do {
    int64_t at = 0;
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      at += index[d] * strides[d];
    row(first, at, width, strides.back());
    first += width;
  } while (reference::nextIndex(
      llvm::MutableArrayRef<int64_t>(index).drop_back(), shape.drop_back()));
}

void reference::loadPhysical(const TensorType &type, const void *physical,
                             llvm::ArrayRef<int64_t> strides, void *elements,
                             ThreadPool *threads) {
  if (!numerics::isPacked(type.element))
    return copyStrided(type.element.storageBytes(), type.shape, physical,
                       strides, elements, tensor::rowMajorStrides(type.shape),
                       threads);
  forEachRow(type.shape, strides,
             [&](int64_t first, int64_t at, int64_t n, int64_t stride) {
               numerics::unpackElements(type.element, physical, at, stride, n,
                                        static_cast<std::byte *>(elements) +
                                            first);
             });
}

void reference::storePhysical(const TensorType &type, const void *elements,
                              void *physical, llvm::ArrayRef<int64_t> strides,
                              ThreadPool *threads) {
  if (!numerics::isPacked(type.element))
    return copyStrided(type.element.storageBytes(), type.shape, elements,
                       tensor::rowMajorStrides(type.shape), physical, strides,
                       threads);
  forEachRow(type.shape, strides,
             [&](int64_t first, int64_t at, int64_t n, int64_t stride) {
               numerics::packElements(type.element,
                                      static_cast<const std::byte *>(elements) +
                                          first,
                                      physical, at, stride, n);
             });
}
