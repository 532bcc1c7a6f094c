/// Lists of problems: CSV files with the header m,n,k or m,n,k,batch.
#pragma once

#include "assay/support/Error.h"

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

/// What a list of problems is limited to; 0: no limit.
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

/// A deterministic sample of `count` shapes (all, when there are no more), in
/// random order.
std::vector<Shape> sampleShapes(std::vector<Shape> shapes, size_t count,
                                uint64_t seed);

} // namespace assay::select
