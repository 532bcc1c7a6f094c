/// PyTorch's arithmetic on program::Builder: operands are promoted and
/// broadcast, reductions keep their dimensions. Used to write operators
/// (Builder.h) and modules (ModulePrograms.h). Private to both.
#pragma once

#include "assay/formulas/Arithmetic.h"

namespace assay::trace::aten {

using numerics::ElementType;
using tensor::Shape;
using tensor::TensorType;
using Axes = std::vector<int64_t>;
using Dims = llvm::ArrayRef<int64_t>;

/// The type in which a correct implementation computes a call's floats: f64
/// where one of its tensors has that type, else f32.
inline ElementType realFor(bool anyF64) {
  return ElementType::floating(anyF64 ? numerics::FloatFormat::F64
                                      : numerics::FloatFormat::F32);
}
inline bool isF64(ElementType type) {
  return type.format == numerics::FloatFormat::F64;
}
inline ElementType i64() { return ElementType::integer(64); }

/// A value of a program under construction, with its type.
struct Value {
  Value() = default;
  Value(mlir::Value handle)
      : handle(handle), type(program::Builder::typeOf(handle)) {}
  operator mlir::Value() const { return handle; }
  mlir::Value handle;
  TensorType type;
  const Shape &shape() const { return type.shape; }
  int64_t rank() const { return static_cast<int64_t>(type.shape.size()); }
  /// A missing dimension counts as 1: a trace may be damaged, and the function
  /// that needs the dimension refuses.
  int64_t size(int64_t axis) const {
    auto at = static_cast<size_t>(axis);
    return at < type.shape.size() ? type.shape[at] : 1;
  }
  bool isFloat() const { return type.element.isFloat(); }
  bool isBool() const { return type.element.isBool(); }
  bool isComplex() const { return type.element.isComplex(); }
};

/// Emits operations in order. An operation that cannot be written calls refuse();
/// later ones are then ignored.
class Emitter {
public:
  /// `real`: the type in which floats are computed.
  explicit Emitter(ElementType real);
  ElementType real() const { return real_; }
  /// From here on rounded() rounds to this type.
  void keepStagesIn(ElementType type) { stage_ = type; }
  /// From here on sums are kept in this type where it is narrower than their
  /// own.
  void keepSumsIn(ElementType type) { sums_ = type; }
  /// From here on the bound allows kernels to keep weightSum() and the sums of
  /// a scatter in this type.
  void allowSumsIn(ElementType type) { allowed_ = type; }
  bool keepsSumsNarrow() const { return sums_ && sums_->bits < real_.bits; }
  /// An intermediate that a kernel may keep in a narrower type.
  Value rounded(const Value &x);
  /// These rules for the formulas of formulas/.
  formulas::Arithmetic &rules() { return *rules_; }
  /// The underlying builder, for operations without PyTorch's rules.
  program::Builder &ir() { return ir_; }

  Value unary(llvm::StringRef op, const Value &x) { return ir_.unary(op, x); }
  Value binary(llvm::StringRef op, const Value &a,
               const Value &b); ///< promoted and broadcast
  Value compare(llvm::StringRef direction, const Value &a, const Value &b);
  Value select(const Value &condition, const Value &yes, const Value &no);
  Value add(const Value &a, const Value &b) { return binary("add", a, b); }
  Value sub(const Value &a, const Value &b) { return binary("subtract", a, b); }
  Value mul(const Value &a, const Value &b) { return binary("multiply", a, b); }
  Value div(const Value &a, const Value &b) { return binary("divide", a, b); }

  /// A number of the formula: rounded to `real`, or kept in more digits.
  Value scalar(double value);
  Value constant(int64_t value) { ///< i64, rank 0
    return ir_.integerConstant(value, {i64(), {}});
  }
  Value zeroLike(const Value &x) { ///< rank 0
    return ir_.constant(0, {x.type.element, {}});
  }
  /// A number of x's kind: whole for integers, else real.
  Value numberLike(double value, const Value &x);
  Value iota(Dims shape, int64_t axis) { ///< i64
    return ir_.iota({i64(), Shape(shape)}, axis);
  }

  Value convert(const Value &x, ElementType type) {
    return ir_.convert(x, type);
  }
  /// Converts to the real type, or to complex with such parts.
  Value wide(const Value &x) {
    return convert(x, x.isComplex() ? complexType() : real_);
  }
  ElementType complexType() const { return ElementType::complex(real_.format); }
  /// Booleans count as 0 and 1.
  Value counted(const Value &x) { return x.isBool() ? convert(x, i64()) : x; }
  /// Converts to real, complex or i64, except booleans.
  Value widened(const Value &x);
  Value broadcast(const Value &x, Dims shape);
  /// x along `dimensions` of a shape.
  Value placed(const Value &x, Dims shape, Dims dimensions) {
    return ir_.broadcast(x, shape, dimensions);
  }
  Value reshape(const Value &x, Dims shape) { return ir_.reshape(x, shape); }
  Value transpose(const Value &x, Dims permutation) {
    return ir_.transpose(x, permutation);
  }
  Value slice(const Value &x, int64_t axis, int64_t start, int64_t end,
              int64_t step = 1);
  Value concatenate(llvm::ArrayRef<Value> parts, int64_t axis);

  /// op: add, multiply, maximum, minimum, and, or. Reduced dimensions remain
  /// with size 1.
  Value reduce(llvm::StringRef op, const Value &x, Dims axes);
  Value sum(const Value &x, Dims axes) { return reduce("add", x, axes); }
  /// The gradient of a norm's weight: PyTorch keeps such sums in the type of
  /// the data.
  Value weightSum(const Value &x, Dims axes);
  Value mean(const Value &x, Dims axes);
  Value dot(const Value &a, const Value &b, Dims batchA, Dims batchB,
            Dims contractA, Dims contractB);
  /// sum + bias, where `sum` has `depth` terms and may begin with the bias.
  Value withBias(const Value &sum, const Value &bias, int64_t depth);
  /// (x - mean) * rsqrt(variance + epsilon) over axes, and both statistics.
  struct Normal {
    Value out, mean, rstd;
  };
  Normal normalized(const Value &x, Dims axes, double epsilon);
  /// x * rsqrt(mean of x^2 + epsilon) over axes.
  Value rmsNormalized(const Value &x, Dims axes, double epsilon) {
    return mul(x, unary("rsqrt", add(mean(mul(x, x), axes), scalar(epsilon))));
  }
  /// One slice of x along `axis` for every index; negative ones count from the
  /// end.
  Value taken(const Value &x, int64_t axis, Value index);
  /// x [rows, width] with `updates` [count, width] written to the rows that
  /// `index` [count] names, or combined with them by `op` (add, multiply,
  /// maximum, minimum).
  Value scattered(const Value &x, const Value &index, const Value &updates,
                  llvm::StringRef op = "");
  /// Repeats elements along every dimension, up to a shape of whole multiples.
  Value enlarged(const Value &x, Dims shape);
  int64_t sizeOf(const Value &x) const;
  /// The number of elements along some dimensions.
  static double countOf(const Value &x, Dims axes);
  /// x * Phi(x): exact, or by tanh.
  Value gelu(const Value &x, bool byTanh);
  /// Converts both to the smallest type that fits both: complex, real, i64, i1.
  std::pair<Value, Value> promote(const Value &a, const Value &b);

  void refuse(std::string why) {
    if (refusal_.empty())
      refusal_ = std::move(why);
  }
  const std::string &refusal() const { return refusal_; }
  bool refused() const { return !refusal_.empty(); }

private:
  ElementType real_;
  std::optional<ElementType> stage_, sums_, allowed_;
  program::Builder ir_;
  std::unique_ptr<formulas::Arithmetic> rules_;
  std::string refusal_;
};

} // namespace assay::trace::aten
