// The programs of contractions against the contraction's own arithmetic: the
// StableHLO interpreter and the drivers' reference must compute
// the same from the same numbers. Two implementations that share no code.
#include "assay/verify/ShowProgram.h"
#include "assay/judge/contraction/Epilogue.h"
#include "assay/judge/contraction/Fill.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"
#include "assay/verify/Recognise.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using tensor::Tensor;

/// Runs the shown program on exact data and compares with contract() and
/// Epilogue.
static void compareWithDriver(llvm::StringRef words) {
  SCOPED_TRACE(words.str());
  Problem problem = problemOf(words);
  ASSERT_TRUE(problem.invalid.empty() && problem.unimplemented.empty())
      << problem.invalid << problem.unimplemented;
  Lowered c = llvm::cantFail(lower(problem));
  ThreadPool pool(1);
  FillPlan plan = planFill(c, FillKind::Exact, 1);
  std::vector<std::vector<float>> values(c.slots.size());
  std::vector<const float *> pointers(c.slots.size());
  std::vector<Tensor> arguments;
  auto add = [&](int slot) {
    values[slot].resize(c.slots[slot].elements());
    fillSlot(c, plan, slot, values[slot].data(), pool);
    pointers[slot] = values[slot].data();
    const Slot &s = c.slots[slot];
    Tensor tensor = llvm::cantFail(Tensor::allocate(
        {s.type, tensor::Shape(s.dims.begin(), s.dims.end())}));
    numerics::convertArray(types::F32, values[slot].data(), s.type,
                           tensor.mutableBytes(), s.elements());
    arguments.push_back(std::move(tensor));
  };
  for (size_t i = 0; i < c.inputCount(); ++i)
    add(static_cast<int>(i));
  if (c.sumInput >= 0)
    add(c.sumInput);
  BoundProgram bound = llvm::cantFail(problem.driver->build(problem));
  // The output of --show-program is the program that is built.
  std::string shown = showProgram(problem, bound);
  auto program = program::Program::parse(shown, "shown");
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError()) << shown;
  BoundProgram read = bound;
  read.program = *program;
  EXPECT_TRUE(sameOperations(bound, read)) << shown;
  auto compiled = llvm::cantFail(
      program::buildPlan(bound.program, reference::ReferenceCompiler(), {}));
  program::RunContext context(pool);
  std::vector<program::Value> results =
      llvm::cantFail(program::execute(*compiled, arguments, context));
  std::vector<double> sums(c.contraction.cElements()), error(1);
  judge::contract(c.contraction, pointers[c.a], pointers[c.b], sums.data(),
                  pool);
  Epilogue epilogue(c, pointers);
  Tensor dense = llvm::cantFail(results[0].tensor().dense());
  std::vector<double> got(dense.size());
  numerics::toDoubles(dense.elementType(), dense.bytes(), got.data(),
                      dense.size());
  int64_t width = epilogue.walk().width();
  for (size_t i = 0; i < sums.size(); ++i) {
    double value = sums[i], bound = 0;
    epilogue.apply(static_cast<int64_t>(i) / width,
                   static_cast<int64_t>(i) % width, 1, &value, &bound);
    Interval allowed = admissible(c.slots[c.out].type, value, bound);
    ASSERT_TRUE(got[i] >= allowed.low && got[i] <= allowed.high)
        << "element " << i << " got " << got[i] << " expected " << value;
  }
}

TEST(ShowProgram, MatrixProductsOfEveryKind) {
  compareWithDriver("--matmul 4x5:5x6");
  compareWithDriver(
      "--matmul --dt=bf16:bf16:f32 --bia-dt=f32 --bia_mask=3 2x1x4x5:1x3x5x6");
  compareWithDriver(
      "--matmul --dt=u8:s8:s8 --attr-scales=src:common:0.25+wei:per_oc "
      "--attr-post-ops=sum:0.5+relu 9x31:31x20");
  compareWithDriver(
      "--matmul --attr-post-ops=add:f32:per_oc+clip:-3:4+mul:f32:per_tensor "
      "9x31:31x20");
  compareWithDriver("--ip --dir=FWD_B mb3ic4ih2oc5");
  compareWithDriver("--ip --dir=BWD_D mb3ic4ih2oc5");
  compareWithDriver("--ip --dir=BWD_WB mb3ic4ih2oc5");
}

TEST(ShowProgram, ConvolutionsForwardAndBackward) {
  for (const char *direction : {"FWD_B", "BWD_D", "BWD_WB"})
    for (const char *shape :
         {"ic4ih6oc5kh3ph1", "g2mb3ic4ih7oc6kh3sh2ph1", "g2ic4ih9oc4kh2dh1",
          "ic3iw9oc4kw3sw2", "ic2id5oc3kd2"}) {
      compareWithDriver(std::string("--conv --dir=") + direction + " " + shape);
      compareWithDriver(std::string("--deconv --dir=") + direction + " " +
                        shape);
    }
}
