/// The `algorithm` of dot_general: what its factors are rounded to or split
/// into, and the type that sums are kept in.
///   one product      round(a) round(b)
///   three            a1 b1 + a1 b2 + a2 b1, where a1 = round(a), a2 = round(a - a1)
///   six              and a2 b2 + a1 b3 + a3 b1
///   nine             all of three components
/// Rounding is to nearest, ties to even; where a1 b1 is not finite the rest of
/// it is left out.
/// Source: StableHLO specification, "dot_general"; G. Henry, P. Tang, A.
/// Heinecke, arXiv 1904.06376 (components).
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <utility>
#include <vector>

namespace assay::reference {

/// A format that factors are rounded to: tf32 is not an element type.
struct FactorFormat {
  bool isTf32 = false;
  numerics::ElementType type; ///< where it is not tf32

  double round(double x) const;
  /// The distance of the numbers of the format around x.
  double ulp(double x) const;
};

struct DotAlgorithm {
  FactorFormat lhs, rhs;
  numerics::ElementType accumulation;
  int64_t products = 1;
  bool imprecise = false; ///< some sums may be kept in less

  int64_t components() const {
    return products == 1 ? 1 : products == 3 ? 2 : 3;
  }
  /// The components of each product, counted from 0, the largest first.
  llvm::ArrayRef<std::pair<int, int>> pairs() const;
  /// How much of |a||b| implementations that split by rounding or by cutting off
  /// may leave out, altogether.
  double neglected() const;
};

/// The algorithm that an operation requests; nullopt: the plain product. Errors:
/// Unsupported, by name, for types that it is not computed on.
llvm::Expected<std::optional<DotAlgorithm>> dotAlgorithm(mlir::Operation *op);
/// Whether the operation asks for an algorithm: only the reference computes it.
bool hasAlgorithm(mlir::Operation *op);

/// Rows of `count` numbers as rows of their components, `which` of each product
/// after each other. `values` holds `rows * count` numbers.
std::vector<double> componentsOf(const FactorFormat &format,
                                 llvm::ArrayRef<double> values, int64_t count,
                                 llvm::ArrayRef<int> which);

} // namespace assay::reference
