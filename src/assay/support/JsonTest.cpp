// Levels of nesting, which are not counted inside strings.
#include "assay/support/Json.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

using namespace assay;

static bool parses(const std::string &text, int deepest) {
  llvm::Expected<llvm::json::Value> value = parseJson(text, deepest);
  llvm::consumeError(value.takeError());
  return bool(value);
}

TEST(Json, NestingIsBounded) {
  EXPECT_TRUE(parses(R"({"a": [1, {"b": []}]})", 4));
  EXPECT_FALSE(parses(R"({"a": [1, {"b": []}]})", 3));
  EXPECT_TRUE(parses(R"(["[[[[", "\"[[[{", [], []])", 2));
  std::string deep(1000000, '[');
  EXPECT_FALSE(parses(deep, 256));
  EXPECT_FALSE(parses(deep + std::string(deep.size(), ']'), 256));
}

TEST(Json, MessagesSayWhere) {
  llvm::Expected<llvm::json::Value> value = parseJson("[1,\n 2,");
  ASSERT_FALSE(value);
  EXPECT_NE(llvm::toString(value.takeError()).find("2:"), std::string::npos);
}

TEST(Json, ABackslashBeforeTheLastQuoteEndsNoText) {
  EXPECT_TRUE(parses(R"(["a\\", [1]])", 2));
  EXPECT_FALSE(parses(R"(["a\\", [[1]]])", 2));
  EXPECT_FALSE(parses(R"(["\\\"", [[1]]])", 2));
  EXPECT_TRUE(parses(R"([[1], [1], [1], {"a": 1}])", 2));
}
