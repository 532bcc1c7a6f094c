// Lane programs: regions given as functions @main over rank-0 tensors,
// evaluated for many lanes and compared with plain loops.
#include "assay/reference/LaneProgram.h"
#include "assay/dialect/Register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace assay;
using namespace assay::reference;
using program::Lanes;

namespace {

class LanePrograms : public testing::Test {
protected:
  LanePrograms() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
    std::iota(x.begin(), x.end(), 1.0f);
    y.assign(x.rbegin(), x.rend());
  }

  mlir::Region &region(llvm::StringRef text) {
    module_ = llvm::cantFail(parseProgramText(text, "test.mlir", context_));
    return module_->lookupSymbol<mlir::func::FuncOp>("main").getBody();
  }
  std::unique_ptr<program::LaneFunction> compile(llvm::StringRef text,
                                                 bool shadow = false) {
    return compileLaneProgram(region(text), shadow);
  }
  void evaluate(const program::LaneFunction &function,
                llvm::ArrayRef<Lanes> arguments, llvm::ArrayRef<Lanes> results,
                int64_t lanes) {
    llvm::cantFail(function.evaluate(arguments, results, lanes));
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<float> x = std::vector<float>(3000), y;
};

constexpr llvm::StringLiteral kAdd =
    R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.add %a, %b : tensor<f32>
  func.return %r : tensor<f32> })";

} // namespace

TEST_F(LanePrograms, EvaluatesAnyNumberOfLanes) {
  auto add = compile(kAdd);
  ASSERT_TRUE(add);
  for (int64_t lanes : {0, 1, 15, 64, 1023, 1024, 1025, 3000}) {
    std::vector<float> sum(3001, -1.0f);
    evaluate(*add, {{x.data()}, {y.data()}}, {{sum.data()}}, lanes);
    for (int64_t i = 0; i < lanes; ++i)
      ASSERT_EQ(sum[i], x[i] + y[i]) << lanes;
    EXPECT_EQ(sum[lanes], -1.0f) << "wrote past the last lane";
  }
}

TEST_F(LanePrograms, ResultMayBeAnArgumentsMemory) {
  auto add = compile(kAdd);
  std::vector<float> sum = x;
  evaluate(*add, {{sum.data()}, {y.data()}}, {{sum.data()}}, 3000);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(sum[i], x[i] + y[i]);
}

TEST_F(LanePrograms, NarrowResultInTheMemoryOfAWideArgument) {
  auto less = compile(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
    %r = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    func.return %r : tensor<i1> })");
  ASSERT_TRUE(less);
  std::vector<float> memory = x;
  evaluate(*less, {{memory.data()}, {y.data()}}, {{memory.data()}}, 1000);
  for (size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(reinterpret_cast<uint8_t *>(memory.data())[i], x[i] < y[i]) << i;
}

TEST_F(LanePrograms, ReturnsArgumentsInAnotherOrderInPlace) {
  auto swap = compile(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    func.return %b, %a : tensor<f32>, tensor<f32> })");
  ASSERT_TRUE(swap);
  std::vector<float> a = x, b = y;
  evaluate(*swap, {{a.data()}, {b.data()}}, {{a.data()}, {b.data()}}, 3000);
  EXPECT_EQ(a, y);
  EXPECT_EQ(b, x);
}

TEST_F(LanePrograms, InlinesCallsAndFoldsConstants) {
  auto argmax = compile(R"(
    func.func private @scale(%a: tensor<f32>) -> tensor<f32> {
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %r = stablehlo.multiply %a, %c : tensor<f32>
      func.return %r : tensor<f32> }
    func.func @main(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      %d = func.call @scale(%m) : (tensor<f32>) -> tensor<f32>
      %e = func.call @scale(%d) : (tensor<f32>) -> tensor<f32>
      func.return %e, %k : tensor<f32>, tensor<i32> })");
  ASSERT_TRUE(argmax);
  std::vector<int32_t> i(3000, 1), j(3000, 2), index(3000);
  std::vector<float> value(3000);
  evaluate(*argmax, {{x.data()}, {i.data()}, {y.data()}, {j.data()}},
           {{value.data()}, {index.data()}}, 3000);
  for (size_t lane = 0; lane < 3000; ++lane) {
    ASSERT_EQ(value[lane], 4 * std::max(x[lane], y[lane]));
    ASSERT_EQ(index[lane], x[lane] >= y[lane] ? 1 : 2);
  }
}

TEST_F(LanePrograms, ShadowKeepsDigitsAndFollowsTheValuesDecisions) {
  auto body = compile(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %q = stablehlo.divide %a, %b : tensor<f32>
    %n = stablehlo.convert %q : (tensor<f32>) -> tensor<bf16>
    %w = stablehlo.convert %n : (tensor<bf16>) -> tensor<f32>
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %r = stablehlo.select %p, %w, %b : tensor<i1>, tensor<f32>
    func.return %r : tensor<f32> })",
      true);
  ASSERT_TRUE(body);
  std::vector<double> wide(x.begin(), x.end()), shadow(3000);
  wide[0] = 1e9; // 1 < 3000 holds for the value, but not for the shadow
  std::vector<float> value(3000);
  evaluate(*body, {{x.data(), wide.data()}, {y.data(), nullptr}},
           {{value.data(), shadow.data()}}, 3000);
  for (size_t lane = 0; lane < 3000; ++lane) {
    double expected = x[lane] < y[lane] ? wide[lane] / y[lane] : y[lane];
    ASSERT_EQ(shadow[lane], expected) << lane;
    ASSERT_NEAR(value[lane], expected,
                lane == 0 ? 1e9 : std::abs(expected) / 128)
        << lane;
  }
}

TEST_F(LanePrograms, RefusesWhatIsNotScalarElementwiseCode) {
  EXPECT_FALSE(compile(
      R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { func.return %a : tensor<2xf32> })"));
  EXPECT_FALSE(compile(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.optimization_barrier %a : tensor<f32>
    func.return %r : tensor<f32> })"));
  EXPECT_FALSE(compile(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %r = func.call @main(%a) : (tensor<f32>) -> tensor<f32>
    func.return %r : tensor<f32> })"));
}

TEST_F(LanePrograms, LongBodiesWork) {
  std::string text =
      "func.func @main(%v0: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n";
  for (int i = 0; i < 1000; ++i)
    text += "%v" + std::to_string(i + 1) + " = stablehlo.add %v" +
            std::to_string(i) + ", %b : tensor<f32>\n";
  auto body = compile(text + "func.return %v1000 : tensor<f32> }");
  ASSERT_TRUE(body);
  std::vector<float> ones(3000, 1.0f), sum(3000);
  evaluate(*body, {{x.data()}, {ones.data()}}, {{sum.data()}}, 3000);
  for (size_t i = 0; i < 3000; ++i)
    ASSERT_EQ(sum[i], x[i] + 1000);
}

TEST_F(LanePrograms, SingleBinaryOperationIsFoundInEitherOrder) {
  EXPECT_TRUE(singleBinaryOperation(region(kAdd)));
  EXPECT_TRUE(singleBinaryOperation(region(
      R"(func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %r = stablehlo.minimum %b, %a : tensor<i32>
    func.return %r : tensor<i32> })")));
  EXPECT_FALSE(singleBinaryOperation(region(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.subtract %a, %b : tensor<f32>
    func.return %r : tensor<f32> })")));
  EXPECT_FALSE(singleBinaryOperation(region(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.add %a, %a : tensor<f32>
    func.return %r : tensor<f32> })")));
}
