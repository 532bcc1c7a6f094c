// Frameworks write batch normalisation for inference in many ways; all are such
// chains.
#include "assay/reference/ChannelScale.h"
#include "assay/reference/Elementwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace assay;
using namespace assay::reference;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

/// The type if it is a tensor of f32 with static shape, else null.
static RankedTensorType typeOf(Value value) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  bool fits = type && type.hasStaticShape() && type.getElementType().isF32();
  return fits ? type : RankedTensorType();
}

static bool isMove(Operation *op) {
  return mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                   stablehlo::TransposeOp, stablehlo::SliceOp,
                   stablehlo::ConvertOp>(op);
}

namespace {
class Finder {
public:
  explicit Finder(bool argumentsStay) : argumentsStay_(argumentsStay) {}
  std::optional<ChannelScale> behind(stablehlo::ConvolutionOp convolution);

private:
  bool isParameter(Value value);
  bool filterStays(Value value) const;
  Value channelsOf(Value value, RankedTensorType result, int64_t feature);
  std::optional<ChannelScale::Link> linkAfter(Value value, int64_t feature);

  bool argumentsStay_;
  llvm::DenseMap<Value, bool> parameters_;
};
} // namespace

/// Whether the value is computed from constants and from arguments that are
/// vectors only.
bool Finder::isParameter(Value value) {
  auto [known, isNew] = parameters_.try_emplace(value, false);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  bool is = false;
  if (!op) {
    auto type = typeOf(value);
    is = argumentsStay_ && type && type.getRank() == 1;
  } else if (mlir::matchPattern(op, mlir::m_Constant())) {
    is = true;
  } else if (isMove(op) || ElementwiseFunction::knows(op)) {
    is = llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isParameter(operand); });
  }
  return parameters_[value] = is;
}

/// Whether the value is an argument or a constant, possibly moved or converted.
bool Finder::filterStays(Value value) const {
  Operation *op = value.getDefiningOp();
  while (op && isMove(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return op ? mlir::matchPattern(op, mlir::m_Constant()) : argumentsStay_;
}

/// The value that an operand of the result's shape repeats for each channel;
/// null if the operand differs within a channel.
Value Finder::channelsOf(Value value, RankedTensorType result,
                         int64_t feature) {
  if (typeOf(value) != result)
    return {};
  Operation *op = value.getDefiningOp();
  if (op && mlir::isa<stablehlo::BroadcastInDimOp>(op)) {
    Value source = op->getOperand(0);
    RankedTensorType type = typeOf(source);
    auto dims =
        op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions")
            .asArrayRef();
    for (auto [size, dim] : llvm::zip(type.getShape(), dims))
      if (size != 1 && dim != feature)
        return {};
    return source;
  }
  mlir::DenseElementsAttr constant;
  bool isOne = mlir::matchPattern(value, mlir::m_Constant(&constant)) &&
               constant.isSplat();
  bool isVector = result.getNumElements() == result.getDimSize(feature);
  return isOne || isVector ? value : Value();
}

/// The only operation that reads the value, if it treats all elements of a
/// channel in the same way.
std::optional<ChannelScale::Link> Finder::linkAfter(Value value,
                                                    int64_t feature) {
  if (!value.hasOneUse())
    return std::nullopt;
  Operation *op = *value.user_begin();
  bool commutes = mlir::isa<stablehlo::MultiplyOp, stablehlo::AddOp>(op);
  if (!commutes && !mlir::isa<stablehlo::DivideOp, stablehlo::SubtractOp>(op))
    return std::nullopt;
  unsigned own = op->getOperand(0) == value ? 0 : 1;
  if (own == 1 && !commutes)
    return std::nullopt;
  RankedTensorType type = typeOf(value);
  if (op->getBlock() != value.getParentBlock() ||
      typeOf(op->getResult(0)) != type)
    return std::nullopt;
  Value channels = channelsOf(op->getOperand(1 - own), type, feature);
  if (!channels || !isParameter(channels))
    return std::nullopt;
  return ChannelScale::Link{op, channels};
}

std::optional<ChannelScale>
Finder::behind(stablehlo::ConvolutionOp convolution) {
  Value value = convolution->getResult(0);
  if (!typeOf(value) || !typeOf(convolution->getOperand(0)) ||
      !typeOf(convolution->getOperand(1)) ||
      !filterStays(convolution->getOperand(1)))
    return std::nullopt;
  ChannelScale scale{convolution, {}, 0};
  int64_t feature =
      convolution.getDimensionNumbers().getOutputFeatureDimension();
  while (auto link = linkAfter(value, feature)) {
    scale.factors +=
        mlir::isa<stablehlo::MultiplyOp, stablehlo::DivideOp>(link->op);
    scale.links.push_back(*link);
    value = link->op->getResult(0);
  }
  return scale.factors > 0 ? std::optional(std::move(scale)) : std::nullopt;
}

std::vector<ChannelScale> reference::channelScales(mlir::ModuleOp module,
                                                   bool argumentsStay) {
  std::vector<ChannelScale> scales;
  Finder finder(argumentsStay);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    for (auto convolution :
         function.getBody().front().getOps<stablehlo::ConvolutionOp>())
      if (std::optional<ChannelScale> scale = finder.behind(convolution))
        scales.push_back(std::move(*scale));
  }
  return scales;
}
