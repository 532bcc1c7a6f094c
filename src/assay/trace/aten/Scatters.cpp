// aten operators that write to places named by indices, or combine with them.
#include "assay/judge/program/CommonForms.h"
#include "assay/trace/aten/Builder.h"
#include "llvm/ADT/StringSwitch.h"

namespace assay::trace::aten {

// (x, dim, index, source, alpha)
void indexAdd(Builder &b) {
  Value x = b.tensor(0), index = b.tensor(2), source = b.tensor(3);
  if (x.rank() == 0 || b.axis(1, "dim", 0, x.rank()) != 0)
    return b.refuse("another dimension than the first");
  int64_t rows = x.size(0), width = rows ? b.sizeOf(x) / rows : 0,
          count = b.sizeOf(index);
  double alpha = b.number(SIZE_MAX, "alpha", 1);
  source = b.reshape(source, {count, width});
  if (alpha != 1)
    source = b.mul(source, b.numberLike(alpha, source));
  Value out = b.scattered(b.reshape(x, {rows, width}),
                          b.reshape(index, {count}), source, "add");
  b.result(b.reshape(out, x.shape()));
}

// (x, [index, ...], values, accumulate): the first dimensions are indexed.
void indexPut(Builder &b) {
  Value x = b.tensor(0), values = b.tensor(2), flat;
  const llvm::json::Value *given = b.argument(1, "indices");
  const llvm::json::Array *list = given ? given->getAsArray() : nullptr;
  size_t dimensions = list ? list->size() : 0;
  if (static_cast<int64_t>(dimensions) > x.rank())
    return b.refuse("more indices than dimensions");
  int64_t rows = 1;
  Shape shape;
  for (size_t i = 0; i < dimensions && !b.refused(); ++i) {
    if (!isTensorRecord((*list)[i]))
      return b.refuse("a dimension without an index");
    Value index = b.listed(1, i);
    if (index.isBool() || (i > 0 && index.shape() != shape))
      return b.refuse("masks, or indices that broadcast");
    shape = index.shape();
    Value size = b.constant(x.size(static_cast<int64_t>(i)));
    index = b.select(b.compare("LT", index, b.constant(0)), b.add(index, size),
                     index);
    flat = i == 0 ? index : b.add(b.mul(flat, size), index);
    rows *= x.size(static_cast<int64_t>(i));
  }
  if (b.refused() || dimensions == 0)
    return;
  Shape full = shape;
  full.append(x.shape().begin() + static_cast<ptrdiff_t>(dimensions),
              x.shape().end());
  int64_t count = b.sizeOf(flat), width = rows ? b.sizeOf(x) / rows : 0;
  Value out = b.scattered(b.reshape(x, {rows, width}), b.reshape(flat, {count}),
                          b.reshape(b.broadcast(values, full), {count, width}),
                          b.boolean(3, "accumulate", false) ? "add" : "");
  b.result(b.reshape(out, x.shape()));
}

namespace {
/// (x, dim, index, source, ...): x as a column, and the row of it for
/// each element of the source.
struct Places {
  Value column, rows, source;
};
} // namespace

static std::optional<Places> placesOf(Builder &b) {
  Value x = b.tensor(0), index = b.tensor(2), source = b.tensor(3);
  if (x.rank() == 0) { // as a vector of one element
    x = b.reshape(x, {1});
    index = b.reshape(index, {b.sizeOf(index)});
    source = source.rank() == 0 ? source : b.reshape(source, {b.sizeOf(source)});
  }
  if (index.isFloat() || x.rank() != index.rank()) {
    b.refuse("an index that names no dimension's elements");
    return std::nullopt;
  }
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  if (source.rank() == 0)
    source = b.broadcast(source, index.shape());
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (source.rank() != x.rank() || source.size(i) < index.size(i)) {
      b.refuse("a source of another shape than the index");
      return std::nullopt;
    }
    source = b.slice(source, i, 0, index.size(i));
  }
  Value flat;
  for (int64_t i = 0; i < x.rank(); ++i) {
    Value at = i == axis ? index : b.iota(index.shape(), i);
    flat = i == 0 ? at : b.add(b.mul(flat, b.constant(x.size(i))), at);
  }
  int64_t count = b.sizeOf(index);
  return Places{b.reshape(x, {b.sizeOf(x), 1}), b.reshape(flat, {count}),
                b.reshape(source, {count, 1})};
}
static void scatterBy(Builder &b, llvm::StringRef op) {
  if (std::optional<Places> p = placesOf(b))
    b.result(b.scattered(p->column, p->rows, p->source, op));
}
void scatterSource(Builder &b) { scatterBy(b, ""); }
void scatterAdd(Builder &b) { scatterBy(b, "add"); }

/// The combiner of scatter(reduce=...) and scatter_reduce; "": unknown.
static llvm::StringRef combinerNamed(llvm::StringRef reduce) {
  return llvm::StringSwitch<llvm::StringRef>(reduce)
      .Cases({"add", "sum", "mean"}, "add")
      .Cases({"multiply", "prod"}, "multiply")
      .Case("amax", "maximum")
      .Case("amin", "minimum")
      .Default("");
}
void scatterReduce(Builder &b) { // the old name, for add and multiply
  scatterBy(b, combinerNamed(b.text(4, "reduce", "")));
}
// (x, dim, index, source, reduce, include_self): without include_self, an
// element that is written to begins with the neutral value.
void scatterReduceTwo(Builder &b) {
  std::string reduce = b.text(4, "reduce", "");
  llvm::StringRef op = combinerNamed(reduce);
  bool itself = b.boolean(5, "include_self", true);
  std::optional<Places> p = placesOf(b);
  if (!p || op.empty())
    return b.refuse("a reduction that is not known");
  auto [x, source] = b.promote(p->column, p->source);
  if (x.isBool() && op == "add")
    return b.refuse("booleans");
  Value neutral = b.ir().neutral(op, x.type.element);
  if (!itself)
    x = b.scattered(x, p->rows, b.broadcast(neutral, source.shape()));
  Value out = b.scattered(x, p->rows, source, op);
  if (reduce != "mean")
    return b.result(out);
  Value zero = b.broadcast(b.constant(0), x.shape()),
        one = b.broadcast(b.constant(1), source.shape());
  Value count = b.scattered(zero, p->rows, one, "add");
  count = itself ? b.add(count, b.constant(1))
                 : b.binary("maximum", count, b.constant(1));
  if (!out.isFloat() && !out.isComplex())
    return b.refuse("means of integers");
  judge::withStageIn(out.handle, b.output().element); // of PyTorch's division
  b.result(b.div(out, b.wide(count)));
}

// (g, indices, num_weights, padding_idx, scale_grad_by_freq)
void embeddingBackward(Builder &b) {
  Value g = b.tensor(0), index = b.tensor(1);
  if (b.boolean(4, "scale_grad_by_freq", false))
    return b.refuse("gradients divided by counts");
  if (b.output().shape.empty())
    return b.refuse("a result without dimensions");
  int64_t count = b.sizeOf(index), rows = b.integer(2, "num_weights", 0),
          width = b.output().shape.back(),
          unused = b.integer(3, "padding_idx", -1);
  index = b.reshape(index, {count});
  g = b.reshape(g, {count, width});
  if (unused >= 0)
    g = b.select(
        b.reshape(b.compare("EQ", index, b.constant(unused)), {count, 1}),
        b.scalar(0), g);
  b.result(
      b.scattered(b.broadcast(b.scalar(0), {rows, width}), index, g, "add"));
}

} // namespace assay::trace::aten
