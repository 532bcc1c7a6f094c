// A number that is exact and half way between two numbers of a narrower type
// becomes the even one by IEEE 754, as in the reference. The bound, half a unit
// to both sides of the exact number, would admit the other neighbour too. So
// such elements are followed through moves, wider types and exact factors:
// their results may not be on the other side. (They may be on the way to the
// even one: XLA leaves out a rounding between wider types.)
#include "assay/judge/program/ErrorTracker.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;

/// The elements that a conversion rounds from half way; null: none.
static Errors tiesRounded(const Value &from, const Value &result) {
  std::vector<double> exact = exactValues(from),
                      own = exactValues(Value(result.tensor()));
  auto ties = std::make_shared<std::vector<double>>(exact.size(), 0.0);
  bool any = false;
  for (size_t k = 0; k < exact.size(); ++k)
    if (std::isfinite(own[k]) && own[k] != exact[k] &&
        std::fabs(own[k] - exact[k]) ==
            halfUlp(exact[k], result.tensor().elementType()))
      (*ties)[k] = 1, any = true;
  return any ? ties : nullptr;
}

Errors ErrorTracker::tiesMoved(mlir::Operation *op,
                               llvm::ArrayRef<Value *> operands,
                               const Value &result, const OpBound &rule) {
  BoundRequest request{op, operands, result, {}, &rule, nullptr, pool_};
  for (mlir::Value operand : op->getOperands())
    request.operandErrors.push_back(tracked(operand).ties);
  llvm::Expected<const WideOp *> wide = wideFor(op);
  if (!wide) {
    llvm::consumeError(wide.takeError());
    return nullptr;
  }
  request.wide = *wide;
  BoundResult moved = elementwiseBound(request);
  if (!moved) {
    llvm::consumeError(moved.takeError());
    return nullptr;
  }
  return moved->front();
}

Errors ErrorTracker::tiesOf(mlir::Operation *op,
                            llvm::ArrayRef<Value *> operands,
                            const Value &result) {
  const OpBound *rule = findOpBound(op->getName().getStringRef());
  auto isReal = [](const Value &value) {
    return value.isTensor() && value.tensor().elementType().isFloat() &&
           !value.tensor().elementType().quantization;
  };
  if (!demands_.definedOnly || !rule || op->getNumResults() != 1 ||
      operands.empty() || !isReal(result) || !isReal(*operands[0]))
    return nullptr;
  Tracked first = tracked(op->getOperand(0));
  bool any = false;
  for (mlir::Value operand : op->getOperands())
    any |= tracked(operand).ties != nullptr;
  if (rule->kind == BoundKind::Convert)
    return first.errors ? first.ties : tiesRounded(*operands[0], result);
  if (!any)
    return nullptr;
  if (rule->kind == BoundKind::Move)
    return tiesMoved(op, operands, result, *rule);
  llvm::StringRef name = op->getName().stripDialect();
  if (name != "multiply" && name != "divide")
    return nullptr;
  Tracked second = tracked(op->getOperand(1));
  return !second.errors                        ? first.ties
         : name == "multiply" && !first.errors ? second.ties
                                               : nullptr;
}
