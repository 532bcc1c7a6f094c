// The elementwise programs on the reference engine in f64: forward against the
// C library, backward against the difference quotient of the forward pass, and
// the "_dst" forms against those that start from src.
#include "assay/formulas/Eltwise.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::formulas;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Builder;
using tensor::Tensor;
using tensor::TensorType;

static const ElementType kF64 = ElementType::floating(FloatFormat::F64);

static Tensor tensorOf(llvm::ArrayRef<double> values) {
  Tensor tensor = llvm::cantFail(
      Tensor::allocate({kF64, {static_cast<int64_t>(values.size())}}));
  llvm::copy(values, tensor.mutableData<double>());
  return tensor;
}

/// The program of one function over vectors: of x, or of (data, diffDst).
static std::vector<double> run(const EltwiseFunction &function,
                               llvm::ArrayRef<std::vector<double>> inputs) {
  Builder builder;
  TensorType type{kF64, {static_cast<int64_t>(inputs[0].size())}};
  llvm::SmallVector<mlir::Value, 2> values;
  std::vector<Tensor> arguments;
  for (const std::vector<double> &input : inputs) {
    values.push_back(builder.argument(type));
    arguments.push_back(tensorOf(input));
  }
  mlir::Value result =
      inputs.size() == 1
          ? eltwiseForward(builder, function, values[0])
          : builder.binary("multiply", values[1],
                           eltwiseSlope(builder, function, values[0]));
  auto program = llvm::cantFail(builder.finish(result, function.name));
  auto plan = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  ThreadPool pool(1);
  program::RunContext context(pool);
  Tensor dense = llvm::cantFail(
      llvm::cantFail(program::execute(*plan, arguments, context))[0]
          .tensor()
          .dense());
  return {dense.data<double>(), dense.data<double>() + dense.size()};
}

/// Points away from the corners of every function below.
static const std::vector<double> kPoints{-9.3,  -2.9, -1.13, -0.61, -0.2, 0.07,
                                         0.313, 0.77, 1.4,   2.3,   3.1,  8.7};

namespace {
struct Row {
  EltwiseFunction function;
  double (*value)(double x);
  bool onlyPositive = false;
};
} // namespace

static const Row kRows[] = {
    {{"abs"}, [](double x) { return std::fabs(x); }},
    {{"clip", -1, 2}, [](double x) { return std::fmin(std::fmax(x, -1), 2); }},
    {{"clip_v2", -1, 2},
     [](double x) { return std::fmin(std::fmax(x, -1), 2); }},
    {{"elu", 1.5}, [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }},
    {{"exp"}, [](double x) { return std::exp(x); }},
    {{"gelu_erf"},
     [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
    {{"gelu_tanh"},
     [](double x) {
       double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3));
       return 0.5 * x * (1 + std::tanh(inner));
     }},
    {{"hardsigmoid", 0.25, 0.5},
     [](double x) { return std::fmax(0, std::fmin(1, 0.25 * x + 0.5)); }},
    {{"hardswish", 0.25, 0.5},
     [](double x) { return x * std::fmax(0, std::fmin(1, 0.25 * x + 0.5)); }},
    {{"linear", -2, 3}, [](double x) { return -2 * x + 3; }},
    {{"log"}, [](double x) { return std::log(x); }, true},
    {{"logistic"}, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {{"mish"}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {{"pow", 3, 1.5}, [](double x) { return 3 * std::pow(x, 1.5); }, true},
    {{"pow", 3, 2}, [](double x) { return 3 * x * x; }},
    {{"pow", 3, 0}, [](double x) { return 3.0; }},
    {{"relu", -0.5}, [](double x) { return x > 0 ? x : -0.5 * x; }},
    {{"soft_relu", 2},
     [](double x) { return 0.5 * std::log1p(std::exp(2 * x)); }},
    {{"srelu", -1}, [](double x) { return -std::log1p(std::exp(-x)); }},
    {{"sqrt"}, [](double x) { return std::sqrt(x); }, true},
    {{"square"}, [](double x) { return x * x; }},
    {{"swish", 1.5}, [](double x) { return x / (1 + std::exp(-1.5 * x)); }},
    {{"tanh"}, [](double x) { return std::tanh(x); }},
};

static std::vector<double> pointsOf(const Row &row, double shift = 0) {
  std::vector<double> points;
  for (double x : kPoints)
    if (!row.onlyPositive || x > 0)
      points.push_back(x + shift);
  return points;
}

// A constant of a formula that is not an f64 number costs a few units of 2^-53.
static void expectNear(double got, double expected, double allowance) {
  EXPECT_NEAR(got, expected, allowance * (1 + std::fabs(expected)));
}

TEST(Eltwise, ComputeTheFormulasOfTheGuide) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.function.name);
    std::vector<double> x = pointsOf(row), y = run(row.function, {x});
    for (size_t i = 0; i < x.size(); ++i)
      expectNear(y[i], row.value(x[i]), 1e-14);
  }
}

TEST(Eltwise, RoundGoesToTheEvenNeighbour) {
  std::vector<double> y = run({"round"}, {{-2.5, -0.5, 0.5, 1.5, 2.4}});
  EXPECT_EQ(y, (std::vector<double>{-2, -0.0, 0, 2, 2}));
}

TEST(Eltwise, SoftReluOfALargeValueIsTheValue) {
  EXPECT_EQ(run({"soft_relu", 1}, {{1e4, -1e4}}),
            (std::vector<double>{1e4, 0}));
}

TEST(Eltwise, BackwardIsTheSlopeTimesTheGradient) {
  constexpr double kStep = 1e-5;
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.function.name);
    std::vector<double> x = pointsOf(row), gradient(x.size(), -1.25);
    std::vector<double> above = run(row.function, {pointsOf(row, kStep)});
    std::vector<double> below = run(row.function, {pointsOf(row, -kStep)});
    std::vector<double> got = run(row.function, {x, gradient});
    for (size_t i = 0; i < x.size(); ++i)
      expectNear(got[i], -1.25 * (above[i] - below[i]) / (2 * kStep), 1e-7);
  }
}

TEST(Eltwise, BackwardFromDstIsBackwardFromSrc) {
  for (EltwiseFunction function :
       {EltwiseFunction{"relu", 0.5}, EltwiseFunction{"elu", 0.5},
        EltwiseFunction{"clip_v2", -1, 2}, EltwiseFunction{"exp"},
        EltwiseFunction{"sqrt"}, EltwiseFunction{"logistic"},
        EltwiseFunction{"tanh"}}) {
    SCOPED_TRACE(function.name);
    std::vector<double> x, gradient;
    for (double point : kPoints)
      if (point > 0 || function.name != "sqrt")
        x.push_back(point), gradient.push_back(3 - 0.5 * x.size());
    EltwiseFunction fromDst = function;
    fromDst.name += "_dst";
    std::vector<double> expected = run(function, {x, gradient});
    std::vector<double> dst = run(fromDst, {x});
    EXPECT_EQ(dst, run(function, {x}));
    std::vector<double> got = run(fromDst, {dst, gradient});
    for (size_t i = 0; i < x.size(); ++i)
      expectNear(got[i], expected[i], 1e-12);
  }
}

TEST(Eltwise, CornersFollowTheGuide) {
  std::vector<double> one(3, 1);
  EXPECT_EQ(run({"clip", -1, 2}, {{-1, 0, 2}, one}),
            (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(run({"clip_v2", -1, 2}, {{-1, 0, 2}, one}),
            (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(run({"relu", 0.5}, {{-1, 0, 2}, one}),
            (std::vector<double>{0.5, 0.5, 1}));
  EXPECT_EQ(run({"abs"}, {{-1, 0, 2}, one}), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(run({"hardsigmoid", 1, 0}, {{0, 0.5, 1}, one}),
            (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(run({"hardswish", 1, 0}, {{0, 0.5, 1}, one}),
            (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(run({"pow", 2, 0}, {{-1, 0, 2}, one}),
            (std::vector<double>{0, 0, 0}));
}

TEST(Eltwise, ContradictionsAreNamed) {
  EXPECT_EQ(eltwiseContradiction({"clip", 2, 1}, false),
            "clip needs alpha <= beta");
  EXPECT_EQ(eltwiseContradiction({"elu_dst", -1}, false),
            "elu_dst needs alpha >= 0");
  EXPECT_EQ(eltwiseContradiction({"elu", -1}, true), "");
  EXPECT_EQ(eltwiseContradiction({"round"}, true),
            "round has no backward pass");
  EXPECT_TRUE(usesAlpha("relu_dst") && !usesBeta("relu") && usesBeta("pow"));
  EXPECT_FALSE(usesAlpha("tanh") || isEltwiseFunction("sine"));
}

TEST(Eltwise, AnUnknownFunctionIsAnError) {
  Builder builder;
  mlir::Value x = builder.argument({kF64, {1}});
  auto program = builder.finish(eltwiseForward(builder, {"sine"}, x), "sine");
  ASSERT_FALSE(bool(program));
  EXPECT_NE(toString(program.takeError()).find("function 'sine' is unknown"),
            std::string::npos);
}
