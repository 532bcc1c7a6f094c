// From words to a program and back: from a driver's program the recogniser
// finds the words that made it, for every kind of attribute; programs that no
// words describe are not recognised.
#include "assay/verify/Recognise.h"
#include "assay/program/Builder.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::verify;
using judge::types::F32;

static void expectRoundTrip(llvm::StringRef words) {
  SCOPED_TRACE(words.str());
  Problem problem = problemOf(words);
  ASSERT_TRUE(problem.invalid.empty() && problem.unimplemented.empty())
      << problem.invalid << problem.unimplemented;
  BoundProgram bound = llvm::cantFail(problem.driver->build(problem));
  std::optional<Problem> found = recognise(bound, problem.driver);
  ASSERT_TRUE(found.has_value()) << "not recognised";
  EXPECT_EQ(found->driver, problem.driver);
  EXPECT_EQ(reproText(*found, true), reproText(problem, true));
  EXPECT_EQ(problemJson(*found), problemJson(problem));
  using Size = int64_t Descriptor::*;
  for (Size size : {&Descriptor::id, &Descriptor::ih, &Descriptor::iw,
                    &Descriptor::kd, &Descriptor::kh, &Descriptor::kw,
                    &Descriptor::sd, &Descriptor::sh, &Descriptor::sw,
                    &Descriptor::pd, &Descriptor::ph, &Descriptor::pw,
                    &Descriptor::pdR, &Descriptor::phR, &Descriptor::pwR,
                    &Descriptor::dd, &Descriptor::dh, &Descriptor::dw})
    EXPECT_EQ(found->descriptor.*size, problem.descriptor.*size);
}

TEST(Recognise, MatrixProducts) {
  for (const char *words :
       {"--matmul 4x5:5x6", "--matmul 2x1x4x5:1x3x5x6",
        "--matmul --dt=bf16:bf16:f32 3x4x5:3x5x6", "--matmul --dt=f64 4x5:5x6",
        "--matmul --dt=u8:s8:s32 4x5:5x6",
        "--matmul --dt=f16 --stag=ba --wtag=ba --dtag=ab 4x5:5x6",
        "--matmul --strides=8x1:7x1:9x1 4x5:5x6",
        "--matmul --bia-dt=f32 --bia_mask=3 4x5:5x6",
        "--matmul --bia-dt=bf16 --bia_mask=4 2x4x5:2x5x6",
        "--matmul 4x5:5x6_nsmall", "--matmul 1x1:1x1"})
    expectRoundTrip(words);
}

TEST(Recognise, DriversThatAreNoContractions) {
  for (const char *words :
       {"--reorder --attr-scales=src:common:2 4x6x3",
        "--reorder --stag=abx --dtag=axb 4x6x3",
        "--reorder --sdt=s8 --ddt=u8 --attr-zero-points=src:common:-1 5x9",
        "--softmax --axis=0 5x9", "--softmax --alg=LOGSOFTMAX --dir=BWD_D 5x9",
        "--softmax --alg=SOFTMAX_INF_AS_ZERO --inplace=true 5x9",
        "--softmax --sdt=bf16 --ddt=bf16 5x9",
        "--eltwise --alg=tanh --inplace=true 5x9",
        "--eltwise --dir=BWD_D --alg=exp_dst --inplace=true 5x9",
        "--binary --alg=select 5x9:1x9", "--binary --inplace=true 5x9:1x9",
        "--prelu --dir=BWD_DW 5x9:1x9", "--sum --scales=2:3 --inplace=true 5x9",
        "--shuffle --group=3 5x9", "--concat 5x9:5x2",
        "--concat --axis=0 --dtag=ba 5x9:2x9",
        "--lnorm --flags=CH --inplace=true 5x9",
        "--bnorm --flags=R --inplace=true mb3ic4ih5",
        "--pool --dir=FWD_I mb2ic4ih17oh8kh3sh2ph1",
        "--pool --alg=avg_np mb2ic4_ih17oh5kh4sh3ph2_iw9ow7kw3",
        "--pool --dir=FWD_I --alg=max mb2ic4ih19oh5kh3sh3dh2ph1"})
    expectRoundTrip(words);
}

TEST(Recognise, ScalesAndZeroPoints) {
  for (const char *words :
       {"--matmul --dt=u8:s8:s8 "
        "--attr-scales=src:common:0.25+wei:per_oc+dst:common:2 4x5:5x6",
        "--matmul --dt=u8:s8:u8 "
        "--attr-zero-points=src:common:3+wei:common:-1+dst:common:2 4x5:5x6",
        "--matmul --dt=u8:s8:s32 --attr-zero-points=src:per_dim_1 4x5:5x6",
        "--conv --dt=u8:s8:u8 --attr-scales=wei:per_oc "
        "--attr-zero-points=src:common:1+dst:common:2 ic4ih6oc8kh3ph1",
        "--conv --dt=s8:s8:f32 --attr-scales=wei:per_oc g2ic4ih6oc8kh3ph1"})
    expectRoundTrip(words);
}

TEST(Recognise, ScalesAndZeroPointsOfBlocks) {
  for (const char *words :
       {"--matmul --dt=f4_e2m1:f4_e2m1:f32 --attr-scales=src:per_tensor:e8m0:"
        "1x4+wei:per_tensor:e8m0:4x1 5x8:8x6",
        "--matmul --dt=f4_e2m1:f4_e2m1:bf16 "
        "--attr-scales=wei:per_tensor:f8_e4m3:2x1+wei:common:0.25 5x8:8x6",
        "--matmul --dt=bf16:u4:bf16 --attr-scales=wei:per_ocic:f16:4x1 "
        "--attr-zero-points=wei:per_ocic:u4:4x1 5x8:8x6",
        "--matmul --attr-scales=src:per_tensor:bf16:1x8 3x5x8:3x8x6",
        "--matmul --dt=f8_e4m3:f8_e5m2:f32 "
        "--attr-scales=wei:per_tensor:e8m0:4x3 5x8:8x6"})
    expectRoundTrip(words);
}

TEST(Recognise, EveryPostOp) {
  for (const char *op : {"abs",
                         "clip:-3:4",
                         "clip_v2:-3:4",
                         "elu:0.5",
                         "exp",
                         "gelu_erf",
                         "gelu_tanh",
                         "hardsigmoid:0.2:0.5",
                         "hardswish:0.2:0.5",
                         "linear:2:3",
                         "log",
                         "logistic",
                         "mish",
                         "pow:2:3",
                         "relu",
                         "relu:0.1",
                         "round",
                         "sqrt",
                         "square",
                         "soft_relu:2",
                         "swish:0.7",
                         "tanh",
                         "sum",
                         "sum:0.5",
                         "sum:0.5:3",
                         "add:f32",
                         "sub:f32:per_oc",
                         "mul:bf16:per_oc",
                         "div:f32:per_tensor",
                         "max:f32:common",
                         "min:s8:per_oc",
                         "eq:f32",
                         "ne:f32",
                         "ge:f32:per_oc",
                         "gt:f32",
                         "le:f32",
                         "lt:f32",
                         "prelu:per_oc",
                         "prelu"})
    expectRoundTrip(std::string("--matmul --attr-post-ops=") + op + " 4x5:5x6");
  for (const char *ops :
       {"sum:0.5+relu", "linear:2:3+clip:0:1", "hardsigmoid:2:3+relu",
        "relu+add:f32:per_oc+gelu_tanh+mul:f32:per_tensor", "abs+abs+abs"}) {
    expectRoundTrip(std::string("--matmul --bia-dt=f32 --attr-post-ops=") +
                    ops + " 4x5:5x6");
    expectRoundTrip(std::string("--conv --dir=FWD_B --attr-post-ops=") + ops +
                    " mb3ic4ih6oc5kh3ph1");
  }
}

TEST(Recognise, ConvolutionsInEveryDirection) {
  for (const char *driver : {"conv", "deconv"})
    for (const char *direction :
         {"FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB"})
      for (const char *shape :
           {"ic4ih6oc5kh3ph1", "g2mb3ic4ih7oc6kh3sh2ph1", "g2ic4ih9oc4kh2dh1",
            "ic3iw9oc4kw3sw2", "ic2id5oc3kd2", "g1ic4ih6oc4kh3",
            "g4ic4ih6iw7oc4kh3kw1ph1pw0", "ic4ih6oc5kh1_nname"})
        expectRoundTrip(std::string("--") + driver + " --dir=" + direction +
                        " " + shape);
}

TEST(Recognise, InnerProducts) {
  for (const char *direction :
       {"FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB"})
    for (const char *shape :
         {"ic4oc5", "mb3ic4ih2oc5", "ic4iw3oc5", "ic2id2ih3iw1oc5"})
      expectRoundTrip(std::string("--ip --dir=") + direction + " " + shape);
}

/// a [4,5] times b [5,6] as a foreign program writes it.
static BoundProgram foreign(bool withMinus) {
  program::Builder b;
  mlir::Value x = b.argument({F32, {4, 5}}, "activations"),
              y = b.argument({F32, {5, 6}}, "kernel");
  mlir::Value product = b.dot(x, y, {}, {}, {1}, {0});
  if (withMinus)
    product = b.unary("negate", product);
  BoundProgram bound;
  bound.program = llvm::cantFail(b.finish({product}, "foreign"));
  bound.inputs.resize(2);
  bound.outputs.resize(1);
  bound.outputs[0].role = "dst";
  return bound;
}

TEST(Recognise, AForeignProductIsAMatmul) {
  std::optional<Problem> found = recognise(foreign(false));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(std::string(found->driver->name), "matmul");
  EXPECT_EQ(descriptorText(*found), "4x5:5x6");
}

TEST(Recognise, ProgramsThatNoWordsCanSayAreNotProblems) {
  EXPECT_FALSE(recognise(foreign(true)).has_value());
}
