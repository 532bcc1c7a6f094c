/// Tests of the native engine: a program on it and on the reference, on exact
/// data: small integers, so that every order of summation gives the same
/// numbers and equality is demanded.
#pragma once

#include "assay/engine/native/NativeEngine.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

namespace assay::engine {

using tensor::Tensor;

/// One argument for each argument type of the program: whole numbers from -5 to 5
/// (bytes: 25 times as much) that do not repeat, so that swapped rows show; another
/// `draw` gives other numbers.
inline std::vector<Tensor> makeArguments(const program::Program &program,
                                         int64_t draw = 0) {
  std::vector<Tensor> arguments;
  mlir::func::FuncOp function = llvm::cantFail(program.function());
  for (mlir::Type type : function.getArgumentTypes()) {
    tensor::TensorType wanted = llvm::cantFail(program::tensorTypeOf(type));
    Tensor value = llvm::cantFail(Tensor::allocate(wanted));
    std::vector<float> numbers;
    float unit = wanted.element.bits == 8 ? 25 : 1;
    CounterRandom random(static_cast<uint64_t>(draw), arguments.size());
    for (int64_t i = 0; i < value.size(); ++i)
      numbers.push_back(
          unit * static_cast<float>(random.integer(uint64_t(i), -5, 5)));
    numerics::convertArray(*numerics::parseElementType("f32"),
                           reinterpret_cast<const std::byte *>(numbers.data()),
                           wanted.element, value.mutableBytes(), value.size());
    arguments.push_back(std::move(value));
  }
  return arguments;
}

/// The outcome of a run.
struct PlanRun {
  std::vector<Tensor> results;
  std::vector<program::CheckResult> checks;
  int64_t engineSteps = 0;
};

inline PlanRun runPlan(const program::Plan &plan,
                       llvm::ArrayRef<Tensor> arguments, int cores = 2) {
  ThreadPool threads(cores);
  program::RunContext context(threads);
  auto results = program::execute(plan, arguments, context);
  EXPECT_TRUE(bool(results)) << llvm::toString(results.takeError());
  PlanRun run;
  run.engineSteps = context.engineSteps;
  run.checks = context.checks;
  if (results)
    for (const program::Value &value : *results)
      run.results.push_back(llvm::cantFail(value.tensor().dense()));
  return run;
}

inline void expectSame(const Tensor &got, const Tensor &expected,
                       float tolerance, const std::string &what) {
  ASSERT_EQ(got.denseBytes(), expected.denseBytes());
  if (tolerance == 0) {
    EXPECT_EQ(std::memcmp(got.bytes(), expected.bytes(),
                          static_cast<size_t>(got.denseBytes())),
              0)
        << what;
    return;
  }
  for (int64_t k = 0; k < got.size(); ++k) {
    float x = got.data<float>()[k], y = expected.data<float>()[k];
    if (!std::isnan(x) || !std::isnan(y))
      ASSERT_NEAR(x, y, tolerance) << "element " << k << " of " << what;
  }
}

/// `native`: how many steps of a run are the engine's own, so that falling back
/// to the reference shows; `steps`: how many steps the plan must have (-1: not
/// checked); `request`: what is requested of the native plan.
inline void expectAgreement(const char *text, int64_t native,
                            int64_t steps = -1, float tolerance = 0,
                            const PlanRequest &request = {}) {
  auto parsed = program::Program::parse(text, "test");
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  auto plain = program::buildPlan(*parsed, reference::ReferenceCompiler(), {});
  ASSERT_TRUE(bool(plain)) << llvm::toString(plain.takeError());
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  auto planned = engine.makePlan(*parsed, request);
  ASSERT_TRUE(bool(planned)) << llvm::toString(planned.takeError());
  if (steps >= 0) {
    EXPECT_EQ((*planned)->stepCount(), steps) << text;
  }
  // The second run finds its kernels ready; the third has other arguments,
  // while those of the runs before still exist.
  std::vector<Tensor> draws[] = {makeArguments(**parsed),
                                 makeArguments(**parsed, 1)};
  for (int run = 0; run < 3; ++run) {
    llvm::ArrayRef<Tensor> arguments = draws[run / 2];
    PlanRun expected = runPlan(**plain, arguments),
            got = runPlan(**planned, arguments);
    EXPECT_EQ(expected.engineSteps, 0);
    EXPECT_EQ(got.engineSteps, native) << text;
    ASSERT_EQ(got.results.size(), expected.results.size());
    for (size_t i = 0; i < got.results.size(); ++i)
      expectSame(got.results[i], expected.results[i], tolerance,
                 "result " + std::to_string(i) + " of run " +
                     std::to_string(run) + " of\n" + text);
    ASSERT_EQ(got.checks.size(), expected.checks.size());
    for (size_t i = 0; i < got.checks.size(); ++i) {
      EXPECT_EQ(got.checks[i].location, expected.checks[i].location) << text;
      EXPECT_EQ(got.checks[i].message, expected.checks[i].message);
    }
  }
}

/// A convolution of bytes that the program widens: the engine against the reference.
/// `types`: of image and filter; `form`: what is between the operands and their types;
/// `steps`: what the plan comes to (-1: not asked).
inline void expectBytes(const std::string &image, const std::string &filter,
                        const std::string &result, const std::string &types,
                        const std::string &form, int64_t steps = 1) {
  std::string from = types.substr(0, types.find(' ')),
              with = types.substr(types.find(' ') + 1),
              wide = "tensor<" + image + "xi32>",
              wideFilter = "tensor<" + filter + "xi32>",
              out = "tensor<" + result + "xi32>";
  std::string text =
      "func.func @main(%x: tensor<" + image + "x" + from + ">, %w: tensor<" + filter +
      "x" + with + ">) -> " + out + " {\n%a = stablehlo.convert %x : (tensor<" + image +
      "x" + from + ">) -> " + wide + "\n%b = stablehlo.convert %w : (tensor<" + filter +
      "x" + with + ">) -> " + wideFilter + "\n%0 = stablehlo.convolution(%a, %b) " + form +
      " : (" + wide + ", " + wideFilter + ") -> " + out + "\nreturn %0 : " + out + "\n}";
  expectAgreement(text.c_str(), 1, steps);
}

} // namespace assay::engine
