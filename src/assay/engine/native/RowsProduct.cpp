// Blocks of rows multiplied by one B that several of them read. Its rows are
// copied next to each other, so that they are on few pages; a B with adjacent
// columns, or a large one, is packed for the kernels of weights. If these do
// not support the problem, and for a single block, the kernels that are chosen
// for a block read B in place.
#include "assay/engine/native/RowsProduct.h"

#include "assay/reference/Strided.h"

namespace assay::engine {

using kernels::GemmPointers;
using kernels::GemmProblem;
using kernels::PackedProduct;

RowsProduct::RowsProduct(const GemmProblem &problem, int64_t rows,
                         NativeContext &native)
    : problem_(problem), source_(problem.bStrides) {
  problem_.threads = 1;
  // For values of 512 columns, rows were as fast as panels up to 4 MiB, and a
  // quarter slower at 8 MiB (Zen 5, 24 November 2026).
  constexpr int64_t kMostInRows = 4 << 20;
  int64_t bytes = problem.k * problem.n * kernels::sizeOf(problem.b);
  if (problem.m <= rows)
    return;
  if (source_.column != 1 || bytes > kMostInRows)
    pack(rows, native);
  if (packed_.empty() && source_.column == 1 && source_.row != problem.n) {
    problem_.bStrides = {problem.n, 1, 0};
    arrangedBytes_ = bytes;
  }
}

void RowsProduct::pack(int64_t rows, NativeContext &native) {
  llvm::SmallVector<int64_t, 2> heights{rows};
  if (problem_.m % rows)
    heights.push_back(problem_.m % rows);
  // One number for all blocks, because they read the same panels.
  int vectors =
      PackedProduct::vectorsFor(problem_, native.registry.machine().isa);
  for (int64_t height : heights) {
    GemmProblem block = problem_;
    block.m = height;
    auto product = PackedProduct::create(block, native.registry, vectors);
    if (!product) {
      llvm::consumeError(product.takeError()); // the ordinary kernels are used
      packed_.clear();
      return;
    }
    packed_.push_back(std::move(*product));
  }
  arrangedBytes_ = packed_.front()->packedBytes();
}

void RowsProduct::arrange(const void *b, void *to, ThreadPool &threads) const {
  if (!packed_.empty()) {
    packed_.front()->pack(b, to, threads);
    return;
  }
  tensor::Shape shape{problem_.k, problem_.n};
  reference::copyStrided(kernels::sizeOf(problem_.b), shape,
                         static_cast<const std::byte *>(b),
                         {source_.row, source_.column},
                         static_cast<std::byte *>(to),
                         tensor::rowMajorStrides(shape), &threads);
}

llvm::Error RowsProduct::run(int64_t rows, const GemmPointers &pointers,
                             NativeContext &native, ThreadPool &threads) const {
  for (const auto &product : packed_)
    if (product->rows() == rows) {
      product->run(pointers, threads);
      return llvm::Error::success();
    }
  GemmProblem block = problem_;
  block.m = rows;
  return kernels::gemm(block, pointers, native.registry, *native.selector,
                       threads);
}

} // namespace assay::engine
