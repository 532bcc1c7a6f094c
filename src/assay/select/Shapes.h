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

/// Problems of all kinds up to `gflop`: sizes spread evenly in their logarithms,
/// every other one a multiple of 16. Far more than a budget measures, so that
/// every further run finds new ones. `stream`: draws of one seed that have
/// nothing in common.
std::vector<Shape> drawShapes(double gflop, uint64_t seed, uint32_t stream);

/// The limits of a list of problems; 0: no limit.
struct ShapeLimits {
  double gflop = 0; ///< --cap
  double bytes = 0; ///< --max-memory: of A, B and C at eight bytes an element
};
/// The same, without the shapes beyond the limits.
/// Errors: also InvalidArgument when none is left
llvm::Expected<std::vector<Shape>> readShapes(llvm::StringRef path,
                                              const ShapeLimits &limits);

/// "1,2" as numbers of threads; empty: one, and all cores.
llvm::Expected<std::vector<int>> parseThreadList(llvm::StringRef text);

/// A deterministic sample of `count` of the list (all, when there are no more), in
/// random order.
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

/// Convolutions of all kinds up to `gflop`, drawn as drawShapes() draws products:
/// windows of 1 to 7, strides, dilations, one group (mostly), a channel each, or
/// groups of a few; every other one with channels a multiple of 8.
std::vector<kernels::ConvProblem>
drawConvolutions(double gflop, kernels::ConvDirection direction,
                 kernels::DataType type, uint64_t seed, uint32_t stream);

/// Convolutions: a CSV with a column `problem`, one with CK Tile's columns (N C K G
/// Di Hi Wi Z Y X stride_d ...), or a text file with a descriptor or a command line
/// of MIOpen's driver a line (# begins a comment). Lines of directions other than
/// `direction` (-F 1, 2, 4) are left out.
/// Errors: NotFound; InvalidArgument with the line that is wrong
llvm::Expected<std::vector<kernels::ConvProblem>>
readConvolutions(llvm::StringRef path, kernels::ConvDirection direction,
                 kernels::DataType type);
/// The same, without those beyond the limits (bytes: of image, filter and result).
/// Errors: also InvalidArgument when none is left
llvm::Expected<std::vector<kernels::ConvProblem>>
readConvolutions(llvm::StringRef path, kernels::ConvDirection direction,
                 kernels::DataType type, const ShapeLimits &limits);

} // namespace assay::select
