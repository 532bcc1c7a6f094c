// Rules of products (dot, convolution), sort and the Fourier transform.
//   products   theoremBound and likelyBound of Judge.h with depth d and S = sum
//   |a||b|, both found by evaluating the operation
//              itself (on ones, on absolute values); exact where every partial
//              sum in any order is exact in the accumulator
//   fft        ||computed - exact||_2 <= log2(n) eta ||exact||_2 with eta about
//   7 u (N. Higham, "Accuracy and Stability of
//              Numerical Algorithms", 2nd ed., theorem 24.2); other lengths
//              than powers of two take three transforms
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/ErrorTracker.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using program::Value;
using tensor::Tensor;

/// The product evaluated on one number per element of both factors; other
/// operands (paddings) stay.
static llvm::Expected<std::vector<double>>
evaluate(BoundRequest &r, llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < r.operands.size(); ++i) {
    llvm::Expected<Tensor> operand =
        i < 2 ? wideFrom(*r.operands[i], i ? b : a, false)
              : r.operands[i]->tensor().dense();
    if (!operand)
      return operand.takeError();
    operands.push_back(std::move(*operand));
  }
  return r.evaluate(operands);
}

static BoundResult contractionBound(BoundRequest &r) {
  if (!isFloating(r.results[0])) {
    if (r.allExact())
      return std::vector<Errors>(1);
    return std::vector<Errors>{undecided(r.results[0])};
  }
  if (!isFloating(*r.operands[0]) || !isFloating(*r.operands[1]))
    return makeError(ErrorCode::Unsupported, "integers multiplied into floats");
  std::vector<double> a = magnitudes(*r.operands[0], nullptr),
                      b = magnitudes(*r.operands[1], nullptr);
  llvm::Expected<std::vector<double>> sums = evaluate(r, a, b);
  if (!sums)
    return sums.takeError();
  std::vector<double> moved(sums->size(), 0.0);
  if (!r.allExact()) {
    llvm::Expected<std::vector<double>> wider =
        evaluate(r, magnitudes(*r.operands[0], r.operandErrors[0]),
                 magnitudes(*r.operands[1], r.operandErrors[1]));
    if (!wider)
      return wider.takeError();
    for (size_t k = 0; k < moved.size(); ++k)
      moved[k] = (*wider)[k] - (*sums)[k];
    *sums = std::move(*wider);
  }
  llvm::Expected<std::vector<double>> terms =
      evaluate(r, std::vector<double>(a.size(), 1.0),
               std::vector<double>(b.size(), 1.0));
  if (!terms)
    return terms.takeError();
  double depth = 1;
  for (double count : *terms)
    depth = std::max(depth, count);
  ElementType type = r.results[0].tensor().elementType();
  double unit = sumUnit(type), smallest = quantum(exactValues(*r.operands[0])) *
                                          quantum(exactValues(*r.operands[1]));
  double relative = likelyBound(depth, unit, FillKind::Heavy),
         eta = type.format == numerics::FloatFormat::F64 ? 0x1p-1022 : 0x1p-126;
  double factor =
      type.isComplex() ? 4 : 1; // four real sums, each of twice the depth
  std::vector<double> exact = exactValues(r.results[0]);
  size_t parts = type.isComplex() ? 2 : 1;
  auto out = std::make_shared<std::vector<double>>(sums->size());
  for (size_t k = 0; k < out->size(); ++k) {
    bool everyOrderExact =
        r.allExact() && factor * (*sums)[k] <= smallest / (2 * unit);
    double own =
        everyOrderExact ? 0 : factor * relative * (*sums)[k] + depth * eta;
    double size = parts == 2 ? std::max(std::fabs(exact[2 * k]),
                                        std::fabs(exact[2 * k + 1]))
                             : std::fabs(exact[k]);
    double bound =
        moved[k] + own + halfUlp(size + (std::isfinite(own) ? own : 0), type);
    (*out)[k] =
        std::isnan(bound) ? (std::isfinite(size) ? INFINITY : 0) : bound;
  }
  return std::vector<Errors>{out};
}

/// Order statistics move no further than the largest error; indices and
/// companions of inexact keys are open.
static BoundResult sortBound(BoundRequest &r) {
  std::vector<Errors> out(r.results.size());
  if (r.allExact())
    return out;
  bool isTopK = r.op->getName().stripDialect() == "top_k";
  if (!isTopK && r.operands.size() > 1)
    return makeError(ErrorCode::Unsupported,
                     "it sorts several tensors by keys that are not exact");
  double worst = 0;
  for (double e : *r.operandErrors[0])
    worst = std::max(worst, e);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = isFloating(r.results[i])
                 ? std::make_shared<std::vector<double>>(
                       static_cast<size_t>(r.results[i].tensor().size()), worst)
                 : undecided(r.results[i]);
  return out;
}

static BoundResult fftBound(BoundRequest &r) {
  if (!r.allExact())
    return makeError(ErrorCode::Unsupported, "its operand is not exact");
  auto lengths = r.op->getAttrOfType<mlir::DenseI64ArrayAttr>("fft_length");
  const Tensor &result = r.results[0].tensor();
  double n = 1;
  int64_t slice = 1;
  auto rank = static_cast<size_t>(lengths.size());
  for (size_t d = 0; d < rank; ++d) {
    n *= static_cast<double>(lengths[d]);
    slice *= result.shape()[result.shape().size() - rank + d];
  }
  bool isPower = std::exp2(std::round(std::log2(n))) == n;
  ElementType type = result.elementType();
  double unit = sumUnit(type),
         relative =
             (isPower ? 1 : 3) * 7 * (std::log2(std::max(n, 2.0)) + 1) * unit;
  std::vector<double> sizes = magnitudes(r.results[0], nullptr);
  auto out = std::make_shared<std::vector<double>>(sizes.size());
  for (size_t begin = 0; slice > 0 && begin < sizes.size();
       begin += static_cast<size_t>(slice)) {
    double squares = 0;
    for (size_t k = begin; k < begin + static_cast<size_t>(slice); ++k)
      squares += sizes[k] * sizes[k];
    // Half a spectrum stands for a whole one of at most twice the squares.
    double bound = relative * std::sqrt(2 * squares);
    for (size_t k = begin; k < begin + static_cast<size_t>(slice); ++k)
      (*out)[k] = std::isnan(bound) ? 0 : bound + halfUlp(sizes[k], type);
  }
  return std::vector<Errors>{out};
}

BoundResult judge::structuredBound(BoundRequest &r) {
  if (r.rule->kind == BoundKind::Contraction)
    return contractionBound(r);
  return r.rule->kind == BoundKind::Sort ? sortBound(r) : fftBound(r);
}
