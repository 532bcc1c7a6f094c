// The components of a dot_general algorithm, and how numbers are split into
// them.
#include "assay/reference/DotAlgorithm.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Types.h"

#include <cmath>

namespace assay::reference {

using numerics::ElementType;
using numerics::FloatFormat;

/// tf32: 11 significant bits, exponents like f32.
static constexpr int kTf32Digits = 11, kLeastExponent = -126;

static double tf32Ulp(double x) {
  int exponent = x == 0 || !std::isfinite(x)
                     ? kLeastExponent
                     : std::max(std::ilogb(x), kLeastExponent);
  return std::ldexp(1.0, exponent - kTf32Digits + 1);
}

double FactorFormat::round(double x) const {
  if (!isTf32) {
    std::byte code[16];
    double back = 0;
    ElementType wide = ElementType::floating(FloatFormat::F64);
    numerics::convertArray(wide, &x, type, code, 1);
    numerics::convertArray(type, code, wide, &back, 1);
    return back;
  }
  if (x == 0 || !std::isfinite(x))
    return x;
  double unit = tf32Ulp(x), rounded = std::nearbyint(x / unit) * unit;
  return std::fabs(rounded) < 0x1p128 ? rounded : std::copysign(INFINITY, x);
}

double FactorFormat::ulp(double x) const {
  return isTf32 ? tf32Ulp(x) : numerics::ulpOf(x, type.format);
}

llvm::ArrayRef<std::pair<int, int>> DotAlgorithm::pairs() const {
  static constexpr std::pair<int, int> kPairs[] = {
      {0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {2, 2}};
  return llvm::ArrayRef(kPairs).take_front(static_cast<size_t>(products));
}

double DotAlgorithm::neglected() const {
  // With p digits per component, two components leave out a2 b2 and the
  // remainders of a and b, each at most 2^(2 - 2p); three leave out a2 b3 and
  // a3 b2.
  int digits = lhs.isTf32 ? kTf32Digits
                          : numerics::formatInfo(lhs.type.format).precision();
  return products == 1   ? 0
         : products == 3 ? 4 * std::ldexp(1.0, 2 - 2 * digits)
                         : 4 * std::ldexp(1.0, 3 - 3 * digits);
}

bool hasAlgorithm(mlir::Operation *op) {
  auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op);
  return dot && dot.getAlgorithm();
}

static std::optional<FactorFormat> formatOf(mlir::Type type) {
  if (mlir::isa<mlir::FloatTF32Type>(type))
    return FactorFormat{true, {}};
  std::optional<ElementType> element = program::elementTypeOf(type);
  if (element && element->isFloat())
    return FactorFormat{false, *element};
  return std::nullopt;
}

llvm::Expected<std::optional<DotAlgorithm>> dotAlgorithm(mlir::Operation *op) {
  auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op);
  std::optional<stablehlo::DotAlgorithmAttr> asked =
      dot ? dot.getAlgorithm() : std::nullopt;
  if (!asked)
    return std::nullopt;
  std::optional<FactorFormat> lhs = formatOf(asked->getLhsPrecisionType()),
                              rhs = formatOf(asked->getRhsPrecisionType()),
                              sums = formatOf(asked->getAccumulationType());
  int64_t products = asked->getNumPrimitiveOperations();
  bool isComputed =
      lhs && rhs && sums && !sums->isTf32 &&
      (products == 1 || products == 3 || products == 6 || products == 9);
  for (mlir::Value value : {dot.getLhs(), dot.getRhs(), dot.getResult()})
    isComputed &=
        mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
  if (isComputed)
    return DotAlgorithm{*lhs, *rhs, sums->type, products,
                        asked->getAllowImpreciseAccumulation()};
  std::string text;
  llvm::raw_string_ostream(text) << *asked;
  return makeError(ErrorCode::Unsupported,
                   "the algorithm {0} is computed on floats only", text);
}

std::vector<double> componentsOf(const FactorFormat &format,
                                 llvm::ArrayRef<double> values, int64_t count,
                                 llvm::ArrayRef<int> which) {
  auto width = static_cast<size_t>(count);
  std::vector<double> out(values.size() * which.size());
  size_t rows = width ? values.size() / width : 0;
  for (size_t row = 0; row < rows; ++row)
    for (size_t t = 0; t < width; ++t) {
      double rest = values[row * width + t], parts[3];
      for (double &part : parts) {
        part = format.round(rest);
        rest = std::isfinite(part) ? rest - part : 0;
      }
      for (size_t p = 0; p < which.size(); ++p)
        out[(row * which.size() + p) * width + t] = parts[which[p]];
    }
  return out;
}

} // namespace assay::reference
