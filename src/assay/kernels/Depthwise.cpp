// The choice of a register block for a depthwise row, and the loop over
// positions. Each tap costs a block its multiply-adds, one load for each of
// them, the filter's vectors and the addresses of its positions; a block of few
// sums waits for its own results instead. The block that takes fewest cycles
// for the whole row is taken, what hangs over its end included.
#include "assay/kernels/Depthwise.h"

#include "assay/support/Math.h"

#include <algorithm>

namespace assay::kernels {

namespace {
struct Block {
  int positions, vectors;
};
} // namespace

/// Sums that keep the multiply-adders busy: latency times units, of Zen 4 with
/// AVX2 and of Intel's cores; fewer cost as much.
static constexpr int kLeastSums = 8;

/// In multiply-adds, for one tap of all blocks of a row.
static double costOf(const DepthwiseProblem &p, Block block, int lanes) {
  double sums = block.positions * block.vectors;
  double each = std::max<double>(sums, kLeastSums) + 0.5 * block.vectors +
                0.3 * block.positions + 1;
  return each * double(ceilDiv(p.positions, block.positions)) *
         double(ceilDiv(p.channels, int64_t(block.vectors) * lanes));
}

static Block chooseBlock(const DepthwiseProblem &p, const Isa &isa, int lanes,
                         const DepthwiseChoice &choice) {
  if (choice.vectors > 0) {
    int64_t most = std::min<int64_t>(choice.positions, p.positions);
    return {static_cast<int>(ceilDiv(p.positions, ceilDiv(p.positions, most))),
            choice.vectors};
  }
  int registers = isa.vectorRegisters, mostVectors = registers >= 32 ? 4 : 2;
  Block best{1, 1};
  for (int vectors = 1; vectors <= mostVectors; ++vectors)
    for (int positions = 1; positions <= p.positions && positions <= 16 &&
                            positions * vectors + vectors + 2 <= registers;
         ++positions) {
      Block block{positions, vectors};
      if ((vectors == 1 || int64_t(vectors) * lanes <= p.channels) &&
          costOf(p, block, lanes) < costOf(p, best, lanes))
        best = block;
    }
  return best;
}

std::optional<Refusal> Depthwise::supports(const DepthwiseProblem &problem,
                                           const Isa &isa) {
  DataType sums = accumulatorOf(problem.input);
  if (sums != DataType::F32 && sums != DataType::F64)
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels add up floating-point numbers only"};
  if (problem.input == DataType::F16 && !isa.fma)
    return Refusal{ErrorCode::Unsupported, "this processor cannot widen f16"};
  if (problem.columnStep > 64)
    return Refusal{ErrorCode::Unsupported,
                   "depthwise kernels are made for strides of up to 64"};
  return std::nullopt;
}

llvm::Expected<Depthwise> Depthwise::prepare(const DepthwiseProblem &problem,
                                             Jit &jit,
                                             const DepthwiseChoice &choice) {
  if (auto refusal = supports(problem, jit.isa()))
    return makeError(refusal->code, "{0}", refusal->text);
  int registers = choice.positions * choice.vectors + choice.vectors + 2,
      width = choice.vectors * jit.isa().lanes(accumulatorOf(problem.input));
  if (registers > jit.isa().vectorRegisters || choice.positions > 16 ||
      (choice.vectors > 0 && choice.positions < 1) ||
      (choice.vectors > 1 && width > problem.channels))
    return makeError(ErrorCode::Unsupported,
                     "no depthwise kernel has a block of {0} x {1} vectors of "
                     "{2} channels",
                     choice.positions, choice.vectors, problem.channels);
  MicroKey key;
  key.form = MicroForm::Depthwise;
  key.aType = problem.input;
  key.bType = accumulatorOf(problem.input);
  key.math = key.bType == DataType::F64 ? MicroMath::F64 : MicroMath::F32;
  int lanes = jit.isa().lanes(key.bType);
  Block block = chooseBlock(problem, jit.isa(), lanes, choice);
  key.rows = block.positions;
  key.columns = block.vectors;
  key.unroll = static_cast<int>(problem.columnStep);
  key.aForm = AForm::RowMajor;
  key.bPacked = false;
  key.bMasked = problem.channels < lanes;
  auto function = jit.get(key);
  if (!function)
    return function.takeError();
  Depthwise made;
  made.problem_ = problem;
  made.function_ = *function;
  made.blockPositions_ = block.positions;
  made.blockChannels_ =
      std::min<int64_t>(problem.channels, int64_t(block.vectors) * lanes);
  return made;
}

void Depthwise::run(const DepthwiseRow &row, int64_t first) const {
  int64_t size = sizeOf(accumulatorOf(problem_.input));
  MicroArguments arguments;
  arguments.k = static_cast<int64_t>(row.tapOffsets.size());
  arguments.taps = row.tapOffsets.data();
  arguments.channel = first * sizeOf(problem_.input);
  arguments.b = row.filter + first * size;
  arguments.bStride = problem_.channels * size;
  arguments.cRow = row.outStride * size;
  arguments.n = blockChannels_;
  for (int64_t p = 0; p < problem_.positions; p += blockPositions_) {
    int64_t at = std::min(p, problem_.positions - blockPositions_);
    arguments.a = row.table + at * problem_.columnStep;
    arguments.c = row.out + at * row.outStride * size;
    function_(&arguments);
  }
}

} // namespace assay::kernels
