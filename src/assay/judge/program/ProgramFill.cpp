// Data for the op driver. The roles of the arguments are read from the
// program's operations (ArgumentRoles.cpp): the depth of its products
// determines the integers of exact data and the weights of real data; variances
// stay above zero. Whether sums were exact is found afterwards by the bound
// (StructuredBound.cpp), from the data itself.
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ArgumentRoles.h"
#include "assay/judge/program/EdgeData.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/program/SpecialData.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/ComputedTensor.h"
#include "assay/program/Inputs.h"
#include "assay/program/Types.h"
#include "assay/support/Random.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;
using tensor::TensorType;

namespace {
/// The products of a program.
struct Products {
  double depth = 1; ///< an upper bound of their number in one sum
  int chain = 0;    ///< the longest chain of products
  bool inHalf = false; ///< some result is f16, whose range is short
  double scattered = INFINITY; ///< up to this, scattered multiples of one number have
                               ///< exact sums
  /// Integers up to this have sums that stay exact in f32, and in the range of f16.
  double largestFactor() const {
    double exact = std::floor(std::sqrt(0x1p23 / depth));
    constexpr double kSumsInHalf = 0x1p14;
    double inRange = std::floor(std::pow(
        kSumsInHalf / std::pow(depth, 0.5 * chain), 1.0 / (chain + 1)));
    return inHalf ? std::min(exact, inRange) : exact;
  }
};
} // namespace

static double countOf(mlir::Value value) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  return shaped && shaped.hasStaticShape()
             ? static_cast<double>(shaped.getNumElements())
             : 1.0;
}

/// The number of products in one sum of this operation; 0 if it makes none.
static double depthOf(mlir::Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  if (op->getNumOperands() < 2 || op->getNumResults() != 1)
    return 0;
  double a = countOf(op->getOperand(0)), b = countOf(op->getOperand(1)),
         c = countOf(op->getResult(0));
  if (name == "dot" || name == "dot_general") // (B M K)(B K N) / (B M N) = B K^2
    return std::sqrt(a * b / std::max(c, 1.0));
  return name == "convolution" || name == "dynamic_conv" ? b : 0;
}

/// The largest multiples of one number whose sums stay exact, whatever their
/// order, where an operation scatters and adds floats. They are half as large
/// on average, which leaves room for places where twice as many meet. Below 1:
/// the share of them that may be other than zero. Infinity if the operation is
/// no such scatter.
static double largestScattered(mlir::Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  if ((name != "scatter" && name != "select_and_scatter") ||
      op->getNumResults() != 1 || onlyChooses(op))
    return INFINITY;
  mlir::Value result = op->getResult(0);
  std::optional<ElementType> type = declaredSums(op);
  if (!type)
    type = program::elementTypeOf(mlir::getElementTypeOrSelf(result.getType()));
  if (!type || !type->isFloat())
    return INFINITY;
  double updates = countOf(op->getOperand(name == "scatter" ? 2 : 1)),
         meeting = std::max(1.0, updates / std::max(1.0, countOf(result)));
  int digits = numerics::formatInfo(type->format).precision();
  double largest = std::ldexp(1 / meeting, digits);
  return largest >= 2 ? std::floor(largest) : largest / 2;
}

static Products productsOf(const program::Program &program) {
  Products found;
  llvm::DenseMap<mlir::Value, int> chains;
  program.module()->walk([&](mlir::Operation *op) {
    int chain = 0;
    for (mlir::Value operand : op->getOperands())
      chain = std::max(chain, chains.lookup(operand));
    if (double depth = depthOf(op); depth > 0) {
      found.depth = std::max(found.depth, depth);
      found.chain = std::max(found.chain, ++chain);
    }
    found.scattered = std::min(found.scattered, largestScattered(op));
    for (mlir::Value result : op->getResults()) {
      chains[result] = chain;
      found.inHalf |= mlir::getElementTypeOrSelf(result.getType()).isF16();
    }
  });
  return found;
}

/// The number that element `index` of a float argument gets.
static double floatElement(FillKind kind, const CounterRandom &random,
                           uint64_t index, double limit, double unit) {
  auto pick = [&](int64_t low, int64_t high) {
    return static_cast<double>(random.integer(index, low, high));
  };
  switch (kind) {
  case FillKind::Exact: {
    auto top = static_cast<int64_t>(limit);
    double x = pick(-top, top - 1);
    return (x >= 0 ? x + 1 : x) * unit;
  }
  case FillKind::Uniform:
    return random.uniform(index);
  case FillKind::Heavy: // a ratio of normal numbers: infinite variance
    return random.normal(2 * index) /
           std::max(std::fabs(random.normal(2 * index + 1)), 1e-3);
  case FillKind::Cancel:
    return random.normal(index / 2) * (index % 2 ? -1 : 1) +
           1e-4 * random.normal(index + (uint64_t{1} << 40));
  case FillKind::Sparse:
    return random.uniform(index) < 0.9
               ? 0
               : static_cast<double>(
                     random.integer(index + (uint64_t{1} << 40), -4, 4));
  default:
    return random.normal(index);
  }
}

/// The element as a model would have it in this role: weights whose products
/// keep the size of the data, variances above zero, gains near one.
static double inRole(const ArgumentRole &role, FillKind kind, double x) {
  if (kind == FillKind::Sparse)
    return x;
  if (role.isVariance)
    return std::fabs(x) + (kind == FillKind::Exact ? 0 : 0.125);
  if (kind == FillKind::Exact)
    return x;
  if (role.fanIn > 1)
    return x / std::sqrt(role.fanIn);
  return role.isGain ? 0.5 + 0.5 * std::fabs(x) : x;
}

namespace {
/// The substitute for ordinary real numbers in an argument.
struct Patterns {
  std::optional<EdgeData> edge;
  std::optional<SpecialData> special;
  int64_t ties = 0; ///< small integers up to this, instead of all

  double element(uint64_t index, double x, const CounterRandom &random) const {
    if (ties > 0) {
      auto size = static_cast<double>(
          random.integer(index + (uint64_t{1} << 42), 1, ties));
      return std::copysign(size, x);
    }
    return edge      ? edge->element(index, x)
           : special ? special->element(index, x)
                     : x;
  }
  /// A part of a complex number.
  double part(uint64_t index, double x) const {
    return edge      ? edge->part(index, x)
           : special ? special->part(index, x)
                     : x;
  }
};
} // namespace

static llvm::Expected<Tensor> fillFloats(const TensorType &type, FillKind kind,
                                         uint64_t seed, uint64_t argument,
                                         const Products &products,
                                         const ArgumentRole &role,
                                         const Patterns &patterns) {
  CounterRandom random(seed, argument);
  ElementType part = type.element.part();
  int digits = numerics::formatInfo(part.format).precision();
  // Without products the numbers are multiples of 1/16 up to 4; with products
  // they are as large as exact sums allow.
  double limit = products.depth > 1 ? products.largestFactor() : 64,
         unit = products.depth > 1 ? 1 : 0.0625;
  limit = std::clamp(std::min(limit, products.scattered), 1.0,
                     std::min(127.0, std::ldexp(1.0, std::min(digits, 8))));
  bool isComplex = type.element.isComplex();
  ElementType wide = wideType(type.element);
  return program::computedTensor<double>(
      type, wide, isComplex ? 2 : 1, [&](uint64_t i) {
        double x =
            inRole(role, kind, floatElement(kind, random, i, limit, unit));
        if (kind == FillKind::Exact && products.scattered < 1 &&
            random.uniform(i + (uint64_t{1} << 41)) > products.scattered)
          x = 0;
        x = isComplex ? patterns.part(i, x) : patterns.element(i, x, random);
        return role.isVariance && asksDefinedOnly(kind) ? std::fabs(x) : x;
      });
}

/// The integer that replaces x where zero, or the lowest number, has no
/// quotient.
static int64_t asQuotient(const ArgumentUse &use, int64_t x, int64_t lowest) {
  if (use.isDivisor && x == 0)
    return 1;
  return use.isDividend && lowest < 0 && x == lowest ? lowest + 1 : x;
}

/// Integers of Range data: half of them at the ends of their type or anywhere
/// in it. Sums of two products of 8-bit factors then overflow 16 bits. Some
/// lines that are summed are at one end: long sums then have more digits than a
/// float.
static llvm::Expected<Tensor> fillWideIntegers(const TensorType &type,
                                               const ArgumentUse &use,
                                               uint64_t seed,
                                               uint64_t argument) {
  CounterRandom random(seed, argument);
  bool isSigned = type.element.isSigned();
  int bits = type.element.bits;
  // An unsigned number of 64 bits is held as the signed number with the same
  // bits.
  int64_t high = static_cast<int64_t>(~uint64_t{0} >> (64 - bits + isSigned)),
          low = isSigned ? -high - 1 : 0,
          most = bits == 64 ? 1000 : std::min<int64_t>(high, 1000);
  Lines lines(type.shape, use);
  bool isSummed = (use.folded || use.isFactor) && bits <= 16;
  return program::computedTensor<int64_t>(
      type, ElementType::integer(64), 1, [=](uint64_t i) {
        LinePlace place = lines.placeOf(i);
        bool isAlone = lines.count() == 1 && place.at < lines.length() / 2;
        if (isSummed && (isAlone || place.line % 2))
          return place.line % 4 == 3 && isSigned
                     ? low + random.integer(i, 0, 1)
                     : high - random.integer(i, 0, 1);
        int64_t x = random.integer(i, isSigned ? -most : 0, most);
        switch (random.integer(i + (uint64_t{1} << 41), 0, 7)) {
        case 0:
        case 1:
          x = low;
          break;
        case 2:
          x = high;
          break;
        case 3:
          x = bits == 64 ? static_cast<int64_t>(random.bits(i))
                         : random.integer(i, low, high);
          break;
        default:
          break;
        }
        return asQuotient(use, x, low);
      });
}

/// Whether integers of Range data include the ends of their type: factors of 8
/// bits, integers that become floats at once, and those that stay integers; not
/// counts and indices.
static bool goesToEnds(const TensorType &type, const ArgumentUse &use,
                       const KeptNumbers &kept) {
  if (!type.element.isInteger() || type.element.isBool() ||
      type.element.quantization || type.element.bits < 8 || use.isPower)
    return false;
  int bits = type.element.bits;
  if (use.isFactor)
    return bits == 8 && kept.integerEnds;
  if (!use.becomesFloat)
    return !use.isSteering;
  return use.isCounted && bits <= 32 && !use.isCurved && !use.isDelicate &&
         !use.isPeriodic && !use.isWidened;
}

/// Ordinary integers of divisors.
static llvm::Expected<Tensor> fillDivisors(const TensorType &type,
                                           uint64_t seed, uint64_t argument) {
  CounterRandom random(seed, argument);
  int bits = type.element.bits;
  bool isSigned = type.element.isSigned();
  int64_t most = bits > 10 ? 1000 : (int64_t{1} << (bits - isSigned)) - 1;
  return program::computedTensor<int64_t>(
      type, ElementType::integer(64), 1, [=](uint64_t i) {
        int64_t x = random.integer(i, isSigned ? -most : 0, most);
        return x == 0 ? 1 : x;
      });
}

static llvm::Expected<Tensor> fillSmallIntegers(const TensorType &type,
                                                const ArgumentUse &use,
                                                uint64_t seed,
                                                uint64_t argument) {
  CounterRandom random(seed, argument);
  int bits = type.element.bits;
  int64_t low = !type.element.isSigned() ? 0
                : bits == 2              ? -2
                                         : -3,
          high = bits == 2   ? (low ? 1 : 3)
                 : bits == 4 ? 7
                             : 12;
  return program::computedTensor<int64_t>(
      type, ElementType::integer(64), 1,
      [&](uint64_t i) {
        return asQuotient(use, random.integer(i, low, high), low);
      });
}

/// Integers or truth values, among them those that the program tests a line
/// for.
static llvm::Expected<Tensor> fillAsked(const TensorType &type,
                                        const ArgumentUse &use, int draw) {
  auto hit = static_cast<int64_t>(*use.asked);
  Lines lines(type.shape, use);
  return program::computedTensor<int64_t>(
      type, ElementType::integer(64), 1, [&](uint64_t i) {
        int64_t other = type.element.isBool() ? 0 : hit == 1 ? 2 : 1;
        return isHit(lines.placeOf(i), lines.length(), draw) ? hit : other;
      });
}

static llvm::Expected<Tensor>
fillIntegers(const TensorType &type, const ArgumentUse &use, FillKind kind,
             uint64_t seed, uint64_t argument, int draw,
             const KeptNumbers &kept) {
  if (use.asked && kind == FillKind::Range && !type.element.quantization)
    return fillAsked(type, use, draw);
  if (type.element.isInteger() && kind == FillKind::Exact)
    return fillSmallIntegers(type, use, seed, argument);
  if (kind == FillKind::Range && goesToEnds(type, use, kept))
    return fillWideIntegers(type, use, seed, argument);
  if (use.isDivisor && type.element.isInteger() && !type.element.isBool() &&
      !type.element.quantization)
    return fillDivisors(type, seed, argument);
  return program::randomTensor(type, seed, argument);
}

namespace {
/// The parts that Range and Special data are made of.
struct DataPlan {
  std::vector<TensorType> types;
  std::vector<ArgumentUse> uses;
  int64_t elements = 0;
  int64_t fewestLines = INT64_MAX, ///< of arguments that are not factors
      fewestOfFactors = INT64_MAX;
  int tieDigits = 0;

  /// Draws that hold the patterns of all lines.
  int lineDraws(FillKind kind) const;
  int draws(FillKind kind) const {
    return lineDraws(kind) +
           (kind == FillKind::Range && tieDigits > 0 && isSmall());
  }
  bool isSmall() const;
};
} // namespace

/// Up to this many elements, several draws cost nothing beside the start of a run.
static constexpr int64_t kSmallArguments = 1 << 16, kTinyArguments = 1 << 14;

bool DataPlan::isSmall() const { return elements <= kSmallArguments; }

int DataPlan::lineDraws(FillKind kind) const {
  if (!isSmall())
    return 1;
  // One row of many numbers: the first patterns show most.
  int64_t most = elements <= kTinyArguments ? 4 : 2;
  auto drawsFor = [&](int64_t patterns, int64_t lines) {
    return std::min(most, (patterns - 1) / std::max<int64_t>(lines, 1) + 1);
  };
  return static_cast<int>(std::max(
      drawsFor(kind == FillKind::Range ? kRangeLines : kSpecialLines,
               fewestLines),
      drawsFor(kFactorLines, fewestOfFactors)));
}

static llvm::Expected<DataPlan> planData(mlir::func::FuncOp function) {
  DataPlan plan;
  plan.uses = usesOfArguments(function);
  for (auto [type, use] : llvm::zip(function.getArgumentTypes(), plan.uses)) {
    llvm::Expected<TensorType> tensor = program::tensorTypeOf(type);
    if (!tensor)
      return addContext(tensor.takeError(),
                        "argument " + std::to_string(plan.types.size()));
    Lines lines(tensor->shape, use);
    plan.elements += lines.count() * lines.length();
    int64_t &fewest = use.isFactor ? plan.fewestOfFactors : plan.fewestLines;
    if ((tensor->element.isFloat() && keepsLines(use)) || use.asked)
      fewest = std::min(fewest, lines.count());
    plan.types.push_back(std::move(*tensor));
  }
  plan.tieDigits = digitsOfTies(plan.types, plan.uses);
  return plan;
}

/// The patterns of one argument; none for other kinds of data or element types.
static Patterns patternsOf(const DataPlan &plan, size_t argument, FillKind kind,
                           CounterRandom random, int draw, double depth,
                           const KeptNumbers &kept) {
  Patterns patterns;
  tensor::TensorType parts = plan.types[argument];
  parts.element = parts.element.part();
  if (!asksDefinedOnly(kind) || !parts.element.isFloat())
    return patterns;
  // Each argument begins with another pattern.
  int shift = 3 * static_cast<int>(argument);
  if (kind == FillKind::Range && draw > 0 && draw >= plan.lineDraws(kind))
    patterns.ties = limitOfTies(plan.tieDigits, depth);
  else if (kind == FillKind::Range)
    patterns.edge.emplace(parts, plan.uses[argument], random, draw, shift);
  else
    patterns.special.emplace(parts, plan.uses[argument], random, draw, shift,
                             kept);
  return patterns;
}

llvm::Expected<std::vector<Tensor>>
judge::fillProgram(const program::Program &program, llvm::StringRef entry,
                   FillKind kind, uint64_t seed, int draw,
                   const KeptNumbers &kept) {
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function)
    return function.takeError();
  Products products = productsOf(program);
  std::vector<ArgumentRole> roles = rolesOfArguments(*function);
  llvm::Expected<DataPlan> plan = planData(*function);
  if (!plan)
    return plan.takeError();
  KeptNumbers asked = kept;
  if (kind == FillKind::Special && !asked.nan)
    asked.nan = carriesNan(*function);
  uint64_t stream = seed * 16 + static_cast<uint64_t>(kind);
  std::vector<Tensor> tensors;
  for (const TensorType &type : plan->types) {
    uint64_t argument = tensors.size();
    ElementType element = type.element;
    llvm::Expected<Tensor> tensor =
        element.isFloat() || element.isComplex()
            ? fillFloats(type, kind, stream, argument, products,
                         roles[argument],
                         patternsOf(*plan, argument, kind,
                                    CounterRandom(stream, argument), draw,
                                    products.depth, asked))
            : fillIntegers(type, plan->uses[argument], kind, stream, argument,
                           draw, kept);
    if (tensor)
      tensor = tensor->dense();
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

int judge::drawsOf(const program::Program &program, llvm::StringRef entry,
                   FillKind kind) {
  if (!asksDefinedOnly(kind))
    return 1;
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return 1;
  }
  llvm::Expected<DataPlan> plan = planData(*function);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return 1;
  }
  return plan->draws(kind);
}
