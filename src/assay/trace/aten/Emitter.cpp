// Promotion and broadcasting as in NumPy and PyTorch, and the formulas
// that several operators and modules share.
#include "assay/trace/aten/Emitter.h"
#include "assay/formulas/Activations.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/CommonForms.h"

#include <cmath>

namespace assay::trace::aten {

namespace {
/// Operands are promoted and broadcast, dimensions stay as ones.
class PyTorchRules final : public formulas::Arithmetic {
public:
  explicit PyTorchRules(Emitter &e) : Arithmetic(e.ir()), e_(e) {}
  mlir::Value binary(llvm::StringRef op, mlir::Value a,
                     mlir::Value b) override {
    return e_.binary(op, a, b);
  }
  mlir::Value compare(llvm::StringRef direction, mlir::Value a,
                      mlir::Value b) override {
    return e_.compare(direction, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes,
                     mlir::Value no) override {
    return e_.select(condition, yes, no);
  }
  mlir::Value number(double value, mlir::Value) override {
    return e_.scalar(value);
  }
  mlir::Value reduce(llvm::StringRef op, mlir::Value x, int64_t axis) override {
    return e_.reduce(op, x, {axis});
  }
  mlir::Value along(mlir::Value perLine, mlir::Value, int64_t) override {
    return perLine;
  }

private:
  Emitter &e_;
};
} // namespace

Emitter::Emitter(ElementType real)
    : real_(real), rules_(std::make_unique<PyTorchRules>(*this)) {}

Value Emitter::scalar(double value) {
  Value made = ir_.constant(value, {real_, {}});
  if (!isF64(real_) && std::isfinite(value) &&
      static_cast<double>(static_cast<float>(value)) != value)
    made.handle.getDefiningOp()->setAttr(
        judge::kNumber, mlir::Builder(made.handle.getContext()).getF64FloatAttr(value));
  return made;
}

Value Emitter::numberLike(double value, const Value &x) {
  return x.isFloat() || x.isComplex() ? scalar(value)
                                      : constant(static_cast<int64_t>(value));
}

Value Emitter::widened(const Value &x) {
  if (x.isBool())
    return x;
  return x.isFloat() || x.isComplex() ? wide(x) : convert(x, i64());
}

Value Emitter::broadcast(const Value &x, Dims shape) {
  if (Dims(x.shape()) == shape)
    return x;
  int64_t offset = static_cast<int64_t>(shape.size()) - x.rank();
  Axes dimensions;
  for (int64_t i = 0; i < x.rank() && offset >= 0; ++i) {
    int64_t to = shape[static_cast<size_t>(i + offset)];
    dimensions.push_back(i + offset);
    if (x.size(i) != 1 && x.size(i) != to)
      offset = -1;
  }
  if (offset < 0) {
    refuse("shapes that do not broadcast");
    return x;
  }
  return placed(x, shape, dimensions);
}

std::pair<Value, Value> Emitter::promote(const Value &a, const Value &b) {
  ElementType type = a.isComplex() || b.isComplex() ? complexType()
                     : a.isFloat() || b.isFloat()   ? real_
                     : a.isBool() && b.isBool() ? ElementType::boolean()
                                                : i64();
  return {convert(a, type), convert(b, type)};
}

static Shape broadcastShape(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
            y = i < b.size() ? b[b.size() - 1 - i] : 1;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Value Emitter::binary(llvm::StringRef op, const Value &a, const Value &b) {
  auto [x, y] = promote(a, b);
  Shape shape = broadcastShape(x.shape(), y.shape());
  return ir_.binary(op, broadcast(x, shape), broadcast(y, shape));
}

Value Emitter::compare(llvm::StringRef direction, const Value &a,
                       const Value &b) {
  auto [x, y] = promote(a, b);
  Shape shape = broadcastShape(x.shape(), y.shape());
  return ir_.compare(direction, broadcast(x, shape), broadcast(y, shape));
}

Value Emitter::select(const Value &condition, const Value &yes,
                      const Value &no) {
  auto [x, y] = promote(yes, no);
  Shape shape =
      broadcastShape(broadcastShape(x.shape(), y.shape()), condition.shape());
  Value truth = convert(condition, ElementType::boolean());
  return ir_.select(broadcast(truth, shape), broadcast(x, shape),
                    broadcast(y, shape));
}

Value Emitter::slice(const Value &x, int64_t axis, int64_t start, int64_t end,
                     int64_t step) {
  auto at = static_cast<size_t>(axis);
  if (at >= x.shape().size()) {
    refuse("a dimension is out of range");
    return x;
  }
  Axes starts(x.shape().size(), 0), ends(x.shape().begin(), x.shape().end()),
      steps(x.shape().size(), 1);
  starts[at] = start;
  ends[at] = end;
  steps[at] = step;
  return ir_.slice(x, starts, ends, steps);
}

Value Emitter::concatenate(llvm::ArrayRef<Value> parts, int64_t axis) {
  return ir_.concatenate(
      llvm::SmallVector<mlir::Value>(parts.begin(), parts.end()), axis);
}

static bool isNarrower(const std::optional<ElementType> &type, const Value &x) {
  return type && type->isFloat() && x.isFloat() &&
         type->bits < x.type.element.bits;
}

Value Emitter::reduce(llvm::StringRef op, const Value &x, Dims axes) {
  Shape kept = x.shape();
  if (kept.empty() && !axes.empty()) {
    refuse("a scalar");
    return x;
  }
  for (int64_t axis : axes)
    kept[static_cast<size_t>(axis)] = 1;
  bool narrows = op == "add" && isNarrower(sums_, x);
  Value reduced = ir_.reduce(op, narrows ? convert(x, *sums_) : x, axes);
  if (op == "multiply" && isNarrower(allowed_, reduced))
    judge::withSumsIn(reduced.handle, *allowed_); // as for PyTorch's products
  return reshape(narrows ? convert(reduced, x.type.element) : reduced, kept);
}

double Emitter::countOf(const Value &x, Dims axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(x.size(axis));
  return count;
}

Value Emitter::weightSum(const Value &x, Dims axes) {
  Value total = sum(x, axes);
  if (isNarrower(allowed_, total))
    judge::withSumsIn(total.handle, *allowed_);
  return total;
}

Value Emitter::mean(const Value &x, Dims axes) {
  Value total = judge::withRunningMean(sum(wide(x), axes));
  return div(total, scalar(countOf(x, axes)));
}

Value Emitter::dot(const Value &a, const Value &b, Dims batchA, Dims batchB,
                   Dims contractA, Dims contractB) {
  auto [x, y] = promote(a, b);
  return ir_.dot(x, y, batchA, batchB, contractA, contractB);
}

Emitter::Normal Emitter::normalized(const Value &x, Dims axes, double epsilon) {
  Normal n;
  n.mean = mean(x, axes);
  // Kernels that keep sums in the type of x keep the mean in it, too.
  Value centred = sub(x, keepsSumsNarrow() ? rounded(n.mean) : n.mean);
  Value variance = mean(mul(centred, centred), axes);
  n.rstd = unary("rsqrt", add(variance, scalar(epsilon)));
  if (isNarrower(stage_, x)) {
    // The bound of this form also holds for statistics that are kept in the type of
    // the result.
    Value scale = rounded(n.rstd);
    n.out = sub(mul(x, scale), mul(rounded(n.mean), scale));
  } else { // kernels may scale first or centre first
    n.out = mul(judge::withScaledTerms(sub(x, n.mean)), n.rstd);
  }
  return n;
}

Value Emitter::taken(const Value &x, int64_t axis, Value index) {
  if (x.rank() == 0) {
    refuse("a scalar");
    return x;
  }
  int64_t size = x.size(axis);
  index = select(compare("LT", index, constant(0)), add(index, constant(size)),
                 index);
  TensorType type{x.type.element, {}};
  Axes sizes(x.shape().begin(), x.shape().end()), offsets;
  sizes[static_cast<size_t>(axis)] = 1;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis)
      offsets.push_back(i < axis ? i : i - 1 + index.rank());
  for (int64_t i = 0; i < axis; ++i)
    type.shape.push_back(x.size(i));
  type.shape.append(index.shape().begin(), index.shape().end());
  for (int64_t i = axis + 1; i < x.rank(); ++i)
    type.shape.push_back(x.size(i));
  auto dimensions = stablehlo::GatherDimensionNumbersAttr::get(
      ir_.context(), offsets, {axis}, {}, {}, {axis}, index.rank());
  return ir_.op("gather", {x, index}, type,
                {ir_.named("dimension_numbers", dimensions),
                 ir_.named("slice_sizes", ir_.array(sizes))});
}

Value Emitter::withBias(const Value &sum, const Value &bias, int64_t depth) {
  return judge::withBeginOfSum(add(sum, bias), depth);
}

Value Emitter::rounded(const Value &x) {
  return isNarrower(stage_, x) ? convert(convert(x, *stage_), x.type.element)
                               : x;
}

int64_t Emitter::sizeOf(const Value &x) const {
  int64_t count = 1;
  for (int64_t size : x.shape())
    count *= size;
  return count;
}

Value Emitter::scattered(const Value &x, const Value &index,
                         const Value &updates, llvm::StringRef op) {
  auto [into, from] = promote(x, updates);
  ElementType wide = into.type.element;
  bool narrows = op == "add" && isNarrower(sums_, into);
  if (narrows) {
    into = convert(into, *sums_);
    from = convert(from, *sums_);
  }
  auto dimensions = stablehlo::ScatterDimensionNumbersAttr::get(
      ir_.context(), {1}, {0}, {}, {}, {0}, 1);
  TensorType element{into.type.element, {}};
  program::Region last{{element, element}, [](llvm::ArrayRef<mlir::Value> of) {
                         return llvm::SmallVector<mlir::Value>{of[1]};
                       }};
  Value out = ir_.op("scatter", {into, index, from}, into.type,
                     {ir_.named("scatter_dimension_numbers", dimensions)},
                     {op.empty() ? last : ir_.combiner(op, element.element)});
  if ((op == "add" || op == "multiply") && isNarrower(allowed_, out))
    judge::withSumsIn(out.handle, *allowed_);
  return narrows ? convert(out, wide) : out;
}

Value Emitter::enlarged(const Value &x, Dims shape) {
  Axes split, kept;
  bool sameRank = static_cast<int64_t>(shape.size()) == x.rank();
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t size = sameRank ? x.shape()[i] : 0;
    if (size == 0 || shape[i] % size != 0) {
      refuse("a factor that is not whole");
      return x;
    }
    kept.push_back(static_cast<int64_t>(split.size()));
    split.push_back(size);
    split.push_back(shape[i] / size);
  }
  return reshape(placed(x, split, kept), shape);
}

Value Emitter::gelu(const Value &x, bool byTanh) {
  if (byTanh)
    return formulas::geluByTanh(rules(), x);
  // As libraries compute it: where 1 + erf cancels, so do they.
  Value bent = unary("chlo.erf", mul(x, scalar(M_SQRT1_2)));
  return judge::withAccuracy(mul(mul(x, scalar(0.5)), add(bent, scalar(1))),
                             judge::eltwiseAccuracy("gelu_erf", 0, 0));
}

} // namespace assay::trace::aten
