// Each fault is an edit of a copy of the module. An edit that touches nothing
// makes no program; one that a verifier refuses is left out too.
#include "assay/judge/audit/WrongPrograms.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace assay;
using namespace assay::judge;

namespace {
struct Edit {
  const char *name;
  /// The number of operations that it changed.
  int64_t (*apply)(mlir::ModuleOp module);
  bool needsLargeData = false;
};
} // namespace

static llvm::StringRef nameOf(mlir::Operation *op) {
  return op->getName().stripDialect();
}
static bool isProduct(mlir::Operation *op) {
  return nameOf(op) == "dot_general" || nameOf(op) == "dot" ||
         nameOf(op) == "convolution";
}
static bool isWideFloat(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  auto element = type ? mlir::dyn_cast<mlir::FloatType>(type.getElementType())
                      : mlir::FloatType();
  return element && element.getWidth() >= 32;
}

/// All operations that hold `wanted`, found before any is changed.
static std::vector<mlir::Operation *>
collect(mlir::ModuleOp module,
        llvm::function_ref<bool(mlir::Operation *)> wanted) {
  std::vector<mlir::Operation *> found;
  module.walk([&](mlir::Operation *op) {
    if (wanted(op))
      found.push_back(op);
  });
  return found;
}

static mlir::Value insert(mlir::OpBuilder &builder, mlir::Location location,
                          llvm::StringRef name, mlir::ValueRange operands,
                          mlir::Type type,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(location, name, operands, {type}, attributes);
  return builder.create(state)->getResult(0);
}

static mlir::Value rounded(mlir::OpBuilder &builder, mlir::Value value,
                           int exponent, int mantissa) {
  return insert(builder, value.getLoc(), "stablehlo.reduce_precision", value,
                value.getType(),
                {builder.getNamedAttr("exponent_bits",
                                      builder.getI32IntegerAttr(exponent)),
                 builder.getNamedAttr("mantissa_bits",
                                      builder.getI32IntegerAttr(mantissa))});
}

static mlir::Value splat(mlir::OpBuilder &builder, mlir::Location location,
                         mlir::RankedTensorType type, uint32_t value) {
  mlir::Attribute all = builder.getI32IntegerAttr(static_cast<int32_t>(value));
  return insert(
      builder, location, "stablehlo.constant", {}, type,
      {builder.getNamedAttr("value", mlir::DenseElementsAttr::get(type, all))});
}

/// An f32 value without the last bits of its mantissa.
static mlir::Value cut(mlir::OpBuilder &builder, mlir::Value value,
                       int mantissa, uint32_t added) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  auto bitsType = type.clone(builder.getI32Type());
  mlir::Location location = value.getLoc();
  int lost = 23 - mantissa;
  mlir::Value bits = insert(builder, location, "stablehlo.bitcast_convert",
                            value, bitsType, {});
  bits = insert(builder, location, "stablehlo.add",
                {bits, splat(builder, location, bitsType, added << (lost - 1))},
                bitsType, {});
  bits = insert(builder, location, "stablehlo.and",
                {bits, splat(builder, location, bitsType, ~0u << lost)},
                bitsType, {});
  return insert(builder, location, "stablehlo.bitcast_convert", bits, type, {});
}

static int64_t roundFactorsOf(mlir::ModuleOp module,
                              const FactorRounding &rounding) {
  int64_t count = 0;
  for (mlir::Operation *op : collect(module, isProduct)) {
    mlir::OpBuilder builder(op);
    for (unsigned i = 0; i < 2; ++i) {
      mlir::Value factor = op->getOperand(i);
      if (!isWideFloat(factor))
        continue;
      bool isF32 = mlir::getElementTypeOrSelf(factor.getType()).isF32();
      op->setOperand(i, rounding.addedBeforeCut && isF32
                            ? cut(builder, factor, rounding.mantissaBits,
                                  *rounding.addedBeforeCut)
                            : rounded(builder, factor, rounding.exponentBits,
                                      rounding.mantissaBits));
      ++count;
    }
  }
  return count;
}

template <size_t kIndex> static int64_t roundFactors(mlir::ModuleOp module) {
  return roundFactorsOf(module, factorRoundings()[kIndex]);
}

static int64_t roundSteps(mlir::ModuleOp module) {
  auto isStep = [](mlir::Operation *op) {
    return nameOf(op) != "constant" && op->getNumResults() == 1 &&
           op->getName().getDialectNamespace() == "stablehlo" &&
           mlir::isa<mlir::func::FuncOp>(op->getParentOp()) &&
           isWideFloat(op->getResult(0));
  };
  int64_t count = 0;
  for (mlir::Operation *op : collect(module, isStep)) {
    mlir::OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    mlir::Value result = op->getResult(0),
                less = rounded(builder, result, 8, 7);
    result.replaceAllUsesExcept(less, less.getDefiningOp());
    ++count;
  }
  return count;
}

/// Zeroes the elements with the last index of `dimension`.
static bool maskLast(mlir::Operation *op, unsigned operand, int64_t dimension) {
  auto type =
      mlir::cast<mlir::RankedTensorType>(op->getOperand(operand).getType());
  auto element = mlir::dyn_cast<mlir::FloatType>(type.getElementType());
  if (!element || !type.hasStaticShape() || type.getDimSize(dimension) < 2)
    return false;
  int64_t inner = 1, size = type.getDimSize(dimension);
  for (int64_t d = dimension + 1; d < type.getRank(); ++d)
    inner *= type.getDimSize(d);
  std::vector<mlir::Attribute> mask;
  mlir::OpBuilder builder(op);
  mlir::Attribute one = builder.getFloatAttr(element, 1),
                  zero = builder.getFloatAttr(element, 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    mask.push_back(i / inner % size == size - 1 ? zero : one);
  mlir::Value constant =
      insert(builder, op->getLoc(), "stablehlo.constant", {}, type,
             {builder.getNamedAttr("value",
                                   mlir::DenseElementsAttr::get(type, mask))});
  op->setOperand(operand,
                 insert(builder, op->getLoc(), "stablehlo.multiply",
                        {op->getOperand(operand), constant}, type, {}));
  return true;
}

static int64_t dropTerm(mlir::ModuleOp module) {
  int64_t count = 0;
  for (mlir::Operation *op : collect(module, isProduct)) {
    if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      llvm::ArrayRef<int64_t> dims =
          dot.getDotDimensionNumbers().getLhsContractingDimensions();
      count += !dims.empty() && maskLast(op, 0, dims.back());
    } else if (nameOf(op) == "convolution") {
      auto type =
          mlir::cast<mlir::RankedTensorType>(op->getOperand(1).getType());
      for (int64_t d = type.getRank(); d-- > 0;) // one tap, or one channel
        if (type.getDimSize(d) > 1) {
          count += maskLast(op, 1, d);
          break;
        }
    }
  }
  return count;
}

/// Whether a reduction's body is this one operation.
static bool folds(mlir::Operation *op, llvm::StringRef with) {
  if (nameOf(op) != "reduce" || op->getNumOperands() != 2 ||
      op->getRegion(0).empty())
    return false;
  mlir::Block &body = op->getRegion(0).front();
  return body.getOperations().size() == 2 && nameOf(&body.front()) == with;
}

static int64_t dropAddend(mlir::ModuleOp module) {
  int64_t count = 0;
  for (mlir::Operation *op :
       collect(module, [](mlir::Operation *op) { return folds(op, "add"); })) {
    auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dimensions");
    if (dims && !dims.asArrayRef().empty())
      count += maskLast(op, 0, dims.asArrayRef().back());
  }
  return count;
}

static int64_t moveMask(mlir::ModuleOp module) {
  using Direction = stablehlo::ComparisonDirection;
  int64_t count = 0;
  module.walk([&](stablehlo::CompareOp op) {
    auto turned = [](Direction d) {
      switch (d) {
      case Direction::LT:
        return Direction::LE;
      case Direction::LE:
        return Direction::LT;
      case Direction::GT:
        return Direction::GE;
      case Direction::GE:
        return Direction::GT;
      default:
        return d;
      }
    };
    Direction old = op.getComparisonDirection(), other = turned(old);
    if (old == other)
      return;
    op->setAttr("comparison_direction", stablehlo::ComparisonDirectionAttr::get(
                                            op->getContext(), other));
    ++count;
  });
  return count;
}

/// The value that another value is a reshaped or broadcast copy of.
static mlir::Operation *source(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && (nameOf(op) == "broadcast_in_dim" || nameOf(op) == "reshape" ||
                nameOf(op) == "convert" || nameOf(op) == "maximum" ||
                nameOf(op) == "select")) {
    mlir::Operation *next = nullptr;
    for (mlir::Value operand : op->getOperands())
      if (mlir::Operation *made = operand.getDefiningOp();
          made && nameOf(made) != "constant")
        next = made;
    op = next;
  }
  return op;
}

static int64_t leaveMaximum(mlir::ModuleOp module) {
  int64_t count = 0;
  for (mlir::Operation *op : collect(module, [](mlir::Operation *op) {
         return nameOf(op) == "subtract";
       })) {
    mlir::Operation *taken = source(op->getOperand(1));
    if (!taken || !folds(taken, "maximum"))
      continue;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    ++count;
  }
  return count;
}

static bool isSmallConstant(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && nameOf(op) == "broadcast_in_dim")
    op = op->getOperand(0).getDefiningOp();
  auto elements = op ? op->getAttrOfType<mlir::DenseFPElementsAttr>("value")
                     : mlir::DenseFPElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  double x = elements.getSplatValue<llvm::APFloat>().convertToDouble();
  return x > 0 && x <= 0.01;
}

static int64_t leaveEpsilon(mlir::ModuleOp module) {
  int64_t count = 0;
  for (mlir::Operation *op :
       collect(module, [](mlir::Operation *op) { return nameOf(op) == "add"; }))
    for (unsigned i = 0; i < 2; ++i)
      if (isSmallConstant(op->getOperand(i))) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(1 - i));
        ++count;
        break;
      }
  return count;
}

static constexpr Edit kEdits[] = {
    {"products_in_tf32", roundFactors<0>},
    {"products_in_f16", roundFactors<4>},
    {"products_in_bf16", roundFactors<3>},
    {"steps_in_bf16", roundSteps},
    {"k_dropped", dropTerm},
    {"sum_dropped", dropAddend},
    {"mask_off_by_one", moveMask},
    {"maximum_left", leaveMaximum, /*needsLargeData=*/true},
    {"epsilon_left_out", leaveEpsilon},
};

llvm::Expected<std::vector<WrongProgram>>
judge::wrongPrograms(const program::Program &program) {
  std::vector<WrongProgram> all;
  for (const Edit &edit : kEdits) {
    llvm::Expected<std::shared_ptr<const program::Program>> copy =
        program::Program::copyOf(program.module(), edit.name);
    if (!copy)
      return copy.takeError();
    if (edit.apply((*copy)->module()) > 0 &&
        mlir::succeeded(mlir::verify((*copy)->module())))
      all.push_back({edit.name, std::move(*copy), edit.needsLargeData});
  }
  return all;
}

llvm::Expected<std::shared_ptr<const program::Program>>
judge::withRoundedFactors(const program::Program &program,
                          const FactorRounding &rounding) {
  llvm::Expected<std::shared_ptr<const program::Program>> copy =
      program::Program::copyOf(program.module(), rounding.name);
  if (copy && roundFactorsOf((*copy)->module(), rounding) == 0)
    copy->reset();
  return copy;
}
