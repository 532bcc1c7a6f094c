// Judges every operation of a run in which one is made wrong on purpose: an
// observer replaces its result before another step reads it.
#include "assay/pjrt/Watching.h"

#include "assay/engine/all/Engines.h"
#include "assay/program/Executor.h"
#include "assay/program/Program.h"

#include "gtest/gtest.h"

#include <cmath>

namespace assay::pjrt {
namespace {

using program::StepNode;
using program::Value;
using tensor::Tensor;

constexpr const char *kProgram = R"(
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = stablehlo.add %x, %x : tensor<4x4xf32>
  %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = stablehlo.tanh %b : tensor<4x4xf32>
  return %c : tensor<4x4xf32>
})";

/// Makes one element of an operation's result wrong.
class Fault final : public program::Observer {
public:
  Fault(std::string operation, float value)
      : operation_(std::move(operation)), value_(value) {}
  void amend(const StepNode &node,
             llvm::MutableArrayRef<Value> results) override {
    if (node.name != operation_)
      return;
    Tensor old = llvm::cantFail(results[0].tensor().dense());
    Tensor made = llvm::cantFail(Tensor::allocate(old.type()));
    std::copy_n(old.bytes(), old.denseBytes(), made.mutableBytes());
    made.mutableData<float>()[5] = value_;
    results[0] = Value(std::move(made));
  }
  void onStep(const StepNode &, llvm::ArrayRef<Value *>, llvm::ArrayRef<Value>,
              int64_t) override {}

private:
  std::string operation_;
  float value_;
};

/// The message of a check in a run with `fault`.
std::string messageOf(const std::string &rule, program::Observer *fault,
                      CheckTally &tally, const char *text = kProgram) {
  auto program = llvm::cantFail(program::Program::parse(text, "net.mlir"));
  auto engine = llvm::cantFail(engine::makeEngine("native"));
  engine::PlanRequest request;
  request.wanted = [](mlir::Operation *) { return true; };
  auto plan = llvm::cantFail(engine->makePlan(program, request));
  Tensor x = llvm::cantFail(Tensor::allocate(
      {numerics::ElementType::floating(numerics::FloatFormat::F32), {4, 4}}));
  for (int i = 0; i < 16; ++i)
    x.mutableData<float>()[i] = 0.1f * static_cast<float>(i + 1);
  ThreadPool pool(1);
  program::RunContext context(pool);
  SingleOperations operations;
  OperationCheck check(rule, operations, pool, tally);
  if (fault)
    context.observers.push_back(fault);
  context.observers.push_back(&check);
  llvm::cantFail(program::execute(*plan, {x}, context).takeError());
  llvm::Error error = check.takeError();
  return error ? takeError(std::move(error)).message : "";
}

TEST(OperationCheck, RightRunsPass) {
  for (const char *rule : {"bound", "shadow", "nan"}) {
    CheckTally tally;
    EXPECT_EQ(messageOf(rule, nullptr, tally), "") << rule;
    EXPECT_EQ(tally.line(rule), std::string("ASSAY_CHECK=") + rule +
                                    ": 3 operations judged, none wrong");
  }
}

TEST(OperationCheck, WhatIsNotJudgedIsNamed) {
  CheckTally tally;
  EXPECT_EQ(tally.line("bound"), "");
  EXPECT_EQ(messageOf("bound", nullptr, tally, R"(
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %a = stablehlo.add %x, %x : tensor<4x4xf32>
  return %a : tensor<4x4xf32>
})"),
            "");
  EXPECT_EQ(tally.line("bound"),
            "ASSAY_CHECK=bound: 1 operations judged, none wrong; not judged: 1 "
            "stablehlo.after_all, 1 stablehlo.create_token");
}

TEST(OperationCheck, TheOperationThatIsWrongIsNamedWithItsPlace) {
  for (const char *rule : {"bound", "shadow"})
    for (const char *operation :
         {"stablehlo.add", "stablehlo.dot_general", "stablehlo.tanh"}) {
      Fault fault(operation, 0.9f);
      CheckTally tally;
      std::string message = messageOf(rule, &fault, tally);
      EXPECT_NE(tally.line(rule).find(" operations judged, 1 wrong"),
                std::string::npos);
      EXPECT_EQ(message.find(std::string("ASSAY_CHECK=") + rule +
                             ": the first wrong operation is " + operation +
                             " at net.mlir:"),
                0u)
          << message;
    }
}

TEST(OperationCheck, TheFirstNanIsNamedAndItsReadersAreNot) {
  Fault fault("stablehlo.dot_general", std::nanf(""));
  CheckTally tally;
  std::string message = messageOf("nan", &fault, tally);
  EXPECT_NE(message.find("stablehlo.dot_general at net.mlir:4: it makes a NaN of "
                         "operands without one: result 0, tensor<4x4xf32>, "
                         "element 5"),
            std::string::npos)
      << message;
}

} // namespace
} // namespace assay::pjrt
