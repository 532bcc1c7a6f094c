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
  friend bool operator==(const Shape &, const Shape &) = default;
};

/// Errors: NotFound; InvalidArgument with the line that is wrong (sizes are
/// integers from 1 to 2^31 - 1)
llvm::Expected<std::vector<Shape>> readShapes(llvm::StringRef path);

/// A deterministic sample of `count` shapes (all, when there are no more), in
/// random order.
std::vector<Shape> sampleShapes(std::vector<Shape> shapes, size_t count,
                                uint64_t seed);

} // namespace assay::select
