// Dot products: rows x columns sums, each a vector along k, for operands that
// are both contiguous in k. Nothing is packed, every element is read once per
// block, and the elements of each vector are added at the end. Narrow types are
// widened as they are loaded. The last elements of k are read by masked loads,
// which fill up with zeros.
#include "assay/kernels/jit/Emitter.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
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
  /// The elements of k in one vector step.
  int span() const { return e_.lanes() * groupOf(key_.math); }
  /// Loads one vector of `type` at pointer, widened for the math; `left` null:
  /// all of it, else that many elements.
  Value *loadVector(DataType type, Value *pointer, Value *left);
  Value *widen(DataType type, Value *raw);
  void step(Values &sums, Value *offset, int vector, Value *left);
  /// Sets the pointers of the rows, and the sums to zero.
  void begin();
  /// Emits a loop over whole steps of `vectors` vectors.
  void emitLoop(int vectors);
  /// Emits the rest of k, masked.
  void emitTail();
  bool compensated() const { return key_.flipA; }
  Values addUp(Values vectors);
  void storeRun(const Values &totals, size_t first, int count, Value *pointer,
                Value *alpha, Value *beta, bool readC);
  void storeSums(const Values &sums);

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  // The state of the emitted code: its position in k, and its sums.
  Value *k_ = nullptr, *offset_ = nullptr;
  Values aRows_, bRows_, sums_;
};
} // namespace

/// Memory holds `type`; the math needs vectors of the accumulator (F32, F64) or
/// of i32 groups.
Value *DotEmitter::widen(DataType type, Value *raw) {
  if (!e_.integer() && groupOf(key_.math) == 1)
    return e_.widenReal(type, raw);
  if (key_.math == MicroMath::ShortPairs) {
    auto *shorts = llvm::FixedVectorType::get(builder_.getInt16Ty(),
                                              static_cast<unsigned>(span()));
    return type == DataType::U8 ? builder_.CreateZExt(raw, shorts)
                                : builder_.CreateSExt(raw, shorts);
  }
  return raw;
}

Value *DotEmitter::loadVector(DataType type, Value *pointer, Value *left) {
  return widen(
      type, e_.loadVector(type, static_cast<unsigned>(span()), pointer, left));
}

void DotEmitter::step(Values &sums, Value *offset, int vector, Value *left) {
  auto address = [&](Value *row, DataType type) {
    Value *bytes = builder_.CreateMul(offset, e_.constant(sizeOf(type)));
    return e_.at(e_.at(row, bytes), int64_t(vector) * span() * sizeOf(type));
  };
  llvm::Type *groups = llvm::FixedVectorType::get(
      builder_.getInt32Ty(), static_cast<unsigned>(e_.lanes()));
  bool grouped = groupOf(key_.math) > 1;
  Values a;
  for (Value *row : aRows_) {
    Value *value = loadVector(key_.aType, address(row, key_.aType), left);
    value = grouped ? builder_.CreateBitCast(value, groups) : value;
    a.push_back(key_.flipA ? e_.flip(value) : value);
  }
  Value *bias = llvm::ConstantInt::get(
      groups, llvm::APInt::getSplat(32, llvm::APInt(8, 0x80)));
  for (size_t column = 0; column < bRows_.size(); ++column) {
    Value *b =
        loadVector(key_.bType, address(bRows_[column], key_.bType), left);
    b = grouped ? builder_.CreateBitCast(b, groups) : b;
    for (size_t row = 0; row < a.size(); ++row) {
      Value *&sum = sums[row * bRows_.size() + column];
      sum = e_.multiplyAdd(sum, a[row], b);
    }
    if (compensated()) { // what the flipped bit of A added: 128 (or -128) times
                         // B
      Value *&extra = sums[aRows_.size() * bRows_.size() + column];
      extra = e_.multiplyAdd(extra, bias, b);
    }
  }
}

/// Adds the elements of each vector by the same tree (halves are added until
/// one element remains), but for two vectors at once: each round halves the
/// number of vectors and doubles the sums in each. The result is all totals in
/// order, in vectors. `order` is the sum that each element of a vector belongs
/// to.
DotEmitter::Values DotEmitter::addUp(Values vectors) {
  struct Partial {
    Value *value;
    llvm::SmallVector<int, 16> order;
  };
  llvm::SmallVector<Partial, 32> partials;
  for (size_t index = 0; index < vectors.size(); ++index)
    partials.push_back({vectors[index], {static_cast<int>(index)}});
  auto add = [&](Value *a, Value *b) {
    return e_.integer() ? builder_.CreateAdd(a, b) : builder_.CreateFAdd(a, b);
  };
  int lanes = e_.lanes();
  for (int width = lanes; width > 1; width /= 2) {
    llvm::SmallVector<Partial, 32> next;
    int blocks = lanes / width, half = width / 2;
    for (size_t index = 0; index < partials.size(); index += 2) {
      const Partial &x = partials[index];
      bool alone = index + 1 == partials.size();
      const Partial &y = alone ? x : partials[index + 1];
      Partial sum;
      llvm::SmallVector<int, 16> low, high;
      // Wide vectors are concatenated, narrow ones interleaved: each is one
      // instruction.
      bool alternate = width <= 4;
      for (int place = 0; place < 2 * blocks; ++place) {
        int operand = alternate ? place % 2 : place / blocks;
        int block = alternate ? place / 2 : place % blocks;
        sum.order.push_back(
            operand && alone
                ? -1
                : (operand ? y : x).order[static_cast<size_t>(block)]);
        for (int lane = 0; lane < half; ++lane) {
          low.push_back(operand * lanes + block * width + lane);
          high.push_back(operand * lanes + block * width + half + lane);
        }
      }
      sum.value = add(builder_.CreateShuffleVector(x.value, y.value, low),
                      builder_.CreateShuffleVector(x.value, y.value, high));
      next.push_back(std::move(sum));
    }
    partials = std::move(next);
  }
  // The sums in their final order, at most `lanes` to a vector.
  Values ordered;
  for (Partial &partial : partials) {
    llvm::SmallVector<int, 16> places;
    size_t first = ordered.size() * static_cast<size_t>(lanes);
    for (size_t sum = first;
         sum < std::min(vectors.size(), first + static_cast<size_t>(lanes));
         ++sum)
      places.push_back(
          static_cast<int>(llvm::find(partial.order, static_cast<int>(sum)) -
                           partial.order.begin()));
    while (places.size() < static_cast<size_t>(lanes))
      places.push_back(0);
    ordered.push_back(builder_.CreateShuffleVector(partial.value, places));
  }
  return ordered;
}

/// Loads or stores a run of adjacent sums.
void DotEmitter::storeRun(const Values &totals, size_t first, int count,
                          Value *pointer, Value *alpha, Value *beta,
                          bool readC) {
  auto lanes = static_cast<size_t>(e_.lanes());
  unsigned bytes =
      static_cast<unsigned>(e_.accumulatorType()->getPrimitiveSizeInBits() / 8);
  auto *type = llvm::FixedVectorType::get(e_.accumulatorType(),
                                          static_cast<unsigned>(count));
  llvm::SmallVector<int, 16> places;
  Value *x = totals[first / lanes],
        *y = totals[(first + static_cast<size_t>(count) - 1) / lanes];
  for (int index = 0; index < count; ++index) {
    size_t sum = first + static_cast<size_t>(index);
    places.push_back(static_cast<int>(
        sum % lanes + (sum / lanes > first / lanes ? lanes : 0)));
  }
  Value *run = builder_.CreateShuffleVector(x, y, places);
  Value *old = readC ? e_.load(type, pointer, bytes) : nullptr;
  auto splat = [&](Value *scalar) {
    return e_.integer() ? nullptr
                        : builder_.CreateVectorSplat(
                              static_cast<unsigned>(count), scalar);
  };
  builder_.CreateAlignedStore(e_.scale(run, splat(alpha), splat(beta), old),
                              pointer, llvm::Align(bytes));
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
  Values vectors;
  for (int row = 0; row < key_.rows; ++row)
    for (int column = 0; column < key_.columns; ++column) {
      Value *sum = sums[static_cast<size_t>(row * key_.columns + column)];
      if (compensated())
        sum = builder_.CreateSub(
            sum, sums[static_cast<size_t>(key_.rows * key_.columns + column)]);
      vectors.push_back(sum);
    }
  Values totals = addUp(std::move(vectors));
  Value *fresh =
      e_.integer() ? builder_.CreateICmpEQ(beta, builder_.getInt32(0))
                   : builder_.CreateFCmpOEQ(
                         beta, llvm::ConstantFP::get(e_.accumulatorType(), 0));
  int64_t bytes =
      static_cast<int64_t>(e_.accumulatorType()->getPrimitiveSizeInBits() / 8);
  // Runs along rows if columns are adjacent, along the single column if rows
  // are, else single elements.
  bool column = key_.columns == 1;
  Value *dense =
      builder_.CreateICmpEQ(column ? cRow : cColumn, e_.constant(bytes));
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, e_.function());
  };
  llvm::BasicBlock *denseBlock = block("dense"), *spreadBlock = block("spread");
  builder_.CreateCondBr(dense, denseBlock, spreadBlock);
  for (bool runs : {true, false}) {
    builder_.SetInsertPoint(runs ? denseBlock : spreadBlock);
    llvm::BasicBlock *freshBlock = block("fresh"), *addBlock = block("add");
    builder_.CreateCondBr(fresh, freshBlock, addBlock);
    int length = !runs ? 1 : column ? key_.rows : key_.columns;
    for (bool readC : {false, true}) {
      builder_.SetInsertPoint(readC ? addBlock : freshBlock);
      int most = e_.lanes();
      for (int sum = 0; sum < key_.rows * key_.columns;) {
        int left = length - sum % length, count = std::min(left, most);
        Value *pointer = e_.at(
            e_.at(c, builder_.CreateMul(cRow, e_.constant(sum / key_.columns))),
            builder_.CreateMul(cColumn, e_.constant(sum % key_.columns)));
        storeRun(totals, static_cast<size_t>(sum), count, pointer, alpha, beta,
                 readC);
        sum += count;
      }
      builder_.CreateRetVoid();
    }
  }
}

void DotEmitter::begin() {
  k_ = e_.field(offsetof(MicroArguments, k), e_.i64(), "k");
  Value *aStride =
      e_.field(offsetof(MicroArguments, aStride), e_.i64(), "aStride");
  Value *bStride =
      e_.field(offsetof(MicroArguments, bStride), e_.i64(), "bStride");
  Value *pointer =
      e_.field(offsetof(MicroArguments, a), builder_.getPtrTy(), "a");
  for (int row = 0; row < key_.rows; ++row, pointer = e_.at(pointer, aStride))
    aRows_.push_back(pointer);
  pointer = e_.field(offsetof(MicroArguments, b), builder_.getPtrTy(), "b");
  for (int column = 0; column < key_.columns;
       ++column, pointer = e_.at(pointer, bStride))
    bRows_.push_back(pointer);
  int count = (key_.rows + (compensated() ? 1 : 0)) * key_.columns;
  sums_.assign(static_cast<size_t>(count),
               llvm::Constant::getNullValue(e_.vectorType()));
  offset_ = e_.constant(0);
}

void DotEmitter::emitLoop(int vectors) {
  llvm::LLVMContext &context = builder_.getContext();
  Value *size = e_.constant(int64_t(vectors) * span());
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(context, "body", e_.function());
  auto *after = llvm::BasicBlock::Create(context, "after", e_.function());
  builder_.CreateCondBr(
      builder_.CreateICmpSLE(builder_.CreateAdd(offset_, size), k_), body,
      after);
  builder_.SetInsertPoint(body);
  auto phi = [&](Value *initial) {
    llvm::PHINode *node = builder_.CreatePHI(initial->getType(), 2);
    node->addIncoming(initial, before);
    return node;
  };
  llvm::PHINode *offsetPhi = phi(offset_);
  llvm::SmallVector<llvm::PHINode *, 32> sumPhis;
  Values inside;
  for (Value *sum : sums_) {
    sumPhis.push_back(phi(sum));
    inside.push_back(sumPhis.back());
  }
  for (int vector = 0; vector < vectors; ++vector)
    step(inside, offsetPhi, vector, nullptr);
  Value *next = builder_.CreateAdd(offsetPhi, size);
  offsetPhi->addIncoming(next, body);
  for (size_t index = 0; index < sums_.size(); ++index)
    sumPhis[index]->addIncoming(inside[index], body);
  builder_.CreateCondBr(
      builder_.CreateICmpSLE(builder_.CreateAdd(next, size), k_), body, after);
  builder_.SetInsertPoint(after);
  auto merge = [&](Value *initial, Value *result) {
    llvm::PHINode *node = phi(initial);
    node->addIncoming(result, body);
    return node;
  };
  offset_ = merge(offset_, next);
  for (size_t index = 0; index < sums_.size(); ++index)
    sums_[index] = merge(sums_[index], inside[index]);
}

void DotEmitter::emitTail() {
  llvm::LLVMContext &context = builder_.getContext();
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  auto *tail = llvm::BasicBlock::Create(context, "tail", e_.function());
  auto *end = llvm::BasicBlock::Create(context, "end", e_.function());
  builder_.CreateCondBr(builder_.CreateICmpSLT(offset_, k_), tail, end);
  builder_.SetInsertPoint(tail);
  Values inside(sums_);
  step(inside, offset_, 0, builder_.CreateSub(k_, offset_));
  llvm::BasicBlock *tailEnd = builder_.GetInsertBlock();
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
  for (size_t index = 0; index < sums_.size(); ++index) {
    llvm::PHINode *node = builder_.CreatePHI(e_.vectorType(), 2);
    node->addIncoming(sums_[index], before);
    node->addIncoming(inside[index], tailEnd);
    sums_[index] = node;
  }
}

// Emits whole steps of `unroll` vectors, single vectors, and a masked last one.
void DotEmitter::run() {
  begin();
  if (key_.unroll > 1)
    emitLoop(key_.unroll);
  emitLoop(1);
  emitTail();
  storeSums(sums_);
}

void emitDot(Emitter &emitter) { DotEmitter(emitter).run(); }

} // namespace assay::kernels
