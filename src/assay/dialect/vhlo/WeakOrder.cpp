// Comparisons of type WEAKORDER (StableHLO 1.22): like FLOAT, but all NaN are
// equal to one another and above +inf. They become FLOAT comparisons that also
// test for NaN, which every engine and the judge support.
#include "assay/dialect/vhlo/Ops.h"

#include "assay/dialect/Stablehlo.h"

#include "mlir/IR/Builders.h"

namespace assay::vhlo {

using namespace mlir;
using Direction = stablehlo::ComparisonDirection;

namespace {
struct Expansion {
  OpBuilder builder;
  Operation *op;

  Value make(llvm::StringRef name, ValueRange operands,
             ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(op->getLoc(), name, operands, op->getResultTypes(),
                         attributes);
    return builder.create(state)->getResult(0);
  }
  Value compare(Direction direction, Value a, Value b) {
    MLIRContext *context = op->getContext();
    return make(
        "stablehlo.compare", {a, b},
        {builder.getNamedAttr(
             "comparison_direction",
             stablehlo::ComparisonDirectionAttr::get(context, direction)),
         builder.getNamedAttr("compare_type",
                              stablehlo::ComparisonTypeAttr::get(
                                  context, stablehlo::ComparisonType::FLOAT))});
  }
  Value both(Value a, Value b) { return make("stablehlo.and", {a, b}); }
  Value either(Value a, Value b) { return make("stablehlo.or", {a, b}); }

  Value equal(Value a, Value b) {
    return either(
        compare(Direction::EQ, a, b),
        both(compare(Direction::NE, a, a), compare(Direction::NE, b, b)));
  }
  Value less(Value a, Value b) {
    return either(
        compare(Direction::LT, a, b),
        both(compare(Direction::EQ, a, a), compare(Direction::NE, b, b)));
  }
  Value result(Direction direction) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    switch (direction) {
    case Direction::EQ:
      return equal(a, b);
    case Direction::NE:
      return make("stablehlo.not", equal(a, b));
    case Direction::GE:
      return make("stablehlo.not", less(a, b));
    case Direction::GT:
      return less(b, a);
    case Direction::LE:
      return make("stablehlo.not", less(b, a));
    case Direction::LT:
      return less(a, b);
    }
    return {};
  }
};
} // namespace

bool isWeakOrder(Operation *op) {
  auto type = op->getAttrOfType<StringAttr>("compare_type");
  return type && type.getValue() == kWeakOrderName;
}

LogicalResult expandWeakOrder(Operation *op) {
  auto direction = op->getAttrOfType<stablehlo::ComparisonDirectionAttr>(
      "comparison_direction");
  if (!direction || op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return llvm::isa<FloatType>(getElementTypeOrSelf(type));
      }))
    return op->emitError("compare type WEAKORDER is for two floats, got ")
           << op->getOperandTypes();
  Value result = Expansion{OpBuilder(op), op}.result(direction.getValue());
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
  return success();
}

} // namespace assay::vhlo
