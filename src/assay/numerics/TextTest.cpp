// Elements print as the shortest text that parses to them: checked exhaustively
// for the narrow formats.
#include "assay/numerics/Text.h"
#include "assay/numerics/Dispatch.h"
#include "assay/support/Error.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace assay::numerics;

template <typename T> static std::string print(T value) {
  return printElement(elementTypeOf<T>(), &value);
}

TEST(Text, PrintsTheShortestForm) {
  EXPECT_EQ(print(0.1f), "0.1");
  EXPECT_EQ(print(F16(0.1f)), "0.1");
  EXPECT_EQ(print(BF16(3.1415926f)), "3.14");
  EXPECT_EQ(print(F8E4M3FN(448.0f)), "448");
  EXPECT_EQ(print(BF16(1e20f)), "1e+20");
  EXPECT_EQ(print(-0.0), "-0");
  EXPECT_EQ(print(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(print(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(print(Pred(true)), "true");
  EXPECT_EQ(print(Int4(-8)), "-8");
  EXPECT_EQ(print(std::numeric_limits<uint64_t>::max()),
            "18446744073709551615");
  EXPECT_EQ(print(std::complex<float>(1, -2.5)), "(1, -2.5)");
  EXPECT_EQ(printIndex(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(printIndex(0, {}), "[]");
}

TEST(Text, EveryNarrowCodeReadsBack) {
  for (int format = 1; format <= static_cast<int>(FloatFormat::F16); ++format) {
    ElementType type = ElementType::floating(static_cast<FloatFormat>(format));
    for (int code = 0; code < (1 << type.bits); ++code) {
      uint16_t element = static_cast<uint16_t>(code), back = 0;
      std::string text = printElement(type, &element);
      ASSERT_FALSE(bool(parseElement(type, text, &back))) << text;
      if (text == "nan")
        continue;
      ASSERT_EQ(back, element) << toString(type) << " " << text;
    }
  }
}

template <typename T> static T read(llvm::StringRef text) {
  T value{};
  llvm::cantFail(parseElement(elementTypeOf<T>(), text, &value));
  return value;
}

TEST(Text, ReadsNumbersBitsAndSpecials) {
  EXPECT_EQ(read<float>("1e-3"), 1e-3f);
  EXPECT_EQ(read<float>("0x7F800000"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(read<double>("-inf"), -std::numeric_limits<double>::infinity());
  // The midpoint of two bf16 and a little more: a single rounding goes up, a
  // second rounding from f64 would go down.
  EXPECT_EQ(float(read<BF16>("1.00390625000000000000000000001")), 1.0078125f);
  EXPECT_EQ(read<uint8_t>("0xFF"), 255);
  EXPECT_EQ(int(read<Int4>("-8")), -8);
  EXPECT_EQ(read<int64_t>("-9223372036854775808"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ((read<std::complex<double>>("(1, -2)")),
            std::complex<double>(1, -2));
  EXPECT_TRUE(isNan(read<F8E4M3FN>("1e9"))); // the format has no infinity
}

TEST(Text, RefusesInvalidElements) {
  auto message = [](const char *type, const char *text) {
    std::byte element[16];
    llvm::Error error = parseElement(*parseElementType(type), text, element);
    return error ? assay::takeError(std::move(error)).message
                 : std::string("accepted");
  };
  EXPECT_EQ(
      message("i8", "128"),
      "'128' is not an element of type i8: expected a value in its range");
  EXPECT_EQ(
      message("ui4", "-1"),
      "'-1' is not an element of type ui4: expected a value in its range");
  EXPECT_EQ(message("f32", "abc"),
            "'abc' is not an element of type f32: expected a number");
  EXPECT_EQ(message("f32", "1.5x"),
            "'1.5x' is not an element of type f32: expected a number");
  EXPECT_EQ(message("i1", "yes"),
            "'yes' is not an element of type i1: expected true or false");
  EXPECT_EQ(
      message("bf16", "0x12345"),
      "'0x12345' is not an element of type bf16: expected bits in hexadecimal");
}

TEST(Text, AMissingPartOfAComplexNumberIsZero) {
  float element[2] = {7, 7};
  llvm::cantFail(
      parseElement(*parseElementType("complex<f32>"), "2.5", element));
  EXPECT_EQ(element[0], 2.5f);
  EXPECT_EQ(element[1], 0.0f);
}

TEST(Text, TruthValuesMayBeDigits) {
  EXPECT_TRUE(bool(read<Pred>("1")));
  EXPECT_TRUE(bool(read<Pred>("true")));
  EXPECT_FALSE(bool(read<Pred>("0")));
  EXPECT_FALSE(bool(read<Pred>("false")));
}

TEST(Text, NegativeZeroKeepsItsSign) {
  EXPECT_TRUE(std::signbit(read<float>("-0.0")));
  EXPECT_TRUE(std::signbit(read<double>("-0")));
  EXPECT_EQ(read<F16>("-0.0").code, 0x8000);
  EXPECT_EQ(read<BF16>("0.0").code, 0);
}

/// Checks that a literal of a program parses to the same bits.
template <typename T> static void literalReadsBack(T value) {
  T back{};
  std::string text = printLiteral(elementTypeOf<T>(), &value);
  ASSERT_FALSE(bool(parseElement(elementTypeOf<T>(), text, &back))) << text;
  EXPECT_EQ(std::memcmp(&back, &value, sizeof value), 0) << text;
}

TEST(Text, LiteralsAreWrittenAsMlirWritesThem) {
  auto literal = [](auto value) {
    return printLiteral(elementTypeOf<decltype(value)>(), &value);
  };
  EXPECT_EQ(literal(1.5f), "1.500000e+00");
  EXPECT_EQ(literal(0.123456f), "1.234560e-01");
  EXPECT_EQ(literal(1.234567), "1.234567");
  EXPECT_EQ(literal(0.1), "1.000000e-01");
  EXPECT_EQ(literal(16777217.0), "0x4170000010000000");
}

TEST(Text, LiteralsKeepEveryBit) {
  for (double value : {1.0 / 3, 0.1, -0.0, 1e300, 5e-324, 123456789.125})
    literalReadsBack(value);
  for (float value : {1.0f / 3, 0.1f, 3e-45f, 16777217.0f, 3.4e38f, -0.0f})
    literalReadsBack(value);
  literalReadsBack(std::numeric_limits<float>::infinity());
  literalReadsBack(-std::numeric_limits<double>::infinity());
  literalReadsBack(std::bit_cast<float>(0x7fc00123u));
  literalReadsBack(F16(65504.0f));
}
