// Depthwise rows against plain sums, on small integers whose sums are exact, on
// every instruction set that this processor has.
#include "assay/kernels/Depthwise.h"

#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/OnEachIsa.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace assay;
using namespace assay::kernels;

namespace {
using DepthwiseOn = OnEachIsa;
}

INSTANTIATE_TEST_SUITE_P(Depthwise, DepthwiseOn, everyIsa(), isaName);

template <typename T> static T valueAt(size_t i) {
  return static_cast<T>(CounterRandom(0, 0).integer(i, -5, 5));
}

static std::string textOf(const DepthwiseProblem &problem) {
  return llvm::formatv(
             "{0} channels in groups of {1}, {2} positions, step {3}, {4} x {5} "
             "taps, {6} apart",
             problem.channels, problem.inputs, problem.positions,
             problem.columnStep, problem.lines, problem.lineTaps, problem.tapStep)
      .str();
}

/// Checks `lines` lines of a window, with the table in reversed order.
template <typename T>
static void expectExact(const DepthwiseProblem &problem, Jit &jit,
                        const DepthwiseChoice &choice = {}) {
  SCOPED_TRACE(textOf(problem));
  auto kernel = Depthwise::prepare(problem, jit, choice);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto n = [](int64_t count) { return static_cast<size_t>(count); };
  int64_t c = problem.channels, step = problem.columnStep, in = problem.inputs,
          summed = problem.summed(),
          taps = problem.lines * problem.lineTaps, apart = c + 3,
          line = problem.positions * step +
                 problem.lineTaps * std::abs(problem.tapStep);
  auto entryOf = [&](int64_t tap) {
    int64_t first = (problem.lines - 1 - tap / problem.lineTaps) * line,
            along = tap % problem.lineTaps * problem.tapStep;
    return problem.tapStep < 0
               ? first + line - 1 - (problem.positions - 1) * step + along
               : first + along;
  };
  std::vector<T> image(n(problem.lines * line * c)), filter(n(taps * summed * c)),
      out(n(problem.positions * apart), 77);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = valueAt<T>(i);
  for (size_t i = 0; i < filter.size(); ++i)
    filter[i] = valueAt<T>(3 * i + 1);
  std::vector<T> expected = out;
  std::vector<const std::byte *> table;
  std::vector<int64_t> offsets;
  for (int64_t e = 0; e < problem.lines * line; ++e)
    table.push_back(reinterpret_cast<const std::byte *>(&image[n(e * c)]));
  for (int64_t t = 0; t < taps; t += kernel->runTaps())
    offsets.push_back(entryOf(t) * 8);
  for (int64_t p = 0; p < problem.positions; ++p)
    for (int64_t j = 0; j < c; ++j) {
      T sum = 0;
      for (int64_t t = 0; t < taps * summed; ++t) {
        int64_t i = problem.only < 0 ? t % in : problem.only,
                entry = entryOf(t / summed) + p * step;
        sum += image[n(entry * c + j - j % in + i)] * filter[n(t * c + j)];
      }
      expected[n(p * apart + j)] = sum;
    }
  DepthwiseRow row;
  row.table = table.data();
  row.runOffsets = offsets;
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

/// A problem with `lines` lines of `lineTaps` taps.
static DepthwiseProblem problemOf(DataType type, int64_t channels,
                                  int64_t positions, int64_t step, int64_t lines,
                                  int64_t lineTaps, int64_t tapStep = 1,
                                  int64_t inputs = 1) {
  return {type,     channels, positions, step,
          lineTaps, tapStep,  lines,     inputs};
}

TEST_P(DepthwiseOn, RowsOfAnyLengthAndAnyChannelsAreExact) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (int64_t channels : {1, 3, 16, 17, 40, 72, 96})
    for (int64_t positions : {1, 5, 14, 33})
      expectExact<float>(problemOf(DataType::F32, channels, positions, 1, 3, 3),
                         jit);
  for (int64_t step : {2, 3})
    expectExact<float>(problemOf(DataType::F32, 50, 11, step, 1, 5), jit);
  expectExact<double>(problemOf(DataType::F64, 5, 9, 1, 2, 2), jit);
  expectExact<double>(problemOf(DataType::F64, 37, 20, 2, 3, 3), jit);
}

TEST_P(DepthwiseOn, RunsOfTapsInAnyPlacesAreExact) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (int64_t tapStep : {2, 3, -1, -2})
    for (int64_t step : {1, 2})
      expectExact<float>(problemOf(DataType::F32, 33, 13, step, 2, 4, tapStep),
                         jit);
  // 22 = 2 * 11: the longest run that divides it has two taps; for 13 there is
  // none.
  for (int64_t taps : {7, 13, 22, 24})
    expectExact<float>(problemOf(DataType::F32, 20, 9, 1, 1, taps), jit);
  for (DepthwiseChoice choice : {DepthwiseChoice{1, 12}, {1, 3}, {2, 5}})
    expectExact<float>(problemOf(DataType::F32, 70, 19, 1, 3, 3), jit, choice);
}

TEST_P(DepthwiseOn, GroupsOfAFewChannelsAreExact) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (int64_t inputs : {2, 4, 8}) {
    if (!areSpread(inputs, inputs, isa.lanes(DataType::F32)))
      continue;
    for (int64_t groups : {1, 3, 13})
      expectExact<float>(problemOf(DataType::F32, groups * inputs, 10, 1, 3, 3, 1,
                                   inputs),
                         jit);
    expectExact<float>(
        problemOf(DataType::F32, 6 * inputs, 7, 2, 2, 3, -2, inputs), jit);
  }
  for (int64_t only : {0, 1}) {
    DepthwiseProblem problem =
        problemOf(DataType::F32, 26, 3, 1, 7, 9, 1, /*inputs=*/2);
    problem.only = only;
    expectExact<float>(problem, jit);
  }
  if (isa.lanes(DataType::F64) >= 4)
    expectExact<double>(problemOf(DataType::F64, 14, 9, 1, 3, 3, 1, 2), jit);
}

/// One tap and an image of ones: the result is the filter, rounded.
static void expectRounded(DataType input, DataType output, uint16_t one, Jit &jit) {
  SCOPED_TRACE(toString(output));
  DepthwiseProblem problem{input, 40, 1, 1};
  problem.output = output;
  auto kernel = Depthwise::prepare(problem, jit);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  const float kInfinity = std::numeric_limits<float>::infinity(),
              kNaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> filter{kNaN,     -kNaN,      kInfinity, -kInfinity, 0.0f,
                            1.00390625f, 1.01171875f, -1.00390625f,
                            3.4e38f,  -3.4e38f,   65519.0f,  65520.0f,   1e-40f,
                            -1e-40f,  5.97e-8f,   2.99e-8f};
  for (int i = 0; filter.size() < 40; ++i)
    filter.push_back(std::ldexp(1.0f + float(i) * 0x1p-9f, 3 * i - 40));
  std::vector<uint16_t> image(40, one), out(40), expected(40);
  const std::byte *entry = reinterpret_cast<const std::byte *>(image.data());
  int64_t offset = 0;
  DepthwiseRow row;
  row.table = &entry;
  row.runOffsets = offset;
  row.filter = reinterpret_cast<const std::byte *>(filter.data());
  row.outStride = 40;
  for (int64_t channel = 0; channel < 40; channel += kernel->blockChannels()) {
    int64_t first = std::min(channel, 40 - kernel->blockChannels());
    row.out = reinterpret_cast<std::byte *>(&out[static_cast<size_t>(first)]);
    kernel->run(row, first);
  }
  numerics::convertArray(*numerics::parseElementType("f32"), filter.data(),
                         *numerics::parseElementType(toString(output)),
                         expected.data(), 40);
  EXPECT_EQ(out, expected);
}

TEST_P(DepthwiseOn, SumsAreRoundedAsTheyAreStored) {
  Jit jit(isa, "", false, checkMicroKernel);
  expectRounded(DataType::BF16, DataType::BF16, 0x3f80, jit);
  if (isa.fma)
    expectRounded(DataType::F16, DataType::F16, 0x3c00, jit);
}

TEST(Depthwise, RefusesWhatItsKernelsCannotDo) {
  Isa isa = Machine::detect().isa;
  EXPECT_FALSE(Depthwise::supports({DataType::F32, 8, 8, 1}, isa));
  EXPECT_EQ(Depthwise::supports({DataType::S32, 8, 8, 1}, isa)->text,
            "depthwise kernels read bytes and floating-point numbers");
  EXPECT_EQ(Depthwise::supports({DataType::F32, 8, 8, 65}, isa)->text,
            "depthwise kernels are made for strides and dilations of up to 64");
  for (int64_t inputs : {3, 64})
    EXPECT_EQ(Depthwise::supports(
                  problemOf(DataType::F32, 192, 8, 1, 1, 1, 1, inputs), isa)
                  ->text,
              "depthwise kernels sum groups that halve a vector evenly");
  DepthwiseProblem of2 = problemOf(DataType::F32, 192, 8, 1, 1, 1, 1, /*inputs=*/2);
  of2.only = 2;
  EXPECT_EQ(Depthwise::supports(of2, isa)->text, "a group has no such input");
  DepthwiseProblem toBytes = problemOf(DataType::U8, 192, 8, 1, 1, 1);
  toBytes.output = DataType::S32;
  EXPECT_FALSE(Depthwise::supports(toBytes, isa));
  toBytes.output = DataType::BF16;
  EXPECT_EQ(Depthwise::supports(toBytes, isa)->text,
            "depthwise kernels do not round their sums to this type");
  isa.fma = false;
  EXPECT_EQ(Depthwise::supports({DataType::F16, 8, 8, 1}, isa)->text,
            "this processor cannot widen f16");
}
