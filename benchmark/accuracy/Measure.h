/// How far the reference's functions are from correctly rounded ones.
#pragma once

#include "Truth.h"
#include "assay/reference/Elementwise.h"

namespace assay::accuracy {

using numerics::ElementType;

/// The largest errors of one function in one type.
struct Errors {
  int64_t inputs = 0;
  int64_t notRounded = 0; ///< results that are not the correctly rounded ones
  uint64_t ulps = 0;      ///< the largest distance from them, in ULP
  double modulus = 0;     ///< complex: largest |error| / (eps |exact|)
  int64_t special = 0;    ///< NaN on one side, or another sign of zero
  int64_t exact = 0;      ///< inputs that the arbitrary precision decided
  std::string at;         ///< the input of the largest distance

  void add(const Errors &other);
};

/// The reference's loop of one operation between equal types.
class Loop {
public:
  /// Errors: the operation has no loop for the type.
  static llvm::Expected<Loop> make(const std::string &op, ElementType type);
  void operator()(const void *in, void *out, int64_t count) const;

private:
  reference::ElementwiseFunction function_;
};

/// Every `stride`th code of a float type of 16 or 32 bits, shared by `threads`.
/// The double of `quick` decides where it is far enough from the middle of two
/// neighbours, the arbitrary precision elsewhere.
llvm::Expected<Errors> measureCodes(const RealFunction &function,
                                    ElementType type, uint64_t stride,
                                    int threads);
/// f64: `samples` numbers of all exponents, by arbitrary precision only.
llvm::Expected<Errors> measureDouble(const RealFunction &function,
                                     int64_t samples);
/// complex<f32> and complex<f64>: both parts drawn from exponents -30 to 21,
/// every fourth from -140 to 19.
llvm::Expected<Errors> measureComplex(const ComplexFunction &function,
                                      ElementType type, int64_t samples);

} // namespace assay::accuracy
