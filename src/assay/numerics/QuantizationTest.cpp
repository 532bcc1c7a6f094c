// quantize and dequantize compared with values computed by hand from the
// specification's formulas.
#include "assay/numerics/Quantization.h"
#include "assay/numerics/Values.h"
#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace assay::numerics;

namespace {

ElementType perTensor(ElementType storage, ElementType expressed, double scale,
                      int64_t zeroPoint, int64_t low, int64_t high) {
  QuantizationParameters parameters;
  parameters.text = toString(storage) + ":" + toString(expressed) + "," +
                    std::to_string(scale) + ":" + std::to_string(zeroPoint) +
                    "<" + std::to_string(low) + ":" + std::to_string(high);
  parameters.expressed = expressed;
  parameters.scales = {scale};
  parameters.zeroPoints = {zeroPoint};
  parameters.storageMin = low;
  parameters.storageMax = high;
  storage.quantization = internQuantization(std::move(parameters));
  return storage;
}

const ElementType kF32 = ElementType::floating(FloatFormat::F32);

TEST(Quantization, DifferenceOfStorageAndZeroPointDoesNotWrap) {
  ElementType type =
      perTensor(ElementType::integer(8), kF32, 0.5, -128, -128, 127);
  std::array<int8_t, 3> stored{-128, 0, 127};
  std::array<float, 3> floats;
  dequantizeArray(type, {3}, stored.data(), kF32, floats.data());
  EXPECT_EQ(floats, (std::array<float, 3>{0, 64, 127.5f}));
}

TEST(Quantization, TiesGoToEvenAndTheStorageLimitsClamp) {
  ElementType type = perTensor(ElementType::integer(8), kF32, 1.0, 1, -5, 100);
  std::array<float, 7> floats{0.5f, 1.5f, -1e9f, INFINITY, -0.5f, 98.5f, NAN};
  std::array<int8_t, 7> stored;
  quantizeArray(type, {7}, floats.data(), stored.data());
  EXPECT_EQ(stored, (std::array<int8_t, 7>{2, 2, -5, 100, 0, 100, 0}));
}

/// i8 with scale 0.5 and zero point 0, then scale 2 and zero point 10, along an
/// axis.
ElementType twoAlong(int axis) {
  QuantizationParameters parameters;
  parameters.text = "test: two along axis " + std::to_string(axis);
  parameters.expressed = kF32;
  parameters.axis = axis;
  parameters.scales = {0.5, 2};
  parameters.zeroPoints = {0, 10};
  parameters.storageMin = -128;
  parameters.storageMax = 127;
  ElementType type = ElementType::integer(8);
  type.quantization = internQuantization(std::move(parameters));
  return type;
}

TEST(Quantization, EachIndexOfTheAxisHasItsOwnParameters) {
  ElementType type = twoAlong(1);
  std::array<float, 8> floats{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<int8_t, 8> stored;
  quantizeArray(type, {2, 2, 2}, floats.data(), stored.data());
  EXPECT_EQ(stored, (std::array<int8_t, 8>{2, 4, 12, 12, 10, 12, 14, 14}));
  std::array<float, 8> back;
  dequantizeArray(type, {2, 2, 2}, stored.data(), kF32, back.data());
  EXPECT_EQ(back, (std::array<float, 8>{1, 2, 4, 4, 5, 6, 8, 8}));
}

TEST(Quantization, TheFirstAxisHasParametersOfItsOwn) {
  ElementType type = twoAlong(0);
  std::array<float, 6> floats{1, 2, 3, 4, 6, 8};
  std::array<int8_t, 6> stored;
  quantizeArray(type, {2, 3}, floats.data(), stored.data());
  EXPECT_EQ(stored, (std::array<int8_t, 6>{2, 4, 6, 12, 13, 14}));
}

TEST(Quantization, TheLastAxisHasParametersOfItsOwn) {
  ElementType type = twoAlong(1);
  std::array<float, 6> floats{1, 2, 3, 4, 6, 8};
  std::array<int8_t, 6> stored;
  quantizeArray(type, {3, 2}, floats.data(), stored.data());
  EXPECT_EQ(stored, (std::array<int8_t, 6>{2, 11, 6, 12, 12, 14}));
}

TEST(Quantization, LimitsOfAWideStorageSurviveTheirRounding) {
  // 2^31 - 1 is not a float: the limit rounds to 2^31, which must not wrap.
  ElementType type =
      perTensor(ElementType::integer(32), kF32, 1.0, 0, INT32_MIN, INT32_MAX);
  std::array<float, 2> floats{1e20f, -1e20f};
  std::array<int32_t, 2> stored;
  quantizeArray(type, {2}, floats.data(), stored.data());
  EXPECT_EQ(stored, (std::array<int32_t, 2>{INT32_MAX, INT32_MIN}));
}

TEST(Quantization, StepsRoundToANarrowExpressedType) {
  // 3 / bf16(0.1) is 29.97 exactly and 30 in bf16 (8 bits).
  ElementType type =
      perTensor(ElementType::integer(8),
                ElementType::floating(FloatFormat::BF16), 0.1, 0, -128, 127);
  BF16 three(3.0f);
  int8_t stored;
  quantizeArray(type, {}, &three, &stored);
  EXPECT_EQ(stored, 30);
  BF16 back;
  dequantizeArray(type, {}, &stored, type.quantization->expressed, &back);
  EXPECT_EQ(static_cast<float>(back), 3.0f);
}

TEST(Quantization, TheDifferenceIsRoundedBeforeItIsScaled) {
  // 257 is not a bf16: it rounds to 256, and 256 * 3 is 768, not 772.
  ElementType type =
      perTensor(ElementType::integer(32),
                ElementType::floating(FloatFormat::BF16), 3, 0, -1000, 1000);
  int32_t stored = 257;
  BF16 back;
  dequantizeArray(type, {}, &stored, type.quantization->expressed, &back);
  EXPECT_EQ(static_cast<float>(back), 768.0f);
}

TEST(Quantization, EqualTextIsOneType) {
  ElementType a = perTensor(ElementType::integer(8), kF32, 0.5, 0, -1, 1);
  EXPECT_EQ(a, perTensor(ElementType::integer(8), kF32, 0.5, 0, -1, 1));
  EXPECT_NE(a, perTensor(ElementType::integer(8), kF32, 0.25, 0, -1, 1));
  EXPECT_NE(a, ElementType::integer(8));
  EXPECT_EQ(storageOf(a), ElementType::integer(8));
  EXPECT_EQ(toString(a), a.quantization->text);
}

} // namespace
