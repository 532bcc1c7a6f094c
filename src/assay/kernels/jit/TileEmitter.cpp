// The register tile: rows x columns sums in vector registers, one pass over k.
// Each step loads the vectors of B once and multiplies each by one broadcast
// element (or group of elements) of A per row. The loop is unrolled; a second
// loop does the remaining steps. After the loop the tile is scaled and added to
// C, whole or with its last columns masked. With Pipeline::Prefetch, the lines
// of B `prefetch` steps ahead are prefetched. If `prefetch` is negative, and B
// is packed, it is the number of cache lines of the next block (bStride bytes
// after B) that each iteration prefetches, so that they arrive while the tile
// is computed. Idea: Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34(3), 2008.
#include "assay/kernels/jit/TileStore.h"

#include <cstddef>

namespace assay::kernels {

using llvm::Value;

namespace {
/// The values that the loop carries: pointers, sums, and (pipelined) the
/// vectors of B that are already loaded.
struct LoopState {
  llvm::SmallVector<Value *, 8>
      a; // one pointer per four rows (RowMajor), else one
  Value *b = nullptr;
  Value *tap = nullptr;  // forms of windows: the next entry of `taps`
  Value *next = nullptr; // the data that is prefetched next
  llvm::SmallVector<Value *, 32> sums;
  llvm::SmallVector<Value *, 8> early;

  llvm::SmallVector<Value **, 64> slots() {
    llvm::SmallVector<Value **, 64> all;
    for (Value *&value : a)
      all.push_back(&value);
    all.push_back(&b);
    if (tap)
      all.push_back(&tap);
    if (next)
      all.push_back(&next);
    for (Value *&value : sums)
      all.push_back(&value);
    for (Value *&value : early)
      all.push_back(&value);
    return all;
  }
};

class TileEmitter {
public:
  explicit TileEmitter(Emitter &emitter)
      : e_(emitter), key_(emitter.key()), builder_(emitter.builder()) {}
  void run();

private:
  int64_t groupBytes() const {
    return groupOf(key_.math) * packedBytesOf(key_.math);
  }
  llvm::Type *bVectorType();
  Value *aPointer(const LoopState &state, int row, int step);
  Value *aBroadcast(const LoopState &state, int row, int step);
  llvm::SmallVector<Value *, 8> loadB(const LoopState &state, int step);
  void step(LoopState &state, int step, llvm::ArrayRef<Value *> bVectors);
  void advance(LoopState &state, int steps);
  void prefetchAhead(const LoopState &state, int step);
  bool prefetchesNextBlock() const {
    return key_.pipeline == Pipeline::Prefetch && key_.prefetch < 0 &&
           key_.bPacked;
  }
  void askForNext(LoopState &state);
  /// Emits a loop that runs `body` `trips` times over the state; zero trips are
  /// allowed.
  void loop(const char *name, Value *trips, LoopState &state,
            llvm::function_ref<void(LoopState &)> body);
  LoopState initialState();
  void rowsFrom(LoopState &state, Value *a);
  void alongK(LoopState &state);
  void overTaps(LoopState &state);
  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  llvm::SmallVector<Value *, 8> bMasks_;
  Value *k_ = nullptr, *aStride_ = nullptr, *aStride3_ = nullptr,
        *bStride_ = nullptr, *n_ = nullptr;
};
} // namespace

llvm::Type *TileEmitter::bVectorType() {
  if (groupOf(key_.math) == 1)
    return e_.vectorType();
  return llvm::FixedVectorType::get(builder_.getInt32Ty(),
                                    static_cast<unsigned>(e_.lanes()));
}

/// The address of the group of A for one row and one step of the unrolled body.
Value *TileEmitter::aPointer(const LoopState &state, int row, int step) {
  if (key_.aForm == AForm::Packed)
    return e_.at(state.a[0], (int64_t(step) * key_.rows + row) * groupBytes());
  if (isColumnMajor(key_.aForm)) {
    Value *base = step == 0
                      ? state.a[0]
                      : e_.at(state.a[0],
                              builder_.CreateMul(aStride_, e_.constant(step)));
    return e_.at(base, int64_t(row) * groupBytes());
  }
  Value *base = state.a[static_cast<size_t>(row / 4)];
  if (row % 4 == 3)
    base = e_.at(base, aStride3_);
  else if (row % 4 != 0)
    base = e_.at(base, builder_.CreateMul(aStride_, e_.constant(row % 4)));
  return e_.at(base, int64_t(step) * groupBytes());
}

Value *TileEmitter::aBroadcast(const LoopState &state, int row, int step) {
  bool groups = groupOf(key_.math) > 1;
  llvm::Type *type = groups ? builder_.getInt32Ty() : e_.accumulatorType();
  unsigned alignment = static_cast<unsigned>(
      key_.aForm == AForm::Packed ? groupBytes() : packedBytesOf(key_.math));
  Value *element = e_.load(type, aPointer(state, row, step), alignment);
  // The bits of a packed panel were flipped by the packing.
  if (key_.flipA && key_.aForm != AForm::Packed)
    element = e_.flip(element);
  return e_.splat(element);
}

llvm::SmallVector<Value *, 8> TileEmitter::loadB(const LoopState &state,
                                                 int step) {
  llvm::SmallVector<Value *, 8> vectors;
  int64_t vectorBytes = e_.lanes() * groupBytes();
  Value *base = state.b;
  if (key_.bPacked)
    base = e_.at(base, int64_t(step) * key_.columns * vectorBytes);
  else if (step > 0)
    base = e_.at(base, builder_.CreateMul(bStride_, e_.constant(step)));
  unsigned alignment = static_cast<unsigned>(
      key_.bPacked ? vectorBytes : packedBytesOf(key_.math));
  for (int vector = 0; vector < key_.columns; ++vector) {
    Value *pointer = e_.at(base, vector * vectorBytes);
    vectors.push_back(key_.bMasked
                          ? builder_.CreateMaskedLoad(
                                bVectorType(), pointer, llvm::Align(alignment),
                                bMasks_[static_cast<size_t>(vector)],
                                llvm::Constant::getNullValue(bVectorType()))
                          : e_.load(bVectorType(), pointer, alignment));
  }
  return vectors;
}

void TileEmitter::step(LoopState &state, int step,
                       llvm::ArrayRef<Value *> bVectors) {
  for (int row = 0; row < key_.rows; ++row) {
    Value *a = aBroadcast(state, row, step);
    for (int vector = 0; vector < key_.columns; ++vector) {
      Value *&sum =
          state.sums[static_cast<size_t>(row * key_.columns + vector)];
      sum = e_.multiplyAdd(sum, a, bVectors[static_cast<size_t>(vector)]);
    }
  }
}

void TileEmitter::advance(LoopState &state, int steps) {
  Value *aBytes = key_.aForm == AForm::Packed
                      ? e_.constant(int64_t(steps) * key_.rows * groupBytes())
                  : isColumnMajor(key_.aForm)
                      ? builder_.CreateMul(aStride_, e_.constant(steps))
                      : e_.constant(steps * groupBytes());
  for (Value *&pointer : state.a)
    pointer = e_.at(pointer, aBytes);
  state.b = e_.at(
      state.b, key_.bPacked ? e_.constant(int64_t(steps) * key_.columns *
                                          e_.lanes() * groupBytes())
                            : builder_.CreateMul(bStride_, e_.constant(steps)));
}

void TileEmitter::prefetchAhead(const LoopState &state, int step) {
  int ahead = step + key_.prefetch;
  int64_t bytes = int64_t(key_.columns) * e_.lanes() * groupBytes();
  Value *b =
      key_.bPacked
          ? e_.at(state.b, ahead * bytes)
          : e_.at(state.b, builder_.CreateMul(bStride_, e_.constant(ahead)));
  for (int64_t offset = 0; offset < bytes; offset += 64)
    e_.prefetch(e_.at(b, offset));
  if (key_.aForm == AForm::Packed &&
      int64_t(step) * key_.rows * groupBytes() % 64 < key_.rows * groupBytes())
    e_.prefetch(e_.at(state.a[0], int64_t(ahead) * key_.rows * groupBytes()));
}

/// Prefetches the lines of several iterations, before the first of them.
void TileEmitter::askForNext(LoopState &state) {
  int lines = -key_.prefetch * kBodiesAtOnce;
  for (int line = 0; line < lines; ++line)
    e_.prefetch(e_.at(state.next, int64_t(line) * 64), /*level=*/2);
  state.next = e_.at(state.next, int64_t(lines) * 64);
}

void TileEmitter::loop(const char *name, Value *trips, LoopState &state,
                       llvm::function_ref<void(LoopState &)> body) {
  llvm::LLVMContext &context = builder_.getContext();
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *head = llvm::BasicBlock::Create(context, name, e_.function());
  auto *after = llvm::BasicBlock::Create(context, llvm::Twine(name) + ".end",
                                         e_.function());
  builder_.CreateCondBr(builder_.CreateICmpSGT(trips, e_.constant(0)), head,
                        after);

  builder_.SetInsertPoint(head);
  llvm::PHINode *count = builder_.CreatePHI(e_.i64(), 2);
  count->addIncoming(trips, before);
  llvm::SmallVector<llvm::PHINode *, 64> phis;
  LoopState entry = state, inside = state;
  for (Value **slot : inside.slots()) {
    phis.push_back(builder_.CreatePHI((*slot)->getType(), 2));
    phis.back()->addIncoming(*slot, before);
    *slot = phis.back();
  }
  body(inside);
  Value *left = builder_.CreateSub(count, e_.constant(1));
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  count->addIncoming(left, latch);
  builder_.CreateCondBr(builder_.CreateICmpSGT(left, e_.constant(0)), head,
                        after);
  auto results = inside.slots();
  for (size_t index = 0; index < phis.size(); ++index)
    phis[index]->addIncoming(*results[index], latch);

  builder_.SetInsertPoint(after);
  auto initial = entry.slots(), out = state.slots();
  for (size_t index = 0; index < out.size(); ++index) {
    llvm::PHINode *merged = builder_.CreatePHI(phis[index]->getType(), 2);
    merged->addIncoming(*initial[index], before);
    merged->addIncoming(*results[index], latch);
    *out[index] = merged;
  }
}

LoopState TileEmitter::initialState() {
  LoopState state;
  Value *a = e_.field(offsetof(MicroArguments, a), builder_.getPtrTy(), "a");
  if (isOfWindows(key_.aForm))
    state.tap =
        e_.field(offsetof(MicroArguments, taps), builder_.getPtrTy(), "taps");
  else
    rowsFrom(state, a);
  state.b = e_.field(offsetof(MicroArguments, b), builder_.getPtrTy(), "b");
  if (prefetchesNextBlock())
    state.next = e_.at(state.b, bStride_);
  Value *init = key_.flipA ? e_.field(offsetof(MicroArguments, init),
                                      builder_.getPtrTy(), "init")
                           : nullptr;
  for (int row = 0; row < key_.rows; ++row)
    for (int vector = 0; vector < key_.columns; ++vector)
      state.sums.push_back(
          init ? e_.load(e_.vectorType(),
                         e_.at(init, int64_t(vector) * e_.lanes() * 4), 4)
               : llvm::Constant::getNullValue(e_.vectorType()));
  return state;
}

/// Computes the addresses of the rows of A that have their own pointers.
void TileEmitter::rowsFrom(LoopState &state, Value *a) {
  state.a.assign(1, a);
  if (key_.aForm == AForm::RowMajor || key_.aForm == AForm::Windows)
    for (int row = 4; row < key_.rows; row += 4) {
      Value *place = e_.at(a, builder_.CreateMul(aStride_, e_.constant(row)));
      // If B has strides too, the compiler would derive all rows from one
      // pointer by a chain of additions, and to finish that soon it would load
      // the elements of a row for all steps at once, so that sums were spilled
      // to the stack.
      state.a.push_back(key_.bPacked ? place : e_.opaque(place));
    }
}

/// Emits all steps of k: the unrolled loop, and the rest.
void TileEmitter::alongK(LoopState &state) {
  bool pipelined = key_.pipeline == Pipeline::Pipelined;
  // The pipelined loop loads one step ahead, so that at least one step is left
  // for the second loop.
  Value *unroll = e_.constant(key_.unroll);
  Value *available = pipelined ? builder_.CreateSub(k_, e_.constant(1)) : k_;
  Value *trips = builder_.CreateSDiv(available, unroll);
  Value *taken = builder_.CreateMul(trips, unroll);
  if (pipelined) {
    // k > 0 here: for k == 0 the outer loops scale C themselves.
    state.early = loadB(state, 0);
  }
  auto body = [&](LoopState &inside) {
    // Otherwise each row gets a pointer of its own, and an iteration begins by
    // loading them from the stack.
    if (key_.aForm == AForm::Windows || key_.aForm == AForm::RowMajor)
      for (Value *&place : inside.a)
        place = e_.opaque(place);
    for (int u = 0; u < key_.unroll; ++u) {
      llvm::SmallVector<Value *, 8> now =
          pipelined ? inside.early : loadB(inside, u);
      if (pipelined)
        inside.early = loadB(inside, u + 1);
      if (key_.pipeline == Pipeline::Prefetch && !prefetchesNextBlock())
        prefetchAhead(inside, u);
      step(inside, u, now);
    }
    advance(inside, key_.unroll);
  };
  if (prefetchesNextBlock()) {
    // Prefetches in a loop around the iterations. Between their products LLVM
    // has too few registers for this address and those of A's rows, and spills
    // sums.
    Value *each = e_.constant(kBodiesAtOnce),
          *groups = builder_.CreateSDiv(trips, each);
    loop("group", groups, state, [&](LoopState &inside) {
      askForNext(inside);
      loop("body", each, inside, body);
    });
    trips = builder_.CreateSub(trips, builder_.CreateMul(groups, each));
  }
  loop("body", trips, state, body);
  state.early.clear();
  loop("rest", builder_.CreateSub(k_, taken), state, [&](LoopState &inside) {
    step(inside, 0, loadB(inside, 0));
    advance(inside, 1);
  });
}

/// Emits all steps of k at each place of the windows; B continues from one
/// place to the next.
void TileEmitter::overTaps(LoopState &state) {
  Value *a = e_.field(offsetof(MicroArguments, a), builder_.getPtrTy(), "a"),
        *count =
            e_.field(offsetof(MicroArguments, tapCount), e_.i64(), "tapCount");
  loop("tap", count, state, [&](LoopState &inside) {
    rowsFrom(inside, e_.at(a, e_.load(e_.i64(), inside.tap, 8)));
    alongK(inside);
    inside.a.clear();
    inside.tap = e_.at(inside.tap, 8);
  });
}

void TileEmitter::run() {
  k_ = e_.field(offsetof(MicroArguments, k), e_.i64(), "k");
  aStride_ = e_.field(offsetof(MicroArguments, aStride), e_.i64(), "aStride");
  aStride3_ = builder_.CreateMul(aStride_, e_.constant(3));
  bStride_ = e_.field(offsetof(MicroArguments, bStride), e_.i64(), "bStride");
  n_ = e_.field(offsetof(MicroArguments, n), e_.i64(), "n");
  for (int vector = 0; key_.bMasked && vector < key_.columns; ++vector)
    bMasks_.push_back(columnMask(e_, n_, vector));
  LoopState state = initialState();
  if (isOfWindows(key_.aForm))
    overTaps(state);
  else
    alongK(state);
  storeTile(e_, n_, state.sums);
}

void emitTile(Emitter &emitter) { TileEmitter(emitter).run(); }

} // namespace assay::kernels
