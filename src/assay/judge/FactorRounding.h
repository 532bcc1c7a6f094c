/// How devices with fast products (tensor cores, AMX) round the f32 factors of
/// products.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::judge {

struct FactorRounding {
  const char *name; ///< "tf32"
  int exponentBits, mantissaBits;
  /// Added before the low bits are cut off, in units of the highest bit that is
  /// cut: 1 rounds ties away from 0; nullopt: to nearest, ties to even.
  std::optional<uint32_t> addedBeforeCut;
};

/// tf32 to nearest (ties to even, as cuBLAS; away from 0, as XLA) and toward zero,
/// bf16, f16.
llvm::ArrayRef<FactorRounding> factorRoundings();

/// One factor, rounded.
float roundedFactor(float x, const FactorRounding &rounding);

/// "as if factors of products were rounded to tf32: 12 of 12"; empty where it
/// explains less than 90 %, or there is nothing to explain.
std::string roundedFactorsText(const FactorRounding &rounding, int64_t like,
                               int64_t all);

/// Whether a rounding explains a number: the number's distance from `like`, the
/// exact result with rounded factors, is less than an eighth of its error.
bool isExplainedBy(double like, double got, double exact);

} // namespace assay::judge
