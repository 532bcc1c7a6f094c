// Two products of ones and zeros: which NaN meets which factor.
#include "assay/judge/program/NanOrigin.h"
#include "assay/judge/program/WideOp.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// 1 for each element that `holds` of, else 0.
template <typename Holds>
static llvm::Expected<Tensor> ones(const Value &value, Holds holds) {
  std::vector<double> elements = exactValues(value);
  for (double &x : elements)
    x = holds(x) ? 1 : 0;
  return wideFrom(value, elements);
}

std::optional<std::vector<bool>>
judge::metByNan(llvm::ArrayRef<Value *> operands,
                const bool (&isComputed)[2], const WideOp &wide,
                ThreadPool &pool) {
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
