// Packed elements: positions, signs, neighbours, strides.
#include "assay/numerics/SubByte.h"
#include "gtest/gtest.h"

#include <vector>

using namespace assay::numerics;

TEST(SubByte, SizesRoundUpToBytes) {
  EXPECT_EQ(packedBytes(ElementType::integer(4), 0), 0);
  EXPECT_EQ(packedBytes(ElementType::integer(4), 5), 3);
  EXPECT_EQ(packedBytes(ElementType::unsignedInteger(2), 5), 2);
  EXPECT_EQ(packedBytes(ElementType::floating(FloatFormat::F4E2M1FN), 2), 1);
  EXPECT_EQ(packedBytes(ElementType::floating(FloatFormat::F6E2M3FN), 2), 2);
  EXPECT_EQ(packedBytes(ElementType::boolean(), 3), 3);
  EXPECT_EQ(packedBytes(ElementType::floating(FloatFormat::F32), 3), 12);
}

TEST(SubByte, LowBitsComeFirst) {
  const int8_t values[] = {1, -2, 7};
  uint8_t packed[2] = {0, 0xf0};
  packElements(ElementType::integer(4), values, packed, 0, 1, 3);
  EXPECT_EQ(packed[0], 0xe1);
  EXPECT_EQ(packed[1], 0xf7); // the neighbour's bits are unchanged
  int8_t back[3];
  unpackElements(ElementType::integer(4), packed, 0, 1, 3, back);
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[1], -2);
  EXPECT_EQ(back[2], 7);
}

TEST(SubByte, UnsignedAndFloatCodesKeepTheirTopBit) {
  const uint8_t packed[] = {0x8f};
  uint8_t codes[2];
  unpackElements(ElementType::unsignedInteger(4), packed, 0, 1, 2, codes);
  EXPECT_EQ(codes[0], 15);
  EXPECT_EQ(codes[1], 8);
  unpackElements(ElementType::floating(FloatFormat::F4E2M1FN), packed, 0, 1, 2,
                 codes);
  EXPECT_EQ(codes[1], 8);
}

TEST(SubByte, EveryStrideOfTwoBitElementsComesBack) {
  ElementType type = ElementType::integer(2);
  for (int64_t stride = 1; stride < 6; ++stride) {
    std::vector<uint8_t> packed(16, 0xff);
    const int8_t values[] = {-2, -1, 0, 1, -2, 1, 0};
    packElements(type, values, packed.data(), 3, stride, 7);
    int8_t back[7];
    unpackElements(type, packed.data(), 3, stride, 7, back);
    for (int i = 0; i < 7; ++i)
      EXPECT_EQ(back[i], values[i]) << stride;
    int8_t before;
    unpackElements(type, packed.data(), 2, 1, 1, &before);
    EXPECT_EQ(before, -1);
  }
}
