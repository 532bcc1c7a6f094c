// Where a NaN comes from, and the choices that it, or a computed zero, decides:
// these are open where another formula of the same function may decide
// otherwise.
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/program/WideOp.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// 1 for each element for which `holds` is true, else 0.
template <typename Holds>
static llvm::Expected<Tensor> ones(const Value &value, Holds holds) {
  std::vector<double> elements = exactValues(value);
  for (double &x : elements)
    x = holds(x) ? 1 : 0;
  return wideFrom(value, elements);
}

/// Per element of a dot_general, whether a NaN of its factors reaches it
/// through a product that a kernel may not leave out: a computed factor of 0 (a
/// mask, a zero weight) may be skipped with all its products. nullopt: unknown.
static std::optional<std::vector<bool>>
metByNan(llvm::ArrayRef<Value *> operands, const bool (&isComputed)[2],
         const WideOp &wide, ThreadPool &pool) {
  std::vector<bool> met;
  for (size_t side = 0; side < 2; ++side) {
    bool mayBeSkipped = isComputed[1 - side];
    Tensor factors[2];
    auto isNan = [](double x) { return std::isnan(x); };
    auto counts = [&](double x) { return !mayBeSkipped || x != 0; };
    if (llvm::Error error = ones(*operands[side], isNan).moveInto(factors[side])) {
      llvm::consumeError(std::move(error));
      return std::nullopt;
    }
    if (llvm::Error error =
            ones(*operands[1 - side], counts).moveInto(factors[1 - side])) {
      llvm::consumeError(std::move(error));
      return std::nullopt;
    }
    llvm::Expected<std::vector<Tensor>> sums = wide.run(factors, pool);
    if (!sums) {
      llvm::consumeError(sums.takeError());
      return std::nullopt;
    }
    std::vector<double> many = elementsOf(sums->front());
    met.resize(many.size(), false);
    for (size_t k = 0; k < many.size(); ++k)
      met[k] = met[k] || many[k] > 0;
  }
  return met;
}

static int64_t elementsIn(mlir::Value value) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 1;
}

bool ErrorTracker::isOnComputed(mlir::Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
    return computed_.contains(operand);
  });
}

/// Which elements of a result have a NaN in the operands that they are made of.
std::vector<bool> ErrorTracker::givenNan(mlir::Operation *op,
                                         llvm::ArrayRef<Value *> operands,
                                         size_t elements, size_t parts) {
  bool isComputed[2] = {};
  for (unsigned i = 0; i < std::min(2u, op->getNumOperands()); ++i)
    isComputed[i] = computed_.contains(op->getOperand(i)) ||
                    isConstant(op->getOperand(i));
  llvm::StringRef name = op->getName().stripDialect();
  if (name == "dot_general" && parts == 1) {
    llvm::Expected<const WideOp *> wide = wideFor(op);
    if (!wide)
      llvm::consumeError(wide.takeError());
    else if (auto met = metByNan(operands, isComputed, **wide, pool_))
      return *met;
  }
  std::vector<bool> given(elements, false);
  // A product with a computed zero or a constant zero may be a select in
  // another formula, which leaves the NaN out.
  std::vector<double> zeros;
  for (size_t i = 0; name == "multiply" && parts == 1 && i < 2; ++i)
    if (isComputed[i])
      for (auto [k, x] : llvm::enumerate(exactValues(*operands[i]))) {
        zeros.resize(std::max(zeros.size(), k + 1), 1);
        zeros[k] = x == 0 ? 0 : zeros[k];
      }
  for (const Value *operand : operands) {
    if (!operand->isTensor() || !isFloating(*operand))
      continue;
    std::vector<double> values = exactValues(*operand);
    for (size_t k = 0; k < std::min(values.size(), zeros.size()); ++k)
      values[k] = zeros[k] == 0 ? 0 : values[k];
    bool alike = values.size() == elements * parts,
         anywhere = !alike && llvm::any_of(values, [](double x) {
           return std::isnan(x);
         });
    for (size_t k = 0; k < elements * parts; ++k)
      if (anywhere || (alike && std::isnan(values[k])))
        given[k / parts] = true;
  }
  return given;
}

/// Errors that are infinite where a NaN arose from operands without one.
Errors ErrorTracker::openWhereNanArose(mlir::Operation *op,
                                       llvm::ArrayRef<Value *> operands,
                                       const Value &result, Errors errors) {
  bool byConstant = op->getName().stripDialect() == "multiply" &&
                    llvm::any_of(op->getOperands(), isConstant);
  if (!demands_.definedOnly || !isFloating(result) ||
      (!isOnComputed(op) && !byConstant))
    return errors;
  std::vector<double> exact = exactValues(result);
  if (llvm::none_of(exact, [](double x) { return std::isnan(x); }))
    return errors;
  auto size = static_cast<size_t>(result.tensor().size());
  size_t parts = exact.size() / std::max<size_t>(size, 1);
  std::vector<bool> given = givenNan(op, operands, size, parts);
  Errors open = writableErrors(errors, size);
  if (open->size() == size && given.size() == size)
    for (size_t k = 0; k < exact.size(); ++k)
      if (std::isnan(exact[k]) && !given[k / parts])
        (*open)[k / parts] = INFINITY;
  return open;
}

/// Remembers where a comparison of two values, or logic on such comparisons, saw a
/// NaN. (A value compared with itself asks for NaN: that is decided.)
void ErrorTracker::noteComparedNan(mlir::Operation *op,
                                   llvm::ArrayRef<Value *> operands) {
  llvm::StringRef name = op->getName().stripDialect();
  bool isLogic = name == "and" || name == "or" || name == "xor" ||
                 name == "not" || name == "broadcast_in_dim";
  if (!demands_.definedOnly || op->getNumResults() != 1 ||
      (!isLogic && name != "compare"))
    return;
  std::vector<bool> seen;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    std::vector<bool> mine = byNan_.lookup(value);
    if (name == "compare" && op->getOperand(0) != op->getOperand(1) &&
        isFloating(*operands[i]))
      for (double x : exactValues(*operands[i]))
        mine.push_back(std::isnan(x));
    seen.resize(std::max(seen.size(), mine.size()), false);
    for (size_t k = 0; k < mine.size(); ++k)
      seen[k] = seen[k] || mine[k];
  }
  if (!llvm::is_contained(seen, true))
    return;
  auto size = static_cast<size_t>(elementsIn(op->getResult(0)));
  if (seen.size() != size) // moved: the NaN may be anywhere
    seen.assign(size, true);
  byNan_[op->getResult(0)] = std::move(seen);
}

/// Errors that are infinite where a NaN has decided a choice: the same test may
/// be written the other way round.
Errors ErrorTracker::openWhereNanSelects(mlir::Operation *op,
                                         llvm::ArrayRef<Value *> operands,
                                         const Value &result,
                                         Errors errors) const {
  if (!demands_.definedOnly || op->getName().stripDialect() != "select" ||
      result.tensor().elementType().isComplex())
    return errors;
  auto found = byNan_.find(op->getOperand(0));
  if (found == byNan_.end())
    return errors;
  std::vector<double> a = exactValues(*operands[1]),
                      b = exactValues(*operands[2]);
  auto size = static_cast<size_t>(result.tensor().size());
  const std::vector<bool> &byNan = found->second;
  Errors open = writableErrors(errors, size);
  for (size_t k = 0; k < std::min({size, a.size(), b.size()}); ++k) {
    bool same = a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]));
    if ((byNan.size() == size ? byNan[k] : true) && !same)
      (*open)[k] = INFINITY;
  }
  return open;
}

/// Errors that are infinite where a computed zero decides by its sign: another
/// correct formula may compute the zero of the other sign.
Errors ErrorTracker::openBehindComputedZeros(mlir::Operation *op,
                                             llvm::ArrayRef<Value *> operands,
                                             const Value &result,
                                             Errors errors) const {
  llvm::StringRef name = op->getName().stripDialect();
  if (!demands_.definedOnly || (name != "divide" && name != "rsqrt") ||
      !computed_.contains(op->getOperand(op->getNumOperands() - 1)) ||
      !result.tensor().elementType().isFloat())
    return errors;
  std::vector<double> exact = exactValues(result),
                      by = exactValues(*operands.back());
  if (by.size() != exact.size())
    return errors;
  Errors open = errors;
  for (size_t k = 0; k < exact.size(); ++k)
    if (by[k] == 0 && std::isinf(exact[k])) {
      if (open == errors)
        open = writableErrors(errors, exact.size());
      (*open)[k] = INFINITY;
    }
  return open;
}
