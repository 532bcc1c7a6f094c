// An Einstein summation as one product. First each operand is reduced to one
// dimension per label: the diagonal is taken for a label that it repeats, and a
// label that neither the result nor the other operand has is summed over. A
// label of both operands is then a batch dimension if the result has it, else
// it is contracted; the other labels are free dimensions of the product. A size
// of 1 under an ellipsis that broadcasts against another size gets a new label:
// its sum has one term.
#include "assay/dialect/Einsum.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/ExpansionRewriter.h"

#include "llvm/ADT/StringExtras.h"

namespace assay::program {

using namespace mlir;
using Dimensions = SmallVector<int64_t>;

namespace {
/// A value with the label of each of its dimensions.
struct Labelled {
  Value value;
  std::string labels;
};

class Einsum : public ExpansionRewriter {
public:
  Einsum(Operation *op, stablehlo::EinsumLabels labels)
      : ExpansionRewriter(op), result_(labels.output) {
    for (auto [operand, names] :
         llvm::zip_equal(op->getOperands(), labels.inputs))
      operands_.push_back({operand, names});
  }
  void run();

private:
  void setSpreadApart();
  void takeDiagonals(Labelled &x);
  Value diagonal(Value x);
  bool isShared(const Labelled &x, char label) const;
  void sumAlone();
  Labelled product();

  bool widened_ = false; ///< the operands are already in the wider type for
                         ///< sums
  SmallVector<Labelled, 2> operands_;
  std::string result_;
};
} // namespace

/// Gives sizes of 1 that broadcast against other sizes a label that occurs
/// nowhere else.
void Einsum::setSpreadApart() {
  if (operands_.size() < 2)
    return;
  char unused = -1; // labels of an ellipsis count up from 1
  for (size_t side = 0; side < 2; ++side)
    for (auto [d, label] : llvm::enumerate(operands_[side].labels)) {
      Labelled &other = operands_[1 - side];
      size_t at = other.labels.find(label);
      if (at == std::string::npos || llvm::isAlpha(label))
        continue;
      if (typeOf(operands_[side].value).getDimSize(unsigned(d)) == 1 &&
          typeOf(other.value).getDimSize(unsigned(at)) != 1)
        label = unused--;
    }
}

/// The diagonal of the last two dimensions, both of size n: every (n + 1)-th
/// element of their n * n elements in a row.
Value Einsum::diagonal(Value x) {
  RankedTensorType type = typeOf(x);
  int64_t rank = type.getRank();
  Dimensions shape(type.getShape().drop_back(2));
  int64_t n = type.getDimSize(unsigned(rank - 1));
  if (type.isDynamicDim(unsigned(rank - 1)))
    n = type.getDimSize(unsigned(rank - 2));
  auto typed = [&](int64_t last) {
    Dimensions all(shape);
    all.push_back(last);
    return RankedTensorType::get(all, type.getElementType());
  };
  Dimensions zeros(shape.size() + 1, 0), steps(shape.size() + 1, 1);
  if (type.hasStaticShape()) {
    Value row = make("stablehlo.reshape", typed(n * n), x);
    Dimensions limits(typed(n * n).getShape());
    steps.back() = n + 1;
    return make("stablehlo.slice", typed(n), row,
                {named("start_indices", builder().getDenseI64ArrayAttr(zeros)),
                 named("limit_indices", builder().getDenseI64ArrayAttr(limits)),
                 named("strides", builder().getDenseI64ArrayAttr(steps))});
  }
  SmallVector<Value> sizes, strides(shape.size(), number(1));
  for (int64_t d = 0; d < rank - 2; ++d)
    sizes.push_back(sizeOf(x, d));
  Value size = sizeOf(x, rank - 1);
  sizes.push_back(binary("stablehlo.multiply", size, size));
  strides.push_back(binary("stablehlo.add", size, number(1)));
  Type i64 = builder().getI64Type();
  Value limits = list(sizes, i64);
  Value row = make("stablehlo.dynamic_reshape", typed(ShapedType::kDynamic),
                   {x, limits});
  return make("stablehlo.real_dynamic_slice", typed(n),
              {row, numbers(zeros), limits, list(strides, i64)});
}

void Einsum::takeDiagonals(Labelled &x) {
  for (size_t first = 0; first < x.labels.size(); ++first) {
    size_t again = x.labels.find(x.labels[first], first + 1);
    if (again == std::string::npos)
      continue;
    Dimensions order;
    std::string names;
    for (size_t d = 0; d < x.labels.size(); ++d)
      if (d != first && d != again) {
        order.push_back(int64_t(d));
        names.push_back(x.labels[d]);
      }
    order.append({int64_t(first), int64_t(again)});
    x = {diagonal(transpose(x.value, order)), names + x.labels[first]};
    return takeDiagonals(x);
  }
}

bool Einsum::isShared(const Labelled &x, char label) const {
  for (const Labelled &operand : operands_)
    if (&operand != &x && llvm::is_contained(operand.labels, label))
      return true;
  return llvm::is_contained(result_, label);
}

/// Sums over labels that only one operand has. If there are any, both operands
/// are first converted to a type wide enough for the sums.
void Einsum::sumAlone() {
  SmallVector<Dimensions> alone;
  for (const Labelled &x : operands_) {
    alone.emplace_back();
    for (auto [d, label] : llvm::enumerate(x.labels))
      if (!isShared(x, label))
        alone.back().push_back(int64_t(d));
  }
  if (llvm::all_of(alone, [](const Dimensions &d) { return d.empty(); }))
    return;
  widened_ = true;
  for (auto [x, dimensions] : llvm::zip_equal(operands_, alone)) {
    x.value =
        sum(computable(x.value, resultType().getElementType()), dimensions);
    for (int64_t d : llvm::reverse(dimensions))
      x.labels.erase(size_t(d), 1);
  }
}

Labelled Einsum::product() {
  const Labelled &lhs = operands_[0], &rhs = operands_[1];
  Dimensions batch[2], contracted[2], shape;
  std::string names;
  auto place = [&](const Labelled &x, size_t d) {
    names.push_back(x.labels[d]);
    shape.push_back(typeOf(x.value).getDimSize(unsigned(d)));
  };
  for (auto [d, label] : llvm::enumerate(lhs.labels)) {
    size_t there = rhs.labels.find(label);
    if (there == std::string::npos)
      continue;
    bool isBatch = llvm::is_contained(result_, label);
    (isBatch ? batch : contracted)[0].push_back(int64_t(d));
    (isBatch ? batch : contracted)[1].push_back(int64_t(there));
    if (isBatch)
      place(lhs, d);
  }
  for (size_t side = 0; side < 2; ++side)
    for (size_t d = 0; d < operands_[side].labels.size(); ++d)
      if (!llvm::is_contained(operands_[1 - side].labels,
                              operands_[side].labels[d]))
        place(operands_[side], d);
  auto dimensions = stablehlo::DotDimensionNumbersAttr::get(
      op()->getContext(), batch[0], batch[1], contracted[0], contracted[1]);
  Type element = resultType().getElementType();
  if (widened_)
    element = typeOf(lhs.value).getElementType();
  return {make("stablehlo.dot_general", RankedTensorType::get(shape, element),
               {lhs.value, rhs.value},
               named("dot_dimension_numbers", dimensions)),
          names};
}

void Einsum::run() {
  setSpreadApart();
  for (Labelled &x : operands_)
    takeDiagonals(x);
  sumAlone();
  Labelled made = operands_.size() == 2 ? product() : operands_[0];
  Dimensions order;
  for (char label : result_)
    order.push_back(int64_t(made.labels.find(label)));
  give(0, transpose(made.value, order));
}

bool expandEinsum(Operation *op) {
  SmallVector<int64_t, 2> ranks;
  for (Value operand : op->getOperands())
    ranks.push_back(cast<RankedTensorType>(operand.getType()).getRank());
  auto labels = stablehlo::parseEinsum(
      op->getAttrOfType<StringAttr>("einsum_config").getValue(), ranks,
      [&] { return op->emitOpError(); });
  if (failed(labels))
    return false; // the verifier has already reported it
  Einsum(op, *labels).run();
  return true;
}

} // namespace assay::program
