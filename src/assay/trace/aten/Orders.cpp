// aten operators that order elements: sort, topk, kthvalue, running extremes.
#include "assay/trace/aten/Builder.h"

#include <algorithm>

namespace assay::trace::aten {

namespace {
struct Ordered {
  Value values, places;
};
} // namespace

/// x sorted along an axis, with equal elements in their original order; a NaN
/// is larger than everything.
static Ordered ordered(Builder &b, Value x, int64_t axis, bool descending) {
  x = b.counted(x);
  Value places = b.iota(x.shape(), axis);
  TensorType element{x.type.element, {}}, place{i64(), {}};
  bool isFloat = x.isFloat();
  program::Region before{
      {element, element, place, place},
      [&b, descending, isFloat](llvm::ArrayRef<mlir::Value> a) {
        mlir::Value first = descending ? a[1] : a[0],
                    second = descending ? a[0] : a[1];
        mlir::Value less = b.ir().compare("LT", first, second);
        if (!isFloat)
          return llvm::SmallVector<mlir::Value>{less};
        mlir::Value known = b.ir().compare("EQ", first, first),
                    isNan = b.ir().compare("NE", second, second);
        return llvm::SmallVector<mlir::Value>{
            b.ir().binary("or", less, b.ir().binary("and", known, isNan))};
      }};
  mlir::OpBuilder &ir = b.ir().builder();
  auto both = b.ir().opWithResults(
      "sort", {x, places}, {x.type, places.type},
      {b.ir().named("dimension", ir.getI64IntegerAttr(axis)),
       b.ir().named("is_stable", ir.getBoolAttr(true))},
      {before});
  return {both[0], both[1]};
}

static void sorted(Builder &b, int64_t axis, bool descending) {
  Value x = b.tensor(0);
  if (x.rank() == 0) {
    b.result(x, 0);
    return b.result(b.constant(0), 1);
  }
  Ordered all = ordered(b, x, axis, descending);
  b.result(all.values, 0);
  b.result(all.places, 1);
}
void sort(Builder &b) { // (x, dim, descending)
  sorted(b, b.axis(1, "dim", -1, b.tensor(0).rank()),
         b.boolean(2, "descending", false));
}
void sortStable(Builder &b) { // (x, *, stable, dim, descending)
  sorted(b, b.axis(SIZE_MAX, "dim", -1, b.tensor(0).rank()),
         b.boolean(SIZE_MAX, "descending", false));
}

// (x, k, dim, largest, sorted)
void topk(Builder &b) {
  Value x = b.tensor(0);
  int64_t k = b.integer(1, "k", 1);
  if (x.rank() == 0)
    return b.refuse("a scalar");
  int64_t axis = b.axis(2, "dim", -1, x.rank());
  bool largest = b.boolean(3, "largest", true);
  if (axis != x.rank() - 1 || !largest) {
    Ordered all = ordered(b, x, axis, largest);
    b.result(b.slice(all.values, axis, 0, k), 0);
    return b.result(b.slice(all.places, axis, 0, k), 1);
  }
  Shape shape = x.shape();
  shape.back() = k;
  auto both = b.ir().opWithResults(
      "chlo.top_k", {x},
      {{x.type.element, shape}, {ElementType::integer(32), shape}},
      {b.ir().named("k", b.ir().builder().getI64IntegerAttr(k))});
  b.result(Value(both[0]), 0);
  b.result(Value(both[1]), 1);
}

// (x, k, dim, keepdim): the k-th smallest, counted from 1.
void kthvalue(Builder &b) {
  Value x = b.tensor(0);
  int64_t k = b.integer(1, "k", 1);
  if (x.rank() == 0)
    return b.refuse("a scalar");
  int64_t axis = b.axis(2, "dim", -1, x.rank());
  Ordered all = ordered(b, x, axis, false);
  b.result(b.slice(all.values, axis, k - 1, k), 0);
  b.result(b.slice(all.places, axis, k - 1, k), 1);
}

/// op over all elements along an axis up to each element.
static Value running(Builder &b, llvm::StringRef op, const Value &x,
                     int64_t axis) {
  auto rank = static_cast<size_t>(x.rank());
  program::Window window{{}, {}, {}, {}, {}};
  window.size.assign(rank, 1);
  window.padding.assign(rank, {0, 0});
  auto at = static_cast<size_t>(axis);
  int64_t size = std::max<int64_t>(x.size(axis), 1);
  window.size[at] = size;
  window.padding[at] = {size - 1, 0};
  return b.ir().reduceWindow(op, x, window);
}

// (x, dim): the largest so far and the last place that has it (NaN counts as
// the extreme).
static void runningExtreme(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0);
  if (x.rank() == 0) {
    b.result(x, 0);
    return b.result(b.constant(0), 1);
  }
  x = b.counted(x);
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  Value extreme = running(b, op, x, axis);
  b.result(extreme, 0);
  Value hit = b.compare("EQ", x, extreme);
  if (x.isFloat())
    hit = b.binary("or", hit, b.compare("NE", x, x));
  Value places = b.select(hit, b.iota(x.shape(), axis),
                          b.broadcast(b.constant(-1), x.shape()));
  b.result(running(b, "maximum", places, axis), 1);
}
void cummax(Builder &b) { runningExtreme(b, "maximum"); }
void cummin(Builder &b) { runningExtreme(b, "minimum"); }

void cumprod(Builder &b) { // (x, dim, dtype)
  Value x = b.tensor(0);
  if (x.rank() == 0)
    return b.result(x);
  bool isReal = b.output().element.isFloat() || b.output().element.isComplex();
  x = isReal ? b.wide(x) : b.counted(x);
  b.result(running(b, "multiply", x, b.axis(1, "dim", 0, x.rank())));
}

} // namespace assay::trace::aten
