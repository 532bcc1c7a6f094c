/// exp, tanh, logistic, erf, erfc and two powers of f32 in f32 arithmetic, sixteen lanes
/// wide: what softmax, GELU and gates of fused loops are made of. The
/// reference's loops compute in f64 and round once; these stay within a few
/// units in the last place at a quarter of the time.
///
///   function   units in the last place, over every 61st float, with fused
///              multiply-adds and without (docs/native.md)
///   exp        1.2
///   tanh       1.4
///   logistic   3.0
///   erf        2.1
///   erfc       6.0
///   x^2, x^3   0.5, 1.5
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace assay::engine {

/// out[i] = f(in[i]); `out` may be `in`. Infinities, zeros and NaN have the
/// reference's results; subnormal results are rounded like others.
/// Threads: re-entrant.
using VectorLoop = void (*)(const float *in, float *out, int64_t count);

struct VectorFunction {
  VectorLoop loop = nullptr; ///< null: there is none
  double ulps = 0;           ///< the largest error, as in the table above
};
/// The loop of an operation ("stablehlo.tanh", "chlo.erfc") on this processor.
VectorFunction vectorFunctionOf(llvm::StringRef operation);
/// The loop for powers with a single exponent, if it is faster than the
/// reference's.
VectorFunction vectorPowerOf(float exponent);

} // namespace assay::engine
