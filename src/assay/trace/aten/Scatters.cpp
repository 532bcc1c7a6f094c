// aten operators that write or add to places named by indices, and topk.
#include "assay/trace/aten/Builder.h"

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
                          b.reshape(index, {count}), source, true);
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
                          b.boolean(3, "accumulate", false));
  b.result(b.reshape(out, x.shape()));
}

// (x, dim, index, source)
static void scatterTo(Builder &b, bool adds) {
  Value x = b.tensor(0), index = b.tensor(2), source = b.tensor(3);
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  if (x.rank() != index.rank() || source.shape() != index.shape())
    return b.refuse("a source of another shape than the index");
  if (x.rank() == 0 || index.isFloat())
    return b.refuse("an index that names no dimension's elements");
  Value flat;
  for (int64_t i = 0; i < x.rank(); ++i) {
    Value at = i == axis ? index : b.iota(index.shape(), i);
    flat = i == 0 ? at : b.add(b.mul(flat, b.constant(x.size(i))), at);
  }
  int64_t count = b.sizeOf(index);
  Value out =
      b.scattered(b.reshape(x, {b.sizeOf(x), 1}), b.reshape(flat, {count}),
                  b.reshape(source, {count, 1}), adds);
  b.result(b.reshape(out, x.shape()));
}
void scatterSource(Builder &b) { scatterTo(b, false); }
void scatterAdd(Builder &b) { scatterTo(b, true); }

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
      b.scattered(b.broadcast(b.scalar(0), {rows, width}), index, g, true));
}

// (x, k, dim, largest, sorted)
void topk(Builder &b) {
  Value x = b.tensor(0);
  if (b.axis(2, "dim", -1, x.rank()) != x.rank() - 1 ||
      !b.boolean(3, "largest", true))
    return b.refuse("another dimension than the last, or the smallest");
  const TensorType &values = b.output(0);
  auto both = b.ir().opWithResults(
      "chlo.top_k", {x},
      {{x.type.element, values.shape},
       {ElementType::integer(32), values.shape}},
      {b.ir().named("k",
                    b.ir().builder().getI64IntegerAttr(b.integer(1, "k", 1)))});
  b.result(Value(both[0]), 0);
  b.result(Value(both[1]), 1);
}

} // namespace assay::trace::aten
