#include "assay/engine/native/VectorFunctions.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace assay::engine {

using llvm::Value;

Value *VectorFunctions::timesPowerOfTwo(Value *value, Value *shifted) {
  Value *power = b_.CreateSub(b_.CreateBitCast(shifted, words_),
                              b_.CreateBitCast(number(kMagic), words_)),
        *half = b_.CreateAShr(power, 1);
  auto powerOfTwo = [&](Value *exponent) {
    return b_.CreateBitCast(
        b_.CreateShl(b_.CreateAdd(exponent, whole(127)), 23), real_);
  };
  return b_.CreateFMul(b_.CreateFMul(value, powerOfTwo(half)),
                       powerOfTwo(b_.CreateSub(power, half)));
}

Value *VectorFunctions::scaled(Value *value, Value *k, Value *some) {
  Value *currentRounding = b_.getInt32(4);
  return b_.CreateIntrinsic(
      real_, llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
      {value, k, number(0), b_.CreateBitCast(some, b_.getIntNTy(lanes_)),
       currentRounding});
}

Value *VectorFunctions::exponential(Value *x, Value *rest) {
  Value *some = b_.CreateFCmpUGE(x, number(-104)),
        *inside = b_.CreateSelect(some, atMost(x, 90), number(0)),
        *shifted = fused(inside, number(0x1.715476p+0), number(kMagic)),
        *k = b_.CreateFSub(shifted, number(kMagic)),
        *r = fused(k, number(-0x1.62ep-1), inside);
  r = fused(k, number(-0x1.0bfap-15), r);
  r = fused(k, number(-0x1.e8e7bcp-31), r);
  if (rest)
    r = b_.CreateFSub(r, rest);
  Value *terms = polynomial({0x1p-1, 0x1.555556p-3, 0x1.5554eap-5,
                             0x1.1110e0p-7, 0x1.6d4316p-10, 0x1.a124e4p-13},
                            r),
        *value = b_.CreateFAdd(fused(b_.CreateFMul(r, r), terms, r), number(1));
  return hasScale_ ? scaled(value, k, some)
                   : b_.CreateSelect(some, timesPowerOfTwo(value, shifted),
                                     number(0));
}

Value *VectorFunctions::tanh(Value *x) {
  Value *size = absolute(x), *square = b_.CreateFMul(x, x),
        *terms = polynomial({-0x1.555556p-2, 0x1.1110eap-3, -0x1.ba08c4p-5,
                             0x1.64a976p-6, -0x1.116a16p-7, 0x1.2c83c0p-9},
                            square),
        *small = fused(b_.CreateFMul(size, square), terms, size),
        *power = exponential(b_.CreateFMul(number(2), size)),
        *large = b_.CreateFSub(
            number(1), b_.CreateFDiv(number(2), b_.CreateFAdd(power, number(1)))),
        *result = b_.CreateSelect(b_.CreateFCmpOLT(size, number(0.625)), small,
                                  large);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

Value *VectorFunctions::logistic(Value *x) {
  Value *power = exponential(b_.CreateFNeg(absolute(x))),
        *part = b_.CreateFDiv(number(1), b_.CreateFAdd(number(1), power));
  return b_.CreateSelect(b_.CreateFCmpOLT(x, number(0)),
                         b_.CreateFMul(power, part), part);
}

Value *VectorFunctions::tail(Value *size) {
  size = atMost(size, 10.5);
  Value *t = b_.CreateFDiv(number(2), b_.CreateFAdd(number(2), size)),
        *high = b_.CreateBitCast(
            b_.CreateAnd(b_.CreateBitCast(size, words_), whole(-0x1000)), real_),
        *rest = b_.CreateFMul(b_.CreateFSub(size, high),
                              b_.CreateFAdd(size, high)),
        *u = fused(t, number(0x1.30c30cp+1), number(-0x1.618618p+0)),
        *terms = polynomial(
            {0x1.23898ap-1, 0x1.4f0a58p-2, 0x1.a805a0p-4, 0x1.9d6dfcp-8,
             -0x1.9eaac6p-8, -0x1.61d8aep-11, 0x1.47b5e6p-11, 0x1.4a99a8p-17,
             -0x1.29be3cp-14, 0x1.b635e2p-18, 0x1.7fd104p-18},
            u),
        *power = exponential(b_.CreateFMul(b_.CreateFNeg(high), high), rest);
  return b_.CreateFMul(b_.CreateFMul(t, terms), power);
}

Value *VectorFunctions::erfc(Value *x) {
  Value *part = tail(absolute(x));
  return b_.CreateSelect(b_.CreateFCmpOLT(x, number(0)),
                         b_.CreateFSub(number(2), part), part);
}

Value *VectorFunctions::erf(Value *x) {
  Value *size = absolute(x), *square = b_.CreateFMul(x, x),
        *terms = polynomial({0x1.ee51ecp-1, -0x1.1fd164p-3, 0x1.454368p-6,
                             -0x1.2b8df4p-9, 0x1.c828b2p-13, -0x1.287012p-16,
                             0x1.4a5690p-20},
                            fused(square, number(2), number(-1))),
        *small = b_.CreateFMul(size, terms),
        *large = b_.CreateFSub(number(1), tail(size));
  return b_.CreateBinaryIntrinsic(
      llvm::Intrinsic::copysign,
      b_.CreateSelect(b_.CreateFCmpOLT(size, number(1)), small, large), x);
}

} // namespace assay::engine
