// Each form has an attribute and adds to the error of every element.
#include "assay/judge/program/AllowedForms.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/CommonForms.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;

/// Where an operation ends a function whose accuracy the program states, this accuracy is
/// added to the error bound of its operations.
static void addAccuracy(mlir::DenseF64ArrayAttr accuracy, const Value &result,
                        std::vector<double> &errors) {
  std::vector<double> exact = exactValues(result);
  for (size_t i = 0; i < errors.size(); ++i)
    if (std::isfinite(exact[i]))
      errors[i] += accuracy[0] * 0x1p-23 * std::fabs(exact[i]) + accuracy[1];
}

/// Where both terms of a difference may be scaled before it is taken: two more
/// roundings of each, of the factor and of the product.
static void addScaledTerms(llvm::ArrayRef<Value *> operands,
                           const Value &result, std::vector<double> &errors) {
  std::vector<double> a = exactValues(*operands[0]),
                      b = exactValues(*operands[1]);
  const double twoRoundings = 2 * halfUlp(1, result.tensor().elementType());
  for (size_t i = 0; i < errors.size() && i < b.size(); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i]))
      errors[i] += twoRoundings * (std::fabs(a[i]) + std::fabs(b[i]));
}

/// Where a sum of `depth` terms may begin with the second operand: each of its
/// roundings may then act on a value that includes that operand.
static void addBegin(double depth, llvm::ArrayRef<Value *> operands,
                     const Value &result, std::vector<double> &errors) {
  std::vector<double> begin = exactValues(*operands[1]);
  double share = likelyBound(depth, sumUnit(result.tensor().elementType()),
                             FillKind::Given);
  for (size_t i = 0; i < errors.size() && i < begin.size(); ++i)
    if (std::isfinite(begin[i]))
      errors[i] += share * std::fabs(begin[i]);
}

Errors judge::allowForms(mlir::Operation *op, llvm::ArrayRef<Value *> operands,
                         const Value &result, Errors errors) {
  auto accuracy =
      op->getAttrOfType<mlir::DenseF64ArrayAttr>(kAccuracyAttribute);
  auto begins = op->getAttrOfType<mlir::IntegerAttr>(kBeginsSum);
  bool isAccurate = accuracy && accuracy.size() == 2,
       isScaled = op->hasAttr(kScaledTerms);
  if ((!isAccurate && !isScaled && !begins) || !isFloating(result))
    return errors;
  errors = writableErrors(errors, exactValues(result).size());
  if (isAccurate)
    addAccuracy(accuracy, result, *errors);
  if (isScaled)
    addScaledTerms(operands, result, *errors);
  if (begins)
    addBegin(static_cast<double>(begins.getInt()), operands, result, *errors);
  return errors;
}
