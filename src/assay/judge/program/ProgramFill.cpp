// Data for the op driver. What the program does with its arguments is read from
// its operations (ArgumentRoles.cpp): how deep its products are sizes the
// integers of exact data and the weights of real data, variances stay above
// zero. Whether sums came out exact is found afterwards by the bound
// (StructuredBound.cpp), from the data itself.
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ArgumentRoles.h"
#include "assay/judge/program/EdgeData.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/ComputedTensor.h"
#include "assay/program/Inputs.h"
#include "assay/program/Types.h"
#include "assay/support/Random.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;
using tensor::TensorType;

/// An upper bound of the number of products in one sum, 1 when the program has
/// no products.
static double deepestProduct(const program::Program &program) {
  double depth = 1;
  program.module()->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().stripDialect();
    if (op->getNumOperands() < 2 || op->getNumResults() != 1)
      return;
    auto count = [](mlir::Type type) {
      auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
      return shaped && shaped.hasStaticShape()
                 ? static_cast<double>(shaped.getNumElements())
                 : 1.0;
    };
    double a = count(op->getOperand(0).getType()),
           b = count(op->getOperand(1).getType()),
           c = count(op->getResult(0).getType());
    if (name == "dot" ||
        name == "dot_general") // (B M K)(B K N) / (B M N) = B K^2
      depth = std::max(depth, std::sqrt(a * b / std::max(c, 1.0)));
    if (name == "convolution" || name == "dynamic_conv")
      depth = std::max(depth, b);
  });
  return depth;
}

/// The number that element `index` of a float argument gets.
static double floatElement(FillKind kind, const CounterRandom &random,
                           uint64_t index, double limit, double unit,
                           ElementType type) {
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
  case FillKind::Special: {
    numerics::FormatInfo info = numerics::formatInfo(type.format);
    double largest = std::ldexp(1.0, info.maxExponent()),
           smallest = std::ldexp(1.0, info.minExponent() - info.mantissaBits);
    const double values[] = {NAN,  INFINITY, -INFINITY, 0.0,
                             -0.0, largest,  -largest,  smallest};
    int64_t which = random.integer(index + (uint64_t{1} << 40), 0, 63);
    return which < 8 ? values[which] : random.normal(index);
  }
  default:
    return random.normal(index);
  }
}

/// The element as a model would have it there: weights whose products keep the
/// size of the data, variances above zero, gains near one.
static double inRole(const ArgumentRole &role, FillKind kind, double x) {
  if (kind == FillKind::Special || kind == FillKind::Sparse)
    return x;
  if (role.isVariance)
    return std::fabs(x) + (kind == FillKind::Exact ? 0 : 0.125);
  if (kind == FillKind::Exact)
    return x;
  if (role.fanIn > 1)
    return x / std::sqrt(role.fanIn);
  return role.isGain ? 0.5 + 0.5 * std::fabs(x) : x;
}

static llvm::Expected<Tensor> fillFloats(const TensorType &type, FillKind kind,
                                         uint64_t seed, uint64_t argument,
                                         double depth, const ArgumentRole &role,
                                         const EdgeData *edge) {
  CounterRandom random(seed, argument);
  ElementType part = type.element.part();
  int digits = numerics::formatInfo(part.format).precision();
  // Without products the numbers lie on a grid of 1/16 up to 4; with them as
  // high as 23 bits of sum allow.
  double limit = depth > 1 ? std::floor(std::sqrt(0x1p23 / depth)) : 64,
         unit = depth > 1 ? 1 : 0.0625;
  limit = std::clamp(limit, 1.0,
                     std::min(127.0, std::ldexp(1.0, std::min(digits, 8))));
  bool isComplex = type.element.isComplex();
  ElementType wide = wideType(type.element);
  return program::computedTensor<double>(
      type, wide, isComplex ? 2 : 1, [&](uint64_t i) {
        double x = inRole(role, kind,
                          floatElement(kind, random, i, limit, unit, part));
        if (!edge)
          return x;
        x = edge->element(i, x);
        return role.isVariance ? std::fabs(x) : x;
      });
}

static llvm::Expected<Tensor>
fillSmallIntegers(const TensorType &type, uint64_t seed, uint64_t argument) {
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
      [&](uint64_t i) { return random.integer(i, low, high); });
}

llvm::Expected<std::vector<Tensor>>
judge::fillProgram(const program::Program &program, llvm::StringRef entry,
                   FillKind kind, uint64_t seed, int draw) {
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function)
    return function.takeError();
  double depth = deepestProduct(program);
  std::vector<ArgumentRole> roles = rolesOfArguments(*function);
  std::vector<ArgumentUse> uses;
  if (asksDefinedOnly(kind))
    uses = usesOfArguments(*function);
  uint64_t stream = seed * 16 + static_cast<uint64_t>(kind);
  std::vector<Tensor> tensors;
  for (mlir::Type argumentType : function->getArgumentTypes()) {
    llvm::Expected<TensorType> type = program::tensorTypeOf(argumentType);
    if (!type)
      return addContext(type.takeError(),
                        "argument " + std::to_string(tensors.size()));
    uint64_t argument = tensors.size();
    ElementType element = type->element;
    std::optional<EdgeData> edge; // arguments go through the patterns apart
    if (!uses.empty() && element.isFloat())
      edge.emplace(*type, uses[argument], CounterRandom(stream, argument),
                   draw + 3 * static_cast<int>(argument));
    llvm::Expected<Tensor> tensor =
        element.isFloat() || element.isComplex()
            ? fillFloats(*type, kind, stream, argument, depth, roles[argument],
                         edge ? &*edge : nullptr)
        : element.isInteger() && kind == FillKind::Exact
            ? fillSmallIntegers(*type, stream, argument)
            : program::randomTensor(*type, stream, argument);
    if (tensor)
      tensor = tensor->dense();
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

/// Elements up to which several draws cost nothing beside a run's own start.
static constexpr int64_t kSmallArguments = 1 << 16;

int judge::drawsOf(const program::Program &program, llvm::StringRef entry,
                   FillKind kind) {
  if (!asksDefinedOnly(kind))
    return 1;
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return 1;
  }
  int64_t elements = 0, fewest = kRangeLines;
  for (auto [type, use] :
       llvm::zip(function->getArgumentTypes(), usesOfArguments(*function))) {
    llvm::Expected<TensorType> tensor = program::tensorTypeOf(type);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    int64_t count = 1;
    for (int64_t size : tensor->shape)
      count *= size;
    elements += count;
    if (tensor->element.isFloat() && keepsLines(use))
      fewest =
          std::min(fewest, std::max<int64_t>(1, linesOf(use, tensor->shape)));
  }
  return elements > kSmallArguments
             ? 1
             : static_cast<int>((kRangeLines + fewest - 1) / fewest);
}
