// Programs that combine or rearrange whole tensors. Sizes of 1 broadcast, in
// both directions: what is repeated forward is summed backward.
// Source: oneDNN's developer guide, "Binary", "PReLU", "Shuffle".
#include "assay/formulas/Tensors.h"
#include "assay/formulas/Activations.h"

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using program::Builder;
using program::Dims;
using program::DimsRef;
using tensor::TensorType;

static Dims shapeOf(Value x) { return Builder::typeOf(x).shape; }

Value formulas::spread(Builder &b, Value x, DimsRef shape) {
  Dims same, from = shapeOf(x);
  if (DimsRef(from) == shape)
    return x;
  for (size_t d = 0; d < from.size(); ++d)
    same.push_back(static_cast<int64_t>(d));
  return b.broadcast(x, shape, same);
}

Value formulas::sumTo(Builder &b, Value x, DimsRef shape) {
  Dims axes, from = shapeOf(x);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != from[d])
      axes.push_back(static_cast<int64_t>(d));
  return axes.empty() ? x : b.reshape(b.reduce("add", x, axes), shape);
}

//===--- binary ----------------------------------------------------------===//

static constexpr std::pair<llvm::StringRef, llvm::StringRef> kArithmetic[] = {
    {"add", "add"},    {"sub", "subtract"}, {"mul", "multiply"},
    {"div", "divide"}, {"max", "maximum"},  {"min", "minimum"}};
static constexpr llvm::StringRef kComparisons[] = {"eq", "ne", "ge",
                                                   "gt", "le", "lt"};

static llvm::StringRef arithmeticOf(llvm::StringRef name) {
  for (auto [ours, theirs] : kArithmetic)
    if (name == ours)
      return theirs;
  return "";
}

bool formulas::isBinaryFunction(llvm::StringRef name) {
  return !arithmeticOf(name).empty() || llvm::is_contained(kComparisons, name);
}

Value formulas::binaryForward(Builder &builder, llvm::StringRef name, Value a,
                            Value b) {
  if (!isBinaryFunction(name))
    builder.fail("binary operation '" + name + "' is unknown");
  if (llvm::StringRef arithmetic = arithmeticOf(name); !arithmetic.empty())
    return builder.binary(arithmetic, a, b);
  return builder.convert(builder.compare(name.upper(), a, b),
                         Builder::typeOf(a).element);
}

//===--- prelu -----------------------------------------------------------===//

static Value isPositive(Builder &b, Value x) {
  return b.compare("GT", x, b.constant(0, Builder::typeOf(x)));
}

Value formulas::preluForward(Builder &b, Value src, Value wei) {
  Arithmetic plain(b);
  return leaky(plain, src, spread(b, wei, shapeOf(src)));
}

PreluBackward formulas::preluBackward(Builder &b, Value src, Value wei,
                                    Value diffDst) {
  TensorType type = Builder::typeOf(src);
  Value scaled = b.binary("multiply", diffDst, spread(b, wei, type.shape));
  Value negative = b.binary("minimum", src, b.constant(0, type));
  return {b.select(isPositive(b, src), diffDst, scaled),
          sumTo(b, b.binary("multiply", negative, diffDst), shapeOf(wei))};
}

//===--- shuffle ---------------------------------------------------------===//

Value formulas::shuffle(Builder &b, Value x, int64_t axis, int64_t rows) {
  Dims shape = shapeOf(x), split, order;
  int64_t rank = static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < rank; ++d) {
    order.push_back(d < axis ? d : d + 1);
    if (d == axis)
      order.push_back(d);
    split.push_back(d == axis ? rows : shape[d]);
    if (d == axis)
      split.push_back(shape[d] / rows);
  }
  return b.reshape(b.transpose(b.reshape(x, split), order), shape);
}
