// Bodies are matched by the structure of their values. The order of the
// operands of `and` and `or`, the direction in which a comparison is written,
// and the position of constants do not matter.
#include "assay/reference/Comparators.h"
#include "assay/dialect/Stablehlo.h"
#include "llvm/ADT/DenseSet.h"

namespace assay::reference {

using mlir::BlockArgument;
using mlir::Operation;
using mlir::Value;
using stablehlo::ComparisonDirection;

/// The value that a body of one block returns as result `i` of `results`.
static Value returnedBy(mlir::Region &region, unsigned results, unsigned i) {
  if (!region.hasOneBlock() || region.front().empty())
    return {};
  Operation &end = region.front().back();
  return mlir::isa<stablehlo::ReturnOp>(end) && end.getNumOperands() == results
             ? end.getOperand(i)
             : Value();
}

namespace {
/// Whether the right value is computed from the right elements exactly as the
/// left value is from the left ones.
class Mirror {
public:
  bool holds(Value left, Value right) {
    if (!seen_.insert({left, right}).second)
      return true;
    if (auto argument = mlir::dyn_cast<BlockArgument>(left)) {
      auto other = mlir::dyn_cast<BlockArgument>(right);
      return other && other.getOwner() == argument.getOwner() &&
             argument.getArgNumber() % 2 == 0 &&
             other.getArgNumber() == argument.getArgNumber() + 1;
    }
    Operation *a = left.getDefiningOp(), *b = right.getDefiningOp();
    if (!a || !b || a->getName() != b->getName() ||
        a->getNumOperands() != b->getNumOperands() || a->getNumRegions() != 0 ||
        a->getAttrDictionary() != b->getAttrDictionary() ||
        left.getType() != right.getType())
      return false;
    for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands()))
      if (!holds(x, y))
        return false;
    return true;
  }

private:
  llvm::DenseSet<std::pair<Value, Value>> seen_;
};
} // namespace

static bool isTotal(stablehlo::CompareOp op) {
  return op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
}

/// Matches a strict comparison of a key of the left elements with the same key
/// of the right ones.
static std::optional<ComparedKey> strictlyCompared(Value value) {
  auto op = value.getDefiningOp<stablehlo::CompareOp>();
  if (!op)
    return std::nullopt;
  ComparisonDirection direction = op.getComparisonDirection();
  if (direction != ComparisonDirection::LT &&
      direction != ComparisonDirection::GT)
    return std::nullopt;
  bool descending = direction == ComparisonDirection::GT;
  KeyRule rule{descending, isTotal(op)};
  if (Mirror().holds(op.getLhs(), op.getRhs()))
    return ComparedKey{op.getLhs(), op.getRhs(), rule};
  rule.descending = !descending;
  if (Mirror().holds(op.getRhs(), op.getLhs()))
    return ComparedKey{op.getRhs(), op.getLhs(), rule};
  return std::nullopt;
}

static bool isEquality(Value value, Value a, Value b, bool total) {
  auto op = value.getDefiningOp<stablehlo::CompareOp>();
  return op && op.getComparisonDirection() == ComparisonDirection::EQ &&
         isTotal(op) == total &&
         ((op.getLhs() == a && op.getRhs() == b) ||
          (op.getLhs() == b && op.getRhs() == a));
}

llvm::SmallVector<ComparedKey, 2> comparedKeys(mlir::Region &region) {
  llvm::SmallVector<ComparedKey, 2> keys;
  Value rest = returnedBy(region, 1, 0);
  while (rest) {
    if (std::optional<ComparedKey> last = strictlyCompared(rest)) {
      keys.push_back(*last);
      return keys;
    }
    auto either = rest.getDefiningOp<stablehlo::OrOp>();
    Value next;
    for (int swapped = 0; either && !next && swapped < 2; ++swapped) {
      auto key = strictlyCompared(either->getOperand(swapped));
      auto both =
          either->getOperand(1 - swapped).getDefiningOp<stablehlo::AndOp>();
      for (int s = 0; key && both && !next && s < 2; ++s)
        if (isEquality(both->getOperand(s), key->left, key->right,
                       key->rule.total)) {
          keys.push_back(*key);
          next = both->getOperand(1 - s);
        }
    }
    rest = next;
  }
  return {};
}

/// Matches "a DIRECTION b" in either order of the operands.
static bool compares(Value value, ComparisonDirection direction, Value a,
                     Value b) {
  auto op = value.getDefiningOp<stablehlo::CompareOp>();
  if (!op || isTotal(op))
    return false;
  if (op.getLhs() == a && op.getRhs() == b)
    return op.getComparisonDirection() == direction;
  ComparisonDirection mirrored =
      direction == ComparisonDirection::LT   ? ComparisonDirection::GT
      : direction == ComparisonDirection::GT ? ComparisonDirection::LT
                                             : direction;
  return op.getLhs() == b && op.getRhs() == a &&
         op.getComparisonDirection() == mirrored;
}

/// Whether `are` holds for the operands of a commutative operation, in either
/// order.
template <typename Op>
static bool hasOperands(Value value,
                        llvm::function_ref<bool(Value, Value)> are) {
  auto op = value.getDefiningOp<Op>();
  return op && (are(op->getOperand(0), op->getOperand(1)) ||
                are(op->getOperand(1), op->getOperand(0)));
}

/// Matches "a is better than b", with or without "or a is NaN".
static std::optional<ArgReducer> preference(Value better, Value a, Value b) {
  auto number = [&](Value value) -> std::optional<bool> {
    if (compares(value, ComparisonDirection::GT, a, b))
      return true;
    if (compares(value, ComparisonDirection::LT, a, b))
      return false;
    return std::nullopt;
  };
  if (std::optional<bool> largest = number(better))
    return ArgReducer{*largest, false};
  std::optional<bool> largest;
  if (!hasOperands<stablehlo::OrOp>(better, [&](Value x, Value y) {
        largest = number(x);
        return largest && compares(y, ComparisonDirection::NE, a, a);
      }))
    return std::nullopt;
  return ArgReducer{*largest, true};
}

std::optional<ArgReducer> argReducer(mlir::Region &region) {
  auto value = returnedBy(region, 2, 0), place = returnedBy(region, 2, 1);
  if (!value || !place || region.getNumArguments() != 4)
    return std::nullopt;
  Value a = region.getArgument(0), i = region.getArgument(1),
        b = region.getArgument(2), j = region.getArgument(3);
  auto pick = value.getDefiningOp<stablehlo::SelectOp>(),
       pickPlace = place.getDefiningOp<stablehlo::SelectOp>();
  if (!pick || !pickPlace || pick.getOnTrue() != a || pick.getOnFalse() != b ||
      pickPlace.getOnTrue() != i || pickPlace.getOnFalse() != j)
    return std::nullopt;
  Value better = pick.getPred();
  auto isTie = [&](Value x, Value y) {
    return compares(x, ComparisonDirection::EQ, a, b) &&
           compares(y, ComparisonDirection::LT, i, j);
  };
  if (!hasOperands<stablehlo::OrOp>(pickPlace.getPred(), [&](Value x, Value y) {
        return x == better && hasOperands<stablehlo::AndOp>(y, isTie);
      }))
    return std::nullopt;
  return preference(better, a, b);
}

} // namespace assay::reference
