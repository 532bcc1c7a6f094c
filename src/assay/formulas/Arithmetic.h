/// The operations that a formula is written with, so that one formula serves
/// programs of different rules: here operands have one shape and type; PyTorch's
/// are promoted and broadcast (trace/aten/Emitter.h), and a driver states how
/// accurate its functions have to be (verify/drivers/Softmax.cpp).
#pragma once

#include "assay/program/Builder.h"

namespace assay::formulas {

using mlir::Value;

class Arithmetic {
public:
  explicit Arithmetic(program::Builder &builder) : builder_(builder) {}
  virtual ~Arithmetic() = default;

  virtual Value unary(llvm::StringRef name, Value x) {
    return builder_.unary(name, x);
  }
  virtual Value binary(llvm::StringRef name, Value a, Value b) {
    return builder_.binary(name, a, b);
  }
  virtual Value compare(llvm::StringRef direction, Value a, Value b) {
    return builder_.compare(direction, a, b);
  }
  virtual Value select(Value condition, Value yes, Value no) {
    return builder_.select(condition, yes, no);
  }
  /// A number of the formula, as an operand beside x.
  virtual Value number(double value, Value x) {
    return builder_.constant(value, program::Builder::typeOf(x));
  }
  /// x folded along `axis`: one value per line.
  virtual Value reduce(llvm::StringRef name, Value x, int64_t axis) {
    return builder_.reduce(name, x, {axis});
  }
  /// One value per line of x along `axis`, as an operand beside x.
  virtual Value along(Value perLine, Value x, int64_t axis);

  Value add(Value a, Value b) { return binary("add", a, b); }
  Value sub(Value a, Value b) { return binary("subtract", a, b); }
  Value mul(Value a, Value b) { return binary("multiply", a, b); }
  Value div(Value a, Value b) { return binary("divide", a, b); }

  program::Builder &builder() { return builder_; }

private:
  program::Builder &builder_;
};

} // namespace assay::formulas
