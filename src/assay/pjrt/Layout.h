/// How the elements of a buffer lie in memory: dense, its dimensions in an
/// order that a program or a framework may ask for.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/tensor/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace assay::pjrt {

/// The dimensions, the minor one first.
using Layout = tensor::Shape;

Layout rowMajor(size_t rank);
inline bool isRowMajor(const Layout &layout) {
  return layout == rowMajor(layout.size());
}
/// Strides in elements of a dense tensor that lies so.
tensor::Shape stridesOf(llvm::ArrayRef<int64_t> shape, const Layout &layout);

/// What the interface asks for; null: row-major. Errors: Unsupported for tiles
/// and strides, InvalidArgument for what is not an order of the dimensions.
llvm::Expected<Layout> layoutOf(const MemoryLayout *asked, size_t rank);
/// What an argument or result asks for in `mhlo.layout_mode`. A result that may
/// choose lies as the value does that it is a transpose of. Errors: those of
/// layoutOf.
llvm::Expected<Layout> layoutOf(mlir::DictionaryAttr attributes, size_t rank,
                                mlir::Value result = {});

/// Writes elements with these strides in bytes densely, as `layout` says.
void gather(std::byte *out, const std::byte *in, size_t elementBytes,
            llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
            const Layout &layout);
/// Writes a tensor's bytes, which lie in one order, in another.
void copyBytes(std::byte *out, const tensor::Tensor &tensor, const Layout &from,
               const Layout &to);
/// A tensor whose bytes lie in one order, with its bytes in another. Errors:
/// ResourceLimit.
llvm::Expected<tensor::Tensor>
reordered(const tensor::Tensor &tensor, const Layout &from, const Layout &to,
          const std::shared_ptr<MemoryBudget> &budget);

} // namespace assay::pjrt
