/// Lists of problems: CSV files with the header m,n,k or m,n,k,batch.
#pragma once

#include "assay/kernels/conv/ConvProblem.h"
#include "assay/support/Random.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace assay::select {

struct Shape {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  double flops() const {
    return 2.0 * double(m) * double(n) * double(k) * double(batch);
  }
  /// Elements of A, B and C.
  double elements() const {
    return (double(m) * double(k) + double(k) * double(n) +
            double(m) * double(n)) *
           double(batch);
  }
  friend bool operator==(const Shape &, const Shape &) = default;
};

/// Errors: NotFound; InvalidArgument with the line that is wrong (sizes are
/// integers from 1 to 2^31 - 1)
llvm::Expected<std::vector<Shape>> readShapes(llvm::StringRef path);

/// Problems of all kinds up to `gflop`. The logarithms of sizes are spread
/// evenly, and every other size is a multiple of 16. There are far more than a
/// budget measures, so that every further run finds new ones. `stream`: streams
/// of one seed are independent.
std::vector<Shape> drawShapes(double gflop, uint64_t seed, uint32_t stream);

/// The limits of a list of problems; 0: no limit.
struct ShapeLimits {
  double gflop = 0; ///< --cap
  double bytes = 0; ///< --max-memory: of A, B and C at eight bytes per element
};
/// The same without the shapes that exceed the limits.
/// Errors: also InvalidArgument when no shape is within them
llvm::Expected<std::vector<Shape>> readShapes(llvm::StringRef path,
                                              const ShapeLimits &limits);

/// Parses numbers of threads, "1,2"; empty: one, and the number of all cores.
llvm::Expected<std::vector<int>> parseThreadList(llvm::StringRef text);

/// A deterministic sample of `count` items of the list (all if there are no
/// more), in random order.
template <class Item>
std::vector<Item> sampleOf(std::vector<Item> list, size_t count,
                           uint64_t seed) {
  CounterRandom random(seed, 0x5a4e);
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1],
              list[random.integer(i, 0, static_cast<int64_t>(i) - 1)]);
  if (list.size() > count)
    list.resize(count);
  return list;
}

/// Convolutions of all kinds up to `gflop`, drawn as drawShapes() draws
/// products: windows of 1 to 7, strides, dilations. The groups: mostly one, or
/// one per channel, or a few channels each. Every other problem has channels
/// that are a multiple of 8.
std::vector<kernels::ConvProblem>
drawConvolutions(double gflop, kernels::ConvDirection direction,
                 kernels::DataType type, uint64_t seed, uint32_t stream);

/// Convolutions from a CSV with a column `problem`, from one with CK Tile's
/// columns (N C K G Di Hi Wi Z Y X stride_d ...), or from a text file whose
/// lines are a descriptor or a command line of MIOpen's driver (# begins a
/// comment). Lines for directions other than `direction` (-F 1, 2, 4) are left
/// out.
/// Errors: NotFound; InvalidArgument with the line that is wrong
llvm::Expected<std::vector<kernels::ConvProblem>>
readConvolutions(llvm::StringRef path, kernels::ConvDirection direction,
                 kernels::DataType type);
/// The same without the problems that exceed the limits (bytes: of image,
/// filter and result).
/// Errors: also InvalidArgument when no problem is within them
llvm::Expected<std::vector<kernels::ConvProblem>>
readConvolutions(llvm::StringRef path, kernels::ConvDirection direction,
                 kernels::DataType type, const ShapeLimits &limits);

} // namespace assay::select
