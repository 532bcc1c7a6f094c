/// Measures how far the reference's functions are from correctly rounded ones.
#pragma once

#include "Truth.h"
#include "assay/reference/Elementwise.h"

namespace assay::accuracy {

using numerics::ElementType;

/// The largest errors of one function in one type.
struct Errors {
  int64_t inputs = 0;
  int64_t notRounded = 0; ///< results that are not correctly rounded
  uint64_t ulps = 0;      ///< the largest distance from the correct results, in
                          ///< ULP
  double modulus = 0;     ///< complex: largest |error| / (eps |exact|)
  int64_t special = 0;    ///< NaN on one side only, or another sign of zero
  int64_t exact = 0;      ///< inputs for which arbitrary precision was needed
  std::string at;         ///< the input with the largest distance

  void add(const Errors &other);
};

/// The reference's loop for one operation between equal types.
class Loop {
public:
  /// Errors: the operation has no loop for this type.
  static llvm::Expected<Loop> make(const std::string &op, ElementType type);
  void operator()(const void *in, void *out, int64_t count) const;

private:
  reference::ElementwiseFunction function_;
};

/// Measures every `stride`th code of a float type of 16 or 32 bits, on
/// `threads` threads. The result of `quick`, in double, decides if it is far
/// enough from the midpoint of two neighbours; arbitrary precision decides
/// otherwise.
llvm::Expected<Errors> measureCodes(const RealFunction &function,
                                    ElementType type, uint64_t stride,
                                    int threads);
/// f64: measures `samples` numbers of all exponents, in arbitrary precision
/// only.
llvm::Expected<Errors> measureDouble(const RealFunction &function,
                                     int64_t samples);
/// complex<f32> and complex<f64>: both parts have random exponents from -30 to
/// 21, and for every fourth number from -140 to 19.
llvm::Expected<Errors> measureComplex(const ComplexFunction &function,
                                      ElementType type, int64_t samples);

} // namespace assay::accuracy
