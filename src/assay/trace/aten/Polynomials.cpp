// Orthogonal polynomials. Each element has its own degree n, so the recurrence
// runs up to the largest one, and an element that has reached its degree keeps
// its value:
//
//   q[0] = 1,  q[1] by the family,  q[k+1] = next(k, q[k], q[k-1]),  result q[n]
//
// A degree below 0 yields 0. Hermite polynomials overflow; PyTorch returns NaN
// beyond degree 128 in f32 and 512 in f64.
// Source: Abramowitz and Stegun, 22.7.
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

namespace {
using Next = Value (*)(Builder &b, const Value &x, const Value &k,
                       const Value &q, const Value &before);
} // namespace

static Value twice(Builder &b, const Value &x) { return b.add(x, x); }

/// The types of the values that a loop carries.
static llvm::SmallVector<TensorType>
typesOf(llvm::ArrayRef<mlir::Value> values) {
  llvm::SmallVector<TensorType> types;
  for (mlir::Value value : values)
    types.push_back(program::Builder::typeOf(value));
  return types;
}

/// q[n]; x and n have one shape, n is whole.
static Value recurrence(Builder &b, const Value &x, const Value &n,
                        const Value &first, Next next) {
  program::Builder &ir = b.ir();
  Value one = b.broadcast(b.scalar(1), x.shape());
  program::Dims every;
  for (int64_t axis = 0; axis < n.rank(); ++axis)
    every.push_back(axis);
  Value most = ir.reduce("maximum", n, every);
  llvm::SmallVector<mlir::Value> start{b.constant(1), one, first};
  auto types = typesOf(start);
  program::Region more{
      {types.begin(), types.end()}, [&](llvm::ArrayRef<mlir::Value> a) {
        return llvm::SmallVector<mlir::Value>{ir.compare("LT", a[0], most)};
      }};
  program::Region step{
      {types.begin(), types.end()}, [&](llvm::ArrayRef<mlir::Value> a) {
        Value k = a[0], before = a[1], q = a[2];
        Value active = b.compare("LT", k, n);
        Value made = next(b, x, b.wide(k), q, before);
        return llvm::SmallVector<mlir::Value>{b.add(k, b.constant(1)),
                                              b.select(active, q, before),
                                              b.select(active, made, q)};
      }};
  Value last = ir.opWithResults("while", start, types, {}, {more, step})[2];
  Value zero = b.constant(0), none = b.scalar(0);
  return b.select(b.compare("LT", n, zero), none,
                  b.select(b.compare("EQ", n, zero), one, last));
}

namespace {
struct Operands {
  Value x, n; ///< of the result's shape; n whole
};
} // namespace
static Operands operands(Builder &b) {
  const tensor::Shape &shape = b.output().shape;
  return {b.broadcast(b.wide(b.tensor(0)), shape),
          b.convert(b.broadcast(b.tensor(1), shape), i64())};
}

namespace {
/// The four kinds of Chebyshev polynomials: q[1] is factor x + offset, and with
/// t = acos x q[n] is cos(n t), sin((n+1) t) / sin t, cos((n+1/2) t) /
/// cos(t/2), sin((n+1/2) t) / sin(t/2).
struct Kind {
  double factor, offset;    ///< of q[1]
  llvm::StringRef function; ///< sine or cosine
  double added;             ///< to n
  double divisor;           ///< times t, in the divisor; 0: none
};
constexpr Kind kT{1, 0, "cosine", 0, 0}, kU{2, 0, "sine", 1, 1},
    kV{2, -1, "cosine", 0.5, 0.5}, kW{2, 1, "sine", 0.5, 0.5};
} // namespace

/// 2 x q - before
static Value doubled(Builder &b, const Value &x, const Value &, const Value &q,
                     const Value &before) {
  return b.sub(b.mul(twice(b, x), q), before);
}
/// Within (-1, 1) PyTorch uses the form with the angle beyond degree `most`;
/// its error there is that of the product n t.
static void chebyshev(Builder &b, const Kind &kind, bool isShifted,
                      int64_t most) {
  auto [x, n] = operands(b);
  if (isShifted)
    x = b.sub(twice(b, x), b.scalar(1));
  Value first = kind.factor == 2 ? twice(b, x) : x;
  if (kind.offset != 0)
    first = b.add(first, b.scalar(kind.offset));
  Value angle = b.unary("chlo.acos", x);
  Value times = b.add(b.wide(n), b.scalar(kind.added));
  Value turned = b.unary(kind.function, b.mul(times, angle));
  if (kind.divisor != 0)
    turned = b.div(
        turned, b.unary(kind.function, b.mul(angle, b.scalar(kind.divisor))));
  Value isTurned =
      b.binary("and", b.compare("LT", b.unary("abs", x), b.scalar(1)),
               b.compare("GT", n, b.constant(most)));
  Value few = b.select(isTurned, b.constant(1), n);
  b.result(b.select(isTurned, turned, recurrence(b, x, few, first, doubled)));
}
void chebyshevT(Builder &b) { chebyshev(b, kT, false, 6); }
void chebyshevU(Builder &b) { chebyshev(b, kU, false, 8); }
void chebyshevV(Builder &b) { chebyshev(b, kV, false, 8); }
void chebyshevW(Builder &b) { chebyshev(b, kW, false, 8); }
void shiftedChebyshevT(Builder &b) { chebyshev(b, kT, true, 6); }
void shiftedChebyshevU(Builder &b) { chebyshev(b, kU, true, 6); }
void shiftedChebyshevV(Builder &b) { chebyshev(b, kV, true, 6); }
void shiftedChebyshevW(Builder &b) { chebyshev(b, kW, true, 6); }

static void hermite(Builder &b, const Value &x, const Value &n,
                    const Value &first, Next next) {
  Value limit = b.constant(isF64(b.real()) ? 512 : 128);
  Value made = recurrence(b, x, b.binary("minimum", n, limit), first, next);
  b.result(b.select(b.compare("GT", n, limit), b.scalar(NAN), made));
}
// The physicists': 2 x q - 2 k before.
void hermiteH(Builder &b) {
  auto [x, n] = operands(b);
  hermite(b, x, n, twice(b, x),
          [](Builder &b, const Value &x, const Value &k, const Value &q,
             const Value &before) {
            return b.sub(b.mul(twice(b, x), q), b.mul(twice(b, k), before));
          });
}
// The probabilists': x q - k before.
void hermiteHe(Builder &b) {
  auto [x, n] = operands(b);
  hermite(
      b, x, n, x,
      [](Builder &b, const Value &x, const Value &k, const Value &q,
         const Value &before) { return b.sub(b.mul(x, q), b.mul(k, before)); });
}

/// (factor q - k before) / (k + 1)
static Value averaged(Builder &b, const Value &factor, const Value &k,
                      const Value &q, const Value &before) {
  return b.div(b.sub(b.mul(factor, q), b.mul(k, before)),
               b.add(k, b.scalar(1)));
}
static Value odd(Builder &b, const Value &k) {
  return b.add(twice(b, k), b.scalar(1));
}
void laguerreL(Builder &b) { // at 0 it is 1
  auto [x, n] = operands(b);
  b.result(recurrence(b, x, n, b.sub(b.scalar(1), x),
                      [](Builder &b, const Value &x, const Value &k,
                         const Value &q, const Value &before) {
                        return averaged(b, b.sub(odd(b, k), x), k, q, before);
                      }));
}
void legendreP(Builder &b) {
  auto [x, n] = operands(b);
  b.result(recurrence(b, x, n, x,
                      [](Builder &b, const Value &x, const Value &k,
                         const Value &q, const Value &before) {
                        return averaged(b, b.mul(odd(b, k), x), k, q, before);
                      }));
}

} // namespace assay::trace::aten
