/// Sums of products in a wider type: the arithmetic core of dot_general and
/// convolution.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "assay/support/ThreadPool.h"

#include <functional>

namespace assay::reference {

using numerics::ElementType;

/// How products of lhs and rhs elements are summed into the result type. Chosen
/// once per operation.
///
///   floats of 32 bits or fewer   f64: each product exact, one rounding at the
///                                end
///   f64                          double-double (TwoProduct, TwoSum: Dekker
///                                1971; Ogita, Rump and Oishi 2005)
///   integers                     64 bits, wrapping (32 bits where the result
///                                has 32 or fewer)
///   booleans                     or of ands
///   complex                      the four real sums, each as above
///   perStep                      the result type, rounded after every addition
class Contraction {
public:
  /// `isShadow`: the sums are the shadow of a narrower operation. Products of
  /// f64 are then summed in plain f64, whose errors are far smaller than those
  /// of the narrower type.
  static llvm::Expected<Contraction> make(ElementType lhs, ElementType rhs,
                                          ElementType result, bool perStep,
                                          bool isShadow = false);

  /// The type to which operands are converted before multiply() (f64, i64,
  /// complex<f64>, binary128 ...).
  ElementType computeType() const { return compute_; }

  /// result[i, j] = round(sum over k of lhs[i, k] * rhs[j, k]), both operands
  /// in computeType(), contiguous in k; rows of the result are `resultStride`
  /// elements of the result type apart.
  void multiply(const void *lhs, const void *rhs, void *result, int64_t m,
                int64_t n, int64_t k, int64_t resultStride) const;

private:
  using Kernel = void (*)(const void *lhs, const void *rhs, void *sums,
                          int64_t m, int64_t n, int64_t k, ElementType step);
  ElementType compute_, result_, sums_;
  ElementType step_; ///< perStep: the type that partial sums are rounded to
  Kernel kernel_ = nullptr;
};

} // namespace assay::reference
