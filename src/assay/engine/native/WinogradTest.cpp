// Convolutions by Winograd's transforms against the reference: on small integers tiles of
// 2 x 2 give the same bits, tiles of 4 x 4 numbers that round to the same integers.
#include "assay/engine/native/ConvolutionAgreement.h"
#include "assay/engine/native/NativeAgreement.h"
#include "assay/engine/native/WinogradTiles.h"

using namespace assay;
using namespace assay::engine;
using program::ConvolutionAlgorithm;

namespace {
/// A form's plans, and what the decomposition says about it.
struct Trial {
  Plans plans;
  int64_t results = 0; ///< a side of its tiles; 0: `refusal` says why it has none
  std::string refusal;
};

struct Asked {
  ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::Winograd;
  bool keepsArguments = false;
};
} // namespace

static Trial trialOf(const Form &form, Asked asked = {}) {
  auto parsed = programOf(form);
  auto rest = std::make_shared<reference::ReferenceCompiler>();
  NativeEngine engine("native", rest);
  PlanRequest request;
  request.numeric.convolution = asked.algorithm;
  request.keepsArguments = asked.keepsArguments;
  Trial trial;
  trial.plans = {llvm::cantFail(program::buildPlan(parsed, *rest, {})),
                 llvm::cantFail(engine.makePlan(parsed, request))};
  forEachConvolution(*parsed, [&](const StepSpec &spec) {
    StepSpec wanted{spec.op, spec.operands, spec.results, request.numeric};
    ConvRequest convolution(engine.context(), wanted);
    std::string refusals;
    auto candidates = convCandidates(convolution, &refusals);
    if (candidates.empty() ||
        candidates.front().algorithm != kernels::ConvAlgorithm::Winograd) {
      auto refusal = kWinogradConvolution.supports(convolution);
      trial.refusal = refusal               ? refusal->text
                      : candidates.empty() ? refusals
                                           : "direct kernels are faster";
      return;
    }
    trial.results = llvm::cantFail(winogradTiles(convolution)).tile.results;
  });
  return trial;
}

/// On 1, 2 and 5 threads; how far the farthest number is from the reference's.
static double farthest(const Trial &trial, llvm::ArrayRef<Tensor> arguments) {
  int64_t steps = 0;
  double most = 0;
  Tensor expected = execute(*trial.plans.plain, arguments, 1, steps);
  for (int threads : {1, 2, 5}) {
    Tensor got = execute(*trial.plans.native, arguments, threads, steps);
    EXPECT_EQ(steps, 1) << "not by a kernel";
    for (int64_t i = 0; i < got.size(); ++i)
      most = std::max(most, std::abs(double(got.data<float>()[i]) -
                                     double(expected.data<float>()[i])));
  }
  return most;
}

/// [batch, in height and width, channels, out channels, padding of each side].
static Form image(int64_t batch, Dims sides, int64_t channels, int64_t out,
                  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> padding) {
  Form form = channelsLast("winograd", {batch, sides[0], sides[1], channels},
                           {3, 3}, out, 1);
  form.options.padding.assign(padding.begin(), padding.end());
  return form;
}

TEST(Winograd, SizesAndPaddings) {
  int64_t small = 0, large = 0;
  for (const Form &form :
       {image(1, {4, 4}, 16, 16, {{1, 1}, {1, 1}}),
        image(1, {7, 5}, 5, 3, {{1, 1}, {1, 1}}),
        image(2, {3, 9}, 20, 40, {{0, 0}, {0, 0}}),
        image(3, {6, 7}, 17, 33, {{2, 0}, {0, 3}}),
        image(1, {1, 30}, 8, 70, {{1, 1}, {1, 1}}),
        image(2, {16, 16}, 32, 48, {{1, 1}, {1, 1}}),
        image(1, {61, 33}, 3, 64, {{1, 1}, {1, 1}}),
        image(2, {9, 150}, 256, 16, {{1, 1}, {1, 1}}),
        image(5, {14, 13}, 24, 100, {{1, 2}, {2, 1}}),
        image(1, {20, 20}, 12, 12, {{-1, -2}, {-1, 0}})}) {
    SCOPED_TRACE(testing::PrintToString(form.lhs) + " to " +
                 testing::PrintToString(form.rhs));
    Trial trial = trialOf(form);
    ASSERT_GT(trial.results, 0) << trial.refusal;
    (trial.results == 2 ? small : large) += 1;
    // Integers, so that a wrong product is off by one at least.
    EXPECT_LE(farthest(trial, argumentsOf(form)), trial.results == 2 ? 0 : 0.1);
  }
  EXPECT_GE(small, 3);
  EXPECT_GE(large, 3);
}

/// Filters in other layouts, and reversed: the gradient of the data.
TEST(Winograd, FiltersInPlace) {
  Form form = image(2, {12, 13}, 24, 40, {{1, 1}, {1, 1}});
  form.rhs = {40, 24, 3, 3}; // as PyTorch keeps them
  form.options.kernelOutputFeature = 0, form.options.kernelInputFeature = 1;
  form.options.kernelSpatial = {2, 3};
  for (bool reversed : {false, true}) {
    form.reversed = reversed;
    EXPECT_LE(farthest(trialOf(form), argumentsOf(form)), 0.1);
    form.options.reversal = {true, false};
    EXPECT_LE(farthest(trialOf(form), argumentsOf(form)), 0.1);
    form.options.reversal = {};
  }
}

/// A tile would spread them over its results: the direct kernels compute it.
TEST(Winograd, NonFiniteValuesDoNotReachNeighbours) {
  Form form = image(1, {12, 12}, 16, 16, {{1, 1}, {1, 1}});
  for (size_t operand : {0, 1})
    for (float special : {kInfinity, std::nanf(""), 3e38f, -2e37f}) {
      std::vector<Tensor> arguments = argumentsOf(form);
      std::memcpy(arguments[operand].mutableBytes() + 4 * 123, &special, 4);
      Trial trial = trialOf(form);
      ASSERT_GT(trial.results, 0);
      int64_t steps = 0, finite = 0;
      Tensor expected = execute(*trial.plans.plain, arguments, 1, steps),
             got = execute(*trial.plans.native, arguments, 2, steps);
      EXPECT_EQ(steps, 1);
      for (int64_t i = 0; i < got.size(); ++i) {
        float x = got.data<float>()[i], y = expected.data<float>()[i];
        finite += std::isfinite(y);
        EXPECT_TRUE(std::abs(x - y) <= 1e-5f * std::abs(y) || x == y ||
                    (std::isnan(x) && std::isnan(y)))
            << "element " << i << ": " << x << ", expected " << y;
      }
      EXPECT_GT(finite, 1000);
    }
}

/// Auto takes tiles where they are faster, for weights that stay; never unless asked.
TEST(Winograd, AutoIsForWeightsThatStay) {
  Form form = image(1, {28, 28}, 128, 128, {{1, 1}, {1, 1}}),
       thin = image(1, {112, 112}, 3, 64, {{1, 1}, {1, 1}});
  EXPECT_EQ(trialOf(form, {ConvolutionAlgorithm::Direct}).refusal,
            "Winograd's transforms are not allowed");
  EXPECT_EQ(trialOf(thin, {ConvolutionAlgorithm::Auto}).refusal,
            "direct kernels are faster");
  std::vector<Tensor> arguments = argumentsOf(form);
  for (bool stays : {false, true}) {
    Trial trial = trialOf(form, {ConvolutionAlgorithm::Auto, stays});
    EXPECT_EQ(trial.results, 4) << trial.refusal;
    double error = farthest(trial, arguments);
    EXPECT_LE(error, 0.1);
    EXPECT_EQ(error > 0, stays) << "direct sums of integers are exact";
  }
}

TEST(Winograd, SaysWhyNot) {
  auto refusal = [](Form form, const char *type = "f32") {
    form.type = type;
    return trialOf(form).refusal;
  };
  Form form = image(1, {12, 12}, 16, 16, {{1, 1}, {1, 1}}), other = form;
  EXPECT_EQ(refusal(form, "bf16"), "Winograd's transforms are for f32");
  const char *window = "Winograd's transforms are for windows of 3 x 3 without "
                       "strides and dilation";
  other.options.strides = {2, 1};
  EXPECT_EQ(refusal(other), window);
  other = form, other.options.rhsDilation = {1, 2};
  EXPECT_EQ(refusal(other), window);
  EXPECT_EQ(refusal(channelsLast("wide", {1, 12, 12, 16}, {5, 3}, 16, 1)), window);
  EXPECT_EQ(refusal(channelsLast("deep", {1, 6, 6, 6, 4}, {3, 3, 3}, 8, 1)), window);
  EXPECT_EQ(refusal(channelsLast("groups", {1, 12, 12, 16}, {3, 3}, 16, 2)),
            "Winograd's transforms are for one group");
  EXPECT_EQ(refusal({"planar", {1, 16, 12, 12}, {16, 16, 3, 3}, windows({}, 1)}),
            "Winograd's transforms are for channels that lie last");
  EXPECT_EQ(refusal(image(0, {12, 12}, 16, 16, {{1, 1}, {1, 1}})),
            "the convolution is empty");
}

/// The loop after it goes through the pieces in one step, also where rows are too long for one piece.
TEST(Winograd, WhatFollowsIsFused) {
  PlanRequest request;
  request.numeric.convolution = ConvolutionAlgorithm::Winograd;
  for (const char *sizes : {"1x20x24x16", "2x8x320x16"}) {
    std::string type = std::string("tensor<") + sizes + "xf32>",
                text = "func.func @main(%x: " + type +
                       ", %w: tensor<3x3x16x16xf32>, %b: tensor<16xf32>) -> " +
                       type + R"( {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ()" +
                       type + ", tensor<3x3x16x16xf32>) -> " + type +
                       "\n  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : "
                       "(tensor<16xf32>) -> " + type +
                       "\n  %2 = stablehlo.add %0, %1 : " + type +
                       "\n  %3 = stablehlo.add %2, %x : " + type +
                       "\n  return %3 : " + type + "\n}\n";
    expectAgreement(text.c_str(), 2, -1, 2e-2f, request);
  }
}
