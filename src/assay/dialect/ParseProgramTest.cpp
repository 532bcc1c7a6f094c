// Program texts that parse, and the error message for each that does not.
#include "assay/dialect/BoolLiterals.h"
#include "assay/dialect/Register.h"

#include "assay/support/Error.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace {

/// The error from parsing `text`; an empty message if it parses.
assay::ErrorText parseError(llvm::StringRef text) {
  mlir::DialectRegistry registry;
  assay::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = assay::parseProgramText(text, "p.mlir", context);
  if (module)
    return {assay::ErrorCode::Internal, ""};
  return assay::takeError(module.takeError());
}

TEST(ParseProgram, ReadsAProgram) {
  EXPECT_EQ(parseError("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                       "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n"
                       "  return %0 : tensor<2xf32>\n}\n")
                .message,
            "");
}

TEST(ParseProgram, NamesFileLineAndColumnOfASyntaxError) {
  assay::ErrorText error = parseError(
      "func.func @main() {\n  %0 = stablehlo.iota dim 0 : tensor<2xi32>\n}\n");
  EXPECT_EQ(error.code, assay::ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message, "p.mlir:2:26: expected '='");
}

TEST(ParseProgram, ReportsAConstraintOfTheSpecification) {
  assay::ErrorText error = parseError(
      "func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n"
      "  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>\n"
      "  return %0 : tensor<3xf32>\n}\n");
  EXPECT_EQ(
      error.message,
      "p.mlir:2:8: 'stablehlo.reshape' op operand has 2 elements, result 3");
}

TEST(ParseProgram, ReportsAnUnknownOperation) {
  EXPECT_EQ(parseError("func.func @main() {\n  %0 = stablehlo.nosuch : "
                       "tensor<2xf32>\n  return\n}\n")
                .message,
            "p.mlir:2:8: unknown operation 'stablehlo.nosuch'; expected a "
            "StableHLO program");
}

TEST(ParseProgram, ReportsAnUnknownDialectWithTheKnownOnes) {
  std::string message =
      parseError(
          "func.func @main() {\n  \"tf.Add\"() : () -> ()\n  return\n}\n")
          .message;
  EXPECT_NE(message.find("p.mlir:2:11: "), std::string::npos) << message;
  EXPECT_NE(message.find("known dialects: stablehlo, chlo"), std::string::npos)
      << message;
}

TEST(ParseProgram, RefusesDeepNestingBeforeParsing) {
  assay::ErrorText error = parseError(std::string(200000, '('));
  EXPECT_EQ(error.code, assay::ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message,
            "p.mlir:1:257: brackets nest deeper than 256 levels");
}

TEST(ParseProgram, CountsNoBracketsInStringsAndComments) {
  std::string open(300, '(');
  EXPECT_EQ(parseError("// " + open + "\nmodule attributes {a.b = \"" + open +
                       "\"} {}\n")
                .message,
            "");
}

TEST(ParseProgram, CountsNoArrowAsABracket) {
  std::string text = "func.func private @f() -> tensor<2xf32>\n";
  for (int i = 0; i < 300; ++i)
    text +=
        "func.func private @f" + std::to_string(i) + "() -> tensor<2xf32>\n";
  EXPECT_EQ(parseError(text).message, "");
}

TEST(ParseProgram, FindsBytecodeInAFile) {
  std::string bytecode("ML\xefR\x06 and so on");
  std::string length{static_cast<char>(bytecode.size()), '\0', '\0', '\0'};
  EXPECT_EQ(assay::bytecodeIn(bytecode), bytecode);
  EXPECT_EQ(assay::bytecodeIn("flat" + length + bytecode + "more"), bytecode);
  EXPECT_EQ(assay::bytecodeIn("flat" + length + "ML\xefR"), "");
  EXPECT_EQ(assay::bytecodeIn("// ML\xefR in a comment"), "");
}

TEST(ParseProgram, SaysWhatIsWrongWithBytecode) {
  assay::ErrorText error = parseError("ML\xefR\x06StableHLO_v1.10.0");
  EXPECT_EQ(error.code, assay::ErrorCode::InvalidArgument);
  EXPECT_NE(error.message.find("bytecode"), std::string::npos)
      << error.message;
}

TEST(ParseProgram, RefusesOtherBinaryFiles) {
  EXPECT_EQ(
      parseError(llvm::StringRef("\x93NUMPY\0\0", 8)).message,
      "'p.mlir' is a binary file, but neither MLIR bytecode nor what "
      "jax.export writes; expected a StableHLO program");
}

TEST(ParseProgram, ReadsBooleansWithOneByteEach) {
  EXPECT_EQ(
      assay::packBoolLiterals(
          "dense<\"0x010001000000000001\"> : tensor<3x3xi1>, dense<\"0x0101\"> "
          ": tensor<2xi8>"),
      "dense<\"0x0501\"> : tensor<3x3xi1>, dense<\"0x0101\"> : tensor<2xi8>");
  // Elements 0, 3, 8, 9, 15 and 16 of 20 are true, one bit each, lowest bit
  // first.
  std::string bytes;
  for (int i = 0; i < 20; ++i)
    bytes += llvm::is_contained({0, 3, 8, 9, 15, 16}, i) ? "01" : "00";
  EXPECT_EQ(
      assay::packBoolLiterals("dense<\"0x" + bytes + "\"> : tensor<4x5xi1>"),
      "dense<\"0x098301\"> : tensor<4x5xi1>");
  EXPECT_EQ(assay::packBoolLiterals("dense<\"0x0501\"> : tensor<3x3xi1>"), "");
  EXPECT_EQ(assay::packBoolLiterals("dense<\"0x0102\"> : tensor<2xi1>"), "");
  EXPECT_EQ(parseError("func.func @main() {\n  %0 = stablehlo.constant "
                       "dense<\"0x0001\"> : tensor<2xi1>\n  return\n}\n")
                .message,
            "");
}

TEST(ParseProgram, AcceptsSizesThatNoMemoryHolds) {
  EXPECT_EQ(parseError("func.func @main(%a: tensor<9223372036854775807x2xi8>) "
                       "{\n  return\n}\n")
                .message,
            "");
}

} // namespace
