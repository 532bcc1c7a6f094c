// A program that is built equals the program parsed from its text, operation by
// operation; wrong calls end as one error; bytecode preserves a program.
#include "assay/program/Builder.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace assay;
using namespace assay::program;
using numerics::ElementType;
using numerics::FloatFormat;

static const ElementType kF32 = ElementType::floating(FloatFormat::F32);
static const ElementType kF64 = ElementType::floating(FloatFormat::F64);
static const ElementType kI64 = ElementType::integer(64);

static std::string print(const Program &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  program.module()->print(os, mlir::OpPrintingFlags().printGenericOpForm());
  return text;
}

// The built program and the one parsed from its text print the same, with every
// attribute spelled out.
static void expectSameAsParsed(Builder &builder,
                               llvm::ArrayRef<mlir::Value> results) {
  auto built = builder.finish(results, "built");
  ASSERT_TRUE(bool(built)) << toString(built.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  (*built)->module()->print(os);
  auto parsed = Program::parse(text, "parsed");
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError()) << text;
  EXPECT_EQ(print(**built), print(**parsed));
}

static std::string errorOf(Builder &builder, mlir::Value result) {
  auto built = builder.finish(result, "built");
  EXPECT_FALSE(bool(built));
  return built ? "" : toString(built.takeError());
}

TEST(Builder, EqualsItsTextForElementwiseOperationsAndConstants) {
  Builder b;
  mlir::Value x = b.argument({kF32, {2, 3}}, "x");
  mlir::Value y = b.binary("add", x, b.constant(0.1, {kF32, {2, 3}}));
  mlir::Value smaller = b.compare("LT", x, y);
  mlir::Value z = b.select(smaller, b.unary("tanh", y), x);
  z = b.clamp(b.constant(-1, {kF32, {}}), z, b.constant(1, {kF32, {}}));
  mlir::Value whole = b.convert(z, kI64);
  mlir::Value sum = b.binary("add", whole, b.iota({kI64, {2, 3}}, 1));
  mlir::Value finite = b.unary("is_finite", x);
  mlir::Value complex = b.binary("complex", x, y);
  mlir::Value size = b.unary("abs", complex);
  expectSameAsParsed(b, {z, sum, finite, size, b.convert(x, kF32)});
}

TEST(Builder, EqualsItsTextForDataMovement) {
  Builder b;
  mlir::Value x = b.argument({kF32, {2, 3}});
  mlir::Value wide = b.broadcast(x, {4, 2, 3}, {1, 2});
  mlir::Value turned = b.transpose(wide, {2, 0, 1});
  mlir::Value part = b.slice(turned, {0, 1, 0}, {3, 4, 2}, {2, 1, 1});
  mlir::Value both = b.concatenate({part, b.reverse(part, {0})}, 0);
  mlir::Value padded =
      b.pad(both, b.constant(0, {kF32, {}}), {1, 0, 0}, {0, 2, 0}, {1, 0, 0});
  EXPECT_EQ(Builder::typeOf(padded).shape, tensor::Shape({8, 5, 2}));
  expectSameAsParsed(b, {b.reshape(padded, {80})});
}

TEST(Builder, EqualsItsTextForContractionsAndFolds) {
  Builder b;
  mlir::Value image = b.argument({kF32, {1, 2, 8, 8}});
  mlir::Value kernel = b.argument({kF32, {4, 2, 3, 3}});
  Convolution options;
  options.strides = {2, 1};
  options.padding = {{1, 1}, {0, 1}};
  options.rhsDilation = {1, 2};
  mlir::Value y = b.convolution(image, kernel, options);
  EXPECT_EQ(Builder::typeOf(y).shape, tensor::Shape({1, 4, 4, 5}));
  Window window;
  window.size = {1, 1, 2, 2};
  window.strides = {1, 1, 2, 2};
  window.padding = {{0, 0}, {0, 0}, {0, 0}, {0, 1}};
  mlir::Value pooled = b.reduceWindow("maximum", y, window);
  mlir::Value product = b.dot(pooled, pooled, {0}, {0}, {1}, {1}, kF64);
  EXPECT_EQ(Builder::typeOf(product).element, kF64);
  mlir::Value all = b.reduce("minimum", product, {0, 1, 2, 3, 4});
  expectSameAsParsed(b, {y, all, b.reduce("add", y, {1, 3})});
}

TEST(Builder, EqualsItsTextForOperationsWithRegionsAndSeveralResults) {
  Builder b;
  mlir::Value x = b.argument({kF32, {8}});
  mlir::Value source = b.argument({kF32, {4}});
  mlir::Value back = b.op("select_and_scatter",
                          {x, source, b.constant(0, {kF32, {}})}, {kF32, {8}},
                          {b.named("window_dimensions", b.array({2})),
                           b.named("window_strides", b.array({2}))},
                          {b.comparator("GE", kF32), b.combiner("add", kF32)});
  TensorType f32{kF32, {}}, i64{kI64, {}};
  Region order{{f32, f32, i64, i64}, [&](llvm::ArrayRef<mlir::Value> of) {
                 return llvm::SmallVector<mlir::Value>{
                     b.compare("LT", of[0], of[1])};
               }};
  llvm::SmallVector<mlir::Value> sorted = b.opWithResults(
      "sort", {back, b.iota({kI64, {8}}, 0)}, {{kF32, {8}}, {kI64, {8}}},
      {b.named("dimension", b.integer(0)),
       b.named("is_stable", b.builder().getBoolAttr(true))},
      order);
  expectSameAsParsed(b, sorted);
}

TEST(Builder, ConstantsHoldTheNearestValueOfEveryType) {
  for (llvm::StringRef name :
       {"i1", "i4", "i8", "i64", "ui8", "ui64", "bf16", "f16", "f32", "f64",
        "f8E4M3FN", "f8E8M0FNU", "complex<f32>"}) {
    Builder b;
    TensorType type{*numerics::parseElementType(name), {3}};
    expectSameAsParsed(b, {b.constant(1, type)});
  }
  Builder b;
  auto splat = [&](mlir::Value value) {
    return mlir::cast<mlir::DenseElementsAttr>(
        value.getDefiningOp()->getAttr("value"));
  };
  EXPECT_EQ(
      splat(b.integerConstant(INT64_MIN, {kI64, {}})).getSplatValue<int64_t>(),
      INT64_MIN);
  EXPECT_EQ(splat(b.constant(0.1, {kF32, {}})).getSplatValue<float>(), 0.1f);
  double numbers[] = {0.5, -2};
  expectSameAsParsed(b, {b.constant({7, -8}), b.realConstant(numbers)});
}

TEST(Builder, TensorsBecomeConstants) {
  Builder b;
  auto flags =
      llvm::cantFail(tensor::Tensor::allocate({ElementType::boolean(), {3}}));
  uint8_t bits[] = {1, 0, 1};
  llvm::copy(bits, flags.mutableData<uint8_t>());
  auto floats = llvm::cantFail(tensor::Tensor::allocate({kF32, {2}}));
  floats.mutableData<float>()[0] = 1.5f;
  floats.mutableData<float>()[1] = -3;
  mlir::Value one = b.constant(flags), two = b.constant(floats);
  auto built = llvm::cantFail(b.finish({one, two}, "built"));
  std::string text = print(*built);
  EXPECT_NE(text.find("dense<[true, false, true]>"), text.npos) << text;
  EXPECT_NE(text.find("dense<[1.500000e+00, -3.000000e+00]>"), text.npos);
}

TEST(Builder, NeutralElementsAreThoseOfTheType) {
  Builder b;
  auto bits = [&](llvm::StringRef name, ElementType type) {
    return mlir::cast<mlir::DenseElementsAttr>(
               b.neutral(name, type).getDefiningOp()->getAttr("value"))
        .getSplatValue<mlir::Attribute>();
  };
  auto number = [&](llvm::StringRef name, ElementType type) {
    return mlir::cast<mlir::IntegerAttr>(bits(name, type)).getValue();
  };
  EXPECT_TRUE(number("maximum", ElementType::integer(8)).isMinSignedValue());
  EXPECT_TRUE(number("minimum", ElementType::unsignedInteger(8)).isAllOnes());
  EXPECT_TRUE(number("maximum", ElementType::unsignedInteger(8)).isZero());
  EXPECT_TRUE(number("and", kI64).isAllOnes());
  EXPECT_TRUE(number("and", ElementType::boolean()).isOne());
  auto real = [&](llvm::StringRef name, ElementType type) {
    return mlir::cast<mlir::FloatAttr>(bits(name, type)).getValue();
  };
  EXPECT_TRUE(real("maximum", kF32).isInfinity());
  EXPECT_TRUE(real("maximum", kF32).isNegative());
  // f8E4M3FN has no infinity
  EXPECT_TRUE(real("minimum", ElementType::floating(FloatFormat::F8E4M3FN))
                  .isLargest());
}

TEST(Builder, WrongCallsComeBackAsTheFirstError) {
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2, 3}});
    mlir::Value y = b.slice(x, {0, 0}, {5, 3}, {1, 1});
    EXPECT_NE(errorOf(b, b.transpose(y, {0, 0})).find("built: "),
              std::string::npos);
  }
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2, 3}});
    EXPECT_EQ(errorOf(b, b.op("no_such", x, {kF32, {2, 3}})),
              "built: unknown operation 'stablehlo.no_such'");
  }
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2}});
    EXPECT_NE(errorOf(b, b.op("transpose", x, {kF32, {2}},
                              b.named("permutation", b.integer(0))))
                  .find("'stablehlo.transpose' op "),
              std::string::npos);
  }
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2}});
    EXPECT_EQ(errorOf(b, b.compare("LOWER", x, x)),
              "built: unknown comparison direction 'LOWER'");
  }
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2}});
    EXPECT_EQ(errorOf(b, b.reduce("subtract", x, {0})),
              "built: 'subtract' has no neutral element");
  }
  {
    Builder b;
    mlir::Value x = b.argument({ElementType::complex(FloatFormat::F32), {2}});
    EXPECT_EQ(errorOf(b, b.reduce("maximum", x, {0})),
              "built: complex numbers have no order");
  }
  Builder b; // an error that only the verifier finds, in finish()
  mlir::Value x = b.argument({kF32, {2}});
  mlir::Value y = b.argument({kF32, {3}});
  EXPECT_NE(errorOf(b, b.binary("add", x, y)).find("'stablehlo.add' op "),
            std::string::npos);
}

TEST(Builder, WindowsOfWrongSizesComeBackAsErrors) {
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {2}});
    Window window;
    window.size = {2};
    window.strides = {0};
    EXPECT_EQ(errorOf(b, b.reduceWindow("add", x, window)),
              "built: a window needs one positive size for each dimension, and "
              "positive strides and dilations");
  }
  {
    Builder b;
    mlir::Value x = b.argument({kF32, {1, 1, 4}});
    EXPECT_EQ(errorOf(b, b.convolution(x, b.argument({kF32, {4}}), {})),
              "built: a convolution needs two operands of one rank, at least "
              "2, and positive strides and dilations");
  }
}

TEST(Builder, ArgumentsKeepNameAndAttributes) {
  Builder b;
  mlir::Value x = b.argument({kF32, {2}}, "weights");
  b.setArgumentAttribute(0, "assay.role", b.builder().getStringAttr("wei"));
  b.setLocation("layer1");
  auto built = llvm::cantFail(b.finish(b.unary("negate", x), "built"));
  mlir::func::FuncOp main = llvm::cantFail(built->function());
  EXPECT_EQ(describeLocation(main.getArgument(0).getLoc()), "\"weights\"");
  EXPECT_EQ(main.getArgAttrOfType<mlir::StringAttr>(0, "assay.role"), "wei");
  EXPECT_EQ(describeLocation(main.front().front().getLoc()), "\"layer1\"");
}

TEST(Program, BytecodeKeepsEveryOperation) {
  std::filesystem::path folder =
      std::filesystem::path(ASSAY_TEST_DIR) / "reference";
  int64_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir")
      continue;
    std::string text = llvm::cantFail(readFile(entry.path().string()));
    for (const std::string &part : splitInput(text)) {
      auto program = Program::parse(part, "part");
      if (!program) { // a test of the parser's error messages
        llvm::consumeError(program.takeError());
        continue;
      }
      auto again = Program::fromBytecode((*program)->toBytecode(), "part");
      ASSERT_TRUE(bool(again))
          << entry.path() << ": " << toString(again.takeError());
      EXPECT_EQ(print(**program), print(**again)) << entry.path();
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

TEST(Program, DamagedBytecodeIsAnError) {
  Builder b;
  mlir::Value x = b.argument({kF32, {2}});
  auto built = llvm::cantFail(b.finish(x, "built"));
  std::string bytes = built->toBytecode();
  auto read = Program::fromBytecode(
      llvm::StringRef(bytes).take_front(bytes.size() / 2), "half");
  ASSERT_FALSE(bool(read));
  EXPECT_TRUE(
      llvm::StringRef(toString(read.takeError())).starts_with("half: "));
}
