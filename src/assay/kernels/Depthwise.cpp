// Chooses a register block for a depthwise row, and runs the loop over
// positions. A run of taps costs a block its multiply-adds, one load and one
// address for each entry of the table that it reads, and the filter's vectors.
// A block of few sums waits for its own results instead. The block that needs
// the fewest cycles for the whole row is chosen; sums beyond the row's end
// count too.
#include "assay/kernels/Depthwise.h"

#include "assay/support/Math.h"

#include <algorithm>
#include <numeric>

namespace assay::kernels {

namespace {
struct Block {
  int positions, vectors, run;
};
} // namespace

/// The number of sums that keep the multiply-adders busy: latency times units,
/// for Zen 4 with AVX2 and for Intel's cores. Fewer sums take as long.
static constexpr int kLeastSums = 8;
/// Longer runs are divided, to keep their code small.
static constexpr int kMostRun = 8, kMostPositions = 24;

/// The number of entries that a run of taps reads at all positions of a block.
/// A position and a tap share an entry with the next position and an earlier
/// tap wherever both exist.
static int64_t entriesOf(const DepthwiseProblem &p, Block block) {
  int64_t tap = std::abs(p.tapStep), common = std::gcd(p.columnStep, tap);
  return int64_t(block.positions) * block.run -
         std::max<int64_t>(0, block.positions - tap / common) *
             std::max<int64_t>(0, block.run - p.columnStep / common);
}

/// The number of filter vectors that are live at once, for one vector of
/// channels: a tap's vector is live from the first position that uses it to the
/// last.
static int64_t liveFactors(const DepthwiseProblem &p, Block block) {
  int64_t reach = (block.positions - 1) * p.columnStep / std::abs(p.tapStep) + 1;
  return std::min<int64_t>(block.run, reach) * p.summed();
}

static bool fitsRegisters(const DepthwiseProblem &p, Block block, int registers) {
  int64_t spread = p.inputs > 1 ? 2 : 1;
  return block.vectors * (block.positions + liveFactors(p, block)) + spread <=
         registers;
}

/// The cost of a row of positions and all taps in multiply-adds. A load counts
/// as much as a multiply-add, because a cycle does as many of them.
static double costOf(const DepthwiseProblem &p, Block block, int lanes) {
  double sums = block.positions * block.vectors,
         entries = double(entriesOf(p, block)), inputs = double(p.summed()),
         spread = p.inputs > 1 ? entries * block.vectors * inputs : 0,
         adds = std::max<double>(sums, kLeastSums) * block.run * inputs + spread,
         loads = entries * (block.vectors + 1) +
                 block.run * inputs * block.vectors,
         runs = double(p.lines * p.lineTaps) / block.run,
         call = 16 + 2 * sums, // including the stores
      each = runs * (std::max(adds, loads) + 0.25 * std::min(adds, loads) + 2) + call;
  return each * double(ceilDiv(p.positions, block.positions)) *
         double(ceilDiv(p.channels, int64_t(block.vectors) * lanes));
}

/// The best of all blocks, or the block of a choice: its vectors, and as many
/// of its positions as the registers hold beside a run's factors, divided
/// evenly.
static Block chooseBlock(const DepthwiseProblem &p, const Isa &isa, int lanes,
                         const DepthwiseChoice &choice) {
  int registers = isa.vectorRegisters, widest = registers >= 32 ? 4 : 2;
  std::optional<Block> best;
  auto consider = [&](Block block) {
    if (fitsRegisters(p, block, registers) &&
        (!best || costOf(p, block, lanes) < costOf(p, *best, lanes)))
      best = block;
  };
  for (int run = 1; run <= kMostRun && run <= p.lineTaps; ++run) {
    if (p.lineTaps % run != 0)
      continue;
    if (choice.vectors > 0) {
      Block block{choice.positions, choice.vectors, run};
      while (block.positions > 1 && !fitsRegisters(p, block, registers))
        --block.positions;
      int64_t count = ceilDiv(p.positions, int64_t(block.positions));
      block.positions = static_cast<int>(ceilDiv(p.positions, count));
      consider(block);
      continue;
    }
    for (int vectors = 1; vectors <= widest; ++vectors)
      for (int positions = 1;
           positions <= p.positions && positions <= kMostPositions; ++positions)
        if (vectors == 1 || int64_t(vectors) * lanes <= p.channels)
          consider({positions, vectors, run});
  }
  return best.value_or(Block{1, 1, 1});
}

std::optional<Refusal> Depthwise::supports(const DepthwiseProblem &problem,
                                           const Isa &isa) {
  DataType sums = depthwiseSums(problem.input);
  if (problem.input == DataType::S32)
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels read bytes and floating-point numbers"};
  if (problem.input == DataType::F16 && !isa.fma)
    return Refusal{ErrorCode::Unsupported, "this processor cannot widen f16"};
  bool isByte = problem.input == DataType::S8 || problem.input == DataType::U8;
  DataType output = problem.outputType();
  if (output != sums &&
      !(isByte ? output == DataType::S32 : sums == DataType::F32 &&
                                               canRoundTo(output, isa)))
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels do not round their sums to this type"};
  if (problem.only >= problem.inputs)
    return Refusal{ErrorCode::Unsupported, "a group has no such input"};
  if (problem.inputs > 1 &&
      !areSpread(problem.inputs, problem.inputs, isa.lanes(sums)))
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels sum groups that halve a vector evenly"};
  if (problem.columnStep > 64 || std::abs(problem.tapStep) > 64)
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels are made for strides and dilations of up to 64"};
  return std::nullopt;
}

llvm::Expected<Depthwise> Depthwise::prepare(const DepthwiseProblem &problem,
                                             Jit &jit,
                                             const DepthwiseChoice &choice) {
  if (auto refusal = supports(problem, jit.isa()))
    return makeError(refusal->code, "{0}", refusal->text);
  Block asked{choice.positions, choice.vectors, 1};
  int width = choice.vectors * jit.isa().lanes(depthwiseSums(problem.input));
  if (!fitsRegisters(problem, asked, jit.isa().vectorRegisters) ||
      choice.positions > kMostPositions ||
      (choice.vectors > 0 && choice.positions < 1) ||
      (choice.vectors > 1 && width > problem.channels))
    return makeError(ErrorCode::Unsupported,
                     "no depthwise kernel has a block of {0} x {1} vectors of "
                     "{2} channels",
                     choice.positions, choice.vectors, problem.channels);
  MicroKey key;
  key.form = MicroForm::Depthwise;
  key.aType = problem.input;
  key.bType = depthwiseSums(problem.input);
  key.cType = problem.outputType();
  key.math = key.bType == DataType::F64 ? MicroMath::F64 : MicroMath::F32;
  int lanes = jit.isa().lanes(key.bType);
  Block block = chooseBlock(problem, jit.isa(), lanes, choice);
  key.rows = block.positions;
  key.columns = block.vectors;
  key.unroll = static_cast<int>(problem.columnStep);
  key.run = block.run;
  key.apart = block.run > 1 ? static_cast<int>(problem.tapStep) : 1;
  key.inputs = static_cast<int>(problem.inputs);
  key.only = static_cast<int>(problem.only);
  key.aForm = AForm::RowMajor;
  key.bPacked = false;
  key.bMasked = problem.channels < lanes;
  auto function = jit.get(key);
  if (!function)
    return function.takeError();
  Depthwise made;
  made.problem_ = problem;
  made.function_ = *function;
  made.runTaps_ = block.run;
  made.blockPositions_ = block.positions;
  made.blockChannels_ =
      std::min<int64_t>(problem.channels, int64_t(block.vectors) * lanes);
  return made;
}

void Depthwise::run(const DepthwiseRow &row, int64_t first) const {
  int64_t size = sizeOf(depthwiseSums(problem_.input)),
          outSize = sizeOf(problem_.outputType());
  MicroArguments arguments;
  arguments.k = static_cast<int64_t>(row.runOffsets.size());
  arguments.taps = row.runOffsets.data();
  arguments.channel = first * sizeOf(problem_.input);
  arguments.b = row.filter + first * size;
  arguments.bStride = problem_.channels * size;
  arguments.cRow = row.outStride * outSize;
  arguments.n = blockChannels_;
  for (int64_t p = 0; p < problem_.positions; p += blockPositions_) {
    int64_t at = std::min(p, problem_.positions - blockPositions_);
    arguments.a = row.table + at * problem_.columnStep;
    arguments.c = row.out + at * row.outStride * outSize;
    function_(&arguments);
  }
}

} // namespace assay::kernels
