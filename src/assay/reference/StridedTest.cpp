// Strided copies compared with element-wise ones: dimensions in every order,
// sizes around multiples of the blocks, on one thread and on three.
#include "assay/reference/Strided.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace assay;
using namespace assay::reference;
using tensor::Shape;

/// Byte `at` of element i of an operand; bytes and elements differ.
static std::byte byteOf(int64_t i, int64_t at) {
  return static_cast<std::byte>((i * 37 + at * 101 + i / 251) % 256);
}

/// Copies with the dimensions of `shape`, the source's order, permuted by
/// `order`.
static void expectEqualCopy(int64_t width, const Shape &shape,
                            const Shape &order, ThreadPool &pool) {
  Shape lies = tensor::rowMajorStrides(shape), to, from;
  int64_t count = 1;
  for (int64_t d : order) {
    to.push_back(shape[d]);
    from.push_back(lies[d]);
    count *= shape[d];
  }
  std::vector<std::byte> source(static_cast<size_t>(count * width)),
      expected(source.size()), got(source.size(), std::byte(0x55));
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = byteOf(static_cast<int64_t>(i) / width,
                       static_cast<int64_t>(i) % width);
  Shape index(to.size());
  for (int64_t i = 0; i < count; ++i) {
    unflatten(i, to, index);
    for (int64_t at = 0; at < width; ++at)
      expected[static_cast<size_t>(i * width + at)] =
          byteOf(dotIndex(index, from), at);
  }
  Shape dense = tensor::rowMajorStrides(to);
  copyStrided(width, to, source.data(), from, got.data(), dense, &pool);
  EXPECT_EQ(got, expected) << "width " << width;
  // And back, which writes in the other order.
  std::fill(got.begin(), got.end(), std::byte(0x55));
  copyStrided(width, to, expected.data(), dense, got.data(), from, &pool);
  EXPECT_EQ(got, source) << "width " << width;
}

TEST(Strided, EveryOrderOfDimensionsIsCopied) {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (int64_t width : {1, 2, 4, 8, 16, 32})
      for (Shape shape :
           {Shape{3, 4, 4}, Shape{2, 21, 35}, Shape{1, 16, 64}, Shape{5, 1, 19},
            Shape{2, 130, 150}, Shape{2, 3, 131}, Shape{9, 70, 2}}) {
        Shape order(shape.size());
        std::iota(order.begin(), order.end(), 0);
        do {
          expectEqualCopy(width, shape, order, pool);
        } while (std::next_permutation(order.begin(), order.end()));
      }
  }
}
