// Small helpers for code that reads elements and prints figures.
#include "assay/trace/Values.h"
#include "assay/numerics/Convert.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

namespace assay::trace {

using tensor::Tensor;

std::vector<double> doublesOf(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  return values;
}

bool sameBytes(const Tensor &a, const Tensor &b) {
  return a.type() == b.type() &&
         std::memcmp(a.bytes(), b.bytes(),
                     static_cast<size_t>(a.denseBytes())) == 0;
}

std::optional<Tensor> convertedTo(numerics::ElementType type,
                                  const Tensor &tensor) {
  llvm::Expected<Tensor> dense = tensor.dense(),
                         made = Tensor::allocate(
                             {type, tensor::Shape(tensor.shape())});
  if (!dense || !made) {
    llvm::consumeError(llvm::joinErrors(dense.takeError(), made.takeError()));
    return std::nullopt;
  }
  numerics::convertArray(tensor.elementType(), dense->bytes(), type,
                         made->mutableBytes(), tensor.size());
  return *made;
}

bool castToNarrowest(llvm::ArrayRef<Tensor *> operands, Tensor &result) {
  auto isWider = [](const Tensor &tensor, numerics::ElementType type) {
    return tensor.valid() && tensor.elementType().isFloat() &&
           tensor.elementType().bits > type.bits;
  };
  if (!result.valid() || !result.elementType().isFloat())
    return false;
  numerics::ElementType type = result.elementType();
  for (const Tensor *operand : operands)
    if (operand->valid() && operand->elementType().isFloat() &&
        operand->elementType().bits < type.bits)
      type = operand->elementType();
  bool some = false;
  if (isWider(result, type)) {
    std::optional<Tensor> made = convertedTo(type, result),
                          back = made ? convertedTo(result.elementType(), *made)
                                      : std::nullopt;
    if (!back || !sameBytes(*back, result))
      return false;
    result = std::move(*made);
    some = true;
  }
  for (Tensor *operand : operands)
    if (isWider(*operand, type))
      if (std::optional<Tensor> made = convertedTo(type, *operand)) {
        *operand = std::move(*made);
        some = true;
      }
  return some;
}

double relativeDistance(llvm::ArrayRef<double> got,
                        llvm::ArrayRef<double> exact) {
  double squares = 0, norm = 0;
  for (auto [x, y] : llvm::zip(got, exact)) {
    bool same = x == y || (std::isnan(x) && std::isnan(y));
    squares += same ? 0 : (x - y) * (x - y);
    norm += std::isfinite(y) ? y * y : 0;
  }
  return squares == 0                         ? 0
         : std::isfinite(squares) && norm > 0 ? std::sqrt(squares / norm)
                                              : HUGE_VAL;
}

double relativeDistance(const Tensor &got, const Tensor &exact) {
  if (!(got.shape() == exact.shape()))
    return HUGE_VAL;
  return relativeDistance(doublesOf(got), doublesOf(exact));
}

std::string figure(double value, int digits) {
  return llvm::formatv("{0}", llvm::format("%.*g", digits, value)).str();
}

} // namespace assay::trace
