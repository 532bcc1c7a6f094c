// The two bounds of a sum, and the names of the kinds of data that they depend
// on. Statistical bounds with sqrt(d): Higham and Mary, SIAM J. Sci. Comput. 41
// (2019).
#include "assay/judge/SumBounds.h"

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace assay;
using namespace assay::judge;

static constexpr const char *kNames[] = {"exact",  "normal", "uniform",
                                         "heavy",  "cancel", "special",
                                         "sparse", "given",  "range"};

const char *judge::nameOf(FillKind kind) {
  return kNames[static_cast<int>(kind)];
}

std::optional<FillKind> judge::fillNamed(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i] && static_cast<FillKind>(i) != FillKind::Given)
      return static_cast<FillKind>(i);
  return std::nullopt;
}

std::string judge::fillNames(llvm::StringRef separator) {
  std::string names;
  for (const char *name : kNames)
    if (fillNamed(name))
      names += (names.empty() ? "" : separator.str()) + name;
  return names;
}

double judge::theoremBound(double d, double u) {
  return d * u >= 0.5 ? 1.0 : d * u / (1 - d * u);
}

double judge::likelyBound(double d, double u, FillKind fill) {
  bool meanZero = fill == FillKind::Normal || fill == FillKind::Cancel;
  double spread =
      meanZero ? std::max(kStatisticalNormal * std::sqrt(d), kStatisticalFloor)
               : kStatistical * std::sqrt(d);
  return std::min(theoremBound(d, u), spread * u);
}

bool judge::isDeep(double d, double u) {
  return theoremBound(d, u) > kStatistical * std::sqrt(d) * u;
}

bool judge::areNearlyEqual(double d, double sum, double squares, double u) {
  if (d < 1 || !isDeep(d, u))
    return false;
  // A uniform density is sqrt(12) standard deviations wide.
  double mean = sum / d, variance = squares / d - mean * mean,
         unit = 2 * u * sum * std::max(1.0, std::sqrt(d) / 256),
         ofDouble = 1e-15 * d * mean * mean;
  return variance <= unit * unit + ofDouble;
}

llvm::Expected<std::vector<bool>> judge::haveNearlyEqualTerms(
    llvm::ArrayRef<double> sums, double unit,
    llvm::function_ref<llvm::Expected<std::vector<double>>(double (*)(double))>
        evaluateEach) {
  llvm::Expected<std::vector<double>>
      squares = evaluateEach([](double x) { return x * x; }),
      counts = evaluateEach([](double x) { return x == 0 ? 0.0 : 1.0; });
  if (!squares || !counts)
    return llvm::joinErrors(squares.takeError(), counts.takeError());
  std::vector<bool> equal(sums.size());
  for (size_t k = 0; k < sums.size(); ++k)
    equal[k] = areNearlyEqual((*counts)[k], sums[k], (*squares)[k], unit);
  return equal;
}
