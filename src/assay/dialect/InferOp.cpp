// Result shapes of one operation, from its operands' shapes (Infer.h) and, for
// the dynamic_* operations, from the values of shape operands. An operation
// that is not listed here has no results of run-time shape; running it with a
// guessed shape would access memory outside of its tensors.
#include "assay/dialect/InferOp.h"
#include "assay/dialect/Chlo.h"
#include "assay/dialect/Einsum.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Windows.h"

#include "llvm/ADT/TypeSwitch.h"

namespace assay::stablehlo {

using namespace mlir;
using Inferred = FailureOr<Dims>;

namespace {
/// Infers the first result of an operation; inferResults handles those with
/// several results.
class OneResult {
public:
  OneResult(Operation *op, OperandValues values) : op_(op), values_(values) {}
  Inferred infer();

private:
  Shape shape(unsigned operand) const {
    return shapeOf(op_->getOperand(operand));
  }
  Inferred operand(unsigned i) const { return Dims(shape(i)); }
  Inferred windowed();
  Inferred product();
  Inferred moved();
  Inferred fromOperands();
  Inferred dynamicConv(DynamicConvOp op);
  Inferred realDynamicSlice();
  Inferred setDimensionSize(SetDimensionSizeOp op);
  Inferred broadcasting();
  Inferred customCall(CustomCallOp op);

  Operation *op_;
  OperandValues values_;
};
} // namespace

/// Elementwise operations whose operands must have the same shape have a trait.
/// These operations also have the shape of their first operand.
static bool hasShapeOfFirst(Operation *op) {
  return op->hasTrait<SameShape>() || op->hasTrait<SameBaselineType>() ||
         isa<ReverseOp, DynamicUpdateSliceOp, SelectAndScatterOp, MapOp,
             ReducePrecisionOp, CholeskyOp, CompareOp, ConvertOp, ComplexOp,
             RealOp, ImagOp, IsFiniteOp, UniformQuantizeOp, UniformDequantizeOp,
             BatchNormInferenceOp, chlo::ConstantLikeOp>(op);
}

Inferred OneResult::windowed() {
  auto error = [&] { return op_->emitOpError(); };
  auto convolved = [&](auto op, FailureOr<WindowDims> windows) -> Inferred {
    if (failed(windows))
      return failure();
    return inferConvolution(shape(0), shape(1), op.getDimensionNumbers(),
                            *windows, op.getFeatureGroupCount(),
                            op.getBatchGroupCount(), error);
  };
  if (auto op = dyn_cast<ConvolutionOp>(op_))
    return convolved(op, windowsOf(op));
  if (auto op = dyn_cast<DynamicConvOp>(op_)) {
    FailureOr<WindowDims> windows = windowsOf(op);
    Dims padding = values_(2);
    if (failed(windows) || padding.size() != 2 * windows->size())
      return op_->emitOpError()
             << "'padding' has " << padding.size() << " numbers";
    for (auto [i, window] : llvm::enumerate(*windows))
      window.padLow = padding[2 * i], window.padHigh = padding[2 * i + 1];
    return convolved(op, windows);
  }
  FailureOr<WindowDims> windows = windowsOf(cast<ReduceWindowOp>(op_));
  if (failed(windows))
    return failure();
  return inferWindows(shape(0), *windows, error);
}

Inferred OneResult::product() {
  auto error = [&] { return op_->emitOpError(); };
  if (auto op = dyn_cast<DotGeneralOp>(op_))
    return inferDotGeneral(shape(0), shape(1), op.getDotDimensionNumbers(),
                           error);
  if (isa<DotOp>(op_))
    return inferDotGeneral(shape(0), shape(1),
                           DotDimensionNumbersAttr::get(
                               op_->getContext(), {}, {},
                               {static_cast<int64_t>(shape(0).size()) - 1},
                               {0}),
                           error);
  SmallVector<int64_t> ranks;
  SmallVector<Shape> shapes;
  for (unsigned i = 0; i < op_->getNumOperands(); ++i) {
    shapes.push_back(shape(i));
    ranks.push_back(static_cast<int64_t>(shape(i).size()));
  }
  FailureOr<EinsumLabels> labels = parseEinsum(
      op_->getAttrOfType<StringAttr>("einsum_config"), ranks, error);
  if (failed(labels))
    return failure();
  return inferEinsum(*labels, shapes, error);
}

Inferred OneResult::moved() {
  auto error = [&] { return op_->emitOpError(); };
  return llvm::TypeSwitch<Operation *, Inferred>(op_)
      .Case([&](SliceOp op) {
        return inferSlice(shape(0), op.getStartIndices(), op.getLimitIndices(),
                          op.getStrides(), error);
      })
      .Case([&](PadOp op) {
        return inferPad(shape(0), op.getEdgePaddingLow(),
                        op.getEdgePaddingHigh(), op.getInteriorPadding(),
                        error);
      })
      .Case([&](TransposeOp op) {
        return inferTranspose(shape(0), op.getPermutation(), error);
      })
      .Case([&](GatherOp op) {
        return inferGather(shape(0), shape(1), op.getDimensionNumbers(),
                           op.getSliceSizes(), error);
      })
      .Case([&](FftOp op) {
        return inferFft(shape(0), op.getFftType(), op.getFftLength(), error);
      })
      .Case([&](ConcatenateOp op) {
        SmallVector<Shape> shapes;
        for (unsigned i = 0; i < op->getNumOperands(); ++i)
          shapes.push_back(shape(i));
        return inferConcatenate(shapes, static_cast<int64_t>(op.getDimension()),
                                error);
      })
      .Case([&](BitcastConvertOp op) -> Inferred {
        int64_t from = bitWidth(elementOf(op.getOperand())),
                to = bitWidth(elementOf(op.getResult()));
        Dims dims(shape(0));
        if (from > to)
          dims.push_back(from / to);
        else if (from < to && !dims.empty())
          dims.pop_back();
        return dims;
      })
      .Case([&](TorchIndexSelectOp op) -> Inferred {
        auto dim = static_cast<size_t>(op.getDim());
        Dims dims(shape(0).take_front(dim));
        Shape index = shape(1).drop_front(op.getBatchDims());
        dims.append(index.begin(), index.end());
        dims.append(shape(0).begin() + dim + 1, shape(0).end());
        return dims;
      });
}

Inferred OneResult::realDynamicSlice() {
  return inferSlice(shape(0), values_(1), values_(2), values_(3),
                    [&] { return op_->emitOpError(); });
}

Inferred OneResult::setDimensionSize(SetDimensionSizeOp op) {
  Dims dims(shape(0)), size = values_(1);
  int64_t &dim = dims[static_cast<size_t>(op.getDimension())];
  if (size[0] < 0 || size[0] > dim)
    return op.emitOpError()
           << "size must be within [0, " << dim << "], got " << size[0];
  dim = size[0];
  return dims;
}

/// Operands are aligned at the last dimension, or, for the operand of lower
/// rank, according to broadcast_dimensions. The verifier checks that the sizes
/// match.
Inferred OneResult::broadcasting() {
  size_t rank = 0;
  for (Value operand : op_->getOperands())
    rank = std::max(rank, shapeOf(operand).size());
  Dims dims(rank, 1);
  auto given = op_->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  for (Value operand : op_->getOperands()) {
    Shape shape = shapeOf(operand);
    bool mapped = given && shape.size() < rank &&
                  static_cast<size_t>(given.size()) == shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      size_t at =
          mapped ? static_cast<size_t>(given[i]) : i + rank - shape.size();
      if (at < rank && size != 1)
        dims[at] = size;
    }
  }
  return dims;
}

/// In JAX's calls of run-time shape, indices_of_shape_operands says which
/// operand is the result's shape; a single operand is the shape itself.
Inferred OneResult::customCall(CustomCallOp op) {
  if (auto which =
          op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands"))
    return values_(
        static_cast<unsigned>((*which.value_begin<APInt>()).getZExtValue()));
  if (op->getNumOperands() == 1)
    return operand(0);
  return op.emitOpError() << "result of run-time shape has no shape operand";
}

/// For operations whose shape depends on the values of operands.
Inferred OneResult::fromOperands() {
  auto error = [&] { return op_->emitOpError(); };
  return llvm::TypeSwitch<Operation *, Inferred>(op_)
      .Case([&](DynamicGatherOp op) {
        return inferGather(shape(0), shape(1), op.getDimensionNumbers(),
                           values_(2), error);
      })
      .Case([&](DynamicPadOp) {
        return inferPad(shape(0), values_(2), values_(3), values_(4), error);
      })
      .Case([&](RealDynamicSliceOp) { return realDynamicSlice(); })
      .Case([&](SetDimensionSizeOp op) { return setDimensionSize(op); })
      .Case([&](CustomCallOp op) { return customCall(op); })
      .Case<DynamicReshapeOp, DynamicBroadcastInDimOp>(
          [&](auto) { return Inferred(values_(1)); })
      .Case([&](DynamicIotaOp) { return Inferred(values_(0)); })
      .Case([&](RngOp) { return Inferred(values_(2)); });
}

Inferred OneResult::infer() {
  if (isa<DynamicGatherOp, DynamicPadOp, RealDynamicSliceOp, SetDimensionSizeOp,
          DynamicReshapeOp, DynamicBroadcastInDimOp, DynamicIotaOp, RngOp,
          CustomCallOp>(op_))
    return fromOperands();
  if (isa<ConvolutionOp, DynamicConvOp, ReduceWindowOp>(op_))
    return windowed();
  if (isa<DotGeneralOp, DotOp, EinsumOp, UnaryEinsumOp>(op_))
    return product();
  if (isa<SliceOp, PadOp, TransposeOp, GatherOp, FftOp, ConcatenateOp,
          BitcastConvertOp, TorchIndexSelectOp>(op_))
    return moved();
  if (auto reduce = dyn_cast<ReduceOp>(op_))
    return inferReduce(shape(0), reduce.getDimensions(),
                       [&] { return op_->emitOpError(); });
  if (op_->hasTrait<chlo::Broadcasts>())
    return broadcasting();
  if (isa<SelectOp, ClampOp, TriangularSolveOp>(op_))
    return operand(1);
  if (auto top = dyn_cast<chlo::TopKOp>(op_)) {
    Dims dims(shape(0));
    dims.back() = static_cast<int64_t>(top.getK());
    return dims;
  }
  if (hasShapeOfFirst(op_))
    return operand(0);
  return op_->emitOpError() << "has a result of run-time shape, which this "
                               "operation does not say";
}

/// Operations with one result per operand, which has the operand's shape.
static bool hasShapesOfOperands(Operation *op) {
  return isa<SortOp, ScatterOp, OptimizationBarrierOp>(op) ||
         op->getName().getStringRef() == "interpreter.probe";
}

FailureOr<SmallVector<Dims>> inferResults(Operation *op, OperandValues values) {
  SmallVector<Dims> shapes;
  std::optional<Dims> first;
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.hasStaticShape()) {
      shapes.emplace_back(type ? Dims(type.getShape()) : Dims());
      continue;
    }
    unsigned number = result.getResultNumber();
    if (hasShapesOfOperands(op)) {
      shapes.emplace_back(shapeOf(op->getOperand(number)));
      continue;
    }
    // Gradients and statistics of a batch normalization have one number per
    // feature.
    if (isa<BatchNormGradOp, BatchNormTrainingOp>(op)) {
      shapes.emplace_back(shapeOf(op->getOperand(number == 0 ? 0 : 1)));
      continue;
    }
    if (!first) {
      FailureOr<Dims> inferred = OneResult(op, values).infer();
      if (failed(inferred))
        return failure();
      first = *inferred;
    }
    if (!sameShape(type.getShape(), *first))
      return failed(expectShape(op, "result", type.getShape(), *first)),
             failure();
    shapes.push_back(*first);
  }
  return shapes;
}

} // namespace assay::stablehlo
