// Dot products: rows x columns sums, each a vector along k, for operands that
// are both contiguous in k. Nothing is packed, every element is read once per
// block, and the vectors are added up at the end. Narrow types are widened as
// they are loaded; the last elements of k come through masked loads that read
// zeros instead.
#include "assay/kernels/jit/Emitter.h"

#include <cstddef>

namespace assay::kernels {

using llvm::Value;

namespace {
class DotEmitter {
public:
  explicit DotEmitter(Emitter &emitter)
      : e_(emitter), key_(emitter.key()), builder_(emitter.builder()) {}
  void run();

private:
  using Values = llvm::SmallVector<Value *, 32>;
  /// Elements of k in one vector step.
  int span() const { return e_.lanes() * groupOf(key_.math); }
  /// One vector of `type` at pointer, widened for the math; `left` null: all of
  /// it, else that many elements.
  Value *loadVector(DataType type, Value *pointer, Value *left);
  Value *widen(DataType type, Value *raw);
  void step(Values &sums, llvm::ArrayRef<Value *> aRows,
            llvm::ArrayRef<Value *> bRows, Value *offset, int vector,
            Value *left);
  bool compensated() const { return key_.flipA; }
  void storeSums(const Values &sums);

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
};
} // namespace

/// Memory holds `type`; the math wants vectors of the accumulator (F32, F64) or
/// of i32 groups.
Value *DotEmitter::widen(DataType type, Value *raw) {
  unsigned count = static_cast<unsigned>(span());
  if (key_.math == MicroMath::F32 && type == DataType::BF16) {
    auto *words = llvm::FixedVectorType::get(builder_.getInt32Ty(), count);
    return builder_.CreateBitCast(
        builder_.CreateShl(builder_.CreateZExt(raw, words), 16),
        e_.vectorType());
  }
  if (key_.math == MicroMath::F32 && type == DataType::F16)
    return builder_.CreateFPExt(raw, e_.vectorType());
  if (key_.math == MicroMath::ShortPairs) {
    auto *shorts = llvm::FixedVectorType::get(builder_.getInt16Ty(), count);
    return type == DataType::U8 ? builder_.CreateZExt(raw, shorts)
                                : builder_.CreateSExt(raw, shorts);
  }
  return raw;
}

Value *DotEmitter::loadVector(DataType type, Value *pointer, Value *left) {
  llvm::Type *element = type == DataType::F32   ? builder_.getFloatTy()
                        : type == DataType::F64 ? builder_.getDoubleTy()
                        : type == DataType::F16 ? builder_.getHalfTy()
                        : sizeOf(type) == 2
                            ? static_cast<llvm::Type *>(builder_.getInt16Ty())
                            : builder_.getInt8Ty();
  unsigned count = static_cast<unsigned>(span());
  auto *memory = llvm::FixedVectorType::get(element, count);
  unsigned alignment = static_cast<unsigned>(sizeOf(type));
  Value *raw;
  if (!left) {
    raw = e_.load(memory, pointer, alignment);
  } else {
    llvm::SmallVector<llvm::Constant *, 64> lanes;
    for (unsigned lane = 0; lane < count; ++lane)
      lanes.push_back(builder_.getInt32(lane));
    Value *valid = builder_.CreateVectorSplat(
        count, builder_.CreateTrunc(left, builder_.getInt32Ty()));
    Value *mask =
        builder_.CreateICmpSLT(llvm::ConstantVector::get(lanes), valid);
    raw = builder_.CreateMaskedLoad(memory, pointer, llvm::Align(alignment),
                                    mask, llvm::Constant::getNullValue(memory));
  }
  return widen(type, raw);
}

void DotEmitter::step(Values &sums, llvm::ArrayRef<Value *> aRows,
                      llvm::ArrayRef<Value *> bRows, Value *offset, int vector,
                      Value *left) {
  auto address = [&](Value *row, DataType type) {
    Value *bytes = builder_.CreateMul(offset, e_.constant(sizeOf(type)));
    return e_.at(e_.at(row, bytes), int64_t(vector) * span() * sizeOf(type));
  };
  llvm::Type *groups = llvm::FixedVectorType::get(
      builder_.getInt32Ty(), static_cast<unsigned>(e_.lanes()));
  bool grouped = groupOf(key_.math) > 1;
  Values a;
  for (Value *row : aRows) {
    Value *value = loadVector(key_.aType, address(row, key_.aType), left);
    value = grouped ? builder_.CreateBitCast(value, groups) : value;
    a.push_back(key_.flipA ? e_.flip(value) : value);
  }
  Value *bias = llvm::ConstantInt::get(
      groups, llvm::APInt::getSplat(32, llvm::APInt(8, 0x80)));
  for (size_t column = 0; column < bRows.size(); ++column) {
    Value *b = loadVector(key_.bType, address(bRows[column], key_.bType), left);
    b = grouped ? builder_.CreateBitCast(b, groups) : b;
    for (size_t row = 0; row < a.size(); ++row) {
      Value *&sum = sums[row * bRows.size() + column];
      sum = e_.multiplyAdd(sum, a[row], b);
    }
    if (compensated()) { // what the flipped bit of A added: 128 (or -128) times
                         // B
      Value *&extra = sums[aRows.size() * bRows.size() + column];
      extra = e_.multiplyAdd(extra, bias, b);
    }
  }
}

void DotEmitter::storeSums(const Values &sums) {
  Value *c = e_.field(offsetof(MicroArguments, c), builder_.getPtrTy(), "c");
  Value *cRow = e_.field(offsetof(MicroArguments, cRow), e_.i64(), "cRow");
  Value *cColumn =
      e_.field(offsetof(MicroArguments, cColumn), e_.i64(), "cColumn");
  Value *alpha =
      e_.field(offsetof(MicroArguments, alpha), e_.accumulatorType(), "alpha");
  Value *beta =
      e_.field(offsetof(MicroArguments, beta), e_.accumulatorType(), "beta");
  Values totals;
  for (int row = 0; row < key_.rows; ++row)
    for (int column = 0; column < key_.columns; ++column) {
      Value *sum = sums[static_cast<size_t>(row * key_.columns + column)];
      if (compensated())
        sum = builder_.CreateSub(
            sum, sums[static_cast<size_t>(key_.rows * key_.columns + column)]);
      if (e_.integer()) {
        totals.push_back(builder_.CreateAddReduce(sum));
      } else {
        // A fixed tree, not the target's choice: halves are added until one
        // element is left.
        for (int width = e_.lanes() / 2; width >= 1; width /= 2) {
          llvm::SmallVector<int, 16> low, high;
          for (int lane = 0; lane < width; ++lane) {
            low.push_back(lane);
            high.push_back(lane + width);
          }
          sum = builder_.CreateFAdd(builder_.CreateShuffleVector(sum, low),
                                    builder_.CreateShuffleVector(sum, high));
        }
        totals.push_back(builder_.CreateExtractElement(sum, uint64_t(0)));
      }
    }
  Value *fresh =
      e_.integer() ? builder_.CreateICmpEQ(beta, builder_.getInt32(0))
                   : builder_.CreateFCmpOEQ(
                         beta, llvm::ConstantFP::get(e_.accumulatorType(), 0));
  llvm::LLVMContext &context = builder_.getContext();
  auto *freshBlock = llvm::BasicBlock::Create(context, "fresh", e_.function());
  auto *addBlock = llvm::BasicBlock::Create(context, "add", e_.function());
  builder_.CreateCondBr(fresh, freshBlock, addBlock);
  unsigned bytes =
      static_cast<unsigned>(e_.accumulatorType()->getPrimitiveSizeInBits() / 8);
  for (bool readC : {false, true}) {
    builder_.SetInsertPoint(readC ? addBlock : freshBlock);
    for (int row = 0; row < key_.rows; ++row)
      for (int column = 0; column < key_.columns; ++column) {
        Value *pointer =
            e_.at(e_.at(c, builder_.CreateMul(cRow, e_.constant(row))),
                  builder_.CreateMul(cColumn, e_.constant(column)));
        Value *old =
            readC ? e_.load(e_.accumulatorType(), pointer, bytes) : nullptr;
        Value *total = totals[static_cast<size_t>(row * key_.columns + column)];
        builder_.CreateAlignedStore(e_.scale(total, alpha, beta, old), pointer,
                                    llvm::Align(bytes));
      }
    builder_.CreateRetVoid();
  }
}

void DotEmitter::run() {
  Value *k = e_.field(offsetof(MicroArguments, k), e_.i64(), "k");
  Value *aStride =
      e_.field(offsetof(MicroArguments, aStride), e_.i64(), "aStride");
  Value *bStride =
      e_.field(offsetof(MicroArguments, bStride), e_.i64(), "bStride");
  Values aRows, bRows, sums;
  Value *pointer =
      e_.field(offsetof(MicroArguments, a), builder_.getPtrTy(), "a");
  for (int row = 0; row < key_.rows; ++row, pointer = e_.at(pointer, aStride))
    aRows.push_back(pointer);
  pointer = e_.field(offsetof(MicroArguments, b), builder_.getPtrTy(), "b");
  for (int column = 0; column < key_.columns;
       ++column, pointer = e_.at(pointer, bStride))
    bRows.push_back(pointer);
  int count = (key_.rows + (compensated() ? 1 : 0)) * key_.columns;
  sums.assign(static_cast<size_t>(count),
              llvm::Constant::getNullValue(e_.vectorType()));

  // A loop over whole steps of `unroll` vectors, one over single vectors, and a
  // masked last one.
  llvm::LLVMContext &context = builder_.getContext();
  Value *offset = e_.constant(0);
  auto emitLoop = [&](int vectors) {
    Value *size = e_.constant(int64_t(vectors) * span());
    llvm::BasicBlock *before = builder_.GetInsertBlock();
    auto *body = llvm::BasicBlock::Create(context, "body", e_.function());
    auto *after = llvm::BasicBlock::Create(context, "after", e_.function());
    builder_.CreateCondBr(
        builder_.CreateICmpSLE(builder_.CreateAdd(offset, size), k), body,
        after);
    builder_.SetInsertPoint(body);
    auto phi = [&](Value *initial) {
      llvm::PHINode *node = builder_.CreatePHI(initial->getType(), 2);
      node->addIncoming(initial, before);
      return node;
    };
    llvm::PHINode *offsetPhi = phi(offset);
    llvm::SmallVector<llvm::PHINode *, 32> sumPhis;
    Values inside;
    for (Value *sum : sums) {
      sumPhis.push_back(phi(sum));
      inside.push_back(sumPhis.back());
    }
    for (int vector = 0; vector < vectors; ++vector)
      step(inside, aRows, bRows, offsetPhi, vector, nullptr);
    Value *next = builder_.CreateAdd(offsetPhi, size);
    offsetPhi->addIncoming(next, body);
    for (size_t index = 0; index < sums.size(); ++index)
      sumPhis[index]->addIncoming(inside[index], body);
    builder_.CreateCondBr(
        builder_.CreateICmpSLE(builder_.CreateAdd(next, size), k), body, after);
    builder_.SetInsertPoint(after);
    auto merge = [&](Value *initial, Value *result) {
      llvm::PHINode *node = builder_.CreatePHI(initial->getType(), 2);
      node->addIncoming(initial, before);
      node->addIncoming(result, body);
      return node;
    };
    offset = merge(offset, next);
    for (size_t index = 0; index < sums.size(); ++index)
      sums[index] = merge(sums[index], inside[index]);
  };
  if (key_.unroll > 1)
    emitLoop(key_.unroll);
  emitLoop(1);

  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *tail = llvm::BasicBlock::Create(context, "tail", e_.function());
  auto *end = llvm::BasicBlock::Create(context, "end", e_.function());
  builder_.CreateCondBr(builder_.CreateICmpSLT(offset, k), tail, end);
  builder_.SetInsertPoint(tail);
  Values inside(sums);
  step(inside, aRows, bRows, offset, 0, builder_.CreateSub(k, offset));
  llvm::BasicBlock *tailEnd = builder_.GetInsertBlock();
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
  for (size_t index = 0; index < sums.size(); ++index) {
    llvm::PHINode *node = builder_.CreatePHI(e_.vectorType(), 2);
    node->addIncoming(sums[index], before);
    node->addIncoming(inside[index], tailEnd);
    sums[index] = node;
  }
  storeSums(sums);
}

void emitDot(Emitter &emitter) { DotEmitter(emitter).run(); }

} // namespace assay::kernels
