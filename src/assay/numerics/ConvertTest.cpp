// Conversion and narrow arithmetic compared with values worked out by hand and
// with double arithmetic. test/python/test_formats.py compares every format
// with ml_dtypes bit for bit.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace assay::numerics;

static_assert(sizeof(Pred) == 1 && sizeof(Int4) == 1 && sizeof(BF16) == 2 &&
              sizeof(F4E2M1FN) == 1);
static_assert(std::is_trivially_copyable_v<BF16> &&
              std::is_trivially_copyable_v<Int2>);

static constexpr float kInf = std::numeric_limits<float>::infinity();
static const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(FloatFormats, ExtremesAreThoseOfTheFormatSpecifications) {
  EXPECT_EQ(maxFinite(FloatFormat::F4E2M1FN), 6.0);
  EXPECT_EQ(maxFinite(FloatFormat::F6E2M3FN), 7.5);
  EXPECT_EQ(maxFinite(FloatFormat::F6E3M2FN), 28.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E3M4), 15.5);
  EXPECT_EQ(maxFinite(FloatFormat::F8E4M3), 240.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E4M3FN), 448.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E4M3FNUZ), 240.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E4M3B11FNUZ), 30.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E5M2), 57344.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E5M2FNUZ), 57344.0);
  EXPECT_EQ(maxFinite(FloatFormat::F8E8M0FNU), 0x1p127);
  EXPECT_EQ(maxFinite(FloatFormat::F16), 65504.0);
  EXPECT_EQ(maxFinite(FloatFormat::F32), std::numeric_limits<float>::max());
  EXPECT_EQ(maxFinite(FloatFormat::F64), std::numeric_limits<double>::max());
  EXPECT_EQ(minPositive(FloatFormat::F16), 0x1p-24);
  EXPECT_EQ(minPositive(FloatFormat::BF16), 0x1p-133);
  EXPECT_EQ(minPositive(FloatFormat::F8E5M2FNUZ), 0x1p-17);
  EXPECT_EQ(minNormal(FloatFormat::F8E4M3B11FNUZ), 0x1p-10);
  EXPECT_EQ(unitRoundoff(FloatFormat::F32), 0x1p-24);
}

TEST(SoftFloat, RoundsTiesToEven) {
  EXPECT_EQ(float(BF16(1.0f + 0x1p-8f)), 1.0f);
  EXPECT_EQ(float(BF16(1.0f + 0x1p-7f + 0x1p-8f)), 1.0f + 0x1p-6f);
  EXPECT_EQ(float(BF16(1.0 + 0x1p-8 + 0x1p-40)),
            1.0f + 0x1p-7f); // through float it would be a tie and round down
  EXPECT_EQ(float(F16(2049)), 2048.0f);
  EXPECT_EQ(float(F8E8M0FNU(3.0f)), 4.0f);
  EXPECT_EQ(float(F16(0x1p-25f)), 0.0f);
  EXPECT_EQ(float(F16(0x1.8p-25f)), 0x1p-24f);
}

TEST(SoftFloat, OverflowGoesToWhatTheFormatHas) {
  EXPECT_EQ(float(F16(65520.0f)), kInf);
  EXPECT_EQ(float(F16(65519.99f)), 65504.0f);
  EXPECT_TRUE(isNan(F8E4M3FN(464.1f)));
  EXPECT_EQ(float(F8E4M3FN(464.0f)), 448.0f);
  EXPECT_EQ(F8E4M3FNUZ(-1e9f).code, 0x80);
  EXPECT_EQ(float(F4E2M1FN(-1e9f)), -6.0f);
  EXPECT_EQ(F8E5M2FNUZ(-0.0f).code, 0);
  EXPECT_EQ((-F8E5M2FNUZ(0.0f)).code, 0);
}

TEST(SoftFloat, IntegersRoundOnce) {
  // 2^62 + 2^54 is a bf16 tie; one more must round up, although double cannot
  // represent it.
  EXPECT_EQ(float(BF16((int64_t{1} << 62) + (int64_t{1} << 54))), 0x1p62f);
  EXPECT_EQ(float(BF16((int64_t{1} << 62) + (int64_t{1} << 54) + 1)),
            0x1p62f + 0x1p55f);
  EXPECT_EQ(float(BF16(std::numeric_limits<int64_t>::min())), -0x1p63f);
  EXPECT_EQ(float(BF16(std::numeric_limits<uint64_t>::max())), 0x1p64f);
}

template <typename T> static void checkArithmeticAgainstDouble() {
  // The double result of + - * is exact here or has 53 >= 2p + 2 bits, so
  // rounding it is correct.
  constexpr int kBits = ValueTraits<T>::kBits;
  for (int i = 0; i < (1 << kBits); i += kBits == 16 ? 257 : 1)
    for (int j = 0; j < (1 << kBits); j += kBits == 16 ? 129 : 1) {
      T a = T::fromCode(static_cast<typename T::Code>(i)),
        b = T::fromCode(static_cast<typename T::Code>(j));
      double x = float(a), y = float(b);
      auto same = [](T got, T expected) {
        return (isNan(got) && isNan(expected)) || got.code == expected.code;
      };
      ASSERT_TRUE(same(a + b, T(x + y))) << x << " + " << y;
      ASSERT_TRUE(same(a - b, T(x - y))) << x << " - " << y;
      ASSERT_TRUE(same(a * b, T(x * y))) << x << " * " << y;
      ASSERT_TRUE(same(a / b, T(x / y))) << x << " / " << y;
    }
}

TEST(SoftFloat, ArithmeticIsCorrectlyRoundedInEveryFormat) {
  checkArithmeticAgainstDouble<F4E2M1FN>();
  checkArithmeticAgainstDouble<F6E2M3FN>();
  checkArithmeticAgainstDouble<F6E3M2FN>();
  checkArithmeticAgainstDouble<F8E3M4>();
  checkArithmeticAgainstDouble<F8E4M3FN>();
  checkArithmeticAgainstDouble<F8E4M3B11FNUZ>();
  checkArithmeticAgainstDouble<F8E5M2>();
  checkArithmeticAgainstDouble<F8E5M2FNUZ>();
  checkArithmeticAgainstDouble<BF16>();
  checkArithmeticAgainstDouble<F16>();
}

TEST(SmallInt, Wraps) {
  EXPECT_EQ(int(Int4(7) + Int4(1)), -8);
  EXPECT_EQ(int(Int4(9)), -7);
  EXPECT_EQ(int(UInt4(-1)), 15);
  EXPECT_EQ(int(Int2(1) * Int2(-2)), -2);
  EXPECT_EQ(int(UInt2(2) * UInt2(3)), 2);
  EXPECT_EQ(int(highestValue<Int4>()), 7);
  EXPECT_EQ(int(lowestValue<Int2>()), -2);
  EXPECT_EQ(int(highestValue<UInt2>()), 3);
}

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ((convertElement<int32_t>(-1.9f)), -1);
  EXPECT_EQ((convertElement<int32_t>(3e9f)), 2147483647);
  EXPECT_EQ((convertElement<int32_t>(-kInf)),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ((convertElement<uint8_t>(-5.0f)), 0);
  EXPECT_EQ((convertElement<uint64_t>(0x1.fffffep63f)), 0xFFFFFF0000000000u);
  EXPECT_EQ((convertElement<uint64_t>(0x1p64)),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ((convertElement<int64_t>(kNan)), 0);
  EXPECT_EQ(int(convertElement<Int4>(100.0)), 7);
  EXPECT_EQ(int(convertElement<Int2>(-1.5f)), -1);
}

TEST(Convert, OtherKinds) {
  EXPECT_EQ((convertElement<int8_t>(int32_t{300})), 44);
  EXPECT_TRUE(bool(convertElement<Pred>(kNan)));
  EXPECT_FALSE(bool(convertElement<Pred>(-0.0f)));
  EXPECT_EQ((convertElement<float>(std::complex<double>(2, 3))), 2.0f);
  EXPECT_FALSE(bool(convertElement<Pred>(std::complex<double>(0, 3))));
  EXPECT_TRUE(bool(convertElement<Pred>(std::complex<double>(2, 0))));
  EXPECT_EQ((convertElement<std::complex<float>>(BF16(2.0f))),
            std::complex<float>(2, 0));
  EXPECT_EQ((convertElement<float>(std::numeric_limits<uint64_t>::max())),
            0x1p64f);
  EXPECT_EQ(float(convertElement<BF16>(static_cast<Quad>(1.0) +
                                       static_cast<Quad>(0x1p-8) +
                                       static_cast<Quad>(0x1p-90))),
            1.0f + 0x1p-7f);
  // An intermediate double would be below double's smallest number.
  Quad tiny = static_cast<Quad>(0x1p-1074) * static_cast<Quad>(0x1p-10);
  EXPECT_EQ(float(convertElement<F16>(tiny)), 0.0f);
  EXPECT_EQ(convertElement<float>(tiny), 0.0f);
  EXPECT_TRUE(std::signbit(convertElement<float>(-tiny)));
}

TEST(Convert, EveryF16CodeTakesTheSameBitsOnBothPaths) {
  std::vector<F16> codes(65536), back(65536);
  std::vector<float> values(65536);
  for (int i = 0; i < 65536; ++i)
    codes[i].code = static_cast<uint16_t>(i);
  convertF16ToF32(codes.data(), values.data(), 65536);
  convertF32ToF16(values.data(), back.data(), 65536);
  for (int i = 0; i < 65536; ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(values[i]),
              std::bit_cast<uint32_t>(float(codes[i])))
        << i;
    ASSERT_EQ(back[i].code, F16(values[i]).code) << i;
  }
}

TEST(Convert, BulkLoopsEqualTheElementwiseRounding) {
  std::vector<float> values;
  for (uint32_t bits = 0; bits < 0xFFFF0000u; bits += 65521 * 3)
    values.push_back(std::bit_cast<float>(bits));
  auto n = static_cast<int64_t>(values.size());
  std::vector<BF16> bf(values.size());
  std::vector<F16> half(values.size());
  convertF32ToBF16(values.data(), bf.data(), n);
  convertF32ToF16(values.data(), half.data(), n);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(bf[i].code, BF16(values[i]).code) << i;
    ASSERT_EQ(half[i].code, F16(values[i]).code) << i;
  }
}

TEST(Convert, ArraysOfEveryPairEqualElementwiseConversion) {
  const double inputs[] = {0,  1,   -1,  1.5,   2.5, 3,     6,     7,
                           -2, 0.3, 100, 127.9, 1e6, -1e30, 0x1p62,
                           -0.9, 255.9, 256, -128.5, -129, 32767.5, 65535.5,
                           65536, 0x1.fffffep30, 0x1p31, -0x1p31, -0x1.000002p31,
                           0x1p32, kInf, -kInf, kNan};
  dispatch<AllTypesAndQuad>(ElementType::floating(FloatFormat::F64),
                            [](auto) {});
  auto forEach = [](auto fn) {
    for (const char *name :
         {"i1", "i2", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64",
          "ui64", "f4E2M1FN",
          "f8E5M2", "f8E8M0FNU", "bf16", "f16", "f32", "f64", "f128",
          "complex<f32>", "complex<f64>"})
      dispatch<AllTypesAndQuad>(*parseElementType(name), fn);
  };
  forEach([&](auto fromTag) {
    using From = typename decltype(fromTag)::Type;
    std::vector<From> source;
    for (double x : inputs)
      source.push_back(convertElement<From>(x));
    forEach([&](auto toTag) {
      using To = typename decltype(toTag)::Type;
      std::vector<To> got(source.size());
      convertArray(elementTypeOf<From>(), source.data(), elementTypeOf<To>(),
                   got.data(), static_cast<int64_t>(source.size()));
      for (size_t i = 0; i < source.size(); ++i) {
        To expected = convertElement<To>(source[i]);
        ASSERT_EQ(
            std::memcmp(&got[i], &expected,
                        std::is_same_v<To, long double> ? 10 : sizeof(To)),
            0)
            << toString(elementTypeOf<From>()) << " to "
            << toString(elementTypeOf<To>()) << " of " << inputs[i];
      }
    });
  });
}

TEST(Dispatch, ReachesTheTypeThatTheDescriptorNames) {
  for (const char *name :
       {"i1", "i2", "ui64", "f6E3M2FN", "bf16", "f64", "complex<f64>"}) {
    std::string got = dispatch(*parseElementType(name), [](auto tag) {
      return toString(elementTypeOf<typename decltype(tag)::Type>());
    });
    EXPECT_EQ(got, name);
  }
  llvm::Error error = tryDispatch<IntegerTypes>(
      ElementType::floating(FloatFormat::F32), "popcnt",
      [](auto) { return llvm::Error::success(); });
  EXPECT_EQ(assay::takeError(std::move(error)).message,
            "'popcnt' is not defined for elements of type f32");
}

TEST(Convert, ATypeToItselfKeepsEveryBit) {
  // Signalling NaN, which arithmetic would make quiet.
  const uint32_t bits[3] = {0x7f800001, 0xff812345, 0x00000001};
  uint32_t out[3] = {};
  convertArray(*parseElementType("f32"), bits, *parseElementType("f32"), out,
               3);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(out[i], bits[i]);
}

TEST(Convert, WritesTheElementsThatItIsAskedForAndNoOther) {
  // All specialised loops, with lengths around their strides.
  for (const char *from : {"f32", "f16", "bf16", "f64", "f8E4M3FN", "i32", "ui8"})
    for (const char *to : {"f32", "f16", "bf16", "f64", "f8E5M2", "i8"})
      for (int64_t n : {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 512, 513}) {
        ElementType source = *parseElementType(from),
                    target = *parseElementType(to);
        int64_t width = target.storageBytes();
        std::vector<float> ones(static_cast<size_t>(n), 1.0f);
        std::vector<std::byte> in(static_cast<size_t>(n * 8)),
            out(static_cast<size_t>((n + 40) * width), std::byte{0x5a});
        convertArray(*parseElementType("f32"), ones.data(), source, in.data(),
                     n);
        convertArray(source, in.data(), target, out.data(), n);
        std::vector<float> back(static_cast<size_t>(n));
        convertArray(target, out.data(), *parseElementType("f32"), back.data(),
                     n);
        EXPECT_EQ(back, ones) << from << " to " << to << ", " << n;
        for (size_t i = static_cast<size_t>(n * width); i < out.size(); ++i)
          ASSERT_EQ(out[i], std::byte{0x5a})
              << from << " to " << to << ", " << n << ", byte " << i;
      }
}

TEST(ElementTypes, NamesOfBothKindsReadBack) {
  for (const char *name :
       {"i1", "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8",
        "ui16", "ui32", "ui64", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4",
        "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2",
        "f8E5M2FNUZ", "f8E8M0FNU", "bf16", "f16", "f32", "f64", "f128",
        "complex<f32>", "complex<f64>"}) {
    std::optional<ElementType> type = parseElementType(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_EQ(toString(*type), name);
    EXPECT_EQ(elementTypeFromNumpyName(numpyName(*type)), type) << name;
  }
  // The names that NumPy and ml_dtypes use.
  for (auto [mlir, numpy] : {std::pair("complex<f64>", "complex128"),
                             {"complex<f32>", "complex64"},
                             {"i1", "bool"},
                             {"ui16", "uint16"},
                             {"bf16", "bfloat16"},
                             {"f8E4M3FN", "float8_e4m3fn"}})
    EXPECT_EQ(numpyName(*parseElementType(mlir)), numpy);
  EXPECT_EQ(parseElementType("si8"), ElementType::integer(8));
  for (const char *bad : {"i3", "ui1", "f12", "complex<i8>", "", "i", "si3"})
    EXPECT_FALSE(parseElementType(bad).has_value()) << bad;
}
