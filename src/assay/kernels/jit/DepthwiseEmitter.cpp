// The sums of a depthwise convolution: rows x columns of them, each a vector of
// channels, over the taps of a window. The address of a tap is looked up in a
// table of addresses, so that padding, strides and dilation cost nothing here:
// an address outside the image points to zeros. Taps form runs whose entries
// are equally spaced. An entry that several positions read, each with another
// tap, is loaded once. Where channels are sums over a small group, each input
// is spread over its group in registers.
#include "assay/kernels/jit/Emitter.h"

#include <cstddef>
#include <map>

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
  /// A position and a tap of a run that share an entry.
  struct Meeting {
    int position, tap;
  };
  unsigned lanes() const { return static_cast<unsigned>(e_.lanes()); }
  int64_t sumBytes() const {
    return sizeOf(assay::kernels::accumulatorOf(key_.math));
  }
  /// Adds one run of taps: `offset` is its offset in the table, `factors` its
  /// rows of B.
  void step(Values &sums, Value *offset, Value *factors);
  /// Adds vector `v` of the elements at `pointer`.
  void add(Values &sums, llvm::ArrayRef<Meeting> meetings, Value *pointer, int v);
  Value *factor(int tap, int input, int v);
  /// The rows of B per tap.
  int summed() const { return key_.only < 0 ? key_.inputs : 1; }
  /// Copies channel `input` of each group to all lanes of the group.
  Value *spread(Value *value, int input);
  void store(const Values &sums);

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  Value *table_ = nullptr, *channel_ = nullptr, *left_ = nullptr,
        *bStride_ = nullptr;
  Value *factors_ = nullptr; ///< of the current run
  Values loaded_;            ///< its factors; null: not loaded yet
};
} // namespace

/// Loads a factor where the first position needs it, so that few are live at
/// once.
Value *DepthwiseEmitter::factor(int tap, int input, int v) {
  int row = key_.only < 0 ? tap * key_.inputs + input : tap;
  Value *&value = loaded_[static_cast<size_t>(row * key_.columns + v)];
  if (!value)
    value = e_.loadVector(
        assay::kernels::accumulatorOf(key_.math), lanes(),
        e_.at(e_.at(factors_, builder_.CreateMul(bStride_, e_.constant(row))),
              v * e_.lanes() * sumBytes()),
        left_);
  return value;
}

Value *DepthwiseEmitter::spread(Value *value, int input) {
  if (key_.inputs == 1)
    return value;
  llvm::SmallVector<int, 64> from;
  for (int lane = 0; lane < e_.lanes(); ++lane)
    from.push_back(lane - lane % key_.inputs + input);
  return builder_.CreateShuffleVector(value, from);
}

void DepthwiseEmitter::add(Values &sums, llvm::ArrayRef<Meeting> meetings,
                           Value *pointer, int v) {
  Value *wide = e_.widenReal(
      key_.aType,
      e_.loadVector(key_.aType, lanes(),
                    e_.at(pointer, v * e_.lanes() * sizeOf(key_.aType)), left_));
  for (int input = 0; input < key_.inputs; ++input) {
    if (key_.only >= 0 && input != key_.only)
      continue;
    Value *x = spread(wide, input);
    for (Meeting m : meetings) {
      Value *&sum = sums[static_cast<size_t>(m.position * key_.columns + v)];
      sum = e_.multiplyAdd(sum, x, factor(m.tap, input, v));
    }
  }
}

void DepthwiseEmitter::step(Values &sums, Value *offset, Value *factors) {
  // In the order of a run's taps, so that each sum adds them in that order.
  std::map<int, llvm::SmallVector<Meeting, 8>> entries;
  int direction = key_.apart < 0 ? -1 : 1;
  for (int position = 0; position < key_.rows; ++position)
    for (int tap = 0; tap < key_.run; ++tap)
      entries[direction * (position * key_.unroll + tap * key_.apart)].push_back(
          {position, tap});
  factors_ = factors;
  loaded_.assign(static_cast<size_t>(key_.run * summed() * key_.columns),
                 nullptr);
  Value *first = e_.at(table_, offset);
  for (const auto &[entry, meetings] : entries) {
    Value *pointer = e_.load(builder_.getPtrTy(),
                             e_.at(first, int64_t(direction) * entry * 8), 8);
    pointer = e_.at(pointer, channel_);
    for (int v = 0; v < key_.columns; ++v)
      add(sums, meetings, pointer, v);
  }
}

void DepthwiseEmitter::store(const Values &sums) {
  Value *row = e_.field(offsetof(MicroArguments, c), builder_.getPtrTy(), "c"),
        *stride = e_.field(offsetof(MicroArguments, cRow), e_.i64(), "cRow");
  int64_t size = sizeOf(key_.cType);
  llvm::Align alignment(static_cast<uint64_t>(size));
  for (int i = 0; i < key_.rows; ++i, row = e_.at(row, stride))
    for (int v = 0; v < key_.columns; ++v) {
      Value *sum = e_.narrowReal(
                key_.cType, sums[static_cast<size_t>(i * key_.columns + v)]),
            *pointer = e_.at(row, v * e_.lanes() * size);
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
        *b = e_.field(offsetof(MicroArguments, b), builder_.getPtrTy(), "b");
  bStride_ = e_.field(offsetof(MicroArguments, bStride), e_.i64(), "bStride");
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
  Value *rows = e_.constant(int64_t(key_.run) * summed());
  factors->addIncoming(e_.at(factors, builder_.CreateMul(bStride_, rows)), body);
  for (size_t sum = 0; sum < sums.size(); ++sum)
    phis[sum]->addIncoming(sums[sum], body);
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, k), body, after);
  builder_.SetInsertPoint(after);
  store(sums);
  builder_.CreateRetVoid();
}

void emitDepthwise(Emitter &emitter) { DepthwiseEmitter(emitter).run(); }

} // namespace assay::kernels
