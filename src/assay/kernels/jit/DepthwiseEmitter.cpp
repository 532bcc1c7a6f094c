// Sums of a depthwise convolution: rows x columns of them, each a vector of
// channels, over the taps of a window. Where a tap of a position lies is looked
// up in a table of addresses, so that padding, strides and dilation cost
// nothing here: an address outside the image is one of zeros. A tap's factors
// are loaded once for all positions; each element of the image goes straight
// into its multiply-add.
#include "assay/kernels/jit/Emitter.h"

#include <cstddef>

namespace assay::kernels {

using llvm::Value;

namespace {
class DepthwiseEmitter {
public:
  explicit DepthwiseEmitter(Emitter &emitter)
      : e_(emitter), key_(emitter.key()), builder_(emitter.builder()) {}
  void run();

private:
  using Values = llvm::SmallVector<Value *, 32>;
  unsigned lanes() const { return static_cast<unsigned>(e_.lanes()); }
  int64_t sumBytes() const {
    return sizeOf(assay::kernels::accumulatorOf(key_.math));
  }
  /// Adds one tap: `offset` into the table, `factors` its row of B.
  void step(Values &sums, Value *offset, Value *factors);
  void store(const Values &sums);

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  Value *table_ = nullptr, *channel_ = nullptr, *left_ = nullptr;
};
} // namespace

void DepthwiseEmitter::step(Values &sums, Value *offset, Value *factors) {
  Values b;
  for (int v = 0; v < key_.columns; ++v)
    b.push_back(e_.loadVector(assay::kernels::accumulatorOf(key_.math), lanes(),
                              e_.at(factors, v * e_.lanes() * sumBytes()),
                              left_));
  Value *entries = e_.at(table_, offset);
  for (int i = 0; i < key_.rows; ++i) {
    Value *pointer = e_.load(builder_.getPtrTy(),
                             e_.at(entries, int64_t(i) * key_.unroll * 8), 8);
    pointer = e_.at(pointer, channel_);
    for (int v = 0; v < key_.columns; ++v) {
      Value *raw = e_.loadVector(
          key_.aType, lanes(),
          e_.at(pointer, v * e_.lanes() * sizeOf(key_.aType)), left_);
      Value *&sum = sums[static_cast<size_t>(i * key_.columns + v)];
      sum = e_.multiplyAdd(sum, e_.widenReal(key_.aType, raw),
                           b[static_cast<size_t>(v)]);
    }
  }
}

void DepthwiseEmitter::store(const Values &sums) {
  Value *row = e_.field(offsetof(MicroArguments, c), builder_.getPtrTy(), "c"),
        *stride = e_.field(offsetof(MicroArguments, cRow), e_.i64(), "cRow");
  llvm::Align alignment(static_cast<uint64_t>(sumBytes()));
  for (int i = 0; i < key_.rows; ++i, row = e_.at(row, stride))
    for (int v = 0; v < key_.columns; ++v) {
      Value *sum = sums[static_cast<size_t>(i * key_.columns + v)],
            *pointer = e_.at(row, v * e_.lanes() * sumBytes());
      if (left_)
        builder_.CreateMaskedStore(sum, pointer, alignment,
                                   e_.lanesBelow(left_, lanes()));
      else
        builder_.CreateAlignedStore(sum, pointer, alignment);
    }
}

void DepthwiseEmitter::run() {
  Value *k = e_.field(offsetof(MicroArguments, k), e_.i64(), "k"),
        *taps =
            e_.field(offsetof(MicroArguments, taps), builder_.getPtrTy(), "t"),
        *b = e_.field(offsetof(MicroArguments, b), builder_.getPtrTy(), "b"),
        *bStride =
            e_.field(offsetof(MicroArguments, bStride), e_.i64(), "bStride");
  table_ = e_.field(offsetof(MicroArguments, a), builder_.getPtrTy(), "table");
  channel_ = e_.field(offsetof(MicroArguments, channel), e_.i64(), "channel");
  if (key_.bMasked)
    left_ = e_.field(offsetof(MicroArguments, n), e_.i64(), "n");
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(builder_.getContext(), "tap",
                                        e_.function()),
       *after = llvm::BasicBlock::Create(builder_.getContext(), "after",
                                         e_.function());
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  auto phi = [&](Value *initial) {
    llvm::PHINode *node = builder_.CreatePHI(initial->getType(), 2);
    node->addIncoming(initial, before);
    return node;
  };
  llvm::PHINode *tap = phi(e_.constant(0)), *factors = phi(b);
  llvm::SmallVector<llvm::PHINode *, 32> phis;
  Values sums;
  for (int sum = 0; sum < key_.rows * key_.columns; ++sum) {
    phis.push_back(phi(llvm::Constant::getNullValue(e_.vectorType())));
    sums.push_back(phis.back());
  }
  Value *place = e_.at(taps, builder_.CreateMul(tap, e_.constant(8)));
  step(sums, e_.load(e_.i64(), place, 8), factors);
  Value *next = builder_.CreateAdd(tap, e_.constant(1));
  tap->addIncoming(next, body);
  factors->addIncoming(e_.at(factors, bStride), body);
  for (size_t sum = 0; sum < sums.size(); ++sum)
    phis[sum]->addIncoming(sums[sum], body);
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, k), body, after);
  builder_.SetInsertPoint(after);
  store(sums);
  builder_.CreateRetVoid();
}

void emitDepthwise(Emitter &emitter) { DepthwiseEmitter(emitter).run(); }

} // namespace assay::kernels
