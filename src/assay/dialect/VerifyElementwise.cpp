// Verifiers of Elementwise.td in addition to the traits SameShape and
// SameBaselineType, which check <op>_c1 of most operations.
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using namespace mlir;

/// complex<E> -> E; other types are returned unchanged.
static Type realOf(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

static LogicalResult expectRealPart(Operation *op) {
  Type expected = realOf(elementOf(op->getOperand(0)));
  if (sameBaseline(expected, elementOf(op->getResult(0))))
    return success();
  return op->emitOpError() << "result must have element type " << expected
                           << ", got " << elementOf(op->getResult(0));
}

LogicalResult AbsOp::verify() { return expectRealPart(*this); }  // abs_c2
LogicalResult ImagOp::verify() { return expectRealPart(*this); } // imag_c2
LogicalResult RealOp::verify() { return expectRealPart(*this); } // real_c2

LogicalResult AddOp::verify() {
  Type lhs = elementOf(getLhs()), rhs = elementOf(getRhs()),
       result = elementOf(getResult());
  if (!isQuantized(result))
    return success(); // add_c1 to c4 are SameBaselineType
  if ((isPerAxis(lhs) || isPerAxis(rhs)) != isPerAxis(result)) // add_c5
    return emitOpError() << "result must be quantized per axis if and only if "
                            "an operand is, got "
                         << result;
  for (Type operand : {lhs, rhs}) // add_c6, add_c7
    if (isPerAxis(operand) && quantizedAxis(operand) != quantizedAxis(result))
      return emitOpError() << "operand is quantized along dimension "
                           << quantizedAxis(operand) << ", result along "
                           << quantizedAxis(result);
  return success();
}

LogicalResult ComplexOp::verify() {
  if (!sameShape(shapeOf(getLhs()), shapeOf(getRhs())) ||
      elementOf(getLhs()) != elementOf(getRhs())) // complex_c1
    return emitOpError() << "operands must have the same type, got "
                         << getLhs().getType() << " and " << getRhs().getType();
  if (failed(expectShape(*this, "result", shapeOf(getLhs()),
                         shapeOf(getResult())))) // complex_c2
    return failure();
  if (realOf(elementOf(getResult())) != elementOf(getLhs())) // complex_c3
    return emitOpError() << "result must have element type complex<"
                         << elementOf(getLhs()) << ">, got "
                         << elementOf(getResult());
  return success();
}

/// compare_c3
static bool fits(ComparisonType type, Type element) {
  Type storage = storageOf(element);
  switch (type) {
  case ComparisonType::NOTYPE:
    return true;
  case ComparisonType::FLOAT:
    return elementKind(element) & (kFloat | kComplex | kQuant);
  case ComparisonType::TOTALORDER:
    return elementKind(element) & (kFloat | kQuant);
  case ComparisonType::SIGNED:
    return storage.isSignlessInteger() && !storage.isSignlessInteger(1);
  case ComparisonType::UNSIGNED:
    return storage.isUnsignedInteger() || storage.isSignlessInteger(1);
  }
  return false;
}

LogicalResult CompareOp::verify() {
  if (failed(verifySameShape(*this)) ||                        // compare_c2
      failed(expectSameElements(*this, {getLhs(), getRhs()}))) // compare_c1
    return failure();
  if (std::optional<ComparisonType> type = getCompareType();
      type && !fits(*type, elementOf(getLhs()))) // compare_c3
    return emitOpError() << "compare type " << stringifyComparisonType(*type)
                         << " does not fit element type "
                         << elementOf(getLhs());
  return success();
}

LogicalResult SelectOp::verify() {
  if (!shapeOf(getPred()).empty() &&
      !sameShape(shapeOf(getPred()), shapeOf(getOnTrue()))) // select_c1
    return expectShape(*this, "pred", shapeOf(getOnTrue()), shapeOf(getPred()));
  for (Value value : {Value(getOnFalse()), Value(getResult())}) // select_c2
    if (failed(expectShape(*this, "on_true, on_false and result",
                           shapeOf(getOnTrue()), shapeOf(value))))
      return failure();
  return expectSameElements(
      *this, {getOnTrue(), getOnFalse(), getResult()}); // select_c2
}

LogicalResult ClampOp::verify() {
  if (!shapeOf(getMin()).empty() &&
      failed(expectShape(*this, "min", shapeOf(getOperand()),
                         shapeOf(getMin())))) // clamp_c1
    return failure();
  if (!shapeOf(getMax()).empty() &&
      failed(expectShape(*this, "max", shapeOf(getOperand()),
                         shapeOf(getMax())))) // clamp_c2
    return failure();
  if (failed(expectSameElements(
          *this, {getOperand(), getMin(), getMax(), getResult()}))) // clamp_c3
    return failure();
  return expectShape(*this, "result", shapeOf(getOperand()),
                     shapeOf(getResult())); // clamp_c4
}

LogicalResult ReducePrecisionOp::verify() {
  if (getExponentBits() < 1) // reduce_precision_c2
    return emitOpError() << "'exponent_bits' must be at least 1, got "
                         << getExponentBits();
  if (static_cast<int32_t>(getMantissaBits()) < 0) // reduce_precision_c3
    return emitOpError() << "'mantissa_bits' must not be negative, got "
                         << static_cast<int32_t>(getMantissaBits());
  return verifySameBaselineType(*this); // reduce_precision_c1
}

} // namespace assay::stablehlo
