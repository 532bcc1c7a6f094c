// The description of a contraction for a worker: its program for Assay's own engines,
// its words for the others.
#include "assay/verify/Lowering.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::verify;

static engine::ProblemDescription describeFor(const char *engine,
                                              const Lowered &c) {
  return llvm::cantFail(describe(c, 1, engine));
}

TEST(Describe, OwnEnginesGetTheProgramAndTheOthersTheWords) {
  Problem problem = problemOf("--matmul --bia-dt=f32 --attr-post-ops=sum+relu "
                              "4x5:5x6");
  Lowered c = llvm::cantFail(lower(problem));
  for (const char *engine : {"native", "reference"}) {
    engine::ProblemDescription described = describeFor(engine, c);
    // src, wei, bia, then dst's contents before the run.
    EXPECT_EQ(described.arguments, (std::vector<int64_t>{0, 1, 2, 3}));
    auto program = llvm::cantFail(
        program::Program::fromBytecode(described.program, "described"));
    mlir::func::FuncOp function =
        llvm::cantFail(program->function(described.entry));
    EXPECT_EQ(function.getNumArguments(), 4u);
    EXPECT_EQ(described.tensors[3].role, "dst");
    EXPECT_TRUE(described.tensors[3].isOutput);
  }
  for (const char *engine : {"onednn", "plugin:libmine.so", ""})
    EXPECT_EQ(describeFor(engine, c).program, "") << engine;
}

TEST(Describe, AccumulatorsAreAProgramOfTheirOwn) {
  Problem problem = problemOf("--matmul --dt=u8:s8:s8 --bia-dt=f32 "
                              "--attr-scales=wei:per_oc --attr-post-ops=relu "
                              "4x5:5x6");
  Lowered c = llvm::cantFail(lower(problem));
  for (auto [factors, sums] :
       {std::pair(types::None, types::S32), {types::F32, types::F32}}) {
    Lowered plain = accumulatorCase(c, factors, sums);
    engine::ProblemDescription described = describeFor("native", plain);
    EXPECT_EQ(described.arguments, (std::vector<int64_t>{0, 1}));
    auto program = llvm::cantFail(
        program::Program::fromBytecode(described.program, "described"));
    mlir::func::FuncOp function = llvm::cantFail(program->function());
    auto result = mlir::cast<mlir::RankedTensorType>(
        function.getFunctionType().getResult(0));
    EXPECT_EQ(result.getElementType().isInteger(32), sums == types::S32);
    // Sums of integers are stored as they are: nothing but the factors'
    // conversions and the product.
    size_t operations = 0;
    function.walk([&](mlir::Operation *) { ++operations; });
    EXPECT_EQ(operations, factors == types::None ? 5u : 3u);
  }
}

TEST(Lowered, TheAccumulatorThatMayBeUsedIsTheWords) {
  auto unit = [](const char *words) {
    return llvm::cantFail(lower(problemOf(words))).accumulatorUnit;
  };
  EXPECT_EQ(unit("--matmul --dt=f16 4x5:5x6"), 0);
  EXPECT_EQ(unit("--matmul --dt=f16 --attr-acc-mode=f16 4x5:5x6"), 0x1p-11);
  EXPECT_EQ(unit("--matmul --dt=bf16 --attr-acc-mode=relaxed 4x5:5x6"), 0x1p-8);
  EXPECT_EQ(unit("--matmul --dt=bf16 --attr-acc-mode=any 4x5:5x6"), 0x1p-8);
  EXPECT_EQ(unit("--matmul --dt=f32 --attr-acc-mode=any 4x5:5x6"), 0);
  EXPECT_EQ(unit("--matmul --dt=bf16 --attr-acc-mode=f32 4x5:5x6"), 0);
}
