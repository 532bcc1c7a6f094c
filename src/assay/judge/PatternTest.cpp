// Patterns of failing elements as text, for sets that are made here and whose
// text is known.
#include "assay/judge/Verdict.h"

#include "gtest/gtest.h"

using namespace assay::judge;

/// Elements of a [rows, columns] tensor for which the predicate holds,
/// described.
template <typename Predicate>
static std::string describe(int64_t rows, int64_t columns, Predicate wrong) {
  std::vector<int64_t> failing;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (wrong(i, j))
        failing.push_back(i * columns + j);
  return describePattern({rows, columns}, failing,
                         static_cast<int64_t>(failing.size()));
}

TEST(Pattern, AllNoneAndSingleElements) {
  EXPECT_EQ(describe(8, 8, [](int64_t, int64_t) { return true; }),
            "every element");
  EXPECT_EQ(describe(8, 8, [](int64_t, int64_t) { return false; }), "none");
  EXPECT_EQ(
      describe(8, 8, [](int64_t i, int64_t j) { return i == 3 && j == 7; }),
      "only index 3 of dimension 0; only index 7 of dimension 1 (the last), "
      "every element there");
}

TEST(Pattern, RowsColumnsAndEdgesOfTiles) {
  EXPECT_EQ(describe(8, 8, [](int64_t i, int64_t) { return i == 5; }),
            "only index 5 of dimension 0, every element there");
  EXPECT_EQ(
      describe(20, 8, [](int64_t i, int64_t) { return i >= 16; }),
      "indices 16 to 19 of dimension 0 (the last 4), every element there");
  EXPECT_EQ(describe(20, 8, [](int64_t i, int64_t) { return i < 3; }),
            "indices 0 to 2 of dimension 0 (the first 3), every element there");
  EXPECT_EQ(describe(8, 64, [](int64_t, int64_t j) { return j % 16 == 15; }),
            "every 16th index of dimension 1 from 15 on, every element there");
}

TEST(Pattern, ScatteredElementsSayTheirShare) {
  std::string text = describe(
      16, 16, [](int64_t i, int64_t j) { return (i * 7 + j * 3) % 4 == 0; });
  EXPECT_NE(text.find("scattered"), std::string::npos) << text;
  // A checkerboard inside the last rows: the rows are named, and the share of
  // their elements.
  EXPECT_NE(
      describe(16, 16,
               [](int64_t i, int64_t j) { return i >= 12 && (i + j) % 2 == 0; })
          .find("50 % of the elements there"),
      std::string::npos);
}

TEST(Pattern, UnequalStepsAreNoPeriod) {
  EXPECT_EQ(describePattern({12}, {0, 2, 5, 9}, 4),
            "4 of 12 indices of dimension 0, every element there");
  EXPECT_EQ(describePattern({12}, {1, 5, 9}, 3),
            "every 4th index of dimension 0 from 1 on, every element there");
  EXPECT_EQ(describePattern({16}, {0, 1, 4, 5, 8, 9}, 6),
            "6 of 16 indices of dimension 0, in runs of 2, every element "
            "there");
}

TEST(Pattern, IndicesAreLogicalCoordinates) {
  EXPECT_EQ(indexText({2, 3, 4}, 23), "[1:2:3]");
  EXPECT_EQ(indexText({}, 0), "[]");
}
