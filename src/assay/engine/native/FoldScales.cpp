#include "assay/engine/native/FoldScales.h"

#include "assay/engine/native/KnownType.h"
#include "assay/engine/native/ProgramPasses.h"
#include "assay/reference/ChannelScale.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace assay::engine {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;
using reference::ChannelScale;

namespace {
/// Writes the folded form in the place of the chain's last operation.
class Writer {
public:
  explicit Writer(ChannelScale scale)
      : scale_(scale), builder_(scale.links.back().op),
        location_(scale.convolution->getLoc()),
        result_(typeOfValue(scale.convolution->getResult(0))),
        feature_(scale.convolution.getDimensionNumbers()
                     .getOutputFeatureDimension()),
        vector_(RankedTensorType::get(result_.getDimSize(feature_),
                                      builder_.getF32Type())) {}
  void write();

private:
  Operation *make(llvm::StringRef name, mlir::ValueRange operands,
                  RankedTensorType type);
  Value broadcast(Value value, llvm::ArrayRef<int64_t> dims,
                  RankedTensorType type);
  Value vectorOf(Value channels);
  Value ones();
  void add(const ChannelScale::Link &link);
  Value scaledFilter();

  ChannelScale scale_;
  mlir::OpBuilder builder_;
  mlir::Location location_;
  RankedTensorType result_;
  int64_t feature_;
  RankedTensorType vector_;
  Value factor_, shift_; ///< one number per channel; null: 1 and 0
};
} // namespace

Operation *Writer::make(llvm::StringRef name, mlir::ValueRange operands,
                        RankedTensorType type) {
  mlir::OperationState state(location_, name);
  state.addOperands(operands);
  state.addTypes(type);
  return builder_.create(state);
}

Value Writer::broadcast(Value value, llvm::ArrayRef<int64_t> dims,
                        RankedTensorType type) {
  mlir::OperationState state(location_,
                             stablehlo::BroadcastInDimOp::getOperationName());
  state.addOperands(value);
  state.addAttribute("broadcast_dimensions",
                     builder_.getDenseI64ArrayAttr(dims));
  state.addTypes(type);
  return builder_.create(state)->getResult(0);
}

/// Channel values as a vector.
Value Writer::vectorOf(Value channels) {
  RankedTensorType type = typeOfValue(channels);
  if (type == vector_)
    return channels;
  mlir::DenseElementsAttr constant;
  if (mlir::matchPattern(channels, mlir::m_Constant(&constant)) &&
      constant.isSplat()) {
    Operation *made = builder_.insert(channels.getDefiningOp()->clone());
    made->setAttr("value", constant.resizeSplat(vector_));
    made->getResult(0).setType(vector_);
    return made->getResult(0);
  }
  bool isOne = type.getNumElements() == 1;
  RankedTensorType flat =
      isOne ? RankedTensorType::get({}, builder_.getF32Type()) : vector_;
  if (type != flat)
    channels = make(stablehlo::ReshapeOp::getOperationName(), channels, flat)
                   ->getResult(0);
  return isOne ? broadcast(channels, {}, vector_) : channels;
}

Value Writer::ones() {
  mlir::OperationState state(location_,
                             stablehlo::ConstantOp::getOperationName());
  state.addAttribute("value", mlir::DenseElementsAttr::get(vector_, 1.0f));
  state.addTypes(vector_);
  return builder_.create(state)->getResult(0);
}

/// Takes one operation of the chain into the factor and the shift.
void Writer::add(const ChannelScale::Link &link) {
  llvm::StringRef name = link.op->getName().getStringRef();
  Value channels = vectorOf(link.channels);
  bool isFactor =
      mlir::isa<stablehlo::MultiplyOp, stablehlo::DivideOp>(link.op);
  auto with = [&](Value value) {
    return make(name, {value, channels}, vector_)->getResult(0);
  };
  if (isFactor) {
    bool isFirst = !factor_ && mlir::isa<stablehlo::MultiplyOp>(link.op);
    factor_ = isFirst ? channels : with(factor_ ? factor_ : ones());
    shift_ = shift_ ? with(shift_) : shift_;
  } else if (shift_) {
    shift_ = with(shift_);
  } else {
    shift_ =
        mlir::isa<stablehlo::AddOp>(link.op)
            ? channels
            : make(stablehlo::NegateOp::getOperationName(), channels, vector_)
                  ->getResult(0);
  }
}

Value Writer::scaledFilter() {
  Value filter = scale_.convolution->getOperand(1);
  RankedTensorType type = typeOfValue(filter);
  int64_t dim = scale_.convolution.getDimensionNumbers()
                    .getKernelOutputFeatureDimension();
  Operation *scaled = make(stablehlo::MultiplyOp::getOperationName(),
                           {filter, broadcast(factor_, dim, type)}, type);
  scaled->setAttr(kStays, builder_.getUnitAttr());
  return scaled->getResult(0);
}

void Writer::write() {
  for (const ChannelScale::Link &link : scale_.links)
    add(link);
  Operation *convolution = builder_.insert(scale_.convolution->clone());
  // Its operands come before it.
  builder_.setInsertionPoint(convolution);
  convolution->setOperand(1, scaledFilter());
  builder_.setInsertionPointAfter(convolution);
  Value result = convolution->getResult(0);
  if (shift_)
    result = make(stablehlo::AddOp::getOperationName(),
                  {result, broadcast(shift_, feature_, result_)}, result_)
                 ->getResult(0);
  scale_.links.back().op->getResult(0).replaceAllUsesWith(result);
  for (const ChannelScale::Link &link : llvm::reverse(scale_.links))
    link.op->erase();
  scale_.convolution->erase();
}

void foldScales(mlir::ModuleOp module, const ProgramPassOptions &options) {
  if (!options.foldsScales)
    return;
  for (const ChannelScale &scale :
       reference::channelScales(module, options.argumentsStay))
    Writer(scale).write();
}

} // namespace assay::engine
