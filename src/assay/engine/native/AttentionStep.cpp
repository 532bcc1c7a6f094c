// Attention without its scores in memory. A piece of work is a block of rows of
// one batch entry (queries of one head). Its scores are computed into memory of
// the thread that stays in the second-level cache. There the loop (scale, mask,
// softmax, or any other operations along rows) runs over them, and the second
// product reads its result. Keys and values are packed once per head: by the
// thread that computes the head, or, if the heads cannot be divided evenly
// among threads, for all heads beforehand. Neither the scores nor the loop's
// result exist as a whole. Each row gets the same result as in three separate
// steps.
#include "assay/engine/native/AttentionStep.h"

#include "assay/engine/native/DotParts.h"
#include "assay/engine/native/Fused.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/RowsProduct.h"
#include "assay/support/Math.h"

#include <map>
#include <mutex>

namespace assay::engine {

using kernels::GemmProblem;
using program::Value;

namespace {
/// A product, and which operand's rows are divided, as the rows of A.
struct Side {
  DotParts parts;
  bool isTurned = false; ///< A is the step's right operand
  size_t rowsOperand() const { return isTurned ? 1 : 0; }
  size_t otherOperand() const { return isTurned ? 0 : 1; }
};

/// A division of an entry's rows, with the products for its pieces.
struct Cut {
  int64_t rows;
  RowsProduct first, second;
};

class AttentionStep final : public Step {
public:
  AttentionStep(std::shared_ptr<NativeContext> context,
                const AttentionParts &parts, Side first, Side second)
      : context_(std::move(context)), first_(std::move(*parts.first)),
        loop_(std::move(*parts.loop)), second_(std::move(*parts.second)),
        made_(parts.made), scoresType_(parts.scores),
        sharesType_(parts.shares), scores_(std::move(first)),
        values_(std::move(second)),
        inPlace_(followingLoopOf(*loop_)->resultInPlaceOf(made_).has_value()) {}
  llvm::Error run(StepContext &context) const override;

private:
  struct Run;
  int64_t heads() const {
    return static_cast<int64_t>(scores_.parts.entries.size());
  }
  int64_t rowsOfAPiece(int threads) const;
  std::shared_ptr<const Cut> cutInto(int64_t rows) const;
  llvm::Error prepare(StepContext &context, Run &run) const;
  void arrangeHead(const Run &run, int64_t head, std::byte *arranged,
                   ThreadPool &threads) const;
  llvm::Expected<Tensor> arrangeAll(StepContext &context, const Run &run) const;
  llvm::Error runPiece(const Run &run, int64_t head, int64_t row,
                       const std::byte *arranged, std::byte *memory,
                       ThreadPool &threads) const;
  llvm::Error runWhole(StepContext &context) const;

  std::shared_ptr<NativeContext> context_;
  std::unique_ptr<Step> first_, loop_, second_;
  size_t made_;
  TensorType scoresType_, sharesType_;
  Side scores_, values_;
  bool inPlace_; ///< whether the loop's result may replace the scores
  mutable std::mutex mutex_; // guards the members below
  mutable std::map<int64_t, std::shared_ptr<const Cut>> cuts_; ///< by the
                                                               ///< number of
                                                               ///< rows
};

/// The inputs and outputs of one execution.
struct AttentionStep::Run {
  Tensor operands[3]; ///< queries, keys, values
  std::unique_ptr<FollowingLoop::Execution> loop;
  std::byte *result = nullptr;
  std::shared_ptr<const Cut> cut;
  /// The bytes of one head: its keys, its values, and both together.
  int64_t keysBytes = 0, valuesBytes = 0, arrangedBytes = 0;
  int64_t scoresBytes = 0; ///< of a piece

  void setCut(std::shared_ptr<const Cut> made) {
    cut = std::move(made);
    keysBytes = roundUp(cut->first.arrangedBytes(), 64);
    valuesBytes = roundUp(cut->second.arrangedBytes(), 64);
    arrangedBytes = keysBytes + valuesBytes;
  }
};
} // namespace

//===--- Whether it can be -----------------------------------------------===//

static void turn(Side &side) {
  GemmProblem &p = side.parts.problem;
  auto turned = [](kernels::Strides s) {
    return kernels::Strides{s.column, s.row, s.batch};
  };
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.aStrides, p.bStrides);
  for (kernels::Strides *strides : {&p.aStrides, &p.bStrides, &p.cStrides})
    *strides = turned(*strides);
  for (DotParts::Entry &entry : side.parts.entries)
    std::swap(entry.a, entry.b);
  side.isTurned = !side.isTurned;
}

/// The product, if its result is consecutive rows of scores; otherwise nullopt.
static std::optional<Side> scoresSide(const Step &step) {
  std::optional<DotParts> parts = dotPartsOf(step);
  if (!parts)
    return std::nullopt;
  Side side{std::move(*parts)};
  if (side.parts.problem.cStrides.column != 1)
    turn(side);
  const GemmProblem &p = side.parts.problem;
  if (p.cStrides.column != 1 || p.cStrides.row != p.n)
    return std::nullopt;
  for (auto [index, entry] : llvm::enumerate(side.parts.entries))
    if (entry.c != static_cast<int64_t>(index) * p.m * p.n)
      return std::nullopt;
  return side;
}

/// The product, if its operand `read` has the rows in that order; otherwise
/// nullopt.
static std::optional<Side> valuesSide(const Step &step, size_t read,
                                      const Side &scores) {
  std::optional<DotParts> parts = dotPartsOf(step);
  if (!parts || parts->isCopied[read])
    return std::nullopt;
  Side side{std::move(*parts)};
  if (read == 1)
    turn(side);
  const GemmProblem &p = side.parts.problem, &made = scores.parts.problem;
  if (p.m != made.m || p.k != made.n || p.aStrides.column != 1 ||
      p.aStrides.row != p.k ||
      side.parts.entries.size() != scores.parts.entries.size())
    return std::nullopt;
  for (auto [index, entry] : llvm::enumerate(side.parts.entries))
    if (entry.a != static_cast<int64_t>(index) * p.m * p.k)
      return std::nullopt;
  return side;
}

/// Whether pieces are worth it. Fewer scores stay in the caches anyway, and
/// fewer rows are not worth a call of the kernels (12 to 1536 heads of 64, Zen
/// 5, 24 November 2026). Tile registers would need the keys reordered for each
/// piece.
static bool isWorthIt(const GemmProblem &scores, int64_t elements,
                      const kernels::Isa &isa) {
  constexpr int64_t kFewestRows = 32, kFewestBytes = 1 << 20;
  bool onTiles = isa.amx && (scores.a == kernels::DataType::BF16 ||
                             kernels::sizeOf(scores.a) == 1);
  return !onTiles && scores.m >= kFewestRows &&
         elements * kernels::sizeOf(scores.c) >= kFewestBytes;
}

std::unique_ptr<Step> makeAttentionStep(std::shared_ptr<NativeContext> context,
                                        const AttentionParts &parts) {
  std::optional<Side> first = scoresSide(**parts.first);
  if (!first)
    return nullptr;
  std::optional<Side> second = valuesSide(**parts.second, parts.read, *first);
  const FollowingLoop *loop = followingLoopOf(**parts.loop);
  if (!second || !loop)
    return nullptr;
  const GemmProblem &p = first->parts.problem;
  int64_t elements =
      static_cast<int64_t>(first->parts.entries.size()) * p.m * p.n;
  if (!isWorthIt(p, elements, context->registry.machine().isa) ||
      !loop->canFollow(parts.made, p.n) ||
      elementsOf(parts.shares.shape) != elements)
    return nullptr;
  return std::make_unique<AttentionStep>(std::move(context), parts,
                                         std::move(*first), std::move(*second));
}

//===--- One execution ---------------------------------------------------===//

/// The number of rows whose scores fill half of the second-level cache, but
/// enough to be worth reading keys and values; fewer if some threads would be
/// idle. All pieces but the last have the same height.
int64_t AttentionStep::rowsOfAPiece(int threads) const {
  constexpr int64_t kEnough = 48, kFewestAThread = 16;
  const GemmProblem &p = scores_.parts.problem;
  int64_t bytes = context_->registry.machine().caches.l2 / 2,
          rows = std::max(kEnough, bytes / (p.n * kernels::sizeOf(p.c))),
          forThreads = std::min(ceilDiv(threads, heads()),
                                std::max<int64_t>(1, p.m / kFewestAThread));
  return ceilDiv(p.m, std::max(ceilDiv(p.m, rows), forThreads));
}

std::shared_ptr<const Cut> AttentionStep::cutInto(int64_t rows) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const Cut> &cut = cuts_[rows];
  if (!cut)
    cut = std::make_shared<const Cut>(
        Cut{rows, RowsProduct(scores_.parts.problem, rows, *context_),
            RowsProduct(values_.parts.problem, rows, *context_)});
  return cut;
}

/// Element `index` of a product's operand or result.
template <typename Byte>
static Byte *elementAt(Byte *memory, int64_t index, kernels::DataType type) {
  return memory + index * kernels::sizeOf(type);
}

/// Arranges the keys and values of a head for the pieces.
void AttentionStep::arrangeHead(const Run &run, int64_t head,
                                std::byte *arranged,
                                ThreadPool &threads) const {
  const DotParts &first = scores_.parts, &second = values_.parts;
  if (run.keysBytes)
    run.cut->first.arrange(elementAt(run.operands[1].bytes(),
                                     first.entries[head].b, first.problem.b),
                           arranged, threads);
  if (run.valuesBytes)
    run.cut->second.arrange(elementAt(run.operands[2].bytes(),
                                      second.entries[head].b,
                                      second.problem.b),
                            arranged + run.keysBytes, threads);
}

/// Arranges all heads.
llvm::Expected<Tensor> AttentionStep::arrangeAll(StepContext &context,
                                                 const Run &run) const {
  ThreadPool &threads = context.run.threads;
  llvm::Expected<Tensor> arranged =
      context.allocate({*numerics::parseElementType("ui8"),
                        {std::max<int64_t>(1, heads() * run.arrangedBytes)}});
  if (!arranged)
    return arranged;
  std::byte *memory = arranged->mutableBytes();
  auto some = [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head)
      arrangeHead(run, head, memory + head * run.arrangedBytes, threads);
  };
  if (heads() < threads.threads())
    some(0, heads()); // each by all threads
  else
    threads.parallelFor(heads(), 1, some);
  return arranged;
}

/// Computes rows [row, row + cut.rows) of a head, as far as they exist.
llvm::Error AttentionStep::runPiece(const Run &run, int64_t head, int64_t row,
                                    const std::byte *arranged,
                                    std::byte *memory,
                                    ThreadPool &threads) const {
  const GemmProblem &first = scores_.parts.problem,
                    &second = values_.parts.problem;
  const DotParts::Entry &from = scores_.parts.entries[head],
                        &to = values_.parts.entries[head];
  int64_t rows = std::min(run.cut->rows, first.m - row);
  kernels::GemmPointers pointers;
  pointers.a = elementAt(run.operands[0].bytes(),
                         from.a + row * first.aStrides.row, first.a);
  pointers.b = run.keysBytes ? arranged
                             : elementAt(run.operands[1].bytes(), from.b,
                                         first.b);
  pointers.c = memory;
  if (llvm::Error error =
          run.cut->first.run(rows, pointers, *context_, threads))
    return error;
  std::byte *shares = memory + (inPlace_ ? 0 : run.scoresBytes);
  int64_t begin = (head * first.m + row) * first.n;
  run.loop->readyApart(begin, begin + rows * first.n, memory, shares);
  pointers.a = shares;
  pointers.b = run.valuesBytes ? arranged + run.keysBytes
                               : elementAt(run.operands[2].bytes(), to.b,
                                           second.b);
  pointers.c =
      elementAt(run.result, to.c + row * second.cStrides.row, second.c);
  return run.cut->second.run(rows, pointers, *context_, threads);
}

/// Runs the three steps one after the other, because there are more threads
/// than pieces.
llvm::Error AttentionStep::runWhole(StepContext &context) const {
  Value scores, shares;
  auto step = [&](const Step &one, llvm::ArrayRef<Value *> operands,
                  llvm::MutableArrayRef<Value> results) {
    StepContext inner(context.run, context.op);
    inner.operands.assign(operands.begin(), operands.end());
    inner.dying.assign(operands.size(), false);
    inner.results = results;
    return one.run(inner);
  };
  for (auto [value, type] : {std::pair{&scores, &scoresType_},
                             std::pair{&shares, &sharesType_}}) {
    llvm::Expected<Tensor> memory = context.allocate(*type);
    if (!memory)
      return memory.takeError();
    *value = Value(std::move(*memory));
  }
  llvm::ArrayRef<Value *> operands = context.operands;
  if (llvm::Error error = step(*first_, operands.take_front(2), scores))
    return error;
  llvm::SmallVector<Value *, 8> read(operands.drop_front(3));
  read.insert(read.begin() + static_cast<int64_t>(made_), &scores);
  if (llvm::Error error = step(*loop_, read, shares))
    return error;
  Value *last[2] = {operands[2], operands[2]};
  last[values_.rowsOperand()] = &shares;
  return step(*second_, last, context.results);
}

/// Prepares the operands and the result.
llvm::Error AttentionStep::prepare(StepContext &context, Run &run) const {
  const std::tuple<const Step &, size_t, size_t> sources[] = {
      {*first_, scores_.rowsOperand(), scores_.rowsOperand()},
      {*first_, scores_.otherOperand(), scores_.otherOperand()},
      {*second_, values_.otherOperand(), 2}};
  for (auto [index, source] : llvm::enumerate(sources)) {
    const auto &[step, operand, slot] = source;
    if (llvm::Error error =
            productStepOf(step)
                ->arranged(context, context.operand(slot), operand)
                .moveInto(run.operands[index]))
      return error;
  }
  llvm::SmallVector<const Tensor *, 8> operands;
  for (size_t i = 3; i < context.operandCount(); ++i)
    operands.push_back(&context.operand(i));
  operands.insert(operands.begin() + static_cast<int64_t>(made_), nullptr);
  run.result = context.out(0).mutableBytes();
  std::byte *const nowhere = nullptr;
  return followingLoopOf(*loop_)->begin(operands, nowhere).moveInto(run.loop);
}

llvm::Error AttentionStep::run(StepContext &context) const {
  // Heads that one thread computes alone must divide evenly among the threads.
  constexpr int64_t kHeadsAThread = 8;
  ThreadPool &threads = context.run.threads;
  const GemmProblem &first = scores_.parts.problem;
  int64_t rows = rowsOfAPiece(threads.threads()), heads = this->heads(),
          pieces = ceilDiv(first.m, rows);
  if (heads * pieces < threads.threads())
    return runWhole(context);
  context.run.engineSteps += 3;
  Run run;
  if (llvm::Error error = prepare(context, run))
    return error;
  run.setCut(cutInto(rows));
  run.scoresBytes = roundUp(rows * first.n * kernels::sizeOf(first.c), 64);
  int64_t width = kernels::sizeOf(values_.parts.problem.a),
          bytes = run.scoresBytes +
                  (inPlace_ ? 0 : roundUp(rows * first.n * width, 64));
  if (heads % threads.threads() == 0 ||
      heads >= kHeadsAThread * threads.threads())
    return forEachLongPiece(
        context, heads, bytes + run.arrangedBytes,
        [&](int64_t head, std::byte *memory) {
          std::byte *arranged = memory + bytes;
          arrangeHead(run, head, arranged, threads);
          llvm::Error error = llvm::Error::success();
          for (int64_t row = 0; row < first.m && !error; row += rows)
            error = runPiece(run, head, row, arranged, memory, threads);
          return error;
        });
  llvm::Expected<Tensor> arranged = arrangeAll(context, run);
  if (!arranged)
    return arranged.takeError();
  return forEachLongPiece(
      context, heads * pieces, bytes, [&](int64_t piece, std::byte *memory) {
        int64_t head = piece / pieces;
        return runPiece(run, head, piece % pieces * rows,
                        arranged->bytes() + head * run.arrangedBytes, memory,
                        threads);
      });
}

} // namespace assay::engine
