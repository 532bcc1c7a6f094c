// Products with B packed beforehand against plain sums, on small integers whose
// sums are exact in any order.
#include "assay/kernels/PackedProduct.h"
#include "assay/support/Random.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace assay;
using namespace assay::kernels;

static float valueAt(int64_t i) {
  return float(CounterRandom(0, 0).integer(uint64_t(i), -5, 5));
}

static void expectExact(Registry &registry, GemmProblem p, int threads) {
  ThreadPool pool(threads);
  auto product = PackedProduct::create(p, registry);
  ASSERT_TRUE(bool(product)) << llvm::toString(product.takeError());
  auto reach = [](int64_t rows, int64_t columns, const Strides &s) {
    return static_cast<size_t>((rows - 1) * s.row + (columns - 1) * s.column +
                               1);
  };
  // After C there is room for a whole tile of rows, which must not change.
  std::vector<float> a(reach(p.m, p.k, p.aStrides)),
      b(reach(p.k, p.n, p.bStrides)), c(reach(p.m + 32, p.n, p.cStrides), 3),
      bias(static_cast<size_t>(p.n));
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = valueAt(static_cast<int64_t>(i));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = valueAt(static_cast<int64_t>(i) * 3 + 1);
  for (size_t i = 0; i < bias.size(); ++i)
    bias[i] = valueAt(static_cast<int64_t>(i) * 5);
  std::vector<float> expected = c;
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = p.bias == Bias::PerColumn ? bias[static_cast<size_t>(j)] : 0;
      for (int64_t k = 0; k < p.k; ++k)
        sum +=
            double(a[static_cast<size_t>(i * p.aStrides.row +
                                         k * p.aStrides.column)]) *
            b[static_cast<size_t>(k * p.bStrides.row + j * p.bStrides.column)];
      auto at = static_cast<size_t>(i * p.cStrides.row + j);
      sum += p.beta * expected[at];
      if (p.activation == Activation::Relu && sum < 0)
        sum = 0;
      expected[at] = float(sum);
    }
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> packed(std::aligned_alloc(
      64, static_cast<size_t>((*product)->packedBytes() + 63) / 64 * 64));
  (*product)->pack(b.data(), packed.get(), pool);
  (*product)->run({a.data(), packed.get(), c.data(), bias.data(), nullptr},
                  pool);
  EXPECT_EQ(c, expected) << toString(p);
}

TEST(PackedProduct, GivesTheExactSumsForRaggedSizesLayoutsAndThreads) {
  Registry registry;
  for (Layout layout : {Layout::RRR, Layout::RCR, Layout::CRR, Layout::CCR})
    for (auto [m, n, k] :
         {std::tuple(1, 1, 1), std::tuple(1, 700, 530), std::tuple(2, 257, 90),
          std::tuple(3, 600, 40), std::tuple(13, 33, 70), std::tuple(29, 64, 1030),
          std::tuple(128, 95, 513), std::tuple(61, 64, 1026), std::tuple(2500, 40, 300)})
      expectExact(registry, GemmProblem::make({}, layout, m, n, k), 2);
  GemmProblem strided = GemmProblem::make({}, Layout::RRR, 40, 70, 90);
  strided.aStrides.row = 101;
  strided.cStrides.row = 77;
  expectExact(registry, strided, 3);
  strided.bias = Bias::PerColumn;
  strided.activation = Activation::Relu;
  expectExact(registry, strided, 1);
  GemmProblem added = GemmProblem::make({}, Layout::RRR, 30, 50, 600);
  added.beta = 1;
  expectExact(registry, added, 2);
}

TEST(PackedProduct, SlicesOfTheDepthAndBlocksOfRowsAddUp) {
  // Caches so small that every machine has many blocks of both.
  Registry::Options options;
  options.diskCache = false;
  options.machine.caches = {4 << 10, 16 << 10, 1 << 20};
  Registry registry(options);
  GemmProblem deep = GemmProblem::make({}, Layout::RRR, 61, 70, 700);
  expectExact(registry, deep, 2);
  deep.bias = Bias::PerColumn;
  expectExact(registry, deep, 2);
  deep.activation = Activation::Relu;
  expectExact(registry, deep, 1);
  deep.beta = 1;
  deep.bias = Bias::None;
  deep.activation = Activation::None;
  expectExact(registry, deep, 2);
}

TEST(PackedProduct, FewRowsHaveWiderPanelsWhereTheseAreFull) {
  Isa isa;
  isa.vectorBytes = 32;
  isa.vectorRegisters = 16;
  auto vectors = [&](int64_t m, int64_t n) {
    return PackedProduct::vectorsFor(
        GemmProblem::make({}, Layout::RRR, m, n, 64), isa);
  };
  EXPECT_EQ(vectors(1, 1024), 4);
  EXPECT_EQ(vectors(2, 1024), 4);
  EXPECT_EQ(vectors(3, 1024), 3);
  EXPECT_EQ(vectors(4, 1024), 2);
  EXPECT_EQ(vectors(100, 1024), 2);
  // Columns that leave a quarter of the last panel empty.
  EXPECT_EQ(vectors(1, 72), 3);
  EXPECT_EQ(vectors(1, 17), 2);
}

TEST(PackedProduct, TheLastPanelIsFilledUpWithZeros) {
  Registry registry;
  ThreadPool pool(1);
  // One column of a matrix that has many: the others are not read.
  GemmProblem column = GemmProblem::make({}, Layout::RRR, 3, 1, 2);
  column.bStrides.row = 64;
  std::vector<float> b(128, 7);
  auto product = llvm::cantFail(PackedProduct::create(column, registry));
  size_t count = static_cast<size_t>(product->packedBytes()) / sizeof(float);
  ASSERT_GE(count, 2u);
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> packed(static_cast<float *>(
      std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64)));
  std::fill_n(packed.get(), count, 9.0f);
  product->pack(b.data(), packed.get(), pool);
  EXPECT_EQ(std::count(packed.get(), packed.get() + count, 7.0f), 2);
  EXPECT_EQ(std::count(packed.get(), packed.get() + count, 0.0f),
            static_cast<int64_t>(count) - 2);
}

TEST(PackedProduct, RefusesWhatItDoesNotTake) {
  Registry registry;
  auto refused = [&](GemmProblem p) {
    auto product = PackedProduct::create(p, registry);
    EXPECT_FALSE(bool(product)) << toString(p);
    if (!product) {
      EXPECT_NE(llvm::toString(product.takeError()).find("packed B"),
                std::string::npos);
    }
  };
  refused(GemmProblem::make({}, Layout::RRR, 8, 8, 8, /*batch=*/2));
  refused(
      GemmProblem::make({DataType::S8, DataType::S8}, Layout::RRR, 8, 8, 8));
  GemmProblem columns = GemmProblem::make({}, Layout::RRR, 8, 8, 8);
  columns.cStrides = {1, 8, 0};
  refused(columns);
}
