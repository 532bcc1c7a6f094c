// Verifiers of Linear.td.
#include "assay/dialect/Einsum.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"
#include "assay/dialect/Windows.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace assay::stablehlo {

using namespace mlir;

/// Checks that there is at most one precision per operand. dot_general_c11,
/// convolution_c24
static LogicalResult expectPrecision(Operation *op,
                                     std::optional<ArrayAttr> precision) {
  if (!precision || precision->size() <= 2)
    return success();
  return op->emitOpError()
         << "'precision_config' must have at most 2 elements, got "
         << precision->size();
}

static bool isFloatOf8Bits(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Checks the element types of a product: all of the same kind, or quantized as
/// the specification allows. dot_general_c13 to c20, convolution_c27 to c34
static LogicalResult expectProductElements(Operation *op) {
  Type lhs = elementOf(op->getOperand(0)), rhs = elementOf(op->getOperand(1)),
       result = elementOf(op->getResult(0));
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result)) {
    // convolution_c27; since 1.20 two types of 8 bits may differ
    if (isa<ConvolutionOp, DynamicConvOp>(op) && lhs != rhs &&
        !(isFloatOf8Bits(lhs) && isFloatOf8Bits(rhs)))
      return op->emitOpError() << "lhs and rhs must have one element type, got "
                               << lhs << " and " << rhs;
    // dot_general_c13 also requires one element type. Frameworks export
    // f8E4M3FN x f8E5M2 or i8 x f32 with a wider result as well, which is
    // meaningful if all or none of the types are complex.
    if (isa<ComplexType>(lhs) == isa<ComplexType>(rhs) &&
        isa<ComplexType>(lhs) == isa<ComplexType>(result))
      return success();
    return op->emitOpError()
           << "operands and result must all be complex or none, got " << lhs
           << ", " << rhs << " and " << result;
  }
  if (!isQuantized(rhs)) // dot_general_c14, convolution_c28
    return op->emitOpError()
           << "rhs must be quantized where another value is, got " << rhs;
  if (!isQuantized(lhs)) { // dot_general_c20, convolution_c34
    if (lhs == expressedOf(rhs) && lhs == result)
      return success();
    return op->emitOpError()
           << "lhs and result must have the expressed type of rhs, "
           << expressedOf(rhs) << ", got " << lhs << " and " << result;
  }
  if (storageOf(lhs) != storageOf(rhs)) // dot_general_c17, convolution_c31
    return op->emitOpError() << "lhs and rhs must have one storage type, got "
                             << lhs << " and " << rhs;
  if (expressedOf(lhs) != expressedOf(rhs) ||
      expressedOf(lhs) != expressedOf(result)) // c18, convolution_c32
    return op->emitOpError()
           << "operands and result must have one expressed type, got " << lhs
           << ", " << rhs << " and " << result;
  if (!isPerAxis(rhs) && isPerAxis(result)) // dot_general_c19, convolution_c33
    return op->emitOpError()
           << "result must be quantized per tensor where rhs is, got "
           << result;
  return success();
}

LogicalResult DotOp::verify() {
  Shape lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2)
    return emitOpError() << "operands must have rank 1 or 2, got " << lhs.size()
                         << " and " << rhs.size();
  auto dims = DotDimensionNumbersAttr::get(
      getContext(), {}, {}, {static_cast<int64_t>(lhs.size()) - 1}, {0});
  if (failed(expectPrecision(*this, getPrecisionConfig())) ||
      failed(expectProductElements(*this)))
    return failure();
  return expectInferred(
      *this, inferDotGeneral(lhs, rhs, dims, [&] { return emitOpError(); }));
}

/// Whether some hardware has the algorithm, according to upstream: one
/// component per operand, and known types of factors and sum and number of
/// products.
static bool isKnownAlgorithm(DotAlgorithmAttr algorithm) {
  auto spelled = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  std::string lhs = spelled(algorithm.getLhsPrecisionType()),
              rhs = spelled(algorithm.getRhsPrecisionType()),
              sum = spelled(algorithm.getAccumulationType());
  int64_t products = algorithm.getNumPrimitiveOperations();
  if (algorithm.getLhsComponentCount() != 1 ||
      algorithm.getRhsComponentCount() != 1)
    return false;
  auto isF8 = [](StringRef name) {
    return name.starts_with("f8") && name != "f8E8M0FNU";
  };
  if (isF8(lhs) && isF8(rhs))
    return sum == "f32" && products == 1;
  if (algorithm.getAllowImpreciseAccumulation() || lhs != rhs)
    return false;
  if (lhs == "bf16" && sum == "f32")
    return products == 1 || products == 3 || products == 6 || products == 9;
  if (lhs == "tf32" && sum == "f32")
    return products == 1 || products == 3;
  bool wider = lhs == "f16" && sum == "f32";
  bool same = lhs == sum &&
              (lhs == "f16" || lhs == "bf16" || lhs == "f32" || lhs == "f64");
  return (wider || same) && products == 1;
}

/// dot_general_c21 to c24
static LogicalResult expectAlgorithm(DotGeneralOp op,
                                     DotAlgorithmAttr algorithm) {
  bool plain = llvm::all_of(
      op.getPrecisionConfig().value_or(ArrayAttr::get(op.getContext(), {})),
      [](Attribute value) {
        return cast<PrecisionAttr>(value).getValue() == Precision::DEFAULT;
      });
  if (!plain) // dot_general_c21
    return op.emitOpError()
           << "'precision_config' must be DEFAULT where an algorithm is given";
  if (algorithm.getLhsComponentCount() <= 0 ||
      algorithm.getRhsComponentCount() <= 0 ||
      algorithm.getNumPrimitiveOperations() <= 0) // dot_general_c22 to c24
    return op.emitOpError()
           << "counts of an algorithm must be positive, got " << algorithm;
  if (!isKnownAlgorithm(algorithm))
    return op.emitOpError()
           << "no hardware is known to have the algorithm " << algorithm;
  return success();
}

LogicalResult DotGeneralOp::verify() {
  auto inferred =
      inferDotGeneral(shapeOf(getLhs()), shapeOf(getRhs()),
                      getDotDimensionNumbers(), [&] { return emitOpError(); });
  if (failed(expectInferred(*this, inferred)) ||
      failed(expectPrecision(*this, getPrecisionConfig())) ||
      failed(expectProductElements(*this)))
    return failure();
  Type rhs = elementOf(getRhs());
  if (isPerAxis(rhs) &&
      llvm::is_contained(getDotDimensionNumbers().getRhsContractingDimensions(),
                         quantizedAxis(rhs)))
    return emitOpError()
           << "rhs must not be quantized along a contracting dimension, got "
           << rhs; // dot_general_c16
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(rhs);
      uniform && uniform.getZeroPoint() != 0)
    return emitOpError() << "rhs must have zero point 0, got "
                         << rhs; // dot_general_c15
  if (auto axis = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs))
    if (llvm::any_of(axis.getZeroPoints(),
                     [](int64_t zero) { return zero != 0; })) // dot_general_c15
      return emitOpError() << "rhs must have zero points 0, got " << rhs;
  std::optional<DotAlgorithmAttr> algorithm = getAlgorithm();
  return algorithm ? expectAlgorithm(*this, *algorithm) : success();
}

LogicalResult EinsumOp::verify() {
  Shape lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  auto error = [&] { return emitOpError(); };
  int64_t ranks[] = {static_cast<int64_t>(lhs.size()),
                     static_cast<int64_t>(rhs.size())};
  FailureOr<EinsumLabels> labels = parseEinsum(getEinsumConfig(), ranks, error);
  if (failed(labels) || failed(expectProductElements(*this)))
    return failure();
  return expectInferred(*this, inferEinsum(*labels, {lhs, rhs}, error));
}

LogicalResult UnaryEinsumOp::verify() {
  Shape operand = shapeOf(getOperand());
  auto error = [&] { return emitOpError(); };
  FailureOr<EinsumLabels> labels = parseEinsum(
      getEinsumConfig(), static_cast<int64_t>(operand.size()), error);
  if (failed(labels) ||
      failed(expectSameElements(*this, {getOperand(), getResult()})))
    return failure();
  return expectInferred(*this, inferEinsum(*labels, operand, error));
}

/// convolution_c29, convolution_c30
static LogicalResult expectConvolutionAxes(Operation *op,
                                           ConvDimensionNumbersAttr dims) {
  Type rhs = elementOf(op->getOperand(1)), result = elementOf(op->getResult(0));
  if (isPerAxis(rhs) &&
      quantizedAxis(rhs) != dims.getKernelOutputFeatureDimension())
    return op->emitOpError()
           << "rhs must be quantized along its output feature dimension, got "
           << rhs;
  if (isPerAxis(result) &&
      quantizedAxis(result) != dims.getOutputFeatureDimension())
    return op->emitOpError()
           << "result must be quantized along its feature dimension, got "
           << result;
  return success();
}

LogicalResult ConvolutionOp::verify() {
  FailureOr<WindowDims> windows = windowsOf(*this);
  if (failed(windows) || failed(expectPrecision(*this, getPrecisionConfig())) ||
      failed(expectProductElements(*this)) ||
      failed(expectConvolutionAxes(*this, getDimensionNumbers())))
    return failure();
  return expectInferred(
      *this,
      inferConvolution(shapeOf(getLhs()), shapeOf(getRhs()),
                       getDimensionNumbers(), *windows, getFeatureGroupCount(),
                       getBatchGroupCount(), [&] { return emitOpError(); }));
}

LogicalResult DynamicConvOp::verify() {
  FailureOr<WindowDims> windows = windowsOf(*this);
  if (failed(windows) || failed(expectPrecision(*this, getPrecisionConfig())) ||
      failed(expectProductElements(*this)))
    return failure();
  int64_t spatial = windows->size();
  if (failed(expectShape(*this, "'padding'", {spatial, 2},
                         shapeOf(getPadding())))) // dynamic_conv_c4
    return failure();
  // The padding is not known, so the result may be of any size in every spatial
  // dimension.
  Dims lhs(shapeOf(getLhs()));
  for (int64_t dim : getDimensionNumbers().getInputSpatialDimensions())
    if (dim >= 0 && dim < static_cast<int64_t>(lhs.size()))
      lhs[dim] = ShapedType::kDynamic;
  return expectInferred(*this, inferConvolution(lhs, shapeOf(getRhs()),
                                                getDimensionNumbers(), *windows,
                                                getFeatureGroupCount(),
                                                getBatchGroupCount(),
                                                [&] { return emitOpError(); }));
}

LogicalResult CholeskyOp::verify() {
  Shape shape = shapeOf(getA());
  if (shape.size() < 2) // cholesky_c2
    return emitOpError() << "operand must have rank 2 or more, got "
                         << shape.size();
  if (!sameDim(shape[shape.size() - 2], shape.back())) // cholesky_c3
    return emitOpError() << "last two dimensions must be equal, got "
                         << shape[shape.size() - 2] << " and " << shape.back();
  return verifySameBaselineType(*this); // cholesky_c1
}

LogicalResult TriangularSolveOp::verify() {
  Shape a = shapeOf(getA()), b = shapeOf(getB());
  if (a.size() < 2 || a.size() != b.size()) // triangular_solve_c2
    return emitOpError() << "operands must have one rank, at least 2, got "
                         << a.size() << " and " << b.size();
  if (failed(expectSameElements(
          *this, {getA(), getB(), getResult()}))) // triangular_solve_c1, c4
    return failure();
  if (!sameShape(a.drop_back(2), b.drop_back(2))) // triangular_solve_c3
    return emitOpError() << "operands must have the same batch dimensions, got "
                         << getA().getType() << " and " << getB().getType();
  int64_t rank = a.size();
  int64_t known = b[getLeftSide() ? rank - 2 : rank - 1];
  if (!sameDim(a[rank - 2], a[rank - 1]) ||
      !sameDim(a[rank - 1], known)) // triangular_solve_c3
    return emitOpError() << "'a' must be a square matrix that fits 'b', got "
                         << getA().getType() << " and " << getB().getType();
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOpError()
           << "'transpose_a' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT";
  return expectShape(*this, "result", b,
                     shapeOf(getResult())); // triangular_solve_c4
}

LogicalResult FftOp::verify() {
  auto complexPart = [](Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    return complex ? complex.getElementType() : Type();
  };
  Type from = elementOf(getOperand()), to = elementOf(getResult());
  bool fits = getFftType() == FftType::RFFT ? complexPart(to) == from
              : getFftType() == FftType::IRFFT
                  ? complexPart(from) == to
                  : complexPart(from) && from == to;
  if (!fits) // fft_c2
    return emitOpError() << stringifyFftType(getFftType()) << " does not turn "
                         << from << " into " << to;
  return expectInferred(*this, inferFft(shapeOf(getOperand()), getFftType(),
                                        getFftLength(),
                                        [&] { return emitOpError(); }));
}

} // namespace assay::stablehlo
