// Steps that depend only on parameters: they keep their results as long as the
// parameters are the same, and make new ones when one of them changes. Nothing
// is kept that may depend on an input.
#include "assay/engine/native/NativeAgreement.h"

using namespace assay;
using namespace assay::engine;

/// The factor of a normalisation and a vector made from it, both also results;
/// the double of an input; and the normalised image.
static constexpr const char *kProgram =
    R"(func.func @main(%x: tensor<40x300xf32>, %v: tensor<300xf32>, %y: tensor<1x300xf32>) -> (tensor<300xf32>, tensor<300xf32>, tensor<1x300xf32>, tensor<40x300xf32>) {
    %half = stablehlo.constant dense<0.5> : tensor<300xf32>
    %0 = stablehlo.multiply %v, %half : tensor<300xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<300xf32>
    %2 = stablehlo.add %y, %y : tensor<1x300xf32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<300xf32>) -> tensor<40x300xf32>
    %4 = stablehlo.multiply %x, %3 : tensor<40x300xf32>
    return %0, %1, %2, %4 : tensor<300xf32>, tensor<300xf32>, tensor<1x300xf32>, tensor<40x300xf32>
  })";

namespace {
struct Planned {
  std::shared_ptr<NativeEngine> engine;
  std::shared_ptr<const program::Program> program;
  std::unique_ptr<program::Plan> plan;
};
} // namespace

static Planned planned(bool keepsArguments) {
  Planned made;
  made.program = llvm::cantFail(program::Program::parse(kProgram, "test"));
  made.engine = std::make_shared<NativeEngine>(
      "native", std::make_shared<reference::ReferenceCompiler>());
  PlanRequest request;
  request.keepsArguments = keepsArguments;
  made.plan = llvm::cantFail(made.engine->makePlan(made.program, request));
  return made;
}

TEST(KeptStep, EqualsTheReferenceForEveryParameter) {
  expectAgreement(kProgram, 1);
}

TEST(KeptStep, IsRunForOtherParametersOnly) {
  Planned made = planned(true);
  std::vector<Tensor> arguments = makeArguments(*made.program),
                      others = makeArguments(*made.program, 1);
  PlanRun first = runPlan(*made.plan, arguments),
          again = runPlan(*made.plan, arguments);
  EXPECT_EQ(first.results[0].buffer(), again.results[0].buffer());
  EXPECT_EQ(first.results[1].buffer(), again.results[1].buffer());
  EXPECT_NE(first.results[2].buffer(), again.results[2].buffer());
  EXPECT_NE(first.results[3].buffer(), again.results[3].buffer());
  EXPECT_EQ(first.engineSteps, again.engineSteps);
  // Changing only an input does not change them.
  arguments[0] = others[0];
  EXPECT_EQ(runPlan(*made.plan, arguments).results[1].buffer(),
            first.results[1].buffer());
  arguments[1] = others[1];
  PlanRun other = runPlan(*made.plan, arguments);
  EXPECT_NE(other.results[0].buffer(), first.results[0].buffer());
  EXPECT_EQ(other.results[0].data<float>()[7], others[1].data<float>()[7] / 2);
  EXPECT_EQ(other.results[1].data<float>()[7],
            others[1].data<float>()[292] / 2);
}

TEST(KeptStep, KeepsNothingWhereArgumentsChangeUnderTheirNames) {
  Planned made = planned(false);
  std::vector<Tensor> arguments = makeArguments(*made.program);
  PlanRun first = runPlan(*made.plan, arguments),
          again = runPlan(*made.plan, arguments);
  EXPECT_NE(first.results[0].buffer(), again.results[0].buffer());
}
