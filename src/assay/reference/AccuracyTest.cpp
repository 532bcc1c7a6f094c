// The promised accuracy of the reference's functions, measured against the C
// library in long double: f16 and bf16 within 1 ULP of the correctly rounded
// result for all 65,536 codes, f64 within 2 ULP for numbers of all exponents.
// `./dev bench accuracy` (docs/accuracy.md) measures the functions that the C
// library lacks, all codes of f32, and complex numbers.
#include "assay/dialect/Register.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Ulp.h"
#include "assay/reference/Elementwise.h"
#include "assay/support/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::reference;
using numerics::FloatFormat;

namespace {
struct Row {
  const char *op;
  long double (*exact)(long double);
};
class Accuracy : public testing::TestWithParam<Row> {
protected:
  /// The reference's loop for the operation on one element type.
  ElementwiseFunction loop(ElementType type) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
    std::string t = "tensor<" + numerics::toString(type) + ">";
    module_ = llvm::cantFail(
        parseProgramText("func.func @main(%x: " + t + ") -> " + t +
                             " { %y = \"" + GetParam().op + "\"(%x) : (" + t +
                             ") -> " + t + " func.return %y : " + t + " }",
                         "test.mlir", context_));
    auto main = module_->lookupSymbol<mlir::func::FuncOp>("main");
    return llvm::cantFail(ElementwiseFunction::make(
        &main.getBody().front().front(), {type}, type));
  }

private:
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};
} // namespace

/// Stores the number in the type, rounded once.
static void round(long double exact, ElementType type, void *out) {
  auto wide = static_cast<numerics::Quad>(exact);
  numerics::convertArray(ElementType::floating(FloatFormat::F128), &wide, type,
                         out, 1);
}

TEST_P(Accuracy, EveryCodeOf16BitsIsRoundedRight) {
  for (FloatFormat format : {FloatFormat::F16, FloatFormat::BF16}) {
    ElementType type = ElementType::floating(format);
    ElementwiseFunction function = loop(type);
    std::vector<uint16_t> codes(1 << 16), results(1 << 16);
    for (size_t i = 0; i < codes.size(); ++i)
      codes[i] = static_cast<uint16_t>(i);
    function.evaluate({codes.data()}, {1}, results.data(), 1 << 16);
    for (size_t i = 0; i < codes.size(); ++i) {
      double x;
      numerics::convertArray(type, &codes[i],
                             ElementType::floating(FloatFormat::F64), &x, 1);
      uint16_t want;
      round(GetParam().exact(x), type, &want);
      ASSERT_LE(numerics::ulpDistance(type, &results[i], &want), 1u)
          << GetParam().op << "(" << x << ") in " << numerics::toString(type);
    }
  }
}

TEST_P(Accuracy, DoublesAreWithinTwoUlp) {
  ElementType type = ElementType::floating(FloatFormat::F64);
  ElementwiseFunction function = loop(type);
  CounterRandom random(3, 0);
  for (uint64_t i = 0; i < 20000; ++i) {
    auto x = std::bit_cast<double>(random.bits(i));
    if (i % 2 == 1)
      x = std::ldexp(std::copysign(1 + random.uniform(i), x),
                     static_cast<int>(random.bits(i) % 24) - 12);
    double got;
    function.evaluateOne({&x}, &got);
    auto want = static_cast<double>(GetParam().exact(x));
    ASSERT_LE(numerics::ulpDistance(type, &got, &want), 2u)
        << GetParam().op << "(" << x << ")";
  }
}

static long double rsqrtOf(long double x) { return 1 / std::sqrt(x); }
static long double logisticOf(long double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

static const Row kRows[] = {
    {"stablehlo.cbrt", std::cbrt},
    {"stablehlo.cosine", std::cos},
    {"stablehlo.exponential", std::exp},
    {"stablehlo.exponential_minus_one", std::expm1},
    {"stablehlo.log", std::log},
    {"stablehlo.log_plus_one", std::log1p},
    {"stablehlo.logistic", logisticOf},
    {"stablehlo.rsqrt", rsqrtOf},
    {"stablehlo.sine", std::sin},
    {"stablehlo.sqrt", std::sqrt},
    {"stablehlo.tan", std::tan},
    {"stablehlo.tanh", std::tanh},
    {"chlo.acos", std::acos},
    {"chlo.acosh", std::acosh},
    {"chlo.asin", std::asin},
    {"chlo.asinh", std::asinh},
    {"chlo.atan", std::atan},
    {"chlo.atanh", std::atanh},
    {"chlo.cosh", std::cosh},
    {"chlo.sinh", std::sinh},
    {"chlo.erf", std::erf},
    {"chlo.erfc", std::erfc},
};

INSTANTIATE_TEST_SUITE_P(
    All, Accuracy, testing::ValuesIn(kRows),
    [](const testing::TestParamInfo<Row> &row) {
      return llvm::StringRef(row.param.op).split('.').second.str();
    });
