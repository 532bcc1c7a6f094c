#include "assay/kernels/jit/TileStore.h"

#include <cstddef>

namespace assay::kernels {

using llvm::Value;

llvm::Value *columnMask(Emitter &emitter, llvm::Value *n, int vector) {
  llvm::IRBuilder<> &builder = emitter.builder();
  llvm::SmallVector<llvm::Constant *, 64> lanes;
  for (int lane = 0; lane < emitter.lanes(); ++lane)
    lanes.push_back(
        builder.getInt32(static_cast<uint32_t>(vector * emitter.lanes() + lane)));
  Value *valid = builder.CreateVectorSplat(
      static_cast<unsigned>(emitter.lanes()),
      builder.CreateTrunc(n, builder.getInt32Ty()));
  return builder.CreateICmpSLT(llvm::ConstantVector::get(lanes), valid);
}

namespace {
class TileStore {
public:
  TileStore(Emitter &emitter, Value *n, llvm::ArrayRef<Value *> tile);
  void run();

private:
  /// How C is stored: overwritten, added to, or overwritten by stores that
  /// bypass the caches.
  enum class Target : uint8_t { Fresh, Add, Stream };
  /// The address of a row of C, and of a row of `sums` for kernels that round.
  struct Row {
    Value *c = nullptr, *sums = nullptr;
  };
  Row firstRow() const { return {c_, sums_}; }
  void advanceRow(Row &row);
  Value *oldSums(const Row &row, int vector, Value *mask);
  void storeVector(int i, int vector, const Row &row,
                   Value *mask, Target target);
  void storeTile(bool masked, Target target);
  void storeColumns(int vector, Value *mask,
                    Target target);
  void storeHalf(int vector, Target target);
  void storeRagged(Target target);

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  llvm::ArrayRef<Value *> tile_; ///< [rows][vectors of columns]
  Value *n_, *c_, *cRow_, *alpha_, *beta_;
  Value *sums_ = nullptr, *sumsRow_ = nullptr; ///< of kernels that round
};
} // namespace

TileStore::TileStore(Emitter &emitter, Value *n, llvm::ArrayRef<Value *> tile)
    : e_(emitter), key_(emitter.key()), builder_(emitter.builder()),
      tile_(tile), n_(n) {
  c_ = e_.field(offsetof(MicroArguments, c), builder_.getPtrTy(), "c");
  cRow_ = e_.field(offsetof(MicroArguments, cRow), e_.i64(), "cRow");
  if (key_.tileRounds()) {
    sums_ =
        e_.field(offsetof(MicroArguments, sums), builder_.getPtrTy(), "sums");
    sumsRow_ = e_.field(offsetof(MicroArguments, sumsRow), e_.i64(), "sumsRow");
  }
  alpha_ =
      e_.field(offsetof(MicroArguments, alpha), e_.accumulatorType(), "alpha");
  beta_ =
      e_.field(offsetof(MicroArguments, beta), e_.accumulatorType(), "beta");
}

void TileStore::advanceRow(Row &row) {
  row.c = e_.at(row.c, cRow_);
  if (row.sums)
    row.sums = e_.at(row.sums, sumsRow_);
}

/// A vector of the previous sums. Rows of `sums` have whole vectors.
Value *TileStore::oldSums(const Row &row, int vector, Value *mask) {
  int64_t bytes = sizeOf(accumulatorOf(key_.math));
  Value *pointer =
      e_.at(row.sums ? row.sums : row.c, int64_t(vector) * e_.lanes() * bytes);
  if (!mask || row.sums)
    return e_.load(e_.vectorType(), pointer, static_cast<unsigned>(bytes));
  return builder_.CreateMaskedLoad(
      e_.vectorType(), pointer, llvm::Align(static_cast<uint64_t>(bytes)), mask,
      llvm::Constant::getNullValue(e_.vectorType()));
}

/// Stores one vector of sums to its place in the tile's row `i`, which begins
/// at `row`; `mask` null: all of its lanes.
void TileStore::storeVector(int i, int vector,
                              const Row &row, Value *mask, Target target) {
  int64_t bytes =
      sizeOf(key_.tileRounds() ? key_.cType : accumulatorOf(key_.math));
  llvm::Align alignment(static_cast<uint64_t>(bytes));
  Value *alpha = e_.integer() ? nullptr : e_.splat(alpha_),
        *beta = e_.integer() ? nullptr : e_.splat(beta_),
        *old = target == Target::Add ? oldSums(row, vector, mask) : nullptr,
        *value =
            e_.scale(tile_[static_cast<size_t>(i * key_.columns + vector)],
                     alpha, beta, old),
        *pointer = e_.at(row.c, int64_t(vector) * e_.lanes() * bytes);
  if (key_.tileRounds())
    value = e_.narrowReal(key_.cType, value);
  if (mask) {
    builder_.CreateMaskedStore(value, pointer, alignment, mask);
    return;
  }
  if (target != Target::Stream) {
    builder_.CreateAlignedStore(value, pointer, alignment);
    return;
  }
  builder_
      .CreateAlignedStore(
          value, pointer,
          llvm::Align(static_cast<uint64_t>(e_.lanes() * bytes)))
      ->setMetadata(llvm::LLVMContext::MD_nontemporal,
                    llvm::MDNode::get(
                        builder_.getContext(),
                        llvm::ConstantAsMetadata::get(builder_.getInt32(1))));
}

void TileStore::storeTile(bool masked,
                            Target target) {
  llvm::SmallVector<Value *, 8> masks(static_cast<size_t>(key_.columns));
  for (int vector = 0; masked && vector < key_.columns; ++vector)
    masks[static_cast<size_t>(vector)] = columnMask(e_, n_, vector);
  Row row = firstRow();
  for (int i = 0; i < key_.rows; ++i, advanceRow(row))
    for (int vector = 0; vector < key_.columns; ++vector)
      storeVector(i, vector, row, masks[static_cast<size_t>(vector)],
                  target);
}

/// Stores the lower half of one vector of columns for all rows.
void TileStore::storeHalf(int vector, Target target) {
  int half = e_.lanes() / 2;
  auto bytes =
      static_cast<unsigned>(e_.accumulatorType()->getPrimitiveSizeInBits() / 8);
  auto *type = llvm::FixedVectorType::get(e_.accumulatorType(),
                                          static_cast<unsigned>(half));
  llvm::SmallVector<int, 8> low, widened;
  for (int lane = 0; lane < e_.lanes(); ++lane) {
    widened.push_back(lane < half ? lane : -1);
    if (lane < half)
      low.push_back(lane);
  }
  Value *row = c_;
  for (int i = 0; i < key_.rows; ++i, row = e_.at(row, cRow_)) {
    Value *pointer = e_.at(row, int64_t(vector) * e_.lanes() * bytes),
          *old = target == Target::Add
                     ? builder_.CreateShuffleVector(
                           e_.load(type, pointer, bytes), widened)
                     : nullptr;
    Value *value =
        e_.scale(tile_[static_cast<size_t>(i * key_.columns + vector)],
                 e_.integer() ? nullptr : e_.splat(alpha_),
                 e_.integer() ? nullptr : e_.splat(beta_), old);
    builder_.CreateAlignedStore(builder_.CreateShuffleVector(value, low),
                                pointer, llvm::Align(bytes));
  }
}

/// Stores one vector of columns for all rows.
void TileStore::storeColumns(int vector, Value *mask,
                               Target target) {
  Row row = firstRow();
  for (int i = 0; i < key_.rows; ++i, advanceRow(row))
    storeVector(i, vector, row, mask, target);
}

/// Stores the first n columns: whole vectors and halves without a mask, the
/// rest with one. On processors without mask registers a masked store is slow
/// (on the first Zen cores it is microcode).
void TileStore::storeRagged(Target target) {
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, e_.function());
  };
  llvm::BasicBlock *done = block("stored");
  for (int vector = 0; vector < key_.columns; ++vector) {
    Value *left =
        builder_.CreateSub(n_, e_.constant(int64_t(vector) * e_.lanes()));
    llvm::BasicBlock *some = block("some"), *full = block("full"),
                     *part = block("part"), *next = block("next");
    builder_.CreateCondBr(builder_.CreateICmpSGT(left, e_.constant(0)), some,
                          done);
    builder_.SetInsertPoint(some);
    builder_.CreateCondBr(builder_.CreateICmpSGE(left, e_.constant(e_.lanes())),
                          full, part);
    builder_.SetInsertPoint(full);
    storeColumns(vector, nullptr, target);
    builder_.CreateBr(next);
    builder_.SetInsertPoint(part);
    if (!key_.tileRounds()) {
      llvm::BasicBlock *half = block("half"), *rest = block("rest");
      builder_.CreateCondBr(
          builder_.CreateICmpEQ(left, e_.constant(e_.lanes() / 2)), half, rest);
      builder_.SetInsertPoint(half);
      storeHalf(vector, target);
      builder_.CreateBr(done);
      builder_.SetInsertPoint(rest);
    }
    storeColumns(vector, columnMask(e_, n_, vector), target);
    builder_.CreateBr(done);
    builder_.SetInsertPoint(next);
  }
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

void TileStore::run() {
  llvm::LLVMContext &context = builder_.getContext();
  Value *whole = builder_.CreateICmpSGE(
      n_, e_.constant(int64_t(key_.columns) * e_.lanes()));
  Value *fresh =
      e_.integer() ? builder_.CreateICmpEQ(beta_, builder_.getInt32(0))
                   : builder_.CreateFCmpOEQ(
                         beta_, llvm::ConstantFP::get(e_.accumulatorType(), 0));
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(context, name, e_.function());
  };
  bool hasMasks = e_.isa().vectorBytes == 64;
  llvm::BasicBlock *wholeBlock = block("whole"), *raggedBlock = block("ragged"),
                   *end = block("end");
  builder_.CreateCondBr(whole, wholeBlock, raggedBlock);
  for (bool masked : {false, true}) {
    builder_.SetInsertPoint(masked ? raggedBlock : wholeBlock);
    llvm::BasicBlock *freshBlock = block("fresh"), *addBlock = block("add");
    builder_.CreateCondBr(fresh, freshBlock, addBlock);
    for (Target target : {Target::Fresh, Target::Add}) {
      builder_.SetInsertPoint(target == Target::Add ? addBlock : freshBlock);
      if (!masked && target == Target::Fresh && !key_.tileRounds()) {
        llvm::BasicBlock *streamBlock = block("stream"), *keep = block("keep");
        Value *stream =
            e_.field(offsetof(MicroArguments, stream), e_.i64(), "stream");
        builder_.CreateCondBr(builder_.CreateICmpNE(stream, e_.constant(0)),
                              streamBlock, keep);
        builder_.SetInsertPoint(streamBlock);
        storeTile(/*masked=*/false, Target::Stream);
        builder_.CreateBr(end);
        builder_.SetInsertPoint(keep);
      }
      if (masked && !hasMasks)
        storeRagged(target);
      else
        storeTile(masked, target);
      builder_.CreateBr(end);
    }
  }
  builder_.SetInsertPoint(end);
  builder_.CreateRetVoid();
}

void storeTile(Emitter &emitter, llvm::Value *n,
               llvm::ArrayRef<llvm::Value *> sums) {
  TileStore(emitter, n, sums).run();
}

} // namespace assay::kernels
