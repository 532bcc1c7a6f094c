// Verifiers of QuantRandom.td.
#include "assay/dialect/ShapeOperands.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using namespace mlir;

LogicalResult UniformQuantizeOp::verify() {
  if (expressedOf(elementOf(getOperand())) !=
      expressedOf(elementOf(getResult()))) // uniform_quantize_c2
    return emitOpError() << "result must express "
                         << expressedOf(elementOf(getOperand())) << ", got "
                         << elementOf(getResult());
  return verifySameShape(*this); // uniform_quantize_c1
}

LogicalResult UniformDequantizeOp::verify() {
  if (expressedOf(elementOf(getOperand())) !=
      elementOf(getResult())) // uniform_dequantize_c2
    return emitOpError() << "result must have element type "
                         << expressedOf(elementOf(getOperand())) << ", got "
                         << elementOf(getResult());
  return verifySameShape(*this); // uniform_dequantize_c1
}

LogicalResult RngOp::verify() {
  if (failed(
          expectSameElements(*this, {getA(), getB(), getResult()}))) // rng_c1
    return failure();
  if (getRngDistribution() == RngDistribution::NORMAL &&
      !(elementKind(elementOf(getA())) & kFloat)) // rng_c2
    return emitOpError()
           << "distribution NORMAL needs floating-point numbers, got "
           << elementOf(getA());
  int64_t rank = shapeOf(getResult()).size();
  if (!sameDim(shapeOf(getShape())[0], rank)) // rng_c3
    return emitOpError() << "'shape' must have " << rank << " elements, got "
                         << shapeOf(getShape())[0];
  return expectKnownShape(*this, getShape()); // rng_c3
}

LogicalResult RngBitGeneratorOp::verify() {
  if (!sameShape(shapeOf(getInitialState()), shapeOf(getOutputState())) ||
      elementOf(getInitialState()) !=
          elementOf(getOutputState())) // rng_bit_generator_c1
    return emitOpError() << "'output_state' must have type "
                         << getInitialState().getType() << ", got "
                         << getOutputState().getType();
  if (!tensorType(getOutput()).hasStaticShape())
    return emitOpError() << "'output' must have a static shape, got "
                         << getOutput().getType();
  FailureOr<std::optional<int64_t>> count =
      countElements(shapeOf(getInitialState()), [&] { return emitOpError(); });
  if (failed(count))
    return failure();
  // rng_bit_generator_c2, in words of 64 bits; a state of ui32 has twice as
  // many elements.
  int64_t bits = *count ? std::min<int64_t>(**count, 1024) *
                              bitWidth(elementOf(getInitialState()))
                        : 128;
  RngAlgorithm algorithm = getRngAlgorithm();
  bool fits =
      bits == 128 || (algorithm != RngAlgorithm::THREE_FRY && bits == 192);
  // Upstream also accepts float states, which the specification does not
  // mention.
  bool isWords = elementKind(elementOf(getInitialState())) & kInt;
  if (!fits && isWords && algorithm != RngAlgorithm::DEFAULT)
    return emitOpError() << "state of " << stringifyRngAlgorithm(algorithm)
                         << " must have 128 "
                         << (algorithm == RngAlgorithm::PHILOX ? "or 192 " : "")
                         << "bits, got " << bits;
  return success();
}

} // namespace assay::stablehlo
