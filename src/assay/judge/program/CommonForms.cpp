// The attribute travels with the program's text, so that a judgement repeated
// elsewhere is the same.
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/Inlining.h"
#include "assay/program/Types.h"
#include "assay/reference/ChannelScale.h"
#include "mlir/IR/Builders.h"

#include <climits>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;

/// The accuracy of 1 - erf(x) in f32: half a unit of 2 for the subtraction, and erf's own
/// error near 1 (docs/verify_eltwise.md: up to 1e-6 for polynomials; libraries
/// of C: below a unit). What libraries need: utils/evidence/erfc_accuracy.py, at
/// most 0.55 (docs/check.md).
static constexpr double kUlps = 4, kAbsolute = 0x1p-21;

/// Whether a value is repeated: one computation on it serves several
/// elements.
static bool isRepeated(mlir::Value value) {
  auto elements = [](mlir::Value of) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(of.getType());
    return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 0;
  };
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 1)
    return false;
  llvm::StringRef name = op->getName().stripDialect();
  bool spreads = name == "broadcast_in_dim" || name == "broadcast";
  return spreads ? elements(op->getOperand(0)) < elements(value)
                 : name == "reshape" && isRepeated(op->getOperand(0));
}

/// The operation that makes a value, seen through moves.
static mlir::Operation *origin(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  auto moves = [](mlir::Operation *of) {
    llvm::StringRef name = of->getName().stripDialect();
    return name == "broadcast_in_dim" || name == "reshape" ||
           name == "broadcast" || name == "transpose";
  };
  while (op && moves(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

bool judge::isConstant(mlir::Value value) {
  mlir::Operation *op = origin(value);
  while (op && op->getName().stripDialect() == "convert")
    op = origin(op->getOperand(0));
  return op && op->getName().stripDialect() == "constant";
}

static bool isConstantNonNegative(mlir::Operation &op) {
  auto value = op.getAttrOfType<mlir::DenseFPElementsAttr>("value");
  return value && llvm::all_of(value.getValues<llvm::APFloat>(),
                               [](const llvm::APFloat &x) {
                                 return !x.isNaN() && !x.isNegative();
                               });
}

/// The most operations that are followed.
static constexpr int kDeepest = 12;

static bool staysNonNegative(mlir::Value value, int depth) {
  mlir::Operation *op = origin(value);
  if (!op || depth > kDeepest)
    return false;
  auto operand = [&](unsigned i) {
    return staysNonNegative(op->getOperand(i), depth + 1);
  };
  llvm::StringRef name = op->getName().stripDialect();
  if (name == "constant")
    return isConstantNonNegative(*op);
  if (name == "abs" || name == "exponential" || name == "logistic" ||
      name == "square" || name == "sqrt")
    return !mlir::isa<mlir::ComplexType>(
        mlir::getElementTypeOrSelf(value.getType()));
  if (name == "multiply" && op->getOperand(0) == op->getOperand(1))
    return mlir::isa<mlir::FloatType>(
        mlir::getElementTypeOrSelf(value.getType()));
  if (name == "add" || name == "multiply" || name == "divide")
    return operand(0) && operand(1);
  if (name == "maximum")
    return operand(0) || operand(1);
  if (name == "convert" || name == "slice")
    return operand(0);
  return name == "reduce" && op->getNumResults() == 1 &&
         bodyOf(op->getRegion(0)) == Body::Sum && operand(0) && operand(1);
}

bool judge::isNonNegative(mlir::Value value) {
  return staysNonNegative(value, 0);
}

static bool isPowerOfTwo(const llvm::APFloat &value) {
  return value.isFiniteNonZero() && value.getExactLog2Abs() != INT_MIN;
}

double judge::divisionUlps(mlir::Operation *divide) {
  mlir::Operation *by = origin(divide->getOperand(1));
  if (divide->hasAttr(kExactDivision) ||
      !mlir::isa<mlir::FloatType>(
          mlir::getElementTypeOrSelf(divide->getOperand(1).getType())))
    return 0;
  double ofRows = isRepeated(divide->getOperand(1)) ? 1 : 0;
  if (!by)
    return ofRows;
  llvm::StringRef name = by->getName().stripDialect();
  // rsqrt's 2 units count double where x rsqrt(y) is at the other end of its
  // binade.
  if (name == "sqrt")
    return 4;
  auto value = name == "constant"
                   ? by->getAttrOfType<mlir::DenseFPElementsAttr>("value")
                   : mlir::DenseFPElementsAttr();
  if (!value)
    return name == "constant" || name == "constant_like" ? 1 : ofRows;
  return llvm::all_of(value.getValues<llvm::APFloat>(), isPowerOfTwo) ? 0 : 1;
}

void judge::demandExactDivision(const program::Program &program) {
  program.module()->walk([](mlir::Operation *op) {
    llvm::StringRef name = op->getName().stripDialect();
    if (name == "divide" || name == "broadcast_divide")
      op->setAttr(kExactDivision, mlir::UnitAttr::get(op->getContext()));
  });
}

/// Each factor adds one rounding, of the filter or of another factor. The shift
/// b - m s is rounded three times; it is no larger than the sum and the result,
/// whose own rounding counts elsewhere.
static constexpr int kShiftRoundings = 3;

void judge::allowFoldedScales(const program::Program &program,
                              bool argumentsStay) {
  // Numbered, since the chains are found in a copy whose calls are inlined.
  std::vector<mlir::Operation *> all;
  mlir::Builder builder(program.module().getContext());
  program.module().walk([&](stablehlo::ConvolutionOp op) {
    op->setAttr(kFoldedScales,
                builder.getI64IntegerAttr(static_cast<int64_t>(all.size())));
    all.push_back(op);
  });
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  if (!all.empty()) {
    copy = mlir::cast<mlir::ModuleOp>(program.module()->clone());
    program::inlineSmallCalls(*copy);
  }
  for (mlir::Operation *op : all)
    op->removeAttr(kFoldedScales);
  if (!copy)
    return;
  for (reference::ChannelScale &scale :
       reference::channelScales(*copy, argumentsStay)) {
    auto number =
        scale.convolution->getAttrOfType<mlir::IntegerAttr>(kFoldedScales);
    all[static_cast<size_t>(number.getInt())]->setAttr(
        kFoldedScales,
        builder.getI64IntegerAttr(scale.factors + kShiftRoundings));
  }
}

/// The most operations that make a weight.
static constexpr size_t kLongestWeight = 64;

bool judge::isWeight(mlir::Value value) {
  llvm::SmallVector<mlir::Value, 16> todo{value};
  bool hasPositions = false;
  for (size_t next = 0; next < todo.size(); ++next) {
    mlir::Operation *op = todo[next].getDefiningOp();
    if (!op || op->getNumRegions() > 0 || todo.size() > kLongestWeight)
      return false;
    llvm::StringRef name = op->getName().stripDialect();
    hasPositions |= name == "iota";
    if (op->getNumOperands() == 0 && name != "iota" && name != "constant")
      return false;
    llvm::append_range(todo, op->getOperands());
  }
  return hasPositions;
}

/// Whether a value, perhaps after moves, is divided by a constant or multiplied
/// by one.
static bool endsInMean(mlir::Value value) {
  for (mlir::OpOperand &use : value.getUses()) {
    llvm::StringRef name = use.getOwner()->getName().stripDialect();
    if (name == "reshape" || name == "broadcast_in_dim" || name == "convert") {
      if (endsInMean(use.getOwner()->getResult(0)))
        return true;
    } else if ((name == "divide" && use.getOperandNumber() == 0) ||
               name == "multiply") {
      if (isConstant(use.getOwner()->getOperand(1 - use.getOperandNumber())))
        return true;
    }
  }
  return false;
}

/// The number that all elements of a product are multiplied by.
static std::optional<double> weightOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->getName().stripDialect() != "multiply")
    return std::nullopt;
  for (mlir::Value factor : op->getOperands()) {
    mlir::Operation *made = origin(factor);
    auto number = made ? made->getAttrOfType<mlir::DenseFPElementsAttr>("value")
                       : mlir::DenseFPElementsAttr();
    if (number && number.isSplat())
      return number.getSplatValue<llvm::APFloat>().convertToDouble();
  }
  return std::nullopt;
}

/// Whether an addition is w a + (1 - w) b, which a + (1 - w) (b - a) is too: a
/// running mean.
static bool isWeightedMean(mlir::Operation *op) {
  if (op->getName().stripDialect() != "add")
    return false;
  std::optional<double> a = weightOf(op->getOperand(0)),
                        b = weightOf(op->getOperand(1));
  return a && b && *a > 0 && *b > 0 && std::fabs(*a + *b - 1) < 1e-6;
}

void judge::allowCommonForms(const program::Program &program) {
  program::inlineSmallCalls(program.module());
  program::eraseUncalled(program.module());
  program.module()->walk([](mlir::Operation *op) {
    if (isWeightedMean(op))
      op->setAttr(kScaledTerms, mlir::UnitAttr::get(op->getContext()));
    if (op->getName().stripDialect() == "reduce" && op->getNumResults() == 1 &&
        endsInMean(op->getResult(0)))
      op->setAttr(kMeanAttribute, mlir::UnitAttr::get(op->getContext()));
    if (op->getName().stripDialect() != "erfc" ||
        op->hasAttr(kAccuracyAttribute))
      return;
    mlir::Type type = op->getResult(0).getType();
    auto element =
        mlir::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
    if (element && element.getWidth() <= 32)
      op->setAttr(
          kAccuracyAttribute,
          mlir::DenseF64ArrayAttr::get(op->getContext(), {kUlps, kAbsolute}));
  });
}

mlir::Value judge::withAccuracy(mlir::Value value, Accuracy accuracy) {
  mlir::Operation *op = value.getDefiningOp();
  bool isF32 = mlir::getElementTypeOrSelf(value.getType()).isF32();
  if (op && isF32 && (accuracy.ulps != 0 || accuracy.absolute != 0))
    op->setAttr(kAccuracyAttribute,
                mlir::DenseF64ArrayAttr::get(
                    op->getContext(), {accuracy.ulps, accuracy.absolute}));
  return value;
}

mlir::Value judge::withStageIn(mlir::Value value, ElementType narrow) {
  const numerics::FormatInfo &info = numerics::formatInfo(narrow.format);
  return info.precision() < 24
             ? withAccuracy(
                   value,
                   {std::ldexp(1.0, 23 - info.precision()),
                    std::ldexp(1.0, info.minSubnormalExponent() - 1)})
             : value;
}

mlir::Value judge::withSumsIn(mlir::Value value, ElementType narrow) {
  mlir::Type type = program::mlirTypeOf(value.getContext(), {narrow, {}});
  if (mlir::Operation *op = origin(value))
    op->setAttr(kAccumulation,
                mlir::TypeAttr::get(mlir::getElementTypeOrSelf(type)));
  return value;
}

mlir::Value judge::withScaledTerms(mlir::Value sum) {
  if (mlir::Operation *op = sum.getDefiningOp())
    op->setAttr(kScaledTerms, mlir::UnitAttr::get(op->getContext()));
  return sum;
}

mlir::Value judge::withRunningMean(mlir::Value sum) {
  if (mlir::Operation *op = origin(sum);
      op && op->getName().stripDialect() == "reduce")
    op->setAttr(kMeanAttribute, mlir::UnitAttr::get(op->getContext()));
  return sum;
}

mlir::Value judge::withBeginOfSum(mlir::Value addition, int64_t depth) {
  mlir::Builder builder(addition.getContext());
  if (mlir::Operation *op = addition.getDefiningOp())
    op->setAttr(kBeginsSum, builder.getI64IntegerAttr(depth));
  return addition;
}
