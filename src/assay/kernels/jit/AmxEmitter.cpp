// Products on tile registers: up to six 16 x 16 squares of sums stay in tile
// registers. Each step along k loads one tile per 16 rows of A and one per 16
// columns of B and multiplies each pair. The last square has exactly the rows
// that exist (by the tile configuration). Columns are whole, because the packed
// B is padded with zeros. Sums that C receives unchanged are loaded and stored
// by tile; any others (alpha, beta, ragged columns) pass through memory.
// Source: Intel 64 Architecture Software Developer's Manual, volume 1, chapter
// "Programming with Intel AMX".
#include "assay/kernels/jit/Emitter.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <cstddef>

namespace assay::kernels {

using llvm::Value;

namespace {
class AmxEmitter {
public:
  explicit AmxEmitter(Emitter &emitter)
      : e_(emitter), key_(emitter.key()), builder_(emitter.builder()),
        rowTiles_((key_.rows + 15) / 16) {}
  void run();

private:
  int rowsOf(int tile) const { return std::min(16, key_.rows - 16 * tile); }
  int sums(int row, int column) const { return row * key_.columns + column; }
  int aTile(int row) const { return rowTiles_ * key_.columns + row; }
  int bTile(int column) const {
    int first = aTile(rowTiles_);
    return first + column % (8 - first);
  }
  llvm::Constant *configuration();
  Value *number(int tile) {
    return builder_.getInt8(static_cast<uint8_t>(tile));
  }
  void call(llvm::Intrinsic::ID id, llvm::ArrayRef<Value *> arguments) {
    builder_.CreateIntrinsic(builder_.getVoidTy(), id, arguments);
  }
  void multiply(int row, int column);
  Value *loop(Value *steps, Value *a0, Value *b0);
  void overTaps(Value *steps, Value *a, Value *b);
  void forEachSum(Value *base, Value *stride, llvm::Intrinsic::ID id);
  void finishInMemory(Value *c, Value *cRow);
  void finishRows(Value *c, Value *cRow, bool readC);
  void streamRows(Value *c, Value *cRow);
  void block(Value *steps, Value *a, Value *b, Value *c, Value *cRow);
  llvm::BasicBlock *newBlock(const char *name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, e_.function());
  }

  Emitter &e_;
  MicroKey key_;
  llvm::IRBuilder<> &builder_;
  int rowTiles_;
  Value *temporary_ = nullptr, *alpha_ = nullptr, *beta_ = nullptr,
        *n_ = nullptr;
};
} // namespace

/// The 64 bytes that LDTILECFG reads: palette 1, bytes per row at 16, rows
/// at 48.
llvm::Constant *AmxEmitter::configuration() {
  llvm::SmallVector<uint8_t, 64> bytes(64, 0);
  bytes[0] = 1;
  auto set = [&](int tile, int rows) {
    bytes[static_cast<size_t>(16 + 2 * tile)] = 64;
    bytes[static_cast<size_t>(48 + tile)] = static_cast<uint8_t>(rows);
  };
  for (int row = 0; row < rowTiles_; ++row) {
    for (int column = 0; column < key_.columns; ++column)
      set(sums(row, column), rowsOf(row));
    set(aTile(row), rowsOf(row));
  }
  for (int tile = aTile(rowTiles_); tile < 8; ++tile)
    set(tile, 16);
  llvm::Constant *data =
      llvm::ConstantDataArray::get(builder_.getContext(), bytes);
  auto *global = new llvm::GlobalVariable(
      *e_.function()->getParent(), data->getType(), true,
      llvm::GlobalValue::PrivateLinkage, data, "tiles");
  global->setAlignment(llvm::Align(64));
  return global;
}

void AmxEmitter::multiply(int row, int column) {
  using namespace llvm::Intrinsic;
  ID id = x86_tdpbf16ps;
  if (key_.math == MicroMath::AmxBytes) {
    bool a = key_.aType == DataType::U8, b = key_.bType == DataType::U8;
    id = a ? (b ? x86_tdpbuud : x86_tdpbusd) : (b ? x86_tdpbsud : x86_tdpbssd);
  }
  call(id,
       {number(sums(row, column)), number(aTile(row)), number(bTile(column))});
}

/// Emits all steps along k from one place of A; returns the address at which B
/// continues.
Value *AmxEmitter::loop(Value *steps, Value *a0, Value *b0) {
  bool packed = key_.aForm == AForm::Packed;
  Value *aRow =
      packed ? e_.constant(64)
             : e_.field(offsetof(MicroArguments, aStride), e_.i64(), "aStride");
  Value *bRow = e_.constant(int64_t(key_.columns) * 64);
  llvm::BasicBlock *before = builder_.GetInsertBlock(),
                   *body = newBlock("body"), *after = newBlock("after");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  auto phi = [&](Value *initial) {
    llvm::PHINode *node = builder_.CreatePHI(initial->getType(), 2);
    node->addIncoming(initial, before);
    return node;
  };
  llvm::PHINode *left = phi(steps), *a = phi(a0), *b = phi(b0);
  for (int row = 0; row < rowTiles_; ++row) {
    Value *pointer = e_.at(a, builder_.CreateMul(aRow, e_.constant(16 * row)));
    call(llvm::Intrinsic::x86_tileloadd64, {number(aTile(row)), pointer, aRow});
  }
  for (int column = 0; column < key_.columns; ++column) {
    call(llvm::Intrinsic::x86_tileloadd64,
         {number(bTile(column)), e_.at(b, int64_t(column) * 64), bRow});
    for (int row = 0; row < rowTiles_; ++row)
      multiply(row, column);
  }
  // A packed panel of A is longer than the first-level cache, so it is
  // prefetched some steps early. (Prefetching B too had no effect.)
  if (key_.pipeline == Pipeline::Prefetch && packed) {
    int64_t step = int64_t(key_.rows) * 64;
    for (int line = 0; line < key_.rows; ++line)
      e_.prefetch(e_.at(a, step * key_.prefetch + int64_t(line) * 64));
  }
  Value *next = builder_.CreateSub(left, e_.constant(1));
  left->addIncoming(next, body);
  a->addIncoming(e_.at(a, packed ? int64_t(key_.rows) * 64 : 64), body);
  Value *bNext = e_.at(b, int64_t(key_.columns) * 64 * 16);
  b->addIncoming(bNext, body);
  builder_.CreateCondBr(builder_.CreateICmpSGT(next, e_.constant(0)), body,
                        after);
  builder_.SetInsertPoint(after);
  return bNext;
}

/// Windows: emits all steps of k at each place; B continues from one place to
/// the next.
void AmxEmitter::overTaps(Value *steps, Value *a, Value *b) {
  Value *count =
            e_.field(offsetof(MicroArguments, tapCount), e_.i64(), "tapCount"),
        *taps =
            e_.field(offsetof(MicroArguments, taps), builder_.getPtrTy(), "taps");
  llvm::BasicBlock *before = builder_.GetInsertBlock(), *body = newBlock("tap"),
                   *after = newBlock("taps.end");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode *left = builder_.CreatePHI(e_.i64(), 2),
                *tap = builder_.CreatePHI(builder_.getPtrTy(), 2),
                *from = builder_.CreatePHI(builder_.getPtrTy(), 2);
  left->addIncoming(count, before);
  tap->addIncoming(taps, before);
  from->addIncoming(b, before);
  Value *bNext = loop(steps, e_.at(a, e_.load(e_.i64(), tap, 8)), from),
        *next = builder_.CreateSub(left, e_.constant(1));
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  left->addIncoming(next, latch);
  tap->addIncoming(e_.at(tap, 8), latch);
  from->addIncoming(bNext, latch);
  builder_.CreateCondBr(builder_.CreateICmpSGT(next, e_.constant(0)), body,
                        after);
  builder_.SetInsertPoint(after);
}

/// Loads or stores every square of sums at base[16 row, 16 column].
void AmxEmitter::forEachSum(Value *base, Value *stride,
                            llvm::Intrinsic::ID id) {
  for (int row = 0; row < rowTiles_; ++row) {
    Value *first =
        e_.at(base, builder_.CreateMul(stride, e_.constant(16 * row)));
    for (int column = 0; column < key_.columns; ++column)
      call(id, {number(sums(row, column)), e_.at(first, int64_t(column) * 64),
                stride});
  }
}

/// C = alpha * temporary + beta * C, row by row, the last columns masked; C is
/// read only where beta is not 0.
void AmxEmitter::finishInMemory(Value *c, Value *cRow) {
  forEachSum(temporary_, e_.constant(int64_t(key_.columns) * 64),
             llvm::Intrinsic::x86_tilestored64);
  Value *fresh =
      e_.integer() ? builder_.CreateICmpEQ(beta_, builder_.getInt32(0))
                   : builder_.CreateFCmpOEQ(
                         beta_, llvm::ConstantFP::get(e_.accumulatorType(), 0));
  llvm::BasicBlock *freshBlock = newBlock("fresh"), *addBlock = newBlock("add"),
                   *after = newBlock("finished");
  builder_.CreateCondBr(fresh, freshBlock, addBlock);
  for (bool readC : {false, true}) {
    builder_.SetInsertPoint(readC ? addBlock : freshBlock);
    finishRows(c, cRow, readC);
    builder_.CreateBr(after);
  }
  builder_.SetInsertPoint(after);
}

/// C = temporary, row by row, with stores that bypass the caches.
void AmxEmitter::streamRows(Value *c, Value *cRow) {
  forEachSum(temporary_, e_.constant(int64_t(key_.columns) * 64),
             llvm::Intrinsic::x86_tilestored64);
  auto *once =
      llvm::MDNode::get(builder_.getContext(),
                        llvm::ConstantAsMetadata::get(builder_.getInt32(1)));
  for (int row = 0; row < key_.rows; ++row, c = e_.at(c, cRow))
    for (int column = 0; column < key_.columns; ++column) {
      Value *sum = e_.load(
          e_.vectorType(),
          e_.at(temporary_, (int64_t(row) * key_.columns + column) * 64), 64);
      builder_
          .CreateAlignedStore(sum, e_.at(c, int64_t(column) * 64),
                              llvm::Align(64))
          ->setMetadata(llvm::LLVMContext::MD_nontemporal, once);
    }
}

void AmxEmitter::finishRows(Value *c, Value *cRow, bool readC) {
  llvm::SmallVector<Value *, 8> masks;
  for (int column = 0; column < key_.columns; ++column) {
    llvm::SmallVector<llvm::Constant *, 16> lanes;
    for (int lane = 0; lane < e_.lanes(); ++lane)
      lanes.push_back(
          builder_.getInt32(static_cast<uint32_t>(column * e_.lanes() + lane)));
    Value *valid = builder_.CreateVectorSplat(
        static_cast<unsigned>(e_.lanes()),
        builder_.CreateTrunc(n_, builder_.getInt32Ty()));
    masks.push_back(
        builder_.CreateICmpSLT(llvm::ConstantVector::get(lanes), valid));
  }
  Value *alpha = e_.integer() ? nullptr : e_.splat(alpha_),
        *beta = e_.integer() ? nullptr : e_.splat(beta_);
  llvm::BasicBlock *before = builder_.GetInsertBlock(), *body = newBlock("row"),
                   *after = newBlock("rows.end");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode *row = builder_.CreatePHI(e_.i64(), 2);
  row->addIncoming(e_.constant(0), before);
  Value *from =
      e_.at(temporary_,
            builder_.CreateMul(row, e_.constant(int64_t(key_.columns) * 64)));
  Value *to = e_.at(c, builder_.CreateMul(row, cRow));
  for (int column = 0; column < key_.columns; ++column) {
    auto index = static_cast<size_t>(column);
    Value *pointer = e_.at(to, int64_t(column) * 64), *old = nullptr;
    Value *sum =
        e_.load(e_.vectorType(), e_.at(from, int64_t(column) * 64), 64);
    if (readC)
      old = builder_.CreateMaskedLoad(
          e_.vectorType(), pointer, llvm::Align(4), masks[index],
          llvm::Constant::getNullValue(e_.vectorType()));
    builder_.CreateMaskedStore(e_.scale(sum, alpha, beta, old), pointer,
                               llvm::Align(4), masks[index]);
  }
  Value *next = builder_.CreateAdd(row, e_.constant(1));
  row->addIncoming(next, body);
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, e_.constant(key_.rows)),
                        body, after);
  builder_.SetInsertPoint(after);
}

/// Emits one block of sums, from its start to C.
void AmxEmitter::block(Value *steps, Value *a, Value *b, Value *c,
                       Value *cRow) {
  using namespace llvm::Intrinsic;
  auto is = [&](Value *value, int number) {
    return e_.integer()
               ? builder_.CreateICmpEQ(
                     value, builder_.getInt32(static_cast<uint32_t>(number)))
               : builder_.CreateFCmpOEQ(
                     value,
                     llvm::ConstantFP::get(e_.accumulatorType(), number));
  };
  // Sums are stored in C directly if there are all columns, alpha is 1, and
  // beta is 0 or 1. With beta 1 they start from C.
  Value *whole =
      builder_.CreateICmpSGE(n_, e_.constant(int64_t(key_.columns) * 16));
  Value *straight =
      builder_.CreateAnd(builder_.CreateAnd(whole, is(alpha_, 1)),
                         builder_.CreateOr(is(beta_, 0), is(beta_, 1)));
  Value *adds = builder_.CreateAnd(straight, is(beta_, 1));
  Value *streams = builder_.CreateAnd(
      builder_.CreateAnd(straight, is(beta_, 0)),
      builder_.CreateICmpNE(
          e_.field(offsetof(MicroArguments, stream), e_.i64(), "stream"),
          e_.constant(0)));
  llvm::BasicBlock *fromC = newBlock("from.c"), *zero = newBlock("zero"),
                   *start = newBlock("start");
  builder_.CreateCondBr(adds, fromC, zero);
  builder_.SetInsertPoint(fromC);
  forEachSum(c, cRow, x86_tileloadd64);
  builder_.CreateBr(start);
  builder_.SetInsertPoint(zero);
  for (int tile = 0; tile < rowTiles_ * key_.columns; ++tile)
    call(x86_tilezero, {number(tile)});
  builder_.CreateBr(start);
  builder_.SetInsertPoint(start);
  if (key_.aForm == AForm::Windows)
    overTaps(steps, a, b);
  else
    loop(steps, a, b);
  llvm::BasicBlock *toC = newBlock("to.c"), *toMemory = newBlock("to.memory"),
                   *toStream = newBlock("to.stream"), *kept = newBlock("kept"),
                   *end = newBlock("end");
  builder_.CreateCondBr(straight, kept, toMemory);
  builder_.SetInsertPoint(kept);
  builder_.CreateCondBr(streams, toStream, toC);
  builder_.SetInsertPoint(toC);
  forEachSum(c, cRow, x86_tilestored64);
  builder_.CreateBr(end);
  builder_.SetInsertPoint(toStream);
  streamRows(c, cRow);
  builder_.CreateBr(end);
  builder_.SetInsertPoint(toMemory);
  finishInMemory(c, cRow);
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
}

void AmxEmitter::run() {
  llvm::AllocaInst *memory = builder_.CreateAlloca(llvm::ArrayType::get(
      builder_.getInt8Ty(),
      static_cast<uint64_t>(rowTiles_ * 16 * key_.columns * 64)));
  memory->setAlignment(llvm::Align(64));
  temporary_ = memory;
  auto word = [&](size_t offset, const char *name) {
    return e_.field(static_cast<int64_t>(offset), e_.i64(), name);
  };
  auto pointer = [&](size_t offset, const char *name) {
    return e_.field(static_cast<int64_t>(offset), builder_.getPtrTy(), name);
  };
  Value *steps = word(offsetof(MicroArguments, k), "k");
  Value *cRow = word(offsetof(MicroArguments, cRow), "cRow");
  n_ = word(offsetof(MicroArguments, n), "n");
  alpha_ =
      e_.field(offsetof(MicroArguments, alpha), e_.accumulatorType(), "alpha");
  beta_ =
      e_.field(offsetof(MicroArguments, beta), e_.accumulatorType(), "beta");
  Value *starts[] = {pointer(offsetof(MicroArguments, a), "a"),
                     pointer(offsetof(MicroArguments, b), "b"),
                     pointer(offsetof(MicroArguments, c), "c")};
  Value *moves[] = {word(offsetof(MicroArguments, aStep), "aStep"),
                    word(offsetof(MicroArguments, bStep), "bStep"),
                    word(offsetof(MicroArguments, cStep), "cStep")};
  Value *count = word(offsetof(MicroArguments, repeat), "repeat");
  call(llvm::Intrinsic::x86_ldtilecfg, {configuration()});
  llvm::BasicBlock *before = builder_.GetInsertBlock(),
                   *head = newBlock("block"), *after = newBlock("blocks.end");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode *left = builder_.CreatePHI(e_.i64(), 2), *places[3];
  left->addIncoming(count, before);
  for (int index = 0; index < 3; ++index) {
    places[index] = builder_.CreatePHI(builder_.getPtrTy(), 2);
    places[index]->addIncoming(starts[index], before);
  }
  block(steps, places[0], places[1], places[2], cRow);
  llvm::BasicBlock *latch = builder_.GetInsertBlock();
  for (int index = 0; index < 3; ++index)
    places[index]->addIncoming(e_.at(places[index], moves[index]), latch);
  Value *next = builder_.CreateSub(left, e_.constant(1));
  left->addIncoming(next, latch);
  builder_.CreateCondBr(builder_.CreateICmpSGT(next, e_.constant(0)), head,
                        after);
  builder_.SetInsertPoint(after);
  call(llvm::Intrinsic::x86_tilerelease, {});
  builder_.CreateRetVoid();
}

void emitAmx(Emitter &emitter) { AmxEmitter(emitter).run(); }

} // namespace assay::kernels
