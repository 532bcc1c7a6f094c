// Parts of ranks: each placement on a few numbers, joined by hand.
#include "assay/numerics/Convert.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/TestFolder.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/ranks/Assemble.h"
#include "assay/trace/report/ErrorMap.h"
#include "llvm/Support/Base64.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::trace;
using numerics::ElementType;
using formats::Hdf5Reader;
using tensor::Tensor;

static Tensor integers(const std::vector<int32_t> &values,
                       tensor::Shape shape) {
  Tensor t = llvm::cantFail(
      Tensor::allocate({ElementType::integer(32), std::move(shape)}));
  std::copy(values.begin(), values.end(), t.mutableData<int32_t>());
  return t;
}

static std::vector<int32_t> joined(const std::vector<Tensor> &parts,
                                   const char *placement) {
  Tensor t = llvm::cantFail(
      joinParts(parts, llvm::cantFail(parsePlacement(placement))));
  return {t.data<int32_t>(), t.data<int32_t>() + t.size()};
}

TEST(Assemble, ShardsOfEveryKind) {
  Tensor a = integers({1, 2, 3, 4, 5, 6}, {2, 3}),
         b = integers({7, 8, 9, 10}, {2, 2});
  EXPECT_EQ(joined({a, b}, "shard 1"),
            (std::vector<int32_t>{1, 2, 3, 7, 8, 4, 5, 6, 9, 10}));
  EXPECT_EQ(joined({a, b}, "shard -1"), joined({a, b}, "shard 1"));
  // Queries, keys and values with sizes 2 : 1 : 1.
  EXPECT_EQ(joined({integers({1, 2, 3, 4}, {4}), integers({5, 6, 7, 8}, {4})},
                   "shard 0 blocks 2:1:1"),
            (std::vector<int32_t>{1, 2, 5, 6, 3, 7, 4, 8}));
  // Pieces 0, 1, 1', 0': an odd part has its larger piece in front.
  EXPECT_EQ(joined({integers({1, 2, 3}, {3}), integers({4, 5, 6, 7, 8}, {5})},
                   "shard 0 zigzag"),
            (std::vector<int32_t>{1, 2, 4, 5, 6, 7, 8, 3}));
  EXPECT_EQ(
      joined({integers({2, 4}, {2}), integers({6}, {1})}, "shard 0 scaled"),
      (std::vector<int32_t>{1, 2, 3}));
}

TEST(Assemble, ReductionsOfEveryKind) {
  std::vector<Tensor> parts = {integers({5, -8, 0}, {3}),
                               integers({3, 2, 9}, {3}),
                               integers({4, 0, -6}, {3})};
  EXPECT_EQ(joined(parts, "sum"), (std::vector<int32_t>{12, -6, 3}));
  EXPECT_EQ(joined(parts, "mean"), (std::vector<int32_t>{4, -2, 1}));
  EXPECT_EQ(joined(parts, "max"), (std::vector<int32_t>{5, 2, 9}));
  EXPECT_EQ(joined(parts, "min"), (std::vector<int32_t>{3, -8, -6}));
}

namespace {
/// A grid of two axes and the part that a rank has of 0, 1, … 15 in a dimension.
struct Grid {
  const char *outer, *inner;
  std::vector<std::vector<int32_t>> parts; ///< of ranks 0 … 3, inner fastest
  std::vector<int32_t> whole;
};
} // namespace

static std::vector<int32_t> assembled(const Grid &grid) {
  std::vector<RankPart> parts;
  for (int64_t rank : {2, 0, 3, 1}) { // in any order
    const std::vector<int32_t> &values = grid.parts[static_cast<size_t>(rank)];
    parts.push_back(
        {rank,
         integers(values, {static_cast<int64_t>(values.size())}),
         {{"outer", rank / 2, 2, llvm::cantFail(parsePlacement(grid.outer))},
          {"inner", rank % 2, 2, llvm::cantFail(parsePlacement(grid.inner))}}});
  }
  std::vector<Divergence> diverging;
  Tensor t = llvm::cantFail(assemble(std::move(parts), diverging));
  EXPECT_TRUE(diverging.empty());
  return {t.data<int32_t>(), t.data<int32_t>() + t.size()};
}

TEST(Assemble, EveryPlacementByNameAmongTwoAxes) {
  std::vector<int32_t> eight = {0, 1, 2, 3, 4, 5, 6, 7};
  const Grid grids[] = {
      // One dimension cut twice: the outer axis first, and the other way.
      {"shard 0", "shard 0", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, eight},
      {"shard 0 cut last", "shard 0", {{0, 1}, {4, 5}, {2, 3}, {6, 7}}, eight},
      {"shard 0", "shard 0 cut last", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, eight},
      {"shard 0 cut last",
       "shard 0 cut last",
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       eight},
      // The inner axis in blocks, of which each outer part has its share.
      {"shard 0 cut last",
       "shard 0 blocks 1:1",
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"shard 0", "shard 0 zigzag", {{0, 3}, {1, 2}, {4, 7}, {5, 6}}, eight},
      {"shard 0", "shard 0 scaled", {{0, 2}, {4, 6}, {8, 10}, {12, 14}}, eight},
      {"replicate", "shard 0", {{0, 1}, {2, 3}, {0, 1}, {2, 3}}, {0, 1, 2, 3}},
      {"sum", "shard 0", {{0, 1}, {2, 3}, {5, 5}, {5, 5}}, {5, 6, 7, 8}},
      {"shard 0", "sum", {{0, 1}, {5, 5}, {2, 3}, {5, 5}}, {5, 6, 7, 8}},
      {"mean", "shard 0", {{0, 2}, {4, 6}, {2, 4}, {6, 8}}, {1, 3, 5, 7}},
      {"max", "min", {{0, 9}, {5, 3}, {1, 2}, {1, 8}}, {1, 3}},
      {"min", "max", {{0, 9}, {5, 3}, {1, 2}, {1, 8}}, {1, 8}},
      {"first", "shard 0", {{0, 1}, {2, 3}, {9, 9}, {9, 9}}, {0, 1, 2, 3}},
      {"last", "shard 0", {{9, 9}, {9, 9}, {0, 1}, {2, 3}}, {0, 1, 2, 3}},
      {"shard 0", "first", {{0, 1}, {9, 9}, {2, 3}, {9, 9}}, {0, 1, 2, 3}},
      {"shard 0", "last", {{9, 9}, {0, 1}, {9, 9}, {2, 3}}, {0, 1, 2, 3}}};
  for (const Grid &grid : grids)
    EXPECT_EQ(assembled(grid), grid.whole) << grid.outer << "; " << grid.inner;
}

TEST(Assemble, ReplicasThatDifferAreFoundWithTheirDifference) {
  auto part = [](int64_t rank, std::vector<float> values) {
    Tensor t = llvm::cantFail(Tensor::allocate(
        {ElementType::floating(numerics::FloatFormat::F32), {3}}));
    std::copy(values.begin(), values.end(), t.mutableData<float>());
    return RankPart{rank, t, {{"dp", rank, 3, Placement()}}};
  };
  std::vector<Divergence> diverging;
  llvm::cantFail(assemble(
      {part(0, {1, 2, 3}), part(1, {1, 2, 3}), part(2, {1, 2.5f, NAN})},
      diverging));
  ASSERT_EQ(diverging.size(), 1u);
  EXPECT_EQ(diverging[0].rank, 2);
  EXPECT_EQ(diverging[0].differing, 2);
  EXPECT_EQ(diverging[0].elements, 3);
  EXPECT_EQ(diverging[0].largest, HUGE_VAL);
}

namespace {
struct Files : TestFolder {};
} // namespace

TEST_F(Files, TheLastAxisOfAMeshIsTheFastest) {
  llvm::cantFail(writeAtomically(path("layout.json"),
                                         R"({"mesh": ["dp 2", "tp 3"],
          "tensors": [{"name": "w*", "tp": "shard 0"}]})"));
  Layout layout = llvm::cantFail(Layout::read(path("layout.json")));
  EXPECT_EQ(layout.processes(), 6);
  EXPECT_EQ(layout.coordinatesOf(4), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(layout.coordinatesOf(2), (std::vector<int64_t>{0, 2}));
  Places places = *layout.placesOf("w1", 5);
  EXPECT_EQ(places[0].coordinate, 1);
  EXPECT_EQ(places[1].coordinate, 2);
  EXPECT_EQ(toString(places), "dp: replicate; tp: shard 0");
  EXPECT_FALSE(layout.placesOf("b", 0).has_value());
}

/// The map of a tensor that is zero except for one element, compared with
/// zeros.
static llvm::json::Object mapOf(const Files &files, tensor::Shape shape,
                                int64_t at, float error) {
  int64_t count = llvm::cantFail(tensor::elementCount(shape));
  std::unique_ptr<Hdf5Reader> sides[2];
  for (int side : {0, 1}) {
    Tensor t = llvm::cantFail(Tensor::allocate(
        {ElementType::floating(numerics::FloatFormat::F32), shape}));
    std::fill_n(t.mutableData<float>(), count, 0.0f);
    if (side == 0)
      t.mutableData<float>()[at] = error;
    std::string path = files.path(side ? "b.h5" : "t.h5");
    auto writer = llvm::cantFail(DumpWriter::create(path));
    llvm::cantFail(writer->add("/1/x", t));
    llvm::cantFail(writer->close());
    sides[side] = llvm::cantFail(Hdf5Reader::open(path));
  }
  return llvm::cantFail(mapErrors(*sides[0], sides[0]->datasets()[0], *sides[1],
                                  sides[1]->datasets()[0]));
}

/// The only byte that is not 0, and its place.
static std::pair<size_t, int> onlyByte(llvm::StringRef base64) {
  std::vector<char> bytes;
  llvm::cantFail(llvm::decodeBase64(base64, bytes));
  std::pair<size_t, int> found{~size_t{0}, 0};
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i])
      found = {i, static_cast<uint8_t>(bytes[i])};
  return found;
}

TEST_F(Files, ErrorsAreMappedToTheirCellAndRange) {
  // 2 x 200 x 300: element [1, 150, 299] is row 350 of 400, column 299.
  llvm::json::Object map =
      mapOf(*this, {2, 200, 300}, (1 * 200 + 150) * 300 + 299, 0.02f);
  EXPECT_EQ(map.getInteger("rows"), 400);
  EXPECT_EQ(onlyByte(*map.getString("cells")),
            std::pair(size_t{350 * 96 / 400 * 96 + 299 * 96 / 300}, 254));
  const llvm::json::Array &along = *map.getArray("along");
  const size_t want[3] = {1, 150, 299};
  for (size_t d = 0; d < 3; ++d)
    EXPECT_EQ(onlyByte(*along[d].getAsObject()->getString("errors")),
              std::pair(want[d], 254))
        << d;
  const llvm::json::Array &decades = *map.getArray("decades");
  ASSERT_EQ(decades.size(), 2u);
  EXPECT_EQ(decades[0].getAsObject()->getInteger("count"), 119999);
  EXPECT_EQ(decades[1].getAsObject()->getString("name"), "1e-2 and more");
  const llvm::json::Object &window = *map.getObject("window");
  EXPECT_EQ(window.getInteger("row"), 346);
  EXPECT_EQ(window.getInteger("col"), 291);
}

TEST_F(Files, TheWindowReachesTheLastRow) {
  llvm::json::Object map = mapOf(*this, {40, 12}, 39 * 12 + 11, 1);
  const llvm::json::Object &window = *map.getObject("window");
  EXPECT_EQ(window.getInteger("row"), 31);
  EXPECT_EQ(window.getInteger("col"), 3);
  const llvm::json::Array &last =
      *window.getArray("target")->back().getAsArray();
  EXPECT_EQ(last.back().getAsNumber(), 1);
  EXPECT_EQ(*map.getNumber("largest"), 1);
}
