// ULP distances by hand, and the order of every narrow format over all of its
// codes.
#include "assay/numerics/Ulp.h"
#include "assay/numerics/Dispatch.h"
#include "gtest/gtest.h"

using namespace assay::numerics;

TEST(Ulp, ZerosAreOneNumberAndNeighboursAreOneApart) {
  EXPECT_EQ(ulpDistance(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(ulpDistance(0x1p-149f, -0x1p-149f), 2u);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + 0x1p-50), 4u);
  EXPECT_EQ(ulpDistance(BF16(1.0f), BF16(2.0f)), 128u);
  EXPECT_EQ(ulpDistance(-std::numeric_limits<double>::max(),
                        std::numeric_limits<double>::max()),
            2 * uint64_t{0x7FEFFFFFFFFFFFFF});
}

TEST(Ulp, NonFiniteValuesAreNearOnlyToTheirOwnKind) {
  float inf = std::numeric_limits<float>::infinity(),
        nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ulpDistance(nan, -nan), 0u);
  EXPECT_EQ(ulpDistance(inf, inf), 0u);
  EXPECT_EQ(ulpDistance(inf, -inf), kUlpMax);
  EXPECT_EQ(ulpDistance(inf, std::numeric_limits<float>::max()), kUlpMax);
  EXPECT_EQ(ulpDistance(nan, 1.0f), kUlpMax);
  EXPECT_EQ(ulpDistance(std::complex<float>(1, nan),
                        std::complex<float>(std::nextafter(1.0f, 0.0f), nan)),
            1u);
}

TEST(Ulp, IntegersAndPredicatesCountTheirDifference) {
  EXPECT_EQ(ulpDistance(int64_t{-1}, std::numeric_limits<int64_t>::max()),
            uint64_t{1} << 63);
  EXPECT_EQ(ulpDistance(Int4(-8), Int4(7)), 15u);
  EXPECT_EQ(ulpDistance(Pred(true), Pred(false)), 1u);
  uint64_t a = ~uint64_t{0}, b = 0;
  EXPECT_EQ(ulpDistance(ElementType::unsignedInteger(64), &a, &b),
            ~uint64_t{0});
}

template <typename T> static void checkOrder() {
  constexpr int kCodes = 1 << ValueTraits<T>::kBits;
  for (int code = 0; code < kCodes; ++code) {
    T x = T::fromCode(static_cast<typename T::Code>(code));
    if (isNan(x))
      continue;
    ASSERT_EQ(float(fromOrderedInteger<T>(orderedInteger(x))), float(x));
    T up = nextUp(x), down = nextDown(x);
    if (float(up) != float(x)) {
      ASSERT_LT(float(x), float(up));
      ASSERT_EQ(orderedInteger(up) - orderedInteger(x), 1);
      ASSERT_EQ(float(nextDown(up)), float(x));
    } else {
      ASSERT_EQ(float(x), float(infinityOrHighest<T>()));
    }
    ASSERT_TRUE(float(down) == float(x) || float(x) > float(down));
    if (isFinite(x) && isFinite(up) && float(up) != float(x) && float(x) >= 0) {
      ASSERT_EQ(ulpOf(float(x), T::kFormat),
                double(float(up)) - double(float(x)))
          << float(x);
    }
  }
}

TEST(Ulp, PositionsFollowTheValuesInEveryNarrowFormat) {
  dispatch<NarrowFloatTypes>(ElementType::floating(FloatFormat::BF16),
                             [](auto) {});
  for (int format = 1; format <= static_cast<int>(FloatFormat::F16); ++format) {
    if (static_cast<FloatFormat>(format) == FloatFormat::F8E8M0FNU)
      continue; // its numbers are not evenly spaced in a binade
    dispatch<NarrowFloatTypes>(
        ElementType::floating(static_cast<FloatFormat>(format)),
        [](auto tag) { checkOrder<typename decltype(tag)::Type>(); });
  }
}

TEST(Ulp, ErrorIsMeasuredInTheSpacingAtTheTrueValue) {
  EXPECT_EQ(ulpOf(1.0, FloatFormat::F32), 0x1p-23);
  EXPECT_EQ(ulpOf(-1.99, FloatFormat::BF16), 0x1p-7);
  EXPECT_EQ(ulpOf(0.0, FloatFormat::F16), 0x1p-24);
  EXPECT_EQ(ulpOf(1e30, FloatFormat::F16), 0x1p5);
  EXPECT_EQ(ulpError(1.5, 1.0, FloatFormat::F32), 0x1p22);
  EXPECT_EQ(
      ulpError(std::numeric_limits<double>::infinity(), 1, FloatFormat::F32),
      std::numeric_limits<double>::infinity());
}

TEST(Ulp, EqualInfinitiesAreNoErrorAndTheLastUnitIsThatOfTheRange) {
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ulpError(inf, inf, FloatFormat::F32), 0);
  EXPECT_EQ(ulpError(inf, -inf, FloatFormat::F32), inf);
  EXPECT_EQ(ulpOf(inf, FloatFormat::F16), 0x1p5);
  EXPECT_EQ(ulpOf(1e30, FloatFormat::BF16), 0x1p92);
  EXPECT_EQ(ulpOf(1e300, FloatFormat::F32), 0x1p104);
}
