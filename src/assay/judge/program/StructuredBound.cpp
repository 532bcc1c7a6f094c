// Rules of products (dot, convolution), sort and the Fourier transform.
//   products   theoremBound and likelyBound of SumBounds.h with depth d and S =
//              sum |a||b|, found by evaluating the operation itself on absolute
//              values; exact where every partial sum in any order is exact in
//              the accumulator. Errors ea, eb of the factors move the sum by
//              at most sum ea (|b| + eb) + sum |a| eb
//   fft        ||computed - exact||_2 <= log2(n) eta ||exact||_2 with eta about
//   7 u (N. Higham, "Accuracy and Stability of
//              Numerical Algorithms", 2nd ed., theorem 24.2); other lengths
//              than powers of two take three transforms
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/reference/ConvolutionWindows.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using program::Value;
using tensor::Tensor;

/// The product evaluated on one number per element of both factors; other
/// operands (paddings) stay.
static llvm::Expected<std::vector<double>>
evaluate(BoundRequest &r, llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < r.operands.size(); ++i) {
    llvm::Expected<Tensor> operand =
        i < 2 ? wideFrom(*r.operands[i], i ? b : a, false)
              : r.operands[i]->tensor().dense();
    if (!operand)
      return operand.takeError();
    operands.push_back(std::move(*operand));
  }
  return r.evaluate(operands);
}

/// The most taps of a window's dimension that lie on elements of the input.
static int64_t mostTaps(const reference::ConvolutionWindows &w, size_t d) {
  int64_t most = 0;
  for (int64_t out = 0; out < w.out[d]; ++out) {
    int64_t taps = 0;
    for (int64_t tap = 0; tap < w.kernel[d]; ++tap) {
      int64_t at = out * w.strides[d] - w.low[d] + tap * w.rhsDilation[d];
      taps += at >= 0 && at <= (w.in[d] - 1) * w.lhsDilation[d] &&
              at % w.lhsDilation[d] == 0;
    }
    most = std::max(most, taps);
  }
  return most;
}

/// How many products meet in one element of the result, at most.
static double depthOf(const BoundRequest &r) {
  mlir::Operation *op = r.op;
  auto lhs = r.operands[0]->tensor().shape();
  double depth = 1;
  if (mlir::isa<stablehlo::DotOp>(op)) {
    depth = static_cast<double>(lhs.back());
  } else if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      depth *= static_cast<double>(lhs[static_cast<size_t>(d)]);
  } else {
    program::NumericOptions numeric;
    program::StepSpec spec{
        op,
        {r.operands[0]->tensor().type(), r.operands[1]->tensor().type()},
        {r.results[0].tensor().type()},
        numeric};
    auto plain = mlir::dyn_cast<stablehlo::ConvolutionOp>(op);
    auto w = reference::ConvolutionWindows::of(
        op,
        plain ? plain.getDimensionNumbers()
              : mlir::cast<stablehlo::DynamicConvOp>(op).getDimensionNumbers(),
        spec);
    depth = static_cast<double>(w.groupIn());
    for (size_t d = 0; d < w.kernel.size(); ++d)
      depth *= static_cast<double>(plain ? mostTaps(w, d) : w.kernel[d]);
  }
  return std::max(depth, 1.0);
}

namespace {
/// S = sum |a||b| with the errors, and the part of it that the errors make.
struct Sums {
  std::vector<double> all, moved;
};
} // namespace

static llvm::Expected<Sums> sumsOf(BoundRequest &r) {
  std::vector<double> a = magnitudes(*r.operands[0], nullptr),
                      b = magnitudes(*r.operands[1], nullptr);
  llvm::Expected<std::vector<double>> exact = evaluate(r, a, b);
  if (!exact)
    return exact.takeError();
  Sums sums{std::move(*exact), {}};
  sums.moved.assign(sums.all.size(), 0.0);
  for (int side = 0; side < 2; ++side) {
    if (!r.operandErrors[side])
      continue;
    // Complex: magnitudes() allows for an error in both parts.
    double perPart =
        r.operands[side]->tensor().elementType().isComplex() ? M_SQRT2 : 1;
    std::vector<double> errors = *r.operandErrors[side];
    for (double &e : errors)
      e *= perPart;
    llvm::Expected<std::vector<double>> more =
        side == 0 ? evaluate(r, errors,
                             magnitudes(*r.operands[1], r.operandErrors[1]))
                  : evaluate(r, a, errors);
    if (!more)
      return more.takeError();
    for (size_t k = 0; k < sums.all.size(); ++k)
      sums.moved[k] += (*more)[k];
  }
  for (size_t k = 0; k < sums.all.size(); ++k)
    sums.all[k] += sums.moved[k];
  return sums;
}

/// Relative rounding error of the sums: of the type that the operation declares
/// them to be kept in, if it does.
static double unitOf(const BoundRequest &r) {
  if (auto declared = r.op->getAttrOfType<mlir::TypeAttr>(kAccumulation))
    if (auto type = mlir::dyn_cast<mlir::FloatType>(declared.getValue()))
      return std::ldexp(1.0, -static_cast<int>(type.getFPMantissaWidth()));
  return sumUnit(r.results[0].tensor().elementType());
}

static BoundResult contractionBound(BoundRequest &r) {
  if (!isFloating(r.results[0])) {
    if (r.allExact())
      return std::vector<Errors>(1);
    return std::vector<Errors>{undecided(r.results[0])};
  }
  if (!isFloating(*r.operands[0]) || !isFloating(*r.operands[1]))
    return makeError(ErrorCode::Unsupported, "integers multiplied into floats");
  llvm::Expected<Sums> sums = sumsOf(r);
  if (!sums)
    return sums.takeError();
  double depth = depthOf(r);
  ElementType type = r.results[0].tensor().elementType();
  double unit = unitOf(r), smallest = quantum(exactValues(*r.operands[0])) *
                                      quantum(exactValues(*r.operands[1]));
  double relative = likelyBound(depth, unit, FillKind::Heavy),
         eta = type.format == numerics::FloatFormat::F64 ? 0x1p-1022 : 0x1p-126;
  double largest = type.format == numerics::FloatFormat::F64
                       ? std::numeric_limits<double>::max()
                       : std::numeric_limits<float>::max();
  double factor =
      type.isComplex() ? 4 : 1; // four real sums, each of twice the depth
  std::vector<double> exact = exactValues(r.results[0]);
  size_t parts = type.isComplex() ? 2 : 1;
  auto out = std::make_shared<std::vector<double>>(sums->all.size());
  for (size_t k = 0; k < out->size(); ++k) {
    bool everyOrderExact =
        r.allExact() && factor * sums->all[k] <= smallest / (2 * unit);
    double own =
        everyOrderExact ? 0 : factor * relative * sums->all[k] + depth * eta;
    double size = parts == 2 ? std::max(std::fabs(exact[2 * k]),
                                        std::fabs(exact[2 * k + 1]))
                             : std::fabs(exact[k]);
    // What is rounded may lie in a higher binade than the true number.
    double before = sums->moved[k] + own;
    double bound =
        before + halfUlp(size + (std::isfinite(before) ? before : 0), type);
    // A partial sum may leave the range of the type that sums are kept in
    // where the whole sum does not, and two of them cancel to NaN.
    bool mayOverflow = depth > 1 && factor * sums->all[k] > largest;
    (*out)[k] = mayOverflow         ? INFINITY
                : std::isnan(bound) ? (std::isfinite(size) ? INFINITY : 0)
                                    : bound;
  }
  return std::vector<Errors>{out};
}

/// Order statistics move no further than the largest error; indices and
/// companions of inexact keys are open.
static BoundResult sortBound(BoundRequest &r) {
  std::vector<Errors> out(r.results.size());
  if (r.allExact())
    return out;
  bool isTopK = r.op->getName().stripDialect() == "top_k";
  if (!isTopK && r.operands.size() > 1)
    return makeError(ErrorCode::Unsupported,
                     "it sorts several tensors by keys that are not exact");
  double worst = 0;
  for (double e : *r.operandErrors[0])
    worst = std::max(worst, e);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = isFloating(r.results[i])
                 ? std::make_shared<std::vector<double>>(
                       static_cast<size_t>(r.results[i].tensor().size()), worst)
                 : undecided(r.results[i]);
  return out;
}

static BoundResult fftBound(BoundRequest &r) {
  if (!r.allExact())
    return makeError(ErrorCode::Unsupported, "its operand is not exact");
  auto lengths = r.op->getAttrOfType<mlir::DenseI64ArrayAttr>("fft_length");
  const Tensor &result = r.results[0].tensor();
  double n = 1;
  int64_t slice = 1;
  auto rank = static_cast<size_t>(lengths.size());
  for (size_t d = 0; d < rank; ++d) {
    n *= static_cast<double>(lengths[d]);
    slice *= result.shape()[result.shape().size() - rank + d];
  }
  bool isPower = std::exp2(std::round(std::log2(n))) == n;
  ElementType type = result.elementType();
  double unit = sumUnit(type),
         relative =
             (isPower ? 1 : 3) * 7 * (std::log2(std::max(n, 2.0)) + 1) * unit;
  std::vector<double> sizes = magnitudes(r.results[0], nullptr);
  auto out = std::make_shared<std::vector<double>>(sizes.size());
  for (size_t begin = 0; slice > 0 && begin < sizes.size();
       begin += static_cast<size_t>(slice)) {
    double squares = 0;
    for (size_t k = begin; k < begin + static_cast<size_t>(slice); ++k)
      squares += sizes[k] * sizes[k];
    // Half a spectrum stands for a whole one of at most twice the squares.
    double bound = relative * std::sqrt(2 * squares);
    for (size_t k = begin; k < begin + static_cast<size_t>(slice); ++k)
      (*out)[k] = std::isnan(bound) ? 0 : bound + halfUlp(sizes[k], type);
  }
  return std::vector<Errors>{out};
}

BoundResult judge::structuredBound(BoundRequest &r) {
  if (r.rule->kind == BoundKind::Contraction)
    return contractionBound(r);
  return r.rule->kind == BoundKind::Sort ? sortBound(r) : fftBound(r);
}
