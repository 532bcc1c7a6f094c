// Many threads at once on one engine. Kernels, choices, packed weights and
// their memory are shared, so each thread must get the results that it would
// get alone. Under the thread sanitizer, this test shows data that are shared
// without a lock.
#include "assay/engine/native/NativeAgreement.h"

#include <barrier>
#include <thread>

using namespace assay;
using namespace assay::engine;

static constexpr int kThreads = 4;

/// Two layers with one weight, a softmax of the rows, and sums of the columns.
static constexpr const char *kLayers =
    R"(func.func @main(%x: tensor<40x160xf32>, %w: tensor<160x160xf32>, %b: tensor<160xf32>) -> (tensor<40x160xf32>, tensor<160xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<40x160xf32>
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<160xf32>) -> tensor<40x160xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x160xf32>, tensor<160x160xf32>) -> tensor<40x160xf32>
    %1 = stablehlo.add %0, %bias : tensor<40x160xf32>
    %2 = stablehlo.maximum %1, %zeros : tensor<40x160xf32>
    %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<40x160xf32>, tensor<160x160xf32>) -> tensor<40x160xf32>
    %max = stablehlo.reduce(%3 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<40x160xf32>, tensor<f32>) -> tensor<40xf32>
    %maxb = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<40xf32>) -> tensor<40x160xf32>
    %4 = stablehlo.subtract %3, %maxb : tensor<40x160xf32>
    %sum = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40x160xf32>, tensor<f32>) -> tensor<160xf32>
    return %4, %sum : tensor<40x160xf32>, tensor<160xf32>
  })";

/// Convolutions of planes, of adjacent channels, and of each channel
/// separately.
static constexpr const char *kImages =
    R"(func.func @main(%x: tensor<2x8x14x14xf32>, %f: tensor<16x8x3x3xf32>, %y: tensor<2x14x14x24xf32>, %g: tensor<3x3x24x40xf32>, %h: tensor<3x3x1x24xf32>) -> (tensor<2x16x14x14xf32>, tensor<2x14x14x40xf32>) {
    %0 = stablehlo.convolution(%x, %f) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x14x14xf32>
    %1 = stablehlo.abs %0 : tensor<2x16x14x14xf32>
    %2 = stablehlo.convolution(%y, %h) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64} : (tensor<2x14x14x24xf32>, tensor<3x3x1x24xf32>) -> tensor<2x14x14x24xf32>
    %3 = stablehlo.convolution(%2, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x14x14x24xf32>, tensor<3x3x24x40xf32>) -> tensor<2x14x14x40xf32>
    return %1, %3 : tensor<2x16x14x14xf32>, tensor<2x14x14x40xf32>
  })";

/// Attention whose shares are whole numbers.
static constexpr const char *kAttention =
    R"(func.func @main(%q: tensor<4x256x8xf32>, %k: tensor<4x256x8xf32>, %v: tensor<4x256x8xf32>) -> tensor<4x256x8xf32> {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x256x8xf32>, tensor<4x256x8xf32>) -> tensor<4x256x256xf32>
    %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x256x256xf32>, tensor<f32>) -> tensor<4x256xf32>
    %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x256xf32>) -> tensor<4x256x256xf32>
    %p = stablehlo.subtract %s, %maxb : tensor<4x256x256xf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x256x256xf32>, tensor<4x256x8xf32>) -> tensor<4x256x8xf32>
    return %o : tensor<4x256x8xf32>
  })";

namespace {
/// A program with arguments that all threads share, and the reference's
/// results.
struct Case {
  explicit Case(const char *text) : text(text) {
    auto program = llvm::cantFail(program::Program::parse(text, "test"));
    auto plain = llvm::cantFail(
        program::buildPlan(program, reference::ReferenceCompiler(), {}));
    arguments = makeArguments(*program);
    expected = runPlan(*plain, arguments).results;
  }
  const char *text;
  std::vector<Tensor> arguments, expected;
};
} // namespace

/// Parses and plans the program (each thread needs its own), and runs the plan
/// twice on two threads of its own.
static void planAndRun(const NativeEngine &engine, const Case &one,
                       const PlanRequest &request) {
  auto program = llvm::cantFail(program::Program::parse(one.text, "test"));
  auto plan = engine.makePlan(program, request);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  for (int run = 0; run < 2; ++run) {
    PlanRun got = runPlan(**plan, one.arguments);
    EXPECT_GT(got.engineSteps, 0);
    ASSERT_EQ(got.results.size(), one.expected.size());
    for (auto [result, expected] : llvm::zip(got.results, one.expected))
      expectSame(result, expected, 0, "a result");
  }
}

/// Each thread starts with another case, so that at any time several make the
/// same kernels and others make different ones.
static void runTogether(llvm::ArrayRef<Case> cases,
                        const PlanRequest &request) {
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (size_t first = 0; first < kThreads; ++first)
    threads.emplace_back([&, first] {
      for (size_t k = 0; k < cases.size(); ++k) {
        together.arrive_and_wait();
        planAndRun(engine, cases[(first / 2 + k) % cases.size()], request);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  // The layers' weight, which is one tensor in all threads.
  if (request.keepsArguments) {
    EXPECT_GT(engine.context()->packings, 0);
  }
}

TEST(Threads, PlanAndRunProgramsOnOneEngineAtOnce) {
  const Case cases[] = {Case(kLayers), Case(kImages), Case(kAttention)};
  for (bool keeps : {false, true, true, true}) {
    PlanRequest request;
    request.keepsArguments = keeps; // weights are packed once, and kept
    runTogether(cases, request);
  }
}
