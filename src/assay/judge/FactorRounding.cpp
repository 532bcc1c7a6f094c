#include "assay/judge/FactorRounding.h"
#include "assay/judge/Types.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

static constexpr double kShareLeft = 0.125;

static constexpr FactorRounding kFactorRoundings[] = {
    {"tf32", 8, 10, {}}, {"tf32", 8, 10, 1}, {"tf32 (cut)", 8, 10, 0},
    {"bf16", 8, 7, {}},  {"f16", 5, 10, {}},
};

llvm::ArrayRef<FactorRounding> judge::factorRoundings() {
  return kFactorRoundings;
}

float judge::roundedFactor(float x, const FactorRounding &rounding) {
  if (!std::isfinite(x))
    return x;
  if (rounding.exponentBits < 8)
    return static_cast<float>(roundTo(types::F16, x));
  auto bits = llvm::bit_cast<uint32_t>(x);
  int lost = 23 - rounding.mantissaBits;
  uint32_t half = 1u << (lost - 1), isOdd = bits >> lost & 1;
  bits += rounding.addedBeforeCut ? *rounding.addedBeforeCut * half
                                  : half - 1 + isOdd;
  return llvm::bit_cast<float>(bits & ~0u << lost);
}

std::string judge::roundedFactorsText(const FactorRounding &rounding,
                                      int64_t like, int64_t all) {
  if (like == 0 || 10 * like < 9 * all)
    return "";
  return llvm::formatv(
             "as if factors of products were rounded to {0}: {1} of {2}",
             rounding.name, like, all)
      .str();
}

bool judge::isExplainedBy(double like, double got, double exact) {
  return std::fabs(got - like) <= kShareLeft * std::fabs(got - exact);
}
