// rng_bit_generator and rng.
//   THREE_FRY: Threefry-2x32 with 20 rounds; key = state[0], counter = state[1]
//              + block number; the new state[1] is advanced by the number of
//              blocks. A block has 64 bits: one 64-bit element, or two elements
//              of up to 32 bits, neighbours along the dimension that XLA
//              halves: the first of even size, else the first of the largest
//              size.
//   PHILOX:    Philox4x32-10 (support/Random.h); key = state[0], 128-bit
//              counter = state[1..2]; in a state of two words the counter's
//              upper half is the key.
//   DEFAULT:   PHILOX, as in XLA's CPU compiler.
//   Elements narrower than 32 bits are the low bits of a 32-bit one.
//   rng (whose bits the specification leaves open): counter-based, keyed by the
//   number of executions in the run.
// Source: StableHLO specification, rng_bit_generator (with its example), rng;
//         Salmon et al., SC 2011; the assignment of bits to elements was
//         determined from JAX 0.10 on the CPU
//         (test/python/test_diff_structured.py).
#include "assay/support/Random.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::reference {

using numerics::ElementType;
using numerics::FloatFormat;

static uint32_t rotateLeft(uint32_t x, int distance) {
  return (x << distance) | (x >> (32 - distance));
}

// Computes one Threefry-2x32-20 block from the low and high words of counter
// and key.
static uint64_t threefry(uint64_t key, uint64_t counter) {
  static constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t keys[3] = {static_cast<uint32_t>(key),
                      static_cast<uint32_t>(key >> 32), 0};
  keys[2] = 0x1BD11BDAu ^ keys[0] ^ keys[1];
  uint32_t x0 = static_cast<uint32_t>(counter) + keys[0],
           x1 = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = rotateLeft(x1, kRotations[round % 8]) ^ x0;
    if (round % 4 == 3) {
      uint32_t injection = round / 4 + 1;
      x0 += keys[injection % 3];
      x1 += keys[(injection + 1) % 3] + injection;
    }
  }
  return (uint64_t{x1} << 32) | x0;
}

static llvm::Error runThreefry(StepContext &context,
                               llvm::ArrayRef<uint64_t> state,
                               std::vector<uint64_t> &next) {
  Tensor &out = context.results[1].tensor();
  int64_t width = out.elementType().storageBytes();
  llvm::ArrayRef<int64_t> shape = out.shape();
  const auto *split =
      llvm::find_if(shape, [](int64_t n) { return n % 2 == 0; });
  if (split == shape.end())
    split = std::max_element(shape.begin(), shape.end());
  int64_t outer = 1, length = split == shape.end() ? 1 : *split, inner = 1;
  for (const int64_t *n = shape.begin(); n != split; ++n)
    outer *= *n;
  if (split != shape.end())
    for (const int64_t *n = split + 1; n != shape.end(); ++n)
      inner *= *n;
  // A 64-bit element uses a whole block; narrower elements share it with their
  // neighbour along the split dimension.
  int64_t share = width == 8 ? 1 : 2, steps = (length + share - 1) / share,
          block = 0;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t i = 0; i < inner; ++i, ++block) {
        uint64_t word =
            threefry(state[0], state[1] + static_cast<uint64_t>(block));
        for (int64_t half = 0; half < share && step * share + half < length;
             ++half, word >>= 32)
          std::memcpy(out.mutableBytes() +
                          ((o * length + step * share + half) * inner + i) *
                              width,
                      &word, static_cast<size_t>(width));
      }
  next[1] = state[1] + static_cast<uint64_t>(block);
  return llvm::Error::success();
}

static llvm::Error runPhilox(StepContext &context,
                             llvm::ArrayRef<uint64_t> state,
                             std::vector<uint64_t> &next) {
  Tensor &out = context.results[1].tensor();
  int64_t width = out.elementType().storageBytes(), count = out.size();
  int64_t perBlock = width == 8 ? 2 : 4,
          blocks = (count + perBlock - 1) / perBlock;
  unsigned __int128 counter =
      static_cast<unsigned __int128>(state.size() > 2 ? state[2] : state[0])
          << 64 |
      state[1];
  for (int64_t i = 0; i < blocks; ++i) {
    unsigned __int128 at = counter + static_cast<uint64_t>(i);
    std::array<uint32_t, 4> words = philox4x32(
        {static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32),
         static_cast<uint32_t>(at >> 64), static_cast<uint32_t>(at >> 96)},
        {static_cast<uint32_t>(state[0]),
         static_cast<uint32_t>(state[0] >> 32)});
    for (int64_t e = 0; e < perBlock && i * perBlock + e < count; ++e) {
      uint64_t value = width == 8
                           ? (uint64_t{words[2 * e + 1]} << 32) | words[2 * e]
                           : words[e];
      std::memcpy(out.mutableBytes() + (i * perBlock + e) * width, &value,
                  static_cast<size_t>(width));
    }
  }
  counter += static_cast<uint64_t>(blocks);
  next[1] = static_cast<uint64_t>(counter);
  if (state.size() > 2)
    next[2] = static_cast<uint64_t>(counter >> 64);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> rngBitGenerator(const StepSpec &spec) {
  bool philox =
      mlir::cast<stablehlo::RngBitGeneratorOp>(spec.op).getRngAlgorithm() !=
      stablehlo::RngAlgorithm::THREE_FRY;
  const TensorType &state = spec.operands[0];
  int64_t bytes = llvm::cantFail(tensor::elementCount(state.shape)) *
                  state.element.storageBytes();
  if (bytes != 16 && !(philox && bytes == 24))
    return makeError(
        ErrorCode::Unsupported,
        "a generator state of {0} bytes; THREE_FRY takes 16, PHILOX 16 or 24",
        bytes);
  return program::makeStep([philox](StepContext &context) -> llvm::Error {
    llvm::Expected<Tensor> initial = context.operandValue(0).tensor().dense();
    if (!initial)
      return initial.takeError();
    std::vector<uint64_t> state(static_cast<size_t>(initial->denseBytes() / 8));
    std::memcpy(state.data(), initial->bytes(), state.size() * 8);
    std::vector<uint64_t> next = state;
    if (llvm::Error error = philox ? runPhilox(context, state, next)
                                   : runThreefry(context, state, next))
      return error;
    std::memcpy(context.results[0].tensor().mutableBytes(), next.data(),
                next.size() * 8);
    return llvm::Error::success();
  });
}

// UNIFORM: [a, b) for floats, integers from a to b - 1; NORMAL: mean a,
// standard deviation b.
llvm::Expected<std::unique_ptr<Step>> rng(const StepSpec &spec) {
  bool normal = mlir::cast<stablehlo::RngOp>(spec.op).getRngDistribution() ==
                stablehlo::RngDistribution::NORMAL;
  if (spec.shadow)
    return makeError(ErrorCode::Unsupported, "random values shadow themselves");
  return program::makeStep([normal, type = spec.results[0].element](
                               StepContext &context) -> llvm::Error {
    ElementType f64 = ElementType::floating(FloatFormat::F64);
    double bounds[2];
    for (size_t i = 0; i < 2; ++i)
      numerics::convertArray(type, context.operandValue(i).tensor().bytes(),
                             f64, &bounds[i], 1);
    CounterRandom random(0, context.run.randomCalls++);
    std::vector<double> values(static_cast<size_t>(context.out(0).size()));
    for (size_t i = 0; i < values.size(); ++i) {
      double value =
          normal ? bounds[0] + bounds[1] * random.normal(i)
                 : bounds[0] + (bounds[1] - bounds[0]) * random.uniform(i);
      values[i] = type.isFloat() ? value : std::floor(value);
    }
    numerics::convertArray(f64, values.data(), type,
                           context.out(0).mutableBytes(),
                           static_cast<int64_t>(values.size()));
    return llvm::Error::success();
  });
}

} // namespace assay::reference
