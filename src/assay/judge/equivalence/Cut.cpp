// From the result that differs, or from the first values that differ and explain
// it, backwards, in both programs, to values that are the same numbers in both:
// those become arguments, in one order for both.
#include "assay/judge/equivalence/Cut.h"
#include "assay/formats/Npz.h"
#include "assay/program/Types.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace assay;
using namespace assay::judge;
using namespace mlir;

namespace {
/// One program's side of a cut.
struct CutSide {
  func::FuncOp function;
  llvm::DenseMap<Value, uint64_t> prints; ///< of values of its entry block
  llvm::SetVector<Value> cuts;            ///< values where it ends
  llvm::DenseSet<Operation *> kept;
  Value result;
};
} // namespace

static CutSide sideOf(const program::Program &program, llvm::StringRef entry,
                      llvm::ArrayRef<MadeValue> made, size_t result) {
  CutSide side;
  side.function = llvm::cantFail(program.function(entry));
  Block &block = side.function.getBody().front();
  llvm::DenseSet<Value> twice;
  for (const MadeValue &value : made) {
    Value where;
    if (!value.op && value.result < block.getNumArguments())
      where = block.getArgument(value.result);
    else if (value.op && value.op->getBlock() == &block)
      where = value.op->getResult(value.result);
    if (where && !side.prints.try_emplace(where, value.fingerprint).second)
      twice.insert(where);
  }
  for (Value value : twice)
    side.prints.erase(value);
  side.result =
      block.getTerminator()->getOperand(static_cast<unsigned>(result));
  return side;
}

static bool isConstant(Value value) {
  Operation *made = value.getDefiningOp();
  return made && made->getName().getStringRef() == "stablehlo.constant";
}

/// Goes backwards to values that the other side has too.
static void follow(CutSide &side, const llvm::DenseSet<uint64_t> &shared) {
  llvm::SmallVector<Value> open{side.result};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto print = side.prints.find(value);
    bool isShared = print != side.prints.end() &&
                    shared.contains(print->second) && value != side.result;
    if ((isShared && !isConstant(value)) || isa<BlockArgument>(value)) {
      side.cuts.insert(value);
      continue;
    }
    Operation *made = value.getDefiningOp();
    side.kept.insert(made);
    open.append(made->operand_begin(), made->operand_end());
    llvm::SetVector<Value> outer;
    getUsedValuesDefinedAbove(made->getRegions(), outer);
    for (Value each : outer)
      open.push_back(each);
  }
}

/// The kept operations as a program of the arguments `prints`, each with the
/// value of this side that has it, or its type.
static llvm::Expected<std::shared_ptr<const program::Program>>
programOf(const program::Program &whole, CutSide &side,
          llvm::ArrayRef<uint64_t> prints,
          const llvm::DenseMap<uint64_t, std::string> &types) {
  ModuleOp source = whole.module();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(source.getContext()));
  OpBuilder builder(module->getBodyRegion());
  llvm::SmallVector<Type> arguments;
  IRMapping mapping;
  for (uint64_t print : prints) {
    Type type;
    for (Value value : side.cuts)
      if (side.prints.lookup(value) == print)
        type = value.getType();
    if (!type)
      return makeError(ErrorCode::Unsupported, "{0} is not an argument of both",
                       types.lookup(print));
    arguments.push_back(type);
  }
  auto function = func::FuncOp::create(
      side.function.getLoc(), "main",
      builder.getFunctionType(arguments, side.result.getType()));
  module->push_back(function);
  Block *block = function.addEntryBlock();
  for (auto [i, print] : llvm::enumerate(prints))
    for (Value value : side.cuts)
      if (side.prints.lookup(value) == print)
        mapping.map(value, block->getArgument(static_cast<unsigned>(i)));
  builder.setInsertionPointToEnd(block);
  for (Operation &op : side.function.getBody().front())
    if (side.kept.contains(&op))
      builder.clone(op, mapping);
  func::ReturnOp::create(builder, side.function.getLoc(),
                         mapping.lookup(side.result));
  bool calls = llvm::any_of(*block, [](Operation &op) {
    return op.getName().getStringRef() == "func.call";
  });
  for (Operation &op : source.getOps()) // called functions
    if (auto other = dyn_cast<func::FuncOp>(op);
        calls && other && other != side.function &&
        other.getSymName() != "main") {
      Operation *copy = op.clone();
      cast<func::FuncOp>(copy).setPrivate();
      module->push_back(copy);
    }
  return program::Program::copyOf(*module, whole.name());
}

/// Both programs from values that both have to the results of the sides; none:
/// such a value is not an argument of both.
static std::optional<EquivRequest> between(const EquivRequest &request,
                                           CutSide a, CutSide b) {
  llvm::DenseSet<uint64_t> inA, shared;
  for (auto [value, print] : a.prints)
    inA.insert(print);
  for (auto [value, print] : b.prints)
    if (inA.contains(print))
      shared.insert(print);
  follow(a, shared);
  follow(b, shared);
  // A value that one side cuts at and the other computes past is given to both:
  // the other then has it as an argument that it does not use.
  llvm::SmallVector<uint64_t> prints;
  llvm::DenseMap<uint64_t, std::string> types;
  for (CutSide *side : {&a, &b})
    for (Value value : side->cuts) {
      uint64_t print = side->prints.lookup(value);
      CutSide &other = side == &a ? b : a;
      for (auto [twin, twinPrint] : other.prints)
        if (twinPrint == print && !other.kept.contains(twin.getDefiningOp()))
          other.cuts.insert(twin);
      if (!llvm::is_contained(prints, print))
        prints.push_back(print);
      llvm::raw_string_ostream(types[print]) << value;
    }
  auto left = programOf(*request.a, a, prints, types),
       right = programOf(*request.b, b, prints, types);
  if (!left || !right) {
    llvm::consumeError(left.takeError());
    llvm::consumeError(right.takeError());
    return std::nullopt;
  }
  EquivRequest smaller = request;
  smaller.a = *left;
  smaller.b = *right;
  smaller.entryA = smaller.entryB = "main";
  smaller.given.clear();
  return smaller;
}

/// The cut programs where they differ, or, if asked for, where they do not.
static std::optional<CutPrograms>
decideBetween(const EquivRequest &request, const CutSide &a, const CutSide &b,
              bool differs, ThreadPool &pool) {
  std::optional<EquivRequest> smaller = between(request, a, b);
  if (!smaller)
    return std::nullopt;
  llvm::Expected<Equivalence> answer = decide(*smaller, pool);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return std::nullopt;
  }
  bool isRight = differs ? answer->verdict == EquivVerdict::Differs
                         : answer->exitCode() == ExitCode::Ok;
  if (!isRight)
    return std::nullopt;
  return CutPrograms{smaller->a, smaller->b, std::move(*answer)};
}

/// Values of the entry block that the other program lacks, without constants, in the
/// order in which they are made.
static llvm::SmallVector<Value> aloneIn(const CutSide &side,
                                        const CutSide &other) {
  llvm::DenseSet<uint64_t> known;
  for (auto [value, print] : other.prints)
    known.insert(print);
  llvm::SmallVector<Value> alone;
  func::FuncOp function = side.function;
  for (Operation &op : function.getBody().front())
    for (Value value : op.getResults())
      if (auto print = side.prints.find(value);
          print != side.prints.end() && !known.contains(print->second) &&
          !isConstant(value))
        alone.push_back(value);
  return alone;
}

/// The first values that differ and explain the rest: with one in place of the
/// other, the programs are equal. None: there are no such two among the first.
static std::optional<CutPrograms> firstStep(const EquivRequest &request,
                                            const CutSide &a, const CutSide &b,
                                            ThreadPool &pool) {
  constexpr size_t kMost = 6;
  constexpr uint64_t kSame = 0x5afe; // stands for both values
  auto textOf = [](Value value) {
    std::string text = value.getDefiningOp()->getName().getStringRef().str();
    llvm::raw_string_ostream(text) << value.getType();
    return text;
  };
  llvm::SmallVector<Value> inA = aloneIn(a, b), inB = aloneIn(b, a);
  inA.truncate(std::min(inA.size(), kMost));
  inB.truncate(std::min(inB.size(), kMost));
  for (Value left : inA)
    for (Value right : inB) {
      if (textOf(left) != textOf(right))
        continue;
      CutSide restA = a, restB = b;
      restA.prints[left] = restB.prints[right] = kSame;
      if (left == a.result || right == b.result ||
          !decideBetween(request, restA, restB, false, pool))
        continue;
      CutSide headA = a, headB = b;
      headA.result = left;
      headB.result = right;
      if (auto cut = decideBetween(request, headA, headB, true, pool))
        return cut;
    }
  return std::nullopt;
}

llvm::Expected<CutPrograms> judge::cutDifference(const EquivRequest &request,
                                                 ThreadPool &pool) {
  EquivRequest asked = request;
  asked.map = true;
  llvm::Expected<Equivalence> answer = decide(asked, pool);
  if (!answer)
    return answer.takeError();
  CutPrograms whole{request.a, request.b, *answer};
  if (answer->verdict != EquivVerdict::Differs)
    return whole;
  CutSide a = sideOf(*request.a, request.entryA, answer->madeA,
                     answer->difference->result),
          b = sideOf(*request.b, request.entryB, answer->madeB,
                     answer->difference->result);
  if (auto step = firstStep(request, a, b, pool))
    return std::move(*step);
  if (auto cut = decideBetween(request, a, b, true, pool))
    return std::move(*cut);
  return whole;
}

static llvm::Error writeText(const std::string &path,
                             const program::Program &program) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     path, error.message());
  program.module().print(os);
  os << "\n";
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>>
judge::writeDifference(const EquivRequest &request, llvm::StringRef folder,
                       ThreadPool &pool) {
  llvm::Expected<CutPrograms> cut = cutDifference(request, pool);
  if (!cut)
    return cut.takeError();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return makeError(ErrorCode::InvalidArgument, "cannot make '{0}': {1}",
                     folder, error.message());
  std::vector<std::string> files;
  for (const char *name : {"before.mlir", "after.mlir", "inputs.npz"}) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    files.push_back(path.str().str());
  }
  if (llvm::Error error = writeText(files[0], *cut->a))
    return error;
  if (llvm::Error error = writeText(files[1], *cut->b))
    return error;
  llvm::Expected<formats::NpzWriter> writer =
      formats::NpzWriter::create(files[2]);
  if (!writer)
    return writer.takeError();
  for (auto [i, input] : llvm::enumerate(cut->answer.inputs))
    if (llvm::Error error = writer->add("in" + std::to_string(i), input))
      return error;
  if (llvm::Error error = writer->finish())
    return error;
  return files;
}
