/// The `algorithm` of dot_general: the types that its factors are rounded to or
/// split into, and the type that sums are kept in. Its products are
///   one    round(a) round(b)
///   three  a1 b1 + a1 b2 + a2 b1, where a1 = round(a), a2 = round(a - a1)
///   six    those and a2 b2 + a1 b3 + a3 b1
///   nine   all products of three components
/// Rounding is to nearest, ties to even. Where a1 b1 is not finite, the other
/// products are left out.
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

/// A format that factors are rounded to. Separate because tf32 is not an
/// element type.
struct FactorFormat {
  bool isTf32 = false;
  numerics::ElementType type; ///< unless it is tf32

  double round(double x) const;
  /// The distance between neighbouring numbers of the format around x.
  double ulp(double x) const;
};

struct DotAlgorithm {
  FactorFormat lhs, rhs;
  numerics::ElementType accumulation;
  int64_t products = 1;
  bool imprecise = false; ///< sums may be kept in a narrower type

  int64_t components() const {
    return products == 1 ? 1 : products == 3 ? 2 : 3;
  }
  /// The pairs of components that are multiplied, counted from 0, largest
  /// product first.
  llvm::ArrayRef<std::pair<int, int>> pairs() const;
  /// A bound on the sum of the omitted products, as a share of |a||b|. It covers
  /// implementations that split by rounding and by truncation.
  double neglected() const;
};

/// The algorithm that an operation requests; nullopt for the plain product.
/// Errors: Unsupported, naming the type, for types that it does not support.
llvm::Expected<std::optional<DotAlgorithm>> dotAlgorithm(mlir::Operation *op);
/// Whether the operation requests an algorithm. Only the reference supports
/// one.
bool hasAlgorithm(mlir::Operation *op);

/// Splits rows of `count` numbers into rows of components: for each product the
/// components `which`, one after the other. `values` holds `rows * count`
/// numbers.
std::vector<double> componentsOf(const FactorFormat &format,
                                 llvm::ArrayRef<double> values, int64_t count,
                                 llvm::ArrayRef<int> which);

} // namespace assay::reference
