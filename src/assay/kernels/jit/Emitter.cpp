// What both forms of micro-kernel need in LLVM IR: the function with its
// argument record, loads, and one multiply-add step for each kind of math. The
// processor's dot-product instructions are used through LLVM's intrinsics;
// everything else is plain vector arithmetic that any target can lower.
#include "assay/kernels/jit/Emitter.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace assay::kernels {

using llvm::Value;

static llvm::Type *accumulatorOf(llvm::LLVMContext &context, MicroMath math) {
  DataType type = assay::kernels::accumulatorOf(math);
  return type == DataType::F64 ? llvm::Type::getDoubleTy(context)
         : type == DataType::F32
             ? llvm::Type::getFloatTy(context)
             : static_cast<llvm::Type *>(llvm::Type::getInt32Ty(context));
}

Emitter::Emitter(llvm::Module &module, const MicroKey &key, const Isa &isa)
    : key_(key), isa_(isa), module_(module), builder_(module.getContext()) {
  llvm::LLVMContext &context = module.getContext();
  accumulator_ = accumulatorOf(context, key.math);
  integer_ = accumulator_->isIntegerTy();
  lanes_ = isa.lanes(assay::kernels::accumulatorOf(key.math));
  vector_ =
      llvm::FixedVectorType::get(accumulator_, static_cast<unsigned>(lanes_));
  auto *type = llvm::FunctionType::get(builder_.getVoidTy(),
                                       {builder_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                     key.text(), module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("target-cpu", isa.cpu);
  function_->addFnAttr("target-features", isa.features);
  function_->addFnAttr("min-legal-vector-width",
                       std::to_string(isa.vectorBytes * 8));
  function_->addFnAttr("prefer-vector-width",
                       std::to_string(isa.vectorBytes * 8));
  builder_.SetInsertPoint(
      llvm::BasicBlock::Create(context, "entry", function_));
}

Value *Emitter::field(size_t offset, llvm::Type *type, const char *name) {
  Value *value =
      load(type, at(function_->getArg(0), static_cast<int64_t>(offset)), 8);
  value->setName(name);
  return value;
}

Value *Emitter::at(Value *pointer, Value *bytes) {
  return builder_.CreateGEP(builder_.getInt8Ty(), pointer, bytes);
}

Value *Emitter::load(llvm::Type *type, Value *pointer, unsigned alignment) {
  return builder_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
}

Value *Emitter::lanesBelow(Value *left, unsigned count) {
  llvm::SmallVector<llvm::Constant *, 64> lanes;
  for (unsigned lane = 0; lane < count; ++lane)
    lanes.push_back(builder_.getInt32(lane));
  Value *valid = builder_.CreateVectorSplat(
      count, builder_.CreateTrunc(left, builder_.getInt32Ty()));
  return builder_.CreateICmpSLT(llvm::ConstantVector::get(lanes), valid);
}

Value *Emitter::loadVector(DataType type, unsigned count, Value *pointer,
                           Value *left) {
  llvm::Type *element = type == DataType::F32   ? builder_.getFloatTy()
                        : type == DataType::F64 ? builder_.getDoubleTy()
                        : type == DataType::F16 ? builder_.getHalfTy()
                        : sizeOf(type) == 2
                            ? static_cast<llvm::Type *>(builder_.getInt16Ty())
                            : builder_.getInt8Ty();
  auto *memory = llvm::FixedVectorType::get(element, count);
  unsigned alignment = static_cast<unsigned>(sizeOf(type));
  if (!left)
    return load(memory, pointer, alignment);
  return builder_.CreateMaskedLoad(memory, pointer, llvm::Align(alignment),
                                   lanesBelow(left, count),
                                   llvm::Constant::getNullValue(memory));
}

Value *Emitter::widenReal(DataType type, Value *raw) {
  if (type == DataType::BF16) {
    auto *words = llvm::FixedVectorType::get(builder_.getInt32Ty(),
                                             static_cast<unsigned>(lanes_));
    return builder_.CreateBitCast(
        builder_.CreateShl(builder_.CreateZExt(raw, words), 16), vector_);
  }
  if (type == DataType::S8)
    return builder_.CreateSIToFP(raw, vector_);
  if (type == DataType::U8)
    return builder_.CreateUIToFP(raw, vector_);
  return type == DataType::F16 ? builder_.CreateFPExt(raw, vector_) : raw;
}

Value *Emitter::narrowReal(DataType type, Value *sums) {
  auto vectorOf = [&](llvm::Type *element) {
    return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes_));
  };
  auto words = [&](uint32_t value) { return splat(builder_.getInt32(value)); };
  auto *ints = vectorOf(builder_.getInt32Ty()),
       *shorts = vectorOf(builder_.getInt16Ty());
  if (type == DataType::S32)
    return builder_.CreateFPToSI(sums, ints);
  if (type != DataType::BF16 && type != DataType::F16)
    return sums;
  Value *bits = builder_.CreateBitCast(sums, ints),
        *high = builder_.CreateLShr(bits, 16),
        *sign = builder_.CreateAnd(high, words(0x8000)), *rounded;
  if (type == DataType::BF16) {
    Value *odd = builder_.CreateAnd(high, words(1)),
          *up = builder_.CreateAdd(bits, builder_.CreateAdd(odd, words(0x7fff)));
    rounded = builder_.CreateTrunc(builder_.CreateLShr(up, 16), shorts);
  } else {
    rounded = builder_.CreateBitCast(
        builder_.CreateFPTrunc(sums, vectorOf(builder_.getHalfTy())), shorts);
  }
  uint32_t quiet = type == DataType::BF16 ? 0x7fc0 : 0x7e00;
  Value *nan = builder_.CreateTrunc(builder_.CreateOr(sign, words(quiet)), shorts);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(sums, sums), nan, rounded);
}

Value *Emitter::opaque(Value *pointer) {
  auto *type =
      llvm::FunctionType::get(pointer->getType(), {pointer->getType()}, false);
  return builder_.CreateCall(
      type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false),
      {pointer});
}

void Emitter::prefetch(Value *pointer, int level) {
  builder_.CreateIntrinsic(builder_.getVoidTy(), llvm::Intrinsic::prefetch,
                           {pointer, builder_.getInt32(0),
                            builder_.getInt32(level == 1 ? 3 : 2),
                            builder_.getInt32(1)});
}

Value *Emitter::callX86(Value *sum, Value *a, Value *b) {
  using namespace llvm::Intrinsic;
  int size = isa_.vectorBytes == 64 ? 0 : isa_.vectorBytes == 32 ? 1 : 2;
  static constexpr ID kBytes[] = {x86_avx512_vpdpbusd_512,
                                  x86_avx512_vpdpbusd_256,
                                  x86_avx512_vpdpbusd_128};
  static constexpr ID kBf16[] = {x86_avx512bf16_dpbf16ps_512,
                                 x86_avx512bf16_dpbf16ps_256,
                                 x86_avx512bf16_dpbf16ps_128};
  static constexpr ID kShorts[] = {x86_avx512_pmaddw_d_512, x86_avx2_pmadd_wd,
                                   x86_sse2_pmadd_wd};
  bool pairs = key_.math == MicroMath::ShortPairs;
  ID id = pairs                               ? kShorts[size]
          : key_.math == MicroMath::BF16Pairs ? kBf16[size]
                                              : kBytes[size];
  llvm::Function *intrinsic = getOrInsertDeclaration(&module_, id);
  llvm::FunctionType *type = intrinsic->getFunctionType();
  auto cast = [&](Value *value, unsigned index) {
    return builder_.CreateBitCast(value, type->getParamType(index));
  };
  if (pairs)
    return builder_.CreateAdd(
        sum, builder_.CreateCall(intrinsic, {cast(a, 0), cast(b, 1)}));
  if (key_.bUnsigned)
    std::swap(a, b);
  return builder_.CreateCall(intrinsic, {sum, cast(a, 1), cast(b, 2)});
}

Value *Emitter::multiplyAdd(Value *sum, Value *a, Value *b) {
  if (groupOf(key_.math) > 1)
    return callX86(sum, a, b);
  if (isa_.fma)
    return builder_.CreateIntrinsic(vector_, llvm::Intrinsic::fma, {a, b, sum});
  return builder_.CreateFAdd(sum, builder_.CreateFMul(a, b));
}

Value *Emitter::scale(Value *sum, Value *alpha, Value *beta, Value *old) {
  if (integer_)
    return old ? builder_.CreateAdd(sum, old) : sum;
  Value *scaled = builder_.CreateFMul(sum, alpha);
  return old ? builder_.CreateFAdd(scaled, builder_.CreateFMul(beta, old))
             : scaled;
}

Value *Emitter::flip(Value *value) {
  llvm::Type *type = value->getType();
  llvm::APInt pattern =
      llvm::APInt::getSplat(type->getScalarSizeInBits(), llvm::APInt(8, 0x80));
  return builder_.CreateXor(value, llvm::ConstantInt::get(type, pattern));
}

} // namespace assay::kernels
