// The elementwise functions of the grammar, found again in programs that were built for
// them, and not in others.
#include "assay/verify/EltwiseMatch.h"
#include "assay/verify/AccurateEltwise.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Builder;

static const ElementType kF64 = ElementType::floating(FloatFormat::F64);

// A program that is built is found again, with its numbers, in f32 and f64.
static void expectFoundAgain(const EltwiseFunction &function, bool backward,
                             ElementType element) {
  SCOPED_TRACE(function.name + (backward ? " backward" : " forward"));
  Builder builder;
  mlir::Value x = builder.argument({element, {3, 2}}),
              gradient = builder.argument({element, {3, 2}});
  mlir::Value result = backward
                           ? accurateEltwiseGradient(builder, function, x, gradient)
                           : accurateEltwise(builder, function, x);
  bool found = false;
  for (const EltwiseMatch &match : matchEltwise(result, backward)) {
    if (match.function.name != function.name || (match.data && match.data != x))
      continue;
    found = true;
    EXPECT_EQ(match.diffDst, backward ? gradient : mlir::Value());
    EXPECT_EQ(match.function.alpha,
              usesAlpha(function.name) ? function.alpha : 0);
    EXPECT_EQ(match.function.beta,
              usesBeta(function.name, backward) ? function.beta : 0);
  }
  EXPECT_TRUE(found);
}

TEST(EltwiseMatch, FindsEveryFunctionAgain) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  for (llvm::StringRef name : eltwiseNames())
    for (bool backward : {false, true}) {
      if (name == "srelu" || (backward && name == "round"))
        continue;
      expectFoundAgain({name.str(), 0.25, 1.5}, backward, f32);
      expectFoundAgain({name.str(), 1, 0}, backward, kF64);
    }
}

TEST(EltwiseMatch, OtherOperationsAreNoFunction) {
  Builder builder;
  mlir::Value x = builder.argument({kF64, {2}}),
              y = builder.argument({kF64, {2}});
  EXPECT_TRUE(matchEltwise(builder.binary("multiply", x, y), false).empty());
  EXPECT_TRUE(matchEltwise(x, false).empty());
  mlir::Value half = builder.constant(0.4, {kF64, {2}});
  mlir::Value erf =
      builder.unary("chlo.erf", builder.binary("multiply", x, half));
  EXPECT_TRUE(
      matchEltwise(builder.binary("multiply", half, erf), false).empty());
}
