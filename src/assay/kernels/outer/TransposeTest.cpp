// Transposition for every width and every length near the size of a block; only
// the panel's own words are written.
#include "assay/kernels/outer/Transpose.h"

#include "gtest/gtest.h"

#include <cstring>
#include <vector>

using namespace assay::kernels;

static void expectTurned(int width, int lanes, int64_t bytes, uint8_t flip) {
  constexpr int64_t kRowBytes = 340;
  constexpr uint32_t kUntouched = 0xabababab;
  std::vector<char> source(static_cast<size_t>(lanes * kRowBytes + 64));
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<char>(i * 7 + i / 256);
  int64_t words = (bytes + 3) / 4, stride = width + 2;
  std::vector<uint32_t> panel(static_cast<size_t>(words * stride + 16),
                              kUntouched);
  transposeWords({source.data(), kRowBytes, lanes, width, bytes, flip}, stride,
                 panel.data());
  for (int64_t word = 0; word * stride < int64_t(panel.size()); ++word)
    for (int64_t lane = 0;
         lane < stride && word * stride + lane < int64_t(panel.size()); ++lane) {
      uint32_t expected = kUntouched;
      if (word < words && lane < width) {
        uint8_t parts[4] = {};
        for (int64_t byte = 0; lane < lanes && byte < 4; ++byte)
          if (word * 4 + byte < bytes)
            parts[byte] = static_cast<uint8_t>(
                static_cast<uint8_t>(
                    source[static_cast<size_t>(lane * kRowBytes + word * 4 +
                                               byte)]) ^
                flip);
        std::memcpy(&expected, parts, 4);
      }
      ASSERT_EQ(panel[static_cast<size_t>(word * stride + lane)], expected)
          << "word " << word << " of row " << lane << ", " << width << " wide, "
          << lanes << " rows of " << bytes << " bytes";
    }
}

TEST(Transpose, TurnsEveryWidthAndLength) {
  for (int width = 1; width <= 33; ++width)
    for (int64_t bytes : {1, 4, 12, 16, 20, 48, 64, 68, 96, 127, 128, 300})
      expectTurned(width, width, bytes, 0);
}

TEST(Transpose, RowsThatAreMissingAreZeroAndBitsAreFlippedInTheOthers) {
  for (int width : {3, 6, 8, 14, 16, 17})
    for (int lanes = 0; lanes < width; lanes += 2)
      for (int64_t bytes : {16, 24, 64, 83})
        expectTurned(width, lanes, bytes, 0x80);
}
