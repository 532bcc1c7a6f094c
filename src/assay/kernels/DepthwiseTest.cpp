// Depthwise rows against plain sums, on small integers whose sums are exact, on
// every instruction set that this processor has.
#include "assay/kernels/Depthwise.h"

#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/OnEachIsa.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace assay;
using namespace assay::kernels;

namespace {
using DepthwiseOn = OnEachIsa;
}

INSTANTIATE_TEST_SUITE_P(Depthwise, DepthwiseOn, everyIsa(), isaName);

template <typename T> static T valueAt(size_t i) {
  return static_cast<T>(static_cast<int64_t>(i * 7 + i / 13) % 11 - 5);
}

/// A line of `positions * step + taps` entries, each a row of channels; what
/// the last block writes must end at the last channel.
template <typename T>
static void expectExact(const DepthwiseProblem &problem, int64_t taps,
                        Jit &jit) {
  SCOPED_TRACE(llvm::formatv("{0} channels, {1} positions, step {2}, {3} taps",
                             problem.channels, problem.positions,
                             problem.columnStep, taps)
                   .str());
  auto kernel = Depthwise::prepare(problem, jit);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto n = [](int64_t count) { return static_cast<size_t>(count); };
  int64_t c = problem.channels, step = problem.columnStep,
          entries = problem.positions * step + taps, apart = c + 3;
  std::vector<T> image(n(entries * c)), filter(n(taps * c)),
      out(n(problem.positions * apart), 77);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = valueAt<T>(i);
  for (size_t i = 0; i < filter.size(); ++i)
    filter[i] = valueAt<T>(3 * i + 1);
  std::vector<T> expected = out;
  std::vector<const std::byte *> table;
  std::vector<int64_t> offsets;
  for (int64_t e = 0; e < entries; ++e)
    table.push_back(reinterpret_cast<const std::byte *>(&image[n(e * c)]));
  for (int64_t t = 0; t < taps; ++t)
    offsets.push_back(t * 8);
  for (int64_t p = 0; p < problem.positions; ++p)
    for (int64_t j = 0; j < c; ++j) {
      T sum = 0;
      for (int64_t t = 0; t < taps; ++t)
        sum += image[n((p * step + t) * c + j)] * filter[n(t * c + j)];
      expected[n(p * apart + j)] = sum;
    }
  DepthwiseRow row;
  row.table = table.data();
  row.tapOffsets = offsets;
  row.filter = reinterpret_cast<const std::byte *>(filter.data());
  row.outStride = apart;
  int64_t block = kernel->blockChannels();
  ASSERT_LE(block, c);
  for (int64_t channel = 0; channel < c; channel += block) {
    int64_t first = std::min(channel, c - block);
    row.out = reinterpret_cast<std::byte *>(&out[n(first)]);
    kernel->run(row, first);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(DepthwiseOn, RowsOfAnyLengthAndAnyChannelsAreExact) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (int64_t channels : {1, 3, 16, 17, 40, 72, 96})
    for (int64_t positions : {1, 5, 14, 33})
      expectExact<float>({DataType::F32, channels, positions, 1}, 9, jit);
  for (int64_t step : {2, 3})
    expectExact<float>({DataType::F32, 50, 11, step}, 5, jit);
  expectExact<double>({DataType::F64, 5, 9, 1}, 4, jit);
  expectExact<double>({DataType::F64, 37, 20, 2}, 9, jit);
}

TEST(Depthwise, RefusesWhatItsKernelsCannotDo) {
  Isa isa = Machine::detect().isa;
  EXPECT_FALSE(Depthwise::supports({DataType::F32, 8, 8, 1}, isa));
  EXPECT_EQ(Depthwise::supports({DataType::S8, 8, 8, 1}, isa)->text,
            "depthwise kernels add up floating-point numbers only");
  EXPECT_EQ(Depthwise::supports({DataType::F32, 8, 8, 65}, isa)->text,
            "depthwise kernels are made for strides of up to 64");
  isa.fma = false;
  EXPECT_EQ(Depthwise::supports({DataType::F16, 8, 8, 1}, isa)->text,
            "this processor cannot widen f16");
}
