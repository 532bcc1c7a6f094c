// The comparison of dumps: tensors of several windows (all are read), of two
// types and of different shapes, and unreadable tensors.
#include "assay/trace/Compare.h"
#include "assay/numerics/Convert.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/Steps.h"
#include "assay/trace/TestDumps.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::trace;
using numerics::FloatFormat;
using tensor::ElementType;
using formats::Hdf5Reader;
using tensor::Tensor;

static const ElementType kF32 = ElementType::floating(FloatFormat::F32);
static const ElementType kBf16 = ElementType::floating(FloatFormat::BF16);
/// Elements of f32 in a window of 256 KiB.
static constexpr int64_t kWindow = 65536;

static Tensor tensorOf(const std::vector<float> &values, tensor::Shape shape,
                       ElementType type = kF32) {
  Tensor tensor = llvm::cantFail(Tensor::allocate({type, std::move(shape)}));
  numerics::convertArray(kF32, values.data(), type, tensor.mutableBytes(),
                         static_cast<int64_t>(values.size()));
  return tensor;
}

/// Numbers of both signs and of no special size.
static std::vector<float> numbers(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.37f * static_cast<float>(i % 9973));
  return values;
}

namespace {
struct Comparing : DumpFolder {
  Comparison compareFiles(const std::string &target, const std::string &bench,
                          const CompareOptions &options = {}) const {
    auto left = llvm::cantFail(Hdf5Reader::open(target)),
         right = llvm::cantFail(Hdf5Reader::open(bench));
    ThreadPool pool(2);
    return llvm::cantFail(compareDumps(*left, *right, options, pool));
  }
  Comparison compare(const Named &target, const Named &bench,
                     const CompareOptions &options = {}) const {
    std::string left = write("target.h5", target),
                right = write("bench.h5", bench);
    Comparison result = compareFiles(left, right, options);
    llvm::sys::fs::remove(left);
    llvm::sys::fs::remove(right);
    return result;
  }
  /// One tensor of three windows, the last of them not full, with `change`
  /// added to element `at` of the target.
  ComparedRow changed(int64_t at, float change,
                      llvm::StringRef rule = "dtype") const {
    std::vector<float> bench = numbers(2 * kWindow + 100), target = bench;
    target[static_cast<size_t>(at)] += change;
    CompareOptions options;
    options.rules = llvm::cantFail(numerics::RuleSet::parse(rule));
    tensor::Shape shape{static_cast<int64_t>(bench.size())};
    Comparison result = compare({{"/1/x", tensorOf(target, shape)}},
                                {{"/1/x", tensorOf(bench, shape)}}, options);
    EXPECT_EQ(result.rows.size(), 1u);
    return result.rows.front();
  }
};
} // namespace

TEST_F(Comparing, EveryWindowIsLookedAtTheLastPartialOneToo) {
  int64_t last = 2 * kWindow + 99;
  for (const char *rule : {"dtype", "close:1e-3,1e-3", "xray", "ulp:8"})
    for (int64_t at : {int64_t{0}, kWindow - 1, kWindow, 2 * kWindow, last}) {
      ComparedRow row = changed(at, 1, rule);
      EXPECT_EQ(row.status, RowStatus::Fail) << rule << " " << at;
      EXPECT_EQ(row.elements, last + 1);
      EXPECT_EQ(row.mismatches, 1) << rule << " " << at;
      EXPECT_NE(row.reason.find("worst at [" + std::to_string(at) + "]"),
                std::string::npos)
          << row.reason;
      EXPECT_NEAR(row.maxAbs, 1, 1e-6);
    }
}

TEST_F(Comparing, ANanOrAnInfinityOnOneSideFailsUnderEveryRule) {
  for (const char *rule : {"dtype", "close:1,1", "xray:9", "ulp:1000000"})
    for (float wrong : {NAN, INFINITY}) {
      ComparedRow row = changed(2 * kWindow + 50, wrong, rule);
      EXPECT_EQ(row.status, RowStatus::Fail) << rule << " " << wrong;
      EXPECT_EQ(row.nonFiniteDisagree, 1) << rule;
    }
}

TEST_F(Comparing, FailuresOfAllWindowsAreCountedAndTheWorstIsNamed) {
  std::vector<float> bench = numbers(2 * kWindow + 100), target = bench;
  target[3] += 0.5f;
  target[kWindow + 4] += 3;
  target[2 * kWindow + 5] += 1;
  tensor::Shape shape{static_cast<int64_t>(bench.size())};
  Comparison result = compare({{"/1/x", tensorOf(target, shape)}},
                              {{"/1/x", tensorOf(bench, shape)}});
  const ComparedRow &row = result.rows.front();
  EXPECT_EQ(row.status, RowStatus::Fail);
  EXPECT_TRUE(llvm::StringRef(row.reason).starts_with("3 elements in all; "))
      << row.reason;
  EXPECT_NE(row.reason.find("worst at [65540]"), std::string::npos)
      << row.reason;
}

TEST_F(Comparing, RoundingNoisePasses) {
  std::vector<float> bench = numbers(kWindow + 7), target = bench;
  for (size_t i = 0; i < target.size(); i += 2)
    target[i] = std::nextafter(target[i], 9.0f);
  tensor::Shape shape{static_cast<int64_t>(bench.size())};
  Comparison result = compare({{"/1/x", tensorOf(target, shape)}},
                              {{"/1/x", tensorOf(bench, shape)}});
  EXPECT_EQ(result.passed, 1);
  EXPECT_EQ(result.rows.front().mismatches, (kWindow + 8) / 2);
}

TEST_F(Comparing, TwoFloatTypesAreComparedInTheNarrowerOne) {
  std::vector<float> bench = numbers(kWindow + 300), target = bench;
  tensor::Shape shape{static_cast<int64_t>(bench.size())};
  Comparison same = compare({{"/1/x", tensorOf(target, shape, kBf16)}},
                            {{"/1/x", tensorOf(bench, shape)}});
  EXPECT_EQ(same.passed, 1);
  EXPECT_EQ(same.rows[0].type, kBf16);
  EXPECT_EQ(same.rows[0].mismatches, 0); // both were rounded once
  EXPECT_EQ(same.rows[0].reason, "compared as bfloat16");
  target.back() += 1;
  Comparison other = compare({{"/1/x", tensorOf(target, shape, kBf16)}},
                             {{"/1/x", tensorOf(bench, shape)}});
  EXPECT_EQ(other.failed, 1);
  EXPECT_EQ(other.rows[0].mismatches, 1);
}

TEST_F(Comparing, ShapesThatDifferByMoreThanOnesAreNotCompared) {
  std::vector<float> values = numbers(24);
  Comparison result = compare(
      {{"/1/a", tensorOf(values, {4, 6})}, {"/1/b", tensorOf(values, {1, 24})}},
      {{"/1/a", tensorOf(values, {6, 4})},
       {"/1/b", tensorOf(values, {24, 1})}});
  EXPECT_EQ(result.rows[0].status, RowStatus::Fail);
  EXPECT_FALSE(result.rows[0].compared);
  EXPECT_EQ(result.rows[0].reason,
            "shapes differ: tensor<4x6xf32> against tensor<6x4xf32>");
  EXPECT_EQ(result.rows[1].status, RowStatus::Pass);
  EXPECT_EQ(result.rows[1].reason, "shapes differ by dimensions of size 1");
}

TEST_F(Comparing, AnErrorAgainstZeroIsInfinitelyLarge) {
  std::vector<float> zeros(50, 0), ones(50, 1);
  Comparison result = compare(
      {{"/1/a", tensorOf(ones, {50})}, {"/1/b", tensorOf(zeros, {50})}},
      {{"/1/a", tensorOf(zeros, {50})}, {"/1/b", tensorOf(zeros, {50})}});
  EXPECT_EQ(result.rows[0].relL2, INFINITY);
  EXPECT_EQ(result.rows[0].status, RowStatus::Fail);
  EXPECT_EQ(result.rows[1].relL2, 0);
  EXPECT_EQ(result.rows[1].status, RowStatus::Pass);
}

TEST_F(Comparing, RoundingIsCarriedOnWithinAStepAndNoFurther) {
  // The first module of step 1 is off by four parts in a hundred thousand,
  // which passes. That can explain errors of ten times rule dtype's tolerance
  // after it, but not two thousand times; and in step 2 nothing came before.
  std::vector<float> bench = numbers(4000), rounded = bench, grown = bench,
                     wrong = bench, second = bench, secondGrown = bench;
  for (size_t i = 0; i < bench.size(); ++i) {
    rounded[i] *= 1 + 4e-5f;
    grown[i] += i % 2 ? 4e-4f : -4e-4f;
    wrong[i] += i % 2 ? 0.1f : -0.1f;
    second[i] = 2 * bench[i];
    secondGrown[i] = 2 * grown[i];
  }
  auto x = [](const std::vector<float> &values) {
    return tensorOf(values, {static_cast<int64_t>(values.size())});
  };
  auto named = [](int step, const char *module) {
    return "/" + std::to_string(step) + "/" + module +
           ".Linear.0.forward_output.0";
  };
  Comparison result = compare({{named(1, "a"), x(rounded)},
                               {named(1, "b"), x(grown)},
                               {named(1, "c"), x(wrong)},
                               {named(2, "a"), x(second)},
                               {named(2, "b"), x(secondGrown)}},
                              {{named(1, "a"), x(bench)},
                               {named(1, "b"), x(bench)},
                               {named(1, "c"), x(bench)},
                               {named(2, "a"), x(second)},
                               {named(2, "b"), x(second)}});
  ASSERT_EQ(result.rows.size(), 5u);
  EXPECT_EQ(result.rows[0].status, RowStatus::Pass);
  EXPECT_EQ(result.rows[1].status, RowStatus::Pass) << result.rows[1].reason;
  EXPECT_NEAR(result.rows[1].carried, 4e-5, 1e-6);
  EXPECT_EQ(result.rows[2].status, RowStatus::Fail);
  EXPECT_EQ(result.rows[3].status, RowStatus::Pass);
  EXPECT_EQ(result.rows[4].status, RowStatus::Fail);
  EXPECT_EQ(result.rows[4].carried, 0);
}

TEST_F(Comparing, EqualDataOfAnotherStepInheritNoAllowance) {
  // The same two tensors in both steps, stored once: in step 1 a module before
  // them carried the error, in step 2 no module did.
  std::vector<float> bench = numbers(4000), rounded = bench, grown = bench,
                     other = bench;
  for (size_t i = 0; i < bench.size(); ++i) {
    rounded[i] *= 1 + 4e-5f;
    grown[i] += i % 2 ? 4e-4f : -4e-4f;
    other[i] = 2 * bench[i];
  }
  auto x = [](const std::vector<float> &values) {
    return tensorOf(values, {static_cast<int64_t>(values.size())});
  };
  const char *a1 = "/1/a.Linear.0.forward_output.0",
             *b1 = "/1/b.Linear.0.forward_output.0",
             *a2 = "/2/a.Linear.0.forward_output.0",
             *b2 = "/2/b.Linear.0.forward_output.0";
  Comparison result = compare(
      {{a1, x(rounded)}, {b1, x(grown)}, {a2, x(other)}, {b2, x(grown)}},
      {{a1, x(bench)}, {b1, x(bench)}, {a2, x(other)}, {b2, x(bench)}});
  ASSERT_EQ(result.rows.size(), 4u);
  EXPECT_EQ(result.rows[1].status, RowStatus::Pass) << result.rows[1].reason;
  EXPECT_EQ(result.rows[3].status, RowStatus::Fail);
}

TEST_F(Comparing, TensorsWithoutACounterpartAreCountedOnTheirSide) {
  Tensor x = tensorOf(numbers(8), {8}), y = tensorOf(numbers(9), {9});
  Comparison result = compare({{"/1/a.Linear.0.forward_output.0", x},
                               {"/1/b.Linear.0.forward_output.0", x},
                               {"/1/zz.Softmax.0.forward_output.0", y}},
                              {{"/1/a.Linear.0.forward_output.0", x},
                               {"/1/b.Linear.0.forward_output.0", x}});
  EXPECT_EQ(result.passed, 2);
  EXPECT_EQ(result.unmatchedTarget, 1);
  EXPECT_EQ(result.unmatchedBench, 0);
  EXPECT_EQ(result.rows.back().reason, "only in the target");
}

TEST_F(Comparing, OneStoredTensorUnderTwoNamesIsComparedWithBoth) {
  std::vector<float> good = numbers(100), bad = good;
  bad[7] += 1;
  // The bench stores the same data once; the target's two tensors differ.
  Comparison result = compare(
      {{"/1/a", tensorOf(good, {100})}, {"/1/b", tensorOf(bad, {100})}},
      {{"/1/a", tensorOf(good, {100})}, {"/1/b", tensorOf(good, {100})}});
  EXPECT_EQ(result.rows[0].status, RowStatus::Pass);
  EXPECT_EQ(result.rows[1].status, RowStatus::Fail);
}

TEST_F(Comparing, ATensorThatCannotBeReadFails) {
  std::vector<float> values = numbers(kWindow);
  std::string target = write("t.h5", {{"/1/x", tensorOf(values, {kWindow})}}),
              bench = write("b.h5", {{"/1/x", tensorOf(values, {kWindow})}});
  auto left = llvm::cantFail(Hdf5Reader::open(target)),
       right = llvm::cantFail(Hdf5Reader::open(bench));
  // Cut after its catalogue was read.
  int file = 0;
  ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
      target, file, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None));
  ASSERT_FALSE(llvm::sys::fs::resize_file(
      file, static_cast<uint64_t>(left->datasets()[0].offset + 1000)));
  llvm::sys::fs::closeFile(file);
  ThreadPool pool(1);
  Comparison result = llvm::cantFail(compareDumps(*left, *right, {}, pool));
  EXPECT_EQ(result.failed, 1);
  EXPECT_FALSE(result.rows[0].compared);
  EXPECT_NE(result.rows[0].reason.find("the file ends before its data do"),
            std::string::npos)
      << result.rows[0].reason;
}

// x -> a (with a weight) -> b: the first tensor of both files is the input.
TEST_F(Comparing, StepsOfAModelAreItsLeavesInOrder) {
  std::vector<float> x = {1, 2, 3, 4}, w = {9, 8, 7, 6}, y = {5, 6, 7, 8},
                     z = {0, 6, 0, 8};
  Named tensors = {{"/1/a.Linear.0.forward_input.0", tensorOf(x, {4})},
                   {"/1/a.Linear.0.forward_params.weight", tensorOf(w, {4})},
                   {"/1/a.Linear.0.forward_output.0", tensorOf(y, {4})},
                   {"/1/b.ReLU.0.forward_input.0", tensorOf(y, {4})},
                   {"/1/b.ReLU.0.forward_output.0", tensorOf(z, {4})}};
  Comparison comparison = compare(tensors, tensors, {});
  ASSERT_EQ(comparison.rows.size(), 5u);
  std::vector<ModelStep> steps = findSteps(comparison);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].row, 0u);
  EXPECT_TRUE(steps[0].isInput);
  EXPECT_EQ(steps[1].row, 2u);
  EXPECT_TRUE(steps[1].leaf && !steps[1].isInput);
  EXPECT_EQ(steps[1].module, "a");
  EXPECT_EQ(steps[1].className, "Linear");
  EXPECT_EQ(steps[1].sources, std::vector<size_t>{0});
  EXPECT_EQ(steps[2].row, 4u);
  EXPECT_TRUE(steps[2].leaf);
  EXPECT_EQ(steps[2].module, "b");
  EXPECT_EQ(steps[2].sources, std::vector<size_t>{3});
  // Tensors that only one side has are not steps.
  Named shorter(tensors.begin() + 1, tensors.end());
  steps = findSteps(compare(tensors, shorter, {}));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].module, "a");
}

/// A tensor whose samples (the middle of [outer, samples, inner]) are put in
/// another order.
static std::vector<float> inOrder(const std::vector<float> &values,
                                  int64_t outer, int64_t inner,
                                  const std::vector<int64_t> &order) {
  std::vector<float> result;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t sample : order)
      for (int64_t i = 0; i < inner; ++i)
        result.push_back(values[static_cast<size_t>(
            (o * static_cast<int64_t>(order.size()) + sample) * inner + i)]);
  return result;
}

TEST_F(Comparing, SamplesInAnotherOrderAreComparedOneByOne) {
  const std::vector<int64_t> order{2, 0, 1};
  std::vector<float> x = numbers(12), wide = numbers(24), last = numbers(18),
                     inner = numbers(30), weights = numbers(9);
  Named bench{{"/1/m.M.0.forward_input.0", tensorOf(x, {3, 4})},
              {"/1/m.M.0.forward_output.0", tensorOf(wide, {6, 4})},
              {"/1/m.M.0.forward_output.1", tensorOf(last, {2, 3, 3})},
              {"/1/m.M.0.forward_output.2", tensorOf(inner, {6, 5})},
              {"/1/m.M.0.params_grad.weight", tensorOf(weights, {3, 3})}};
  Named target{
      {"/1/m.M.0.forward_input.0", tensorOf(inOrder(x, 1, 4, order), {3, 4})},
      {"/1/m.M.0.forward_output.0",
       tensorOf(inOrder(wide, 1, 8, order), {6, 4})},
      {"/1/m.M.0.forward_output.1",
       tensorOf(inOrder(last, 2, 3, order), {2, 3, 3})},
      {"/1/m.M.0.forward_output.2",
       tensorOf(inOrder(inner, 2, 5, order), {6, 5})},
      {"/1/m.M.0.params_grad.weight", tensorOf(weights, {3, 3})}};
  Comparison all = compare(target, bench);
  EXPECT_EQ(all.passed, 5);
  ASSERT_EQ(all.sampleOrders.count(1), 1u);
  EXPECT_EQ(all.sampleOrders[1], order);
  EXPECT_EQ(mapOf(all).samples, order);
  // A wrong element stays wrong.
  std::vector<float> wrong = inOrder(wide, 1, 8, order);
  wrong[5] += 1;
  target[1].second = tensorOf(wrong, {6, 4});
  Comparison one = compare(target, bench);
  EXPECT_EQ(one.failed, 1);
  EXPECT_EQ(one.rows[1].mismatches, 1);
  // An order that only later tensors have is not that of the batch.
  target[0].second = bench[0].second;
  Comparison other = compare(target, bench);
  EXPECT_TRUE(other.sampleOrders.empty());
  EXPECT_EQ(other.failed, 3);
  CompareOptions given;
  given.map.samples = order;
  EXPECT_EQ(compare(target, bench, given).failed, 1); // because of the map
}

TEST_F(Comparing, SamplesOfAnotherTypeShowTheirOrderToo) {
  std::vector<float> x = numbers(12);
  const std::vector<int64_t> order{3, 2, 1, 0};
  Comparison found =
      compare({{"/1/m.M.0.forward_input.0",
                tensorOf(inOrder(x, 1, 3, order), {4, 3}, kBf16)}},
              {{"/1/m.M.0.forward_input.0", tensorOf(x, {4, 3})}});
  ASSERT_EQ(found.sampleOrders.count(1), 1u);
  EXPECT_EQ(found.passed, 1);
}
