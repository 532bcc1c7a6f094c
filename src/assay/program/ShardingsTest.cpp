// Shardings read from the dialect's text, changed, and written again.
#include "assay/program/Shardings.h"

#include "gtest/gtest.h"

using namespace assay::program;

static const char kText[] =
    "sharding<mesh<[\"x\"=2, \"y\"=2], device_ids=[3, 2, 1, 0]>, "
    "[{\"x\", ?}, {}], unreduced={\"y\"}>";

TEST(Shardings, AreWrittenAsTheyAreRead) {
  ValueSharding read = llvm::cantFail(parseSharding(kText, nullptr));
  EXPECT_EQ(textOf(read), kText);
  EXPECT_EQ(textOf(llvm::ArrayRef<ValueSharding>()), "sharding_per_value<[]>");
}

TEST(Shardings, OneMoreDimensionGoesInFrontOfThoseOfOneValue) {
  ValueSharding scalar = llvm::cantFail(
      parseSharding("sharding<mesh<[\"x\"=2, \"y\"=1]>, []>", nullptr));
  ValueSharding before = llvm::cantFail(parseSharding(kText, nullptr)),
                changed = before;
  changed.addLeading({"y"});
  scalar.addLeading({"x", "y"});
  std::vector<ValueSharding> again = llvm::cantFail(
      parseShardings(textOf({scalar, before, changed}), nullptr));
  ASSERT_EQ(again.size(), 3u);
  EXPECT_EQ(again[0].dimensions, (Sharding{{"x", "y"}}));
  EXPECT_EQ(again[1].dimensions, before.dimensions);
  EXPECT_EQ(again[2].dimensions, (Sharding{{"y"}, {"x"}, {}}));
  EXPECT_EQ(again[2].open, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(again[2].sums, before.sums);
  EXPECT_EQ(again[2].mesh.devices, before.mesh.devices);
}
