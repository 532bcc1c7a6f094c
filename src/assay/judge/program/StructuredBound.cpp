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
#include "assay/judge/FastConvolution.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/Types.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/reference/Windows.h"
#include "assay/reference/Comparators.h"
#include "assay/reference/DotAlgorithm.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using program::Value;
using tensor::Tensor;

/// The product evaluated on one number per element of both factors; other
/// operands (paddings) are unchanged.
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

/// The largest number of taps along a window's dimension that read elements of
/// the input.
static int64_t mostTaps(const geometry::Axis &axis) {
  int64_t most = 0;
  for (int64_t window = 0; window < axis.out; ++window)
    most = std::max(most, axis.tapsInside(window));
  return most;
}

/// The largest number of products in one element of the result.
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
    auto w = reference::convolutionOf(spec);
    depth = static_cast<double>(w.groupIn());
    for (const geometry::Axis &axis : w.axes)
      depth *= static_cast<double>(plain ? mostTaps(axis) : axis.kernel);
  }
  return std::max(depth, 1.0);
}

namespace {
/// S = sum |a||b| with the errors, and the part of it that the errors make.
struct Sums {
  std::vector<double> all, moved, exact;
};
} // namespace

static llvm::Expected<Sums> sumsOf(BoundRequest &r) {
  std::vector<double> a = magnitudes(*r.operands[0], nullptr),
                      b = magnitudes(*r.operands[1], nullptr);
  llvm::Expected<std::vector<double>> exact = evaluate(r, a, b);
  if (!exact)
    return exact.takeError();
  Sums sums{*exact, {}, std::move(*exact)};
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

/// Which sums have products that are equal, or nearly so. `sums`: of their sizes.
static llvm::Expected<std::vector<bool>>
haveEqualTerms(BoundRequest &r, llvm::ArrayRef<double> sums, double depth,
               double unit) {
  std::vector<bool> equal(sums.size(), false);
  if (r.demands.drawnApart || !isDeep(depth, unit))
    return equal;
  auto evaluateEach = [&](double (*of)(double)) {
    std::vector<double> factors[2];
    for (int side = 0; side < 2; ++side) {
      factors[side] = magnitudes(*r.operands[side], nullptr);
      llvm::transform(factors[side], factors[side].begin(), of);
    }
    return evaluate(r, factors[0], factors[1]);
  };
  return haveNearlyEqualTerms(sums, unit, evaluateEach);
}

/// Relative rounding error of the sums: of the type that the operation declares
/// them to be kept in, if it does.
static double unitOf(const BoundRequest &r) {
  if (std::optional<ElementType> declared = declaredSums(r.op))
    return std::ldexp(1.0,
                      -numerics::formatInfo(declared->format).precision());
  return sumUnit(r.results[0].tensor().elementType());
}

/// The effect of an algorithm's rounding of the factors of one product on their
/// errors: a factor that is not exact, or half way between two numbers of the
/// format, may be rounded either way.
static void addFactorRoundings(BoundRequest &r,
                               const reference::DotAlgorithm &algorithm) {
  if (algorithm.products > 1)
    return;
  for (size_t side = 0; side < 2; ++side) {
    const reference::FactorFormat &format =
        side ? algorithm.rhs : algorithm.lhs;
    std::vector<double> values = exactValues(*r.operands[side]);
    Errors errors = writableErrors(r.operandErrors[side], values.size());
    bool any = false;
    for (size_t k = 0; k < values.size(); ++k) {
      double &error = (*errors)[k],
             off = std::fabs(format.round(values[k]) - values[k]),
             unit = format.ulp(std::fabs(values[k]) + error);
      if (error > 0 || off == 0.5 * unit)
        error += unit;
      any |= error > 0;
    }
    r.operandErrors[side] = any ? errors : nullptr;
  }
}

/// The sums of an algorithm: the type that they are kept in, the number of
/// products for one term, and the share of |a||b| that may be left out.
namespace {
struct SumKind {
  double unit, products = 1, neglected = 0;
  ElementType type; ///< of the sums before they become the result
};
} // namespace

/// Tensor cores that add quickly keep 14 bits of a sum.
static constexpr double kImpreciseUnit = 0x1p-13;

static SumKind sumKindOf(const BoundRequest &r,
                         const std::optional<reference::DotAlgorithm> &asked) {
  ElementType type = r.results[0].tensor().elementType();
  if (!asked)
    return {unitOf(r), 1, 0, type};
  double unit = std::ldexp(
      1.0, -numerics::formatInfo(asked->accumulation.format).precision());
  bool isNarrower =
      numerics::formatInfo(type.format).precision() >
      numerics::formatInfo(asked->accumulation.format).precision();
  return {asked->imprecise ? std::max(unit, kImpreciseUnit) : unit,
          static_cast<double>(asked->products), asked->neglected(),
          isNarrower ? asked->accumulation : type};
}

/// Where a sum is infinite or NaN because exact factors are, whatever its
/// order, as its finite terms stay within the type.
static llvm::Expected<std::vector<bool>>
surelyNotFinite(BoundRequest &r, llvm::ArrayRef<double> sums, double largest) {
  std::vector<bool> surely(sums.size(), false);
  if (!r.allExact() || r.results[0].tensor().elementType().isComplex() ||
      llvm::all_of(sums, [](double x) { return std::isfinite(x); }))
    return surely;
  std::vector<double> factors[2];
  for (size_t side = 0; side < 2; ++side) {
    factors[side] = magnitudes(*r.operands[side], nullptr);
    for (double &x : factors[side])
      x = std::isfinite(x) ? x : 0;
  }
  llvm::Expected<std::vector<double>> finite =
      evaluate(r, factors[0], factors[1]);
  if (!finite)
    return finite.takeError();
  for (size_t k = 0; k < sums.size(); ++k)
    surely[k] = !std::isfinite(sums[k]) && (*finite)[k] < largest / 4;
  return surely;
}

/// Which sums have a term with an open factor. Magnitudes do not show it where
/// factors are NaN or zero.
static llvm::Expected<std::vector<bool>> haveOpenTerms(BoundRequest &r,
                                                       size_t count) {
  std::vector<bool> open(count, false);
  for (size_t side = 0; side < 2; ++side) {
    const Errors &errors = r.operandErrors[side];
    if (!errors ||
        llvm::none_of(*errors, [](double e) { return std::isinf(e); }))
      continue;
    std::vector<double> marks[2];
    for (size_t i = 0; i < 2; ++i)
      marks[i].assign(static_cast<size_t>(r.operands[i]->tensor().size()), 1.0);
    for (size_t k = 0; k < marks[side].size(); ++k)
      marks[side][k] = std::isinf((*errors)[k]);
    llvm::Expected<std::vector<double>> sums = evaluate(r, marks[0], marks[1]);
    if (!sums)
      return sums.takeError();
    for (size_t k = 0; k < count; ++k)
      open[k] = open[k] || (*sums)[k] > 0;
  }
  return open;
}

/// Convolutions by transforms spread a value that is not finite over a tile of
/// results: only the tile's results must show it.
static bool spreadsNonFinite(const BoundRequest &r) {
  if (!r.demands.definedOnly ||
      r.op->getName().stripDialect().starts_with("dot"))
    return false;
  auto isFinite = [](double x) { return std::isfinite(x); };
  return !llvm::all_of(exactValues(*r.operands[0]), isFinite) ||
         !llvm::all_of(exactValues(*r.operands[1]), isFinite);
}

/// For each result, the largest of these numbers among the results of its image
/// and channel, which transforms compute together.
static std::vector<double> largestOfImages(mlir::Operation *op,
                                           llvm::ArrayRef<int64_t> sizes,
                                           llvm::ArrayRef<double> numbers) {
  auto names = op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>(
      "dimension_numbers");
  size_t dims[] = {static_cast<size_t>(names.getOutputBatchDimension()),
                   static_cast<size_t>(names.getOutputFeatureDimension())};
  std::vector<size_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * static_cast<size_t>(sizes[d]);
  auto channels = static_cast<size_t>(sizes[dims[1]]);
  std::vector<size_t> imageOf(numbers.size());
  std::vector<double> largest(static_cast<size_t>(sizes[dims[0]]) * channels);
  for (auto [k, number] : llvm::enumerate(numbers)) {
    imageOf[k] =
        k / strides[dims[0]] % static_cast<size_t>(sizes[dims[0]]) * channels +
        k / strides[dims[1]] % channels;
    largest[imageOf[k]] = std::max(largest[imageOf[k]], number);
  }
  std::vector<double> each(numbers.size());
  for (auto [k, image] : llvm::enumerate(imageOf))
    each[k] = largest[image];
  return each;
}

/// The error that transforms add to each sum, where the program allows them;
/// else empty.
static std::vector<double> errorsOfTransforms(const BoundRequest &r,
                                              llvm::ArrayRef<double> sums,
                                              double unit) {
  if (!r.op->hasAttr(kFastConvolution))
    return {};
  program::NumericOptions numeric;
  program::StepSpec spec{
      r.op,
      {r.operands[0]->tensor().type(), r.operands[1]->tensor().type()},
      {r.results[0].tensor().type()},
      numeric};
  auto channels =
      static_cast<double>(reference::convolutionOf(spec).groupIn());
  std::vector<double> errors =
      largestOfImages(r.op, r.results[0].tensor().shape(), sums);
  for (double &error : errors)
    error *= transformRoundoffs(channels) * unit;
  return errors;
}

/// The error that folded scales add to each sum, in units of sum |a||b|.
static double roundingsOfScales(const BoundRequest &r) {
  auto count = r.op->getAttrOfType<mlir::IntegerAttr>(kFoldedScales);
  return count ? static_cast<double>(count.getInt()) : 0;
}

/// The error of a product that falls below the normal numbers of the type that
/// it is kept in, whose roundoff is `unit`: f16 has subnormal numbers, in other
/// types they may be flushed.
static double lostByUnderflow(ElementType type, double unit) {
  constexpr double kUnitOfHalf = 0x1p-11, kLeastOfHalf = 0x1p-24;
  if (unit == kUnitOfHalf)
    return kLeastOfHalf / 2;
  return type.format == numerics::FloatFormat::F64 ? 0x1p-1022 : 0x1p-126;
}

/// Bounds of sums of products, each by its magnitude. `largest`: of the type
/// that they are kept in.
static BoundResult boundsOfSums(BoundRequest &r, const Sums &sums,
                                const SumKind &kind, double largest) {
  double depth = depthOf(r) * kind.products;
  ElementType type = r.results[0].tensor().elementType();
  double unit = kind.unit, smallest = quantum(exactValues(*r.operands[0])) *
                                      quantum(exactValues(*r.operands[1]));
  double likely = likelyBound(depth, unit, FillKind::Heavy),
         eta = lostByUnderflow(type, unit);
  double factor =
      type.isComplex() ? 4 : 1; // four real sums, each of twice the depth
  std::vector<double> exact = exactValues(r.results[0]);
  size_t parts = type.isComplex() ? 2 : 1;
  auto out = std::make_shared<std::vector<double>>(sums.all.size());
  llvm::Expected<std::vector<bool>> surely =
      surelyNotFinite(r, sums.all, kind.products == 1 ? largest : 0),
                                    open = haveOpenTerms(r, sums.all.size()),
                                    equal = haveEqualTerms(r, sums.exact, depth, unit);
  if (!surely || !open || !equal)
    return llvm::joinErrors(
        llvm::joinErrors(surely.takeError(), open.takeError()),
        equal.takeError());
  bool spreads = spreadsNonFinite(r);
  std::vector<double> transforms = errorsOfTransforms(r, sums.all, unit);
  double scales = roundingsOfScales(r);
  for (size_t k = 0; k < out->size(); ++k) {
    if ((*surely)[k])
      continue;
    bool everyOrderExact = r.allExact() && kind.products == 1 &&
                           transforms.empty() && scales == 0 &&
                           factor * sums.all[k] <= smallest / (2 * unit);
    double relative = (*equal)[k] ? theoremBound(depth, unit) : likely;
    double own =
        everyOrderExact
            ? 0
            : (factor * relative + kind.neglected + scales * unit) * sums.all[k] +
                  depth * eta;
    own += transforms.empty() ? 0 : transforms[k];
    double size = parts == 2 ? std::max(std::fabs(exact[2 * k]),
                                        std::fabs(exact[2 * k + 1]))
                             : std::fabs(exact[k]);
    // Data with ties demand the type's own number, where it holds the sum.
    if (everyOrderExact && r.demands.definedOnly && parts == 1 &&
        roundTo(type, exact[k]) == exact[k])
      continue;
    // The number that is rounded may be in a higher binade than the true one.
    double before = sums.moved[k] + own;
    double bound =
        before + halfUlp(size + (std::isfinite(before) ? before : 0), type);
    if (!(kind.type == type))
      bound += halfUlp(size + (std::isfinite(before) ? before : 0), kind.type);
    // A partial sum may leave the range of the type that sums are kept in
    // where the whole sum does not, and two of them cancel to NaN.
    bool mayOverflow = depth > 1 && factor * sums.all[k] > largest;
    (*out)[k] = mayOverflow || (*open)[k] || (spreads && std::isfinite(size)) ? INFINITY
                : std::isnan(bound) ? (std::isfinite(size) ? INFINITY : 0)
                                    : bound;
  }
  return std::vector<Errors>{out};
}

static BoundResult contractionBound(BoundRequest &r) {
  if (!isFloating(r.results[0])) {
    if (r.allExact())
      return std::vector<Errors>(1);
    return std::vector<Errors>{undecided(r.results[0])};
  }
  if (!isFloating(*r.operands[0]) || !isFloating(*r.operands[1]))
    return makeError(ErrorCode::Unsupported, "integers multiplied into floats");
  llvm::Expected<std::optional<reference::DotAlgorithm>> asked =
      reference::dotAlgorithm(r.op);
  if (!asked)
    return asked.takeError();
  if (*asked)
    addFactorRoundings(r, **asked);
  llvm::Expected<Sums> sums = sumsOf(r);
  if (!sums)
    return sums.takeError();
  ElementType type = r.results[0].tensor().elementType();
  double largest = *asked ? numerics::maxFinite((*asked)->accumulation.format)
                   : type.format == numerics::FloatFormat::F64
                       ? std::numeric_limits<double>::max()
                       : std::numeric_limits<float>::max();
  return boundsOfSums(r, *sums, sumKindOf(r, *asked), largest);
}

/// The operand whose own numbers are the first key of a sort; an element that a
/// constant replaces (jnp.sort's zeros and NaN) is its own number. nullopt for any
/// other key.
static std::optional<size_t> sortedOperand(mlir::Operation *op) {
  if (op->getNumOperands() == 1 || op->getNumRegions() == 0)
    return 0;
  auto keys = reference::comparedKeys(op->getRegion(0));
  if (keys.empty())
    return std::nullopt;
  mlir::Value left = keys[0].left;
  while (auto select = left.getDefiningOp<stablehlo::SelectOp>()) {
    bool isReplaced = mlir::matchPattern(select.getOnTrue(), mlir::m_Constant());
    left = isReplaced ? select.getOnFalse() : select.getOnTrue();
    if (!isReplaced)
      return std::nullopt;
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(left);
  return argument ? std::optional<size_t>(argument.getArgNumber() / 2)
                  : std::nullopt;
}

/// Order statistics move no further than the largest error; indices, and values
/// sorted along with inexact keys, are open.
static BoundResult sortBound(BoundRequest &r) {
  std::vector<Errors> out(r.results.size());
  if (r.allExact())
    return out;
  std::optional<size_t> key = sortedOperand(r.op);
  if (!key || !r.operandErrors[*key])
    return makeError(ErrorCode::Unsupported,
                     "it sorts several tensors by keys that are not exact");
  double worst = 0;
  for (double e : *r.operandErrors[*key])
    worst = std::max(worst, e);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i == *key && isFloating(r.results[i])
                 ? std::make_shared<std::vector<double>>(
                       static_cast<size_t>(r.results[i].tensor().size()), worst)
                 : undecided(r.results[i]);
  return out;
}

namespace {
/// The transforms of one operation: each of `length` numbers, from a slice of
/// `from` elements to one of `to`.
struct Transforms {
  double length = 1;
  size_t from = 1, to = 1;
};
} // namespace

static Transforms transformsOf(const BoundRequest &r) {
  auto lengths = r.op->getAttrOfType<mlir::DenseI64ArrayAttr>("fft_length");
  auto rank = static_cast<size_t>(lengths.size());
  auto in = r.operands[0]->tensor().shape(),
       out = r.results[0].tensor().shape();
  Transforms t;
  for (size_t d = 0; d < rank; ++d) {
    t.length *= static_cast<double>(lengths[static_cast<int64_t>(d)]);
    t.from *= static_cast<size_t>(in[in.size() - rank + d]);
    t.to *= static_cast<size_t>(out[out.size() - rank + d]);
  }
  return t;
}

/// The operand's errors in each slice of the result: every number of the result
/// is a sum of the whole slice times numbers of modulus 1; those of half a
/// spectrum count twice.
static std::vector<double> movedSums(const BoundRequest &r,
                                     const Transforms &t) {
  auto type = mlir::cast<stablehlo::FftOp>(r.op).getFftType();
  bool isInverse = type == stablehlo::FftType::IFFT ||
                   type == stablehlo::FftType::IRFFT,
       isHalf = type == stablehlo::FftType::IRFFT;
  bool isComplex = r.operands[0]->tensor().elementType().isComplex();
  double weight =
      (isComplex ? M_SQRT2 : 1) * (isHalf ? 2 : 1) / (isInverse ? t.length : 1);
  std::vector<double> sums;
  const std::vector<double> &errors = *r.operandErrors[0];
  for (size_t begin = 0; t.from > 0 && begin < errors.size(); begin += t.from) {
    double sum = 0;
    for (size_t k = begin; k < begin + t.from; ++k)
      sum += errors[k];
    sums.push_back(weight * sum);
  }
  return sums;
}

static BoundResult fftBound(BoundRequest &r) {
  Transforms t = transformsOf(r);
  bool isPower = std::exp2(std::round(std::log2(t.length))) == t.length;
  ElementType type = r.results[0].tensor().elementType();
  double unit = sumUnit(type),
         relative = (isPower ? 1 : 3) * 7 *
                    (std::log2(std::max(t.length, 2.0)) + 1) * unit;
  std::vector<double> sizes = magnitudes(r.results[0], nullptr), moved;
  if (!r.allExact())
    moved = movedSums(r, t);
  auto out = std::make_shared<std::vector<double>>(sizes.size());
  for (size_t slice = 0; t.to > 0 && slice * t.to < sizes.size(); ++slice) {
    double squares = 0, more = moved.empty() ? 0 : moved[slice];
    for (size_t k = slice * t.to; k < (slice + 1) * t.to; ++k)
      squares += (sizes[k] + more) * (sizes[k] + more);
    // Half a spectrum stands for a whole one of at most twice the squares.
    double own = relative * std::sqrt(2 * squares);
    for (size_t k = slice * t.to; k < (slice + 1) * t.to; ++k)
      (*out)[k] = std::isnan(own) ? (std::isfinite(more) ? 0 : INFINITY)
                                  : more + own + halfUlp(sizes[k], type);
  }
  return std::vector<Errors>{out};
}

BoundResult judge::structuredBound(BoundRequest &r) {
  if (r.rule->kind == BoundKind::Contraction)
    return contractionBound(r);
  return r.rule->kind == BoundKind::Sort ? sortBound(r) : fftBound(r);
}
