// Whole runs of the reference: when values are released, which may be moved,
// limits on depth and time, and what observers see.
#include "assay/program/Executor.h"
#include "assay/program/Observer.h"
#include "assay/program/PlanBuilder.h"
#include "assay/reference/Reference.h"
#include "gtest/gtest.h"

using namespace assay;
using program::Value;
using tensor::Tensor;

static const numerics::ElementType kF32 =
    numerics::ElementType::floating(numerics::FloatFormat::F32);

static Tensor floats(tensor::Shape shape, float from) {
  Tensor tensor = llvm::cantFail(Tensor::allocate({kF32, std::move(shape)}));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.mutableData<float>()[i] = from + static_cast<float>(i);
  return tensor;
}

static std::unique_ptr<program::Plan> planOf(const std::string &text) {
  auto parsed = llvm::cantFail(program::Program::parse(text, "test.mlir"));
  return llvm::cantFail(
      program::buildPlan(parsed, reference::ReferenceCompiler(), {}));
}

/// The elements of all results as floats, one result after the other.
static std::vector<float> run(const std::string &text,
                              std::vector<Tensor> arguments) {
  auto plan = planOf(text);
  ThreadPool threads(1);
  program::RunContext context(threads);
  auto results = program::execute(*plan, arguments, context);
  EXPECT_TRUE(bool(results)) << llvm::toString(results.takeError());
  std::vector<float> values;
  if (results)
    for (const Value &value : *results) {
      Tensor dense = llvm::cantFail(value.tensor().dense());
      values.insert(values.end(), dense.data<float>(),
                    dense.data<float>() + dense.size());
    }
  return values;
}

static ErrorText errorOf(const std::string &text, std::vector<Tensor> arguments,
                         llvm::function_ref<void(program::RunContext &)> with) {
  auto plan = planOf(text);
  ThreadPool threads(1);
  program::RunContext context(threads);
  with(context);
  auto results = program::execute(*plan, arguments, context);
  EXPECT_FALSE(bool(results));
  return takeError(results.takeError());
}

TEST(Run, IntermediateValuesAreReleasedAfterTheirLastUse) {
  // Forty tensors of 1 MiB, at most three of which are alive at a time.
  std::string text = "func.func @main(%x: tensor<262144xf32>) -> "
                     "tensor<262144xf32> {\n  %v0 = stablehlo.sine %x : "
                     "tensor<262144xf32>\n";
  for (int i = 1; i < 40; ++i)
    text += "  %v" + std::to_string(i) + " = stablehlo.add %v" +
            std::to_string(i - 1) + ", %x : tensor<262144xf32>\n";
  text += "  return %v39 : tensor<262144xf32>\n}";
  auto plan = planOf(text);
  ThreadPool threads(1);
  program::RunContext context(threads);
  context.budget = std::make_shared<MemoryBudget>(int64_t{4} << 20);
  auto results = program::execute(*plan, {floats({262144}, 0)}, context);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_LE(context.budget->peakBytes(), int64_t{3} << 20);
}

TEST(Run, ValuesOfACallAreReleasedWhenItReturns) {
  auto plan = planOf(R"(
  func.func @main(%x: tensor<262144xf32>) -> tensor<f32> {
    %0 = func.call @sum(%x) : (tensor<262144xf32>) -> tensor<f32>
    %1 = func.call @sum(%x) : (tensor<262144xf32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<262144xf32>
    %3 = stablehlo.add %2, %x : tensor<262144xf32>
    %4 = func.call @sum(%3) : (tensor<262144xf32>) -> tensor<f32>
    %5 = stablehlo.add %0, %4 : tensor<f32>
    return %5 : tensor<f32>
  }
  func.func private @sum(%x: tensor<262144xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.sine %x : tensor<262144xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<262144xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  })");
  ThreadPool threads(1);
  program::RunContext context(threads);
  auto results = program::execute(*plan, {floats({262144}, 0)}, context);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_LE(context.budget->peakBytes(), int64_t{5} << 20);
  results->clear();
  EXPECT_LT(context.budget->usedBytes(), 4096);
}

TEST(Run, AnOperandThatARegionReadsTooStaysInItsSlot) {
  // %y is the loop's initial value, has its last use in the loop, and is also
  // read by the body.
  std::vector<float> got = run(R"(
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %y = stablehlo.add %x, %x : tensor<3xf32>
    %n = stablehlo.constant dense<2> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %b = stablehlo.multiply %a, %y : tensor<3xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<3xf32>
    }
    return %r#1 : tensor<3xf32>
  })",
                               {floats({3}, 1)});
  EXPECT_EQ(got, (std::vector<float>{8, 64, 216})); // (2 x)^3
}

TEST(Run, AValueUsedOrReturnedTwiceIsThereTwice) {
  std::vector<float> got = run(R"(
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %y = stablehlo.negate %x : tensor<2xf32>
    %z = stablehlo.multiply %y, %y : tensor<2xf32>
    %w = func.call @both(%z, %z) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %w, %w, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func private @both(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                               {floats({2}, 3)});
  EXPECT_EQ(got, (std::vector<float>{18, 32, 18, 32, 3, 4}));
}

TEST(Run, ACaseOutOfRangeTakesTheLastBranch) {
  const char *text = R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %i = stablehlo.convert %x : (tensor<f32>) -> tensor<i32>
    %r = "stablehlo.case"(%i) ({
      %0 = stablehlo.constant dense<10.0> : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }, {
      %0 = stablehlo.constant dense<11.0> : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }, {
      %0 = stablehlo.constant dense<12.0> : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %r : tensor<f32>
  })";
  for (auto [index, want] : {std::pair{0.f, 10.f},
                             {1.f, 11.f},
                             {2.f, 12.f},
                             {3.f, 12.f},
                             {-1.f, 12.f},
                             {-2e9f, 12.f},
                             {2e9f, 12.f}})
    EXPECT_EQ(run(text, {floats({}, index)}), std::vector<float>{want})
        << index;
}

TEST(Run, TheDepthOfCallsIsLimitedByTheirNumber) {
  // Two hundred nested calls.
  const char *text = R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @count(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @count(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %less = stablehlo.subtract %x, %one : tensor<f32>
      %0 = func.call @count(%less) : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.add %0, %one : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return %zero : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %r : tensor<f32>
  })";
  EXPECT_EQ(run(text, {floats({}, 200)}), std::vector<float>{200});
  ErrorText error =
      errorOf(text, {floats({}, 200)},
              [](program::RunContext &context) { context.maxFrames = 100; });
  EXPECT_EQ(error.code, ErrorCode::ResourceLimit);
}

TEST(Run, AnArgumentThatACalleeIgnoresIsReleasedToo) {
  auto plan = planOf(R"(
  func.func @main(%x: tensor<262144xf32>) -> tensor<262144xf32> {
    %b = stablehlo.sine %x : tensor<262144xf32>
    %r = func.call @second(%b, %x) : (tensor<262144xf32>, tensor<262144xf32>) -> tensor<262144xf32>
    %c = stablehlo.negate %r : tensor<262144xf32>
    %d = stablehlo.add %c, %x : tensor<262144xf32>
    return %d : tensor<262144xf32>
  }
  func.func private @second(%a: tensor<262144xf32>, %b: tensor<262144xf32>) -> tensor<262144xf32> {
    return %b : tensor<262144xf32>
  })");
  ThreadPool threads(1);
  program::RunContext context(threads);
  llvm::cantFail(
      program::execute(*plan, {floats({262144}, 0)}, context).takeError());
  EXPECT_LT(context.budget->peakBytes(), int64_t{5} << 19);
}

TEST(Run, TruthValuesHaveNoShadow) {
  auto parsed = llvm::cantFail(program::Program::parse(R"(
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
    %y = stablehlo.sine %x : tensor<4xf32>
    %0 = stablehlo.compare GT, %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.select %0, %x, %y : tensor<4xi1>, tensor<4xf32>
    return %0, %1 : tensor<4xi1>, tensor<4xf32>
  })",
                                                       "test.mlir"));
  program::PlanOptions options;
  options.shadow = true;
  auto plan = llvm::cantFail(
      program::buildPlan(parsed, reference::ReferenceCompiler(), options));
  ThreadPool threads(1);
  program::RunContext context(threads);
  context.shadow = true;
  auto results =
      llvm::cantFail(program::execute(*plan, {floats({4}, -1)}, context));
  EXPECT_FALSE(results[0].shadow().valid());
  ASSERT_TRUE(results[1].shadow().valid());
  EXPECT_EQ(results[1].shadow().data<double>()[0], -1);
}

TEST(Run, EndlessRecursionIsAnErrorThatNamesTheCalls) {
  const char *text = R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @again(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  ErrorText error =
      errorOf(text, {floats({}, 1)},
              [](program::RunContext &context) { context.maxFrames = 50; });
  EXPECT_EQ(error.code, ErrorCode::ResourceLimit);
  EXPECT_NE(error.message.find("nested more than 50 deep"), std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("called at test.mlir:7:"), std::string::npos)
      << error.message;
}

TEST(Run, AnEndlessLoopStopsAtTheTimeLimit) {
  ErrorText error = errorOf(R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.while(%a = %x) : tensor<f32>
    cond {
      %c = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %b = stablehlo.negate %a : tensor<f32>
      stablehlo.return %b : tensor<f32>
    }
    return %r : tensor<f32>
  })",
                            {floats({}, 1)}, [](program::RunContext &context) {
                              context.interrupt.setTimeLimit(0.05);
                            });
  EXPECT_EQ(error.code, ErrorCode::ResourceLimit);
}

TEST(Run, ARegionThatCallsIsEvaluatedForEveryLane) {
  // A call in the body, so that the reduction is not a single lane program.
  std::vector<float> got = run(R"(
  func.func @main(%x: tensor<3x4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce"(%x, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = func.call @sum(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  })",
                               {floats({3, 4}, 1)});
  EXPECT_EQ(got, (std::vector<float>{15, 18, 21, 24}));
}

TEST(Run, ARegionWithBranchesIsEvaluatedLaneAfterLane) {
  // Control flow in the body: no lane program, but one evaluation per element.
  std::vector<float> got = run(R"(
  func.func @main(%x: tensor<3x5xf32>) -> tensor<5xf32> {
    %low = stablehlo.constant dense<-1.0> : tensor<f32>
    %0 = "stablehlo.reduce"(%x, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m = "stablehlo.if"(%p) ({
        stablehlo.return %b : tensor<f32>
      }, {
        stablehlo.return %a : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  })",
                               {floats({3, 5}, 1)});
  EXPECT_EQ(got, (std::vector<float>{11, 12, 13, 14, 15}));
}

TEST(Run, ALoopWritesItsCarriedValueInPlace) {
  // The loop carries and updates 1 MiB; there must never be a second copy.
  auto plan = planOf(R"(
  func.func @main(%x: tensor<262144xf32>) -> tensor<262144xf32> {
    %y = stablehlo.negate %x : tensor<262144xf32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %part = stablehlo.constant dense<7.0> : tensor<4xf32>
    %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<262144xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %b = stablehlo.dynamic_update_slice %a, %part, %i : (tensor<262144xf32>, tensor<4xf32>, tensor<i32>) -> tensor<262144xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<262144xf32>
    }
    return %r#1 : tensor<262144xf32>
  })");
  ThreadPool threads(1);
  program::RunContext context(threads);
  auto results =
      llvm::cantFail(program::execute(*plan, {floats({262144}, 1)}, context));
  const float *values = results[0].tensor().data<float>();
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[5], 7);
  EXPECT_EQ(values[6], -7);
  EXPECT_EQ(values[262143], -262144);
  EXPECT_LT(context.budget->peakBytes(), int64_t{3} << 19);
}

namespace {
/// Replaces the result of every negation by sevens, and records what onStep
/// sees.
class Replacer final : public program::Observer {
public:
  void amend(const program::StepNode &node,
             llvm::MutableArrayRef<Value> results) override {
    if (node.name == "stablehlo.negate")
      results[0] = Value(floats({}, 7));
  }
  void onStep(const program::StepNode &node, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value> results, int64_t timeNs) override {
    seen.push_back(
        node.name.str() + " " +
        std::to_string(static_cast<int>(results[0].tensor().data<float>()[0])));
    EXPECT_GE(timeNs, 0);
  }
  std::vector<std::string> seen;
};
} // namespace

TEST(Run, WhatAnObserverReplacesIsWhatAllSee) {
  auto plan = planOf(R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %x : tensor<f32>
    %1 = stablehlo.add %0, %0 : tensor<f32>
    return %1 : tensor<f32>
  })");
  ThreadPool threads(1);
  program::RunContext context(threads);
  Replacer replacer;
  context.observers.push_back(&replacer);
  auto results =
      llvm::cantFail(program::execute(*plan, {floats({}, 1)}, context));
  EXPECT_EQ(results[0].tensor().data<float>()[0], 14);
  EXPECT_EQ(replacer.seen, (std::vector<std::string>{"stablehlo.negate 7",
                                                     "stablehlo.add 14"}));
}

TEST(Run, DimensionsOfSizeOneComeAndGoWithoutACopy) {
  auto plan = planOf(R"(
    func.func @main(%x: tensor<3x4xf32>) -> (tensor<1x3x1x4xf32>, tensor<3x1x1x4xf32>, tensor<2x4xf32>) {
      %0 = stablehlo.broadcast_in_dim %x, dims = [1, 3] : (tensor<3x4xf32>) -> tensor<1x3x1x4xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0, 2, 3] : (tensor<1x3x1x4xf32>) -> tensor<3x1x1x4xf32>
      %2 = stablehlo.slice %x [0:2, 0:4] : (tensor<3x4xf32>) -> tensor<2x4xf32>
      return %0, %1, %2 : tensor<1x3x1x4xf32>, tensor<3x1x1x4xf32>, tensor<2x4xf32>
    })");
  ThreadPool threads(1);
  program::RunContext context(threads);
  Tensor x = floats({3, 4}, 1);
  auto results = llvm::cantFail(program::execute(*plan, x, context));
  EXPECT_EQ(results[0].tensor().buffer(), x.buffer());
  EXPECT_EQ(results[1].tensor().buffer(), x.buffer());
  EXPECT_NE(results[2].tensor().buffer(), x.buffer()); // fewer elements
  EXPECT_EQ(results[1].tensor().shape(), (tensor::Shape{3, 1, 1, 4}));
}

TEST(Run, AGeneratorsStateHasTheSizesOfItsAlgorithm) {
  // The verifier refuses others earlier; the step itself must refuse these.
  for (const char *algorithm : {"THREE_FRY", "PHILOX", "DEFAULT"})
    for (int64_t words = 1; words <= 4; ++words) {
      auto parsed = llvm::cantFail(program::Program::parse(
          std::string("func.func @main(%s: tensor<2xui64>) -> "
                      "(tensor<2xui64>, tensor<4xui32>) {\n  %0, %1 = "
                      "stablehlo.rng_bit_generator %s, algorithm = ") +
              algorithm +
              " : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)\n  "
              "return %0, %1 : tensor<2xui64>, tensor<4xui32>\n}",
          "state.mlir"));
      mlir::Operation *op = nullptr;
      parsed->module().walk([&](mlir::Operation *each) {
        if (each->getNumResults() == 2)
          op = each;
      });
      tensor::TensorType state{*numerics::parseElementType("ui64"), {words}};
      program::NumericOptions numeric;
      auto step = reference::ReferenceCompiler().compile(
          {op,
           {state},
           {state, {*numerics::parseElementType("ui32"), {4}}},
           numeric});
      bool takes = words == 2 || (words == 3 && algorithm[0] != 'T');
      EXPECT_EQ(bool(step), takes) << algorithm << " " << words;
      if (!step) {
        EXPECT_EQ(llvm::toString(step.takeError()),
                  "a generator state of " + std::to_string(8 * words) +
                      " bytes; THREE_FRY takes 16, PHILOX 16 or 24");
      }
    }
}
