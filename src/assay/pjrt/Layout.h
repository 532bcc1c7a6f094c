/// The order of a buffer's elements in memory: dense, with the dimensions in an
/// order that a program or a framework may request.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/tensor/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace assay::pjrt {

/// The dimensions, from minor to major.
using Layout = tensor::Shape;

Layout rowMajor(size_t rank);
inline bool isRowMajor(const Layout &layout) {
  return layout == rowMajor(layout.size());
}
/// Strides, in elements, of a dense tensor with this layout.
tensor::Shape stridesOf(llvm::ArrayRef<int64_t> shape, const Layout &layout);

/// The layout that the interface requests; row-major for null. Errors:
/// Unsupported for tiles and strides, InvalidArgument for a list that is not an
/// order of the dimensions.
llvm::Expected<Layout> layoutOf(const MemoryLayout *asked, size_t rank);
/// The layout that an argument or result requests in `mhlo.layout_mode`. A
/// result in mode `auto` that is a transpose keeps the order of the transpose's
/// operand. Errors: those of layoutOf.
llvm::Expected<Layout> layoutOf(mlir::DictionaryAttr attributes, size_t rank,
                                mlir::Value result = {});

/// Copies strided elements into dense bytes with this `layout`.
void gather(std::byte *out, const std::byte *in, size_t elementBytes,
            llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
            const Layout &layout);
/// Copies a tensor's bytes from one layout to another.
void copyBytes(std::byte *out, const tensor::Tensor &tensor, const Layout &from,
               const Layout &to);
/// A tensor whose bytes are in layout `from`, with its bytes in another layout.
/// Errors: ResourceLimit.
llvm::Expected<tensor::Tensor>
reordered(const tensor::Tensor &tensor, const Layout &from, const Layout &to,
          const std::shared_ptr<MemoryBudget> &budget);

} // namespace assay::pjrt
