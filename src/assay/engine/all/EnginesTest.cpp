// Engines by name, isolation as a user sees it (a worker that dies or does not
// exist; its reports), and offers that cover several operations, which the
// example plugin computes.
#include "assay/engine/all/Engines.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/Registry.h"
#include "assay/program/Executor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::engine;
using tensor::Tensor;

static std::string besideProgram(llvm::StringRef name) {
  llvm::SmallString<256> path(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr)));
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static constexpr const char *kLayer = R"(
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x2xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %rows = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %sum = stablehlo.add %y, %rows : tensor<4x2xf32>
  %out = stablehlo.maximum %sum, %zero : tensor<4x2xf32>
  func.return %out : tensor<4x2xf32>
})";

static std::vector<Tensor> layerArguments() {
  std::vector<Tensor> arguments;
  for (tensor::Shape shape : {tensor::Shape{4, 8}, {8, 2}, {2}}) {
    Tensor value = llvm::cantFail(
        Tensor::allocate({*numerics::parseElementType("f32"), shape}));
    for (int64_t i = 0; i < value.size(); ++i)
      value.mutableData<float>()[i] = static_cast<float>(i * 5 % 7 - 3);
    arguments.push_back(std::move(value));
  }
  return arguments;
}

static std::shared_ptr<const program::Program> layer() {
  return llvm::cantFail(program::Program::parse(kLayer, "layer.mlir"));
}

/// The result's values; the error's text if the run failed.
struct Ran {
  std::vector<float> values;
  std::string error;
  int64_t engineSteps = 0;
};

static Ran run(const Engine &engine) {
  Ran ran;
  auto plan = engine.makePlan(layer(), {});
  if (!plan) {
    ran.error = takeError(plan.takeError()).message;
    return ran;
  }
  ThreadPool threads(1);
  program::RunContext context(threads);
  auto results = program::execute(**plan, layerArguments(), context);
  ran.engineSteps = context.engineSteps;
  if (!results) {
    ran.error = takeError(results.takeError()).message;
    return ran;
  }
  Tensor dense = llvm::cantFail((*results)[0].tensor().dense());
  ran.values.assign(dense.data<float>(), dense.data<float>() + dense.size());
  return ran;
}

static Ran expected() { return run(*llvm::cantFail(makeEngine("reference"))); }

TEST(Engines, EveryOneOfAssaysOwnGivesTheSameHereAndIsolated) {
  for (const EngineRow &row : engineTable()) {
    if (*row.module || *row.argument)
      continue;
    for (bool isolated : {false, true}) {
      EngineOptions options;
      options.isolated = isolated;
      options.threads = 1;
      options.workerProgram = besideProgram("assay");
      auto engine = makeEngine(row.name, options);
      ASSERT_TRUE(static_cast<bool>(engine));
      for (int repeat = 0; repeat < 2; ++repeat) {
        Ran ran = run(**engine);
        EXPECT_EQ(ran.error, "") << row.name;
        EXPECT_EQ(ran.values, expected().values) << row.name << isolated;
        EXPECT_EQ(ran.engineSteps > 0, llvm::StringRef(row.name) == "native");
      }
    }
  }
}

TEST(Engines, AWorkerThatDiesIsAnError) {
  EngineOptions options;
  options.isolated = true;
  options.workerProgram = "/bin/false";
  Ran ran = run(*llvm::cantFail(makeEngine("native", options)));
  EXPECT_EQ(ran.error, "engine 'native' crashed: the engine called exit(1)");
  options.workerProgram = "/nonexistent/assay";
  ran = run(*llvm::cantFail(makeEngine("native", options)));
  EXPECT_EQ(ran.error, "engine 'native' failed: cannot start the worker "
                       "process: No such file or directory");
}

TEST(Engines, AnIsolatedWorkerThatGivesNoAnswerIsEnded) {
  EngineOptions options;
  options.isolated = true;
  options.workerProgram = besideProgram("assay");
  options.timeoutSeconds = 1e-6; // no process starts that fast
  Ran ran = run(*llvm::cantFail(makeEngine("reference", options)));
  EXPECT_NE(ran.error.find("engine 'reference' hangs: no answer within"),
            std::string::npos)
      << ran.error;
}

static EngineOptions isolatedHere() {
  EngineOptions options;
  options.isolated = true;
  options.threads = 1;
  options.workerProgram = besideProgram("assay");
  return options;
}

/// Runs a program without arguments on an engine; returns the error's text, or "".
static std::string runIn(const Engine &engine, const char *text,
                         program::RunContext &context,
                         std::vector<Tensor> *results = nullptr) {
  auto parsed = llvm::cantFail(program::Program::parse(text, "isolated.mlir"));
  auto plan = llvm::cantFail(engine.makePlan(parsed, {}));
  auto ran = program::execute(*plan, {}, context);
  if (!ran)
    return takeError(ran.takeError()).message;
  for (const program::Value &value : *ran)
    if (results)
      results->push_back(llvm::cantFail(value.tensor().dense()));
  return "";
}

TEST(Isolated, ChecksAndPrintsOfTheWorkerAreTheCallers) {
  auto engine = llvm::cantFail(makeEngine("reference", isolatedHere()));
  ThreadPool threads(1);
  program::RunContext context(threads);
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  context.printStream = &stream;
  EXPECT_EQ(runIn(*engine, R"(func.func @main() {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    check.expect_eq_const %0, dense<3> : tensor<i32>
    check.expect_eq_const %0, dense<4> : tensor<i32>
    interpreter.print %0 : tensor<i32>
    func.return
  })",
                  context),
            "");
  ASSERT_EQ(context.checks.size(), 2u);
  EXPECT_TRUE(context.checks[0].passed);
  EXPECT_FALSE(context.checks[1].passed);
  EXPECT_NE(context.checks[1].message.find("got 3, expected 4"),
            std::string::npos);
  EXPECT_NE(printed.find("3"), std::string::npos);
}

TEST(Isolated, EachProgramOfALaneIsItsOwn) {
  auto engine = llvm::cantFail(makeEngine("reference", isolatedHere()));
  for (int number : {5, 6, 5}) {
    ThreadPool threads(1);
    program::RunContext context(threads);
    std::vector<Tensor> results;
    std::string text =
        "func.func @main() -> tensor<i32> { %0 = stablehlo.constant dense<" +
        std::to_string(number) +
        "> : tensor<i32>\n func.return %0 : tensor<i32> }";
    EXPECT_EQ(runIn(*engine, text.c_str(), context, &results), "");
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].data<int32_t>()[0], number);
  }
}

TEST(Isolated, TheDepthOfCallsIsLimitedThereToo) {
  constexpr const char *kCalls = R"(func.func @main() -> tensor<i32> {
    %0 = func.call @one() : () -> tensor<i32>
    func.return %0 : tensor<i32>
  }
  func.func private @one() -> tensor<i32> {
    %0 = func.call @two() : () -> tensor<i32>
    func.return %0 : tensor<i32>
  }
  func.func private @two() -> tensor<i32> {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    func.return %0 : tensor<i32>
  })";
  for (bool isolated : {false, true}) {
    EngineOptions options = isolatedHere();
    options.isolated = isolated;
    auto engine = llvm::cantFail(makeEngine("reference", options));
    ThreadPool threads(1);
    program::RunContext deep(threads), flat(threads);
    EXPECT_EQ(runIn(*engine, kCalls, deep), "");
    flat.maxFrames = 1;
    std::string error = runIn(*engine, kCalls, flat);
    EXPECT_NE(error.find("nested more than 1 deep"), std::string::npos)
        << isolated << error;
  }
}

TEST(Isolated, ASignalIsCalledByItsName) {
  llvm::SmallString<128> script;
  int file = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("assay-worker", "sh", file, script));
  {
    llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
    out << "#!/bin/sh\nkill -9 $$\n";
  }
  ASSERT_FALSE(llvm::sys::fs::setPermissions(
      script, llvm::sys::fs::owner_read | llvm::sys::fs::owner_exe));
  EngineOptions options = isolatedHere();
  options.workerProgram = script.str().str();
  Ran ran = run(*llvm::cantFail(makeEngine("reference", options)));
  EXPECT_EQ(ran.error,
            "engine 'reference' crashed: ended by signal 9 (Killed)");
  llvm::sys::fs::remove(script);
}

static OfferTensor tensorOf(std::string role, mlir::Value value,
                            bool isOutput = false) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  tensor::Shape shape(type.getShape().begin(), type.getShape().end());
  tensor::Shape strides = tensor::rowMajorStrides(shape);
  OfferTensor tensor;
  tensor.description = {
      std::move(role), "f32", std::vector<int64_t>(shape.begin(), shape.end()),
      std::vector<int64_t>(strides.begin(), strides.end()), isOutput};
  tensor.value = value;
  tensor.shape = shape;
  tensor.programStrides = tensor.problemStrides = strides;
  tensor.widthBytes = 4;
  return tensor;
}

/// Offers a product with its bias and maximum, and the product alone. `postOp`
/// names the activation.
static std::vector<Offer> recogniseLayer(mlir::Operation *op,
                                         const std::string &postOp) {
  if (!mlir::isa<stablehlo::DotGeneralOp>(op))
    return {};
  Offer wide, narrow;
  wide.driver = narrow.driver = "matmul";
  wide.words = narrow.words = "--matmul 4x8:8x2";
  narrow.json = R"({"dir": "FWD_D"})";
  wide.json = R"({"dir": "FWD_D", "post_ops":[{"kind":"eltwise","name":")" +
              postOp + R"("}]})";
  mlir::Operation *add = *op->getResult(0).getUsers().begin(),
                  *maximum = *add->getResult(0).getUsers().begin();
  mlir::Operation *rows = add->getOperand(1).getDefiningOp();
  narrow.covered = {op};
  narrow.tensors = {tensorOf("src", op->getOperand(0)),
                    tensorOf("wei", op->getOperand(1)),
                    tensorOf("dst", op->getResult(0), true)};
  wide.covered = {op, rows, add, maximum};
  wide.tensors = {tensorOf("src", op->getOperand(0)),
                  tensorOf("wei", op->getOperand(1)),
                  tensorOf("bia", rows->getOperand(0)),
                  tensorOf("dst", maximum->getResult(0), true)};
  return {std::move(wide), std::move(narrow)};
}

static std::unique_ptr<Engine> examplePlugin(const std::string &postOp) {
  EngineOptions options;
  options.threads = 1;
  options.workerProgram = besideProgram("assay");
  options.recogniser = [postOp](mlir::Operation *op) {
    return recogniseLayer(op, postOp);
  };
  return llvm::cantFail(makeEngine(
      "plugin:" + besideProgram("../lib/libassay_example.so"), options));
}

TEST(Offers, TheWidestThatTheEngineTakesReplacesAllThatItCovers) {
  auto engine = examplePlugin("relu");
  auto plan = llvm::cantFail(engine->makePlan(layer(), {}));
  EXPECT_EQ(plan->stepCount(), 1);
  Ran ran = run(*engine);
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.values, expected().values);
  EXPECT_EQ(ran.engineSteps, 1);
}

TEST(Offers, WhatTheEngineRefusesIsOfferedNarrower) {
  auto engine = examplePlugin("nobody");
  auto plan = llvm::cantFail(engine->makePlan(layer(), {}));
  EXPECT_EQ(plan->stepCount(), 5);
  Ran ran = run(*engine);
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.values, expected().values);
  EXPECT_EQ(ran.engineSteps, 1);
  EXPECT_TRUE(engine->kept().empty());
}

TEST(Offers, AnObserversWishEndsFusion) {
  PlanRequest request;
  request.wanted = [](mlir::Operation *) { return true; };
  auto plan = llvm::cantFail(examplePlugin("relu")->makePlan(layer(), request));
  EXPECT_EQ(plan->stepCount(), 5);
}
