// aten operators that move, make or pick elements.
#include "assay/trace/aten/Builder.h"

#include <algorithm>

namespace assay::trace::aten {

// The recorded result determines the shape and the type: views, copies, casts.
void reshaped(Builder &b) {
  Value x = b.recorded(0);
  b.result(b.reshape(x, b.output().shape));
}
void expand(Builder &b) {
  b.result(b.broadcast(b.recorded(0), b.output().shape));
}
void copy(Builder &b) {
  b.result(b.broadcast(b.recorded(1), b.output().shape));
}

void permute(Builder &b) {
  Value x = b.recorded(0);
  Axes order = b.axes(1, "dims", x.rank());
  b.result(static_cast<int64_t>(order.size()) == x.rank()
               ? b.transpose(x, order)
               : x);
}
static Value swapped(Builder &b, const Value &x, int64_t first,
                     int64_t second) {
  Axes order;
  for (int64_t i = 0; i < x.rank(); ++i)
    order.push_back(i == first ? second : i == second ? first : i);
  return b.transpose(x, order);
}
void transposeTwo(Builder &b) {
  Value x = b.recorded(0);
  b.result(swapped(b, x, b.axis(1, "dim0", 0, x.rank()),
                   b.axis(2, "dim1", 1, x.rank())));
}
void t(Builder &b) {
  Value x = b.recorded(0);
  b.result(x.rank() == 2 ? swapped(b, x, 0, 1) : x);
}

void cat(Builder &b) {
  std::vector<Value> parts;
  for (const Value &part : b.tensors(0))
    if (part.rank() != 1 ||
        part.shape()[0] != 0) // an empty vector may be joined with any shape
      parts.push_back(part);
  if (parts.empty())
    return b.refuse("nothing but empty vectors");
  for (Value &part : parts)
    part = b.promote(part, parts[0]).first;
  for (Value &part : parts) // the last promotion determines the type
    part = b.promote(part, parts.back()).first;
  b.result(b.concatenate(parts, b.axis(1, "dim", 0, parts[0].rank())));
}
void stack(Builder &b) {
  std::vector<Value> parts = b.tensors(0);
  if (parts.empty())
    return;
  int64_t axis = b.axis(1, "dim", 0, parts[0].rank() + 1);
  for (Value &part : parts) {
    Shape shape = part.shape();
    shape.insert(shape.begin() + axis, 1);
    part = b.reshape(b.promote(part, parts[0]).first, shape);
  }
  b.result(b.concatenate(parts, axis));
}

void slice(Builder &b) {
  Value x = b.recorded(0);
  int64_t axis = b.axis(1, "dim", 0, x.rank()), size = x.size(axis);
  auto bound = [&](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  };
  int64_t start = bound(b.integer(2, "start", 0)),
          end = bound(b.integer(3, "end", INT64_MAX));
  b.result(
      b.slice(x, axis, start, std::max(start, end), b.integer(4, "step", 1)));
}
void select(Builder &b) {
  Value x = b.recorded(0);
  int64_t axis = b.axis(1, "dim", 0, x.rank()), at = b.integer(2, "index", 0);
  at += at < 0 ? x.size(axis) : 0;
  b.result(b.slice(x, axis, at, at + 1));
}
// The gradient of a slice: zeros around it, and between its elements.
static void placed(Builder &b, const Value &part, int64_t axis, int64_t start,
                   int64_t step) {
  int64_t size = b.output().shape[static_cast<size_t>(axis)],
          count = part.size(axis),
          behind = size - start - (count > 0 ? (count - 1) * step + 1 : 0);
  Axes none(static_cast<size_t>(part.rank()), 0);
  Axes low = none, high = none, interior = none;
  low[static_cast<size_t>(axis)] = start;
  high[static_cast<size_t>(axis)] = behind;
  interior[static_cast<size_t>(axis)] = step - 1;
  b.result(b.ir().pad(part, b.ir().constant(0.0, {part.type.element, {}}), low,
                      high, interior));
}
void selectBackward(Builder &b) {
  Value x = b.recorded(0);
  auto rank = static_cast<int64_t>(b.output().shape.size());
  int64_t axis = b.axis(2, "dim", 0, rank), at = b.integer(3, "index", 0);
  if (axis >= rank)
    return b.refuse("a dimension is out of range");
  at += at < 0 ? b.output().shape[static_cast<size_t>(axis)] : 0;
  Axes whole(x.shape().begin(), x.shape().end());
  whole.insert(whole.begin() + axis, 1);
  placed(b, b.reshape(x, whole), axis, at, 1);
}
void sliceBackward(Builder &b) {
  Value x = b.recorded(0);
  int64_t axis = b.axis(2, "dim", 0, x.rank());
  auto rank = static_cast<int64_t>(b.output().shape.size());
  if (x.rank() != rank || axis >= rank)
    return b.refuse("a dimension is out of range");
  int64_t size = b.output().shape[static_cast<size_t>(axis)],
          start = b.integer(3, "start", 0);
  start = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
  placed(b, x, axis, start, b.integer(5, "step", 1));
}
// Consecutive parts along one dimension; the recorded results determine their
// lengths.
static void parts(Builder &b, int64_t axis, bool one) {
  Value x = b.recorded(0);
  int64_t start = 0;
  for (size_t i = 0; i < b.outputs(); ++i) {
    if (!one && axis >= static_cast<int64_t>(b.output(i).shape.size()))
      return b.refuse("a dimension is out of range");
    int64_t size = one ? 1 : b.output(i).shape[static_cast<size_t>(axis)];
    b.result(b.slice(x, axis, start, start + size), i);
    start += size;
  }
}
void split(Builder &b) {
  parts(b, b.axis(2, "dim", 0, b.recorded(0).rank()), false);
}
void unbind(Builder &b) {
  parts(b, b.axis(1, "dim", 0, b.recorded(0).rank()), true);
}

void flip(Builder &b) { // no dimensions: unchanged
  Value x = b.recorded(0);
  std::optional<Axes> given = b.integers(1, "dims");
  b.result(given && !given->empty()
               ? Value(b.ir().reverse(x, b.axes(1, "dims", x.rank())))
               : x);
}
void roll(Builder &b) {
  Value x = b.recorded(0);
  Shape shape = x.shape();
  Axes shifts = b.integers(1, "shifts").value_or(Axes()),
       dims = b.integers(2, "dims").value_or(Axes());
  if (dims.empty()) { // of the flat tensor
    x = b.reshape(x, {b.sizeOf(x)});
    dims = {0};
  }
  if (dims.size() != shifts.size())
    return b.refuse("shifts and dimensions of unlike number");
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t axis = dims[i] < 0 ? dims[i] + x.rank() : dims[i];
    if (axis < 0 || axis >= x.rank())
      return b.refuse("a dimension is out of range");
    int64_t size = x.size(axis);
    int64_t cut = size == 0 ? 0 : size - (shifts[i] % size + size) % size;
    Value front = b.slice(x, axis, 0, cut), back = b.slice(x, axis, cut, size);
    x = b.concatenate({back, front}, axis);
  }
  b.result(b.reshape(x, shape));
}
void repeat(Builder &b) {
  Value x = b.recorded(0);
  Axes times = b.integers(1, "repeats").value_or(Axes());
  Shape shape(times.size() - std::min(times.size(), x.shape().size()), 1);
  shape.append(x.shape().begin(), x.shape().end());
  x = b.reshape(x, shape);
  for (size_t axis = 0; axis < times.size(); ++axis) {
    if (times[axis] < 1)
      return b.refuse("repeats of nothing");
    std::vector<Value> copies(static_cast<size_t>(times[axis]), x);
    x = b.concatenate(copies, static_cast<int64_t>(axis));
  }
  b.result(x);
}
void pad(Builder &b) { // pairs from the last dimension on
  Value x = b.tensor(0);
  Axes amounts = b.integers(1, "pad").value_or(Axes()),
       low(x.shape().size(), 0), high(x.shape().size(), 0);
  for (size_t i = 0; i + 1 < amounts.size() && i / 2 < low.size(); i += 2) {
    low[low.size() - 1 - i / 2] = amounts[i];
    high[high.size() - 1 - i / 2] = amounts[i + 1];
  }
  b.result(b.ir().pad(
      x, b.convert(b.scalar(b.number(2, "value", 0)), x.type.element), low,
      high, Axes(low.size(), 0)));
}

static void triangle(Builder &b, llvm::StringRef direction) {
  Value x = b.tensor(0);
  Value row = b.iota(x.shape(), x.rank() - 2),
        column = b.iota(x.shape(), x.rank() - 1);
  Value shifted = b.sub(column, row);
  Value kept =
      b.compare(direction, shifted, b.constant(b.integer(1, "diagonal", 0)));
  b.result(b.select(kept, x, b.zeroLike(x)));
}
void tril(Builder &b) { triangle(b, "LE"); }
void triu(Builder &b) { triangle(b, "GE"); }

// start + i * step in the result's type.
static void range(Builder &b, double start, double step) {
  const TensorType &type = b.output();
  Value i = b.iota(type.shape, 0);
  if (type.element.isFloat())
    return b.result(b.add(b.mul(i, b.scalar(step)), b.scalar(start)));
  Value scaled = b.mul(i, b.constant(static_cast<int64_t>(step)));
  b.result(b.add(scaled, b.constant(static_cast<int64_t>(start))));
}
void arange(Builder &b) { range(b, 0, 1); }
void arangeStart(Builder &b) {
  range(b, b.number(0, "start", 0), b.number(2, "step", 1));
}
// (x, dtype): the same bits as a type of the same width.
void viewType(Builder &b) {
  Value x = b.recorded(0);
  ElementType to = b.output().element;
  auto isPlain = [](ElementType type) {
    return type.isFloat() || type.isInteger();
  };
  if (!isPlain(x.type.element) || !isPlain(to) ||
      to.bits != x.type.element.bits)
    return b.refuse("types of different widths");
  b.result(b.ir().op("bitcast_convert", {x}, {to, x.shape()}));
}
void linspace(Builder &b) {
  if (!b.output().element.isFloat())
    return b.refuse("numbers that are not real");
  double start = b.number(0, "start", 0), end = b.number(1, "end", 1),
         steps = b.number(2, "steps", 1);
  range(b, start, steps > 1 ? (end - start) / (steps - 1) : 0);
}
static void filled(Builder &b, const Value &value) {
  b.result(b.broadcast(b.convert(value, b.output().element), b.output().shape));
}
void zeros(Builder &b) { filled(b, b.constant(0)); }
void ones(Builder &b) { filled(b, b.constant(1)); }
void full(Builder &b) { filled(b, b.tensor(1, "fill_value")); }

void scalarTensor(Builder &b) { filled(b, b.tensor(0, "s")); }
void newFull(Builder &b) { filled(b, b.tensor(2, "fill_value")); }

void indexSelect(Builder &b) {
  Value x = b.recorded(0);
  if (x.rank() == 0)
    return b.result(x);
  b.result(b.taken(x, b.axis(1, "dim", 0, x.rank()), b.tensor(2, "index")));
}
void embedding(Builder &b) {
  b.result(b.taken(b.recorded(0), 0, b.tensor(1, "indices")));
}
// x[index] with one tensor of whole numbers among slices.
void index(Builder &b) {
  Value x = b.recorded(0);
  const llvm::json::Value *list = b.argument(1, "indices");
  const llvm::json::Array *items = list ? list->getAsArray() : nullptr;
  int64_t axis = -1;
  for (size_t i = 0; items && i < items->size(); ++i)
    if (isTensorRecord((*items)[i])) {
      if (axis >= 0)
        return b.refuse("more than one index tensor");
      axis = static_cast<int64_t>(i);
    }
  if (axis < 0)
    return b.refuse("no index tensor");
  if (axis >= x.rank())
    return b.refuse("more indices than dimensions");
  Value picked = b.listed(1, static_cast<size_t>(axis));
  if (picked.isBool())
    return b.refuse("a mask as index");
  b.result(b.taken(x, axis, picked));
}
// out[i][j] = x[i][index[i][j]] along one dimension: each index is compared
// with all positions of the dimension, and the matching element is chosen.
void gather(Builder &b) {
  Value x = b.tensor(0), index = b.tensor(2, "index");
  if (x.rank() == 0 || x.rank() != index.rank())
    return b.refuse("an index of another rank");
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis)
      x = b.slice(x, i, 0, index.size(i));
  // The position is compared along an extra dimension, after the others.
  Shape whole = index.shape();
  whole.push_back(x.size(axis));
  Axes kept, moved;
  for (int64_t i = 0; i < x.rank(); ++i) {
    kept.push_back(i);
    moved.push_back(i == axis ? x.rank() : i);
  }
  Value hit =
      b.compare("EQ", b.placed(index, whole, kept), b.iota(whole, x.rank()));
  // The moved dimension takes the place of the index's dimension.
  Axes order;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis)
      order.push_back(i);
  order.push_back(axis);
  Axes places;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis)
      places.push_back(i);
  places.push_back(x.rank());
  Value spread = b.placed(b.transpose(x, order), whole, places);
  Value zero = b.broadcast(b.zeroLike(x), whole);
  Value chosen = b.select(hit, spread, zero);
  b.result(b.reduce(chosen.isBool() ? "or" : "add", chosen, {x.rank()}));
}
// How many boundaries are before each value; NaN is after all of them.
void bucketize(Builder &b) {
  Value x = b.tensor(0), boundaries = b.tensor(1, "boundaries");
  if (boundaries.rank() != 1)
    return b.refuse("boundaries that are not a vector");
  Shape whole = x.shape();
  whole.push_back(boundaries.shape()[0]);
  Axes kept;
  for (int64_t i = 0; i < x.rank(); ++i)
    kept.push_back(i);
  Value spread = b.placed(x, whole, kept),
        bounds = b.broadcast(boundaries, whole);
  Value before = b.unary(
      "not",
      b.compare(b.boolean(3, "right", false) ? "GT" : "GE", bounds, spread));
  b.result(b.reduce("add", b.convert(before, i64()), {x.rank()}));
}

} // namespace assay::trace::aten
