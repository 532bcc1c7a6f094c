// With each sum, the sum of its terms' magnitudes is computed; products scale it.
#include "assay/judge/program/OtherOrders.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;

/// The name, without the prefix for repeated operands.
static llvm::StringRef plainName(mlir::Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  return name;
}

static bool isArithmetic(mlir::Operation *op) {
  llvm::StringRef name = plainName(op);
  return name == "add" || name == "subtract" || name == "multiply" ||
         name == "divide";
}

bool judge::isOnItsWay(mlir::Operation *op) {
  return isArithmetic(op) && llvm::any_of(op->getUsers(), isArithmetic);
}

static bool isSum(mlir::Operation *op) {
  llvm::StringRef name = plainName(op);
  return name == "add" || name == "subtract";
}

/// Whether a sum is a term of another one, perhaps after a multiplication.
static bool goesIntoSum(mlir::Operation *op) {
  return llvm::any_of(op->getUsers(), [](mlir::Operation *user) {
    return isSum(user) ||
           (plainName(user) == "multiply" &&
            llvm::any_of(user->getUsers(), isSum));
  });
}

Errors OtherOrders::add(mlir::Operation *op, llvm::ArrayRef<Value *> operands,
                        const Value &result, Errors errors) {
  bool isProduct = plainName(op) == "multiply";
  if ((!isSum(op) && !isProduct) || !errors || operands.size() != 2 ||
      !result.tensor().elementType().isFloat())
    return errors;
  auto count = static_cast<size_t>(result.tensor().size());
  Sizes known[2] = {sizesOf(op->getOperand(0)), sizesOf(op->getOperand(1))};
  bool isChain = known[0] || known[1];
  if (isProduct ? !isChain || (known[0] && known[1])
                : !isChain && !goesIntoSum(op))
    return errors;
  std::vector<double> all(count, isProduct ? 1 : 0);
  for (size_t i = 0; i < 2; ++i) {
    std::vector<double> own =
        known[i] ? *known[i] : magnitudes(*operands[i], nullptr);
    if (own.size() != count && own.size() != 1)
      return errors;
    for (size_t k = 0; k < count; ++k) {
      double x = own[own.size() == 1 ? 0 : k];
      all[k] = isProduct ? all[k] * x : all[k] + x;
    }
  }
  if (!isProduct && isChain) {
    const double unit = halfUlp(1, result.tensor().elementType());
    errors = writableErrors(errors, count);
    for (size_t k = 0; k < count; ++k)
      if (std::isfinite(all[k]))
        (*errors)[k] += unit * all[k];
  }
  if (isProduct || goesIntoSum(op))
    sizes_[op->getResult(0)] =
        std::make_shared<const std::vector<double>>(std::move(all));
  return errors;
}
