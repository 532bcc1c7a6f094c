/// Functions on vectors of f32 in LLVM IR: the same sequences of operations as
/// VectorMath.cpp's loops, so that both give the same bits.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace assay::engine {

class VectorFunctions {
public:
  using Value = llvm::Value;

  /// `fma`: whether sums of products are contracted; `hasScale`: whether there
  /// is AVX-512's scalef.
  VectorFunctions(llvm::IRBuilder<> &builder, unsigned lanes, bool fma,
                  bool hasScale)
      : b_(builder), lanes_(lanes), fma_(fma), hasScale_(hasScale),
        real_(llvm::FixedVectorType::get(b_.getFloatTy(), lanes)),
        words_(llvm::FixedVectorType::get(b_.getInt32Ty(), lanes)) {}

  llvm::FixedVectorType *real() const { return real_; }
  /// A number in all lanes.
  Value *number(double value) {
    return llvm::ConstantFP::get(real_, value);
  }
  Value *absolute(Value *x) {
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  }
  /// e^(x - rest); `rest` null: 0. NaN stays NaN throughout. Values that are
  /// rounded to 0 (masked scores of an attention) underflow in no operation,
  /// because that is slow on processors.
  Value *exponential(Value *x, Value *rest = nullptr);
  Value *tanh(Value *x);
  Value *logistic(Value *x);
  Value *erf(Value *x);
  Value *erfc(Value *x);

private:
  Value *whole(int32_t value) {
    return llvm::ConstantInt::get(words_, static_cast<uint64_t>(value), true);
  }
  /// a * b + c, contracted if VectorMath.cpp's loops are.
  Value *fused(Value *a, Value *b, Value *c) {
    if (fma_)
      return b_.CreateIntrinsic(real_, llvm::Intrinsic::fma, {a, b, c});
    return b_.CreateFAdd(b_.CreateFMul(a, b), c);
  }
  Value *polynomial(llvm::ArrayRef<double> c, Value *x) {
    Value *sum = number(c.back());
    for (size_t i = c.size() - 1; i-- > 0;)
      sum = fused(sum, x, number(c[i]));
    return sum;
  }
  /// The lesser of x and a number; NaN stays.
  Value *atMost(Value *x, double most) {
    return b_.CreateSelect(b_.CreateFCmpOLT(number(most), x), number(most), x);
  }
  /// Adding it moves the nearest whole number to the low bits.
  static constexpr double kMagic = 0x1.8p23;
  /// value * 2^k, rounded once; `k` is the whole number in the low bits of
  /// `shifted`.
  Value *timesPowerOfTwo(Value *value, Value *shifted);
  /// The same, and 0 in the lanes outside of `some`.
  Value *scaled(Value *value, Value *k, Value *some);
  /// erfc of a non-negative number.
  Value *tail(Value *size);

  llvm::IRBuilder<> &b_;
  unsigned lanes_;
  bool fma_, hasScale_;
  llvm::FixedVectorType *real_, *words_;
};

} // namespace assay::engine
