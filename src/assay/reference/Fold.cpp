// Wide folds: a rule defines the accumulator and how a value is added to it;
// the four loops are written once. Rows are folded in eight interleaved
// strands, so that the loop vectorises and the result does not depend on the
// processor.
#include "assay/reference/Fold.h"
#include "assay/numerics/Values.h"
#include "mlir/IR/Operation.h"

#include <algorithm>
#include <cmath>

namespace assay::reference {

using numerics::ElementType;
using numerics::FloatFormat;
using numerics::Quad;

namespace {

struct Add {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct Multiply {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
// NaN wins, and -0 is less than +0.
struct Maximum {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return a < b ? b : a;
    else
      return a != a   ? a
             : b != b ? b
             : a == b ? (std::signbit(static_cast<double>(a)) ? b : a)
             : a < b  ? b
                      : a;
  }
};
struct Minimum {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return b < a ? b : a;
    else
      return a != a   ? a
             : b != b ? b
             : a == b ? (std::signbit(static_cast<double>(b)) ? b : a)
             : b < a  ? b
                      : a;
  }
};
struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return a ^ b; }
};

template <typename T, typename Op> struct PlainRule {
  using Value = T;
  using Accumulator = T;
  static Accumulator start(T value) { return value; }
  static Accumulator fold(Accumulator a, T value) {
    return Op::apply(a, value);
  }
  static Accumulator join(Accumulator a, Accumulator b) {
    return Op::apply(a, b);
  }
  static T finish(Accumulator a) { return a; }
};

// Double-double: TwoSum (Knuth), the error terms summed separately.
struct DoubleDoubleSum {
  using Value = double;
  struct Accumulator {
    double high, low;
  };
  static Accumulator start(double value) { return {value, 0.0}; }
  static Accumulator fold(Accumulator a, double value) {
    double sum = a.high + value, part = sum - a.high;
    return {sum, a.low + ((a.high - (sum - part)) + (value - part))};
  }
  static Accumulator join(Accumulator a, Accumulator b) {
    Accumulator sum = fold(a, b.high);
    sum.low += b.low;
    return sum;
  }
  static double finish(Accumulator a) {
    double total = a.high + a.low;
    return std::isnan(total) ? a.high
                             : total; // with infinities the error terms are NaN
  }
};

} // namespace

template <typename Rule>
static void startAll(void *accumulators, const void *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<typename Rule::Accumulator *>(accumulators)[i] =
        Rule::start(static_cast<const typename Rule::Value *>(values)[i]);
}

template <typename Rule>
static void foldLanes(void *accumulators, const void *values, int64_t count) {
  auto *a = static_cast<typename Rule::Accumulator *>(accumulators);
  auto *v = static_cast<const typename Rule::Value *>(values);
  for (int64_t i = 0; i < count; ++i)
    a[i] = Rule::fold(a[i], v[i]);
}

template <typename Rule>
static void foldRow(void *accumulator, const void *values, int64_t count) {
  using Accumulator = typename Rule::Accumulator;
  auto *v = static_cast<const typename Rule::Value *>(values);
  auto total = *static_cast<Accumulator *>(accumulator);
  int64_t i = 0;
  if (count >= 32) {
    Accumulator strands[8];
    for (int s = 0; s < 8; ++s)
      strands[s] = Rule::start(v[s]);
    for (i = 8; i + 8 <= count; i += 8)
      for (int s = 0; s < 8; ++s)
        strands[s] = Rule::fold(strands[s], v[i + s]);
    for (const Accumulator &strand : strands)
      total = Rule::join(total, strand);
  }
  for (; i < count; ++i)
    total = Rule::fold(total, v[i]);
  *static_cast<Accumulator *>(accumulator) = total;
}

template <typename Rule>
static void finishAll(const void *accumulators, void *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<typename Rule::Value *>(values)[i] = Rule::finish(
        static_cast<const typename Rule::Accumulator *>(accumulators)[i]);
}

template <typename Rule> Fold Fold::of(ElementType compute) {
  Fold fold;
  fold.compute_ = compute;
  fold.accumulatorBytes_ = sizeof(typename Rule::Accumulator);
  fold.start_ = startAll<Rule>;
  fold.lanes_ = foldLanes<Rule>;
  fold.row_ = foldRow<Rule>;
  fold.finish_ = finishAll<Rule>;
  return fold;
}

std::optional<Fold> Fold::make(mlir::Operation *operation, ElementType type) {
  if (type.quantization) // every step dequantises and quantises again
    return std::nullopt;
  llvm::StringRef name = operation->getName().getStringRef();
  name.consume_front("stablehlo.");
  ElementType f64 = ElementType::floating(FloatFormat::F64),
              f128 = ElementType::floating(FloatFormat::F128);
  bool quad = type.format == FloatFormat::F128;
  if (type.isFloat()) {
    if (name == "add")
      return quad ? of<PlainRule<Quad, Add>>(f128)
             : type.format == FloatFormat::F64
                 ? of<DoubleDoubleSum>(f64)
                 : of<PlainRule<double, Add>>(f64);
    if (name == "multiply")
      return quad ? of<PlainRule<Quad, Multiply>>(f128)
                  : of<PlainRule<double, Multiply>>(f64);
    if (name == "maximum")
      return quad ? of<PlainRule<Quad, Maximum>>(f128)
                  : of<PlainRule<double, Maximum>>(f64);
    if (name == "minimum")
      return quad ? of<PlainRule<Quad, Minimum>>(f128)
                  : of<PlainRule<double, Minimum>>(f64);
    return std::nullopt;
  }
  if (type.isComplex())
    return std::nullopt;
  ElementType u64 = ElementType::unsignedInteger(64),
              i64 = ElementType::integer(64);
  if (type.isBool()) // for i1, add is `or` and multiply is `and`
    name = name == "add" || name == "maximum"        ? "or"
           : name == "multiply" || name == "minimum" ? "and"
                                                     : name;
  if (name == "add")
    return of<PlainRule<uint64_t, Add>>(u64);
  if (name == "multiply")
    return of<PlainRule<uint64_t, Multiply>>(u64);
  if (name == "and")
    return of<PlainRule<uint64_t, And>>(u64);
  if (name == "or")
    return of<PlainRule<uint64_t, Or>>(u64);
  if (name == "xor")
    return of<PlainRule<uint64_t, Xor>>(u64);
  if (name == "maximum")
    return type.isSigned() ? of<PlainRule<int64_t, Maximum>>(i64)
                           : of<PlainRule<uint64_t, Maximum>>(u64);
  if (name == "minimum")
    return type.isSigned() ? of<PlainRule<int64_t, Minimum>>(i64)
                           : of<PlainRule<uint64_t, Minimum>>(u64);
  return std::nullopt;
}

} // namespace assay::reference
