// Products of windows against plain sums, on small integers whose sums are exact
// in any order, for every type on every instruction set that this processor has.
#include "assay/kernels/WindowProduct.h"

#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/OnEachIsa.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <limits>

using namespace assay;
using namespace assay::kernels;

namespace {
using WindowProductOn = OnEachIsa;

/// Bytes that begin on a 64-byte line.
class Lines {
public:
  explicit Lines(int64_t bytes)
      : memory_(static_cast<size_t>(bytes + 64), std::byte(0x55)) {}
  std::byte *data() {
    auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }

private:
  std::vector<std::byte> memory_;
};

/// An image of at least one line, a filter whose taps overlap, and their
/// expected product.
/// product must be.
class Trial {
public:
  Trial(WindowProblem problem, const Machine &machine, Jit &jit)
      : p_(problem), product_(llvm::cantFail(
                         WindowProduct::prepare(problem, machine, jit))) {}
  void expectExact(int64_t step);

private:
  int64_t imageAt(int64_t run, int64_t channel) const {
    constexpr int64_t kMostChannels = 1 << 20;
    int64_t value = CounterRandom(0, 0).integer(
        uint64_t(run * kMostChannels + channel), 0, 10);
    return p_.types.a == DataType::U8 ? value * 23 : value - 5;
  }
  int64_t filterAt(int64_t index) const {
    int64_t value = CounterRandom(0, 1).integer(uint64_t(index), 0, 10);
    return p_.types.b == DataType::U8 ? value * 25 : value - 6;
  }
  void put(std::byte *to, int64_t value) const;
  int64_t sumAt(int64_t position, int64_t column, int64_t step) const;

  WindowProblem p_;
  WindowProduct product_;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(WindowProduct, WindowProductOn, everyIsa(), isaName);

static void store(numerics::ElementType type, int64_t value, std::byte *to) {
  auto real = static_cast<double>(value);
  numerics::convertArray(elementTypeOf(DataType::F64), &real, type, to, 1);
}

/// An element of the image as the kernel reads it.
void Trial::put(std::byte *to, int64_t value) const {
  switch (product_.math()) {
  case MicroMath::ShortPairs:
    return store(*numerics::parseElementType("i16"), value, to);
  case MicroMath::F32:
    return store(elementTypeOf(DataType::F32), value, to);
  default:
    return store(elementTypeOf(p_.types.a), value, to);
  }
}

/// Tap t reads runs 2 t, 2 t + 1, ... of the image, starting at position *
/// step.
int64_t Trial::sumAt(int64_t position, int64_t column, int64_t step) const {
  int64_t sum = 0;
  for (int64_t t = 0; t < p_.taps; ++t)
    for (int64_t r = 0; r < p_.pieces; ++r)
      for (int64_t c = 0; c < p_.channels; ++c)
        sum += imageAt(position * step + 2 * t + r, c) *
               filterAt(((t * p_.pieces + r) * p_.channels + c) * p_.columns +
                        column);
  return sum;
}

void Trial::expectExact(int64_t step) {
  const int64_t taps = p_.taps;
  SCOPED_TRACE(
      llvm::formatv("{0}: {1} columns, {2} runs of {3}, {4} positions, "
                    "{5} taps, step {6}{7}",
                    toString(p_.types), p_.columns, p_.pieces, p_.channels,
                    p_.positions, taps, step, p_.dense ? ", dense" : "")
          .str());
  int64_t run = product_.runElements(), bytes = product_.imageBytes(),
          runs = p_.positions * step + 2 * taps + p_.pieces;
  Lines image(runs * run * bytes);
  for (int64_t r = 0; r < runs; ++r)
    for (int64_t c = 0; c < run; ++c)
      put(image.data() + (r * run + c) * bytes,
          c < p_.channels ? imageAt(r, c) : 0);
  int64_t size = sizeOf(p_.types.b), depth = p_.pieces * p_.channels;
  Lines filter(taps * depth * p_.columns * size),
      packed(product_.packedBytes(taps));
  for (int64_t i = 0; i < taps * depth * p_.columns; ++i)
    store(elementTypeOf(p_.types.b), filterAt(i), filter.data() + i * size);
  std::vector<int64_t> starts, offsets;
  for (int64_t t = 0; t < taps; ++t) {
    offsets.push_back(2 * t * run * bytes);
    for (int64_t r = 0; r < p_.pieces; ++r)
      starts.push_back((t * p_.pieces + r) * p_.channels * p_.columns);
  }
  for (int64_t panel = 0; panel < product_.panels(); ++panel)
    EXPECT_TRUE(product_.pack({filter.data(), starts, p_.columns, 1}, panel,
                              packed.data()));
  // There are gaps between results, whose content must not change.
  DataType type =
      product_.rounds() ? *p_.output : accumulatorOf(p_.types.a);
  int64_t apart = p_.columns + 3, wide = product_.outBytes();
  ASSERT_EQ(wide, sizeOf(type));
  std::vector<std::byte> out(static_cast<size_t>(p_.positions * apart * wide),
                             std::byte(0x55)),
      expected = out;
  const std::byte *images[] = {image.data()};
  std::byte *outs[] = {out.data()};
  WindowLines lines;
  lines.positions = p_.positions;
  lines.images = images, lines.outs = outs;
  lines.imageStep = step * run * bytes, lines.outStep = apart * wide;
  lines.taps = offsets;
  lines.filter = packed.data();
  Lines sums(product_.sumsBytes(p_.positions));
  lines.sums = product_.sumsBytes(1) > 0 ? sums.data() : nullptr;
  product_.run(lines, 0, product_.panels());
  for (int64_t p = 0; p < p_.positions; ++p)
    for (int64_t j = 0; j < p_.columns; ++j)
      store(elementTypeOf(type), sumAt(p, j, step),
            expected.data() + (p * apart + j) * wide);
  EXPECT_EQ(out, expected);
}

static void expectExact(WindowProblem problem, const Machine &machine, Jit &jit,
                        int64_t taps, int64_t step) {
  problem.taps = taps;
  Trial(problem, machine, jit).expectExact(step);
}

TEST_P(WindowProductOn, SumsOfEveryTypeAreExact) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  using enum DataType;
  for (TypePair types :
       {TypePair{F32, F32}, TypePair{F64, F64}, TypePair{BF16, BF16},
        TypePair{S8, S8}, TypePair{U8, S8}, TypePair{U8, U8},
        TypePair{S8, U8}}) {
    ASSERT_FALSE(WindowProduct::supports(types));
    expectExact({types, 21, 1, 7, 19}, machine, jit, 5, 1);
    expectExact({types, 64, 3, 3, 9}, machine, jit, 4, 2);
  }
}

TEST_P(WindowProductOn, RowsOfFewChannelsAreFilledUpOnce) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  using enum DataType;
  for (TypePair types :
       {TypePair{S8, S8}, TypePair{U8, S8}, TypePair{U8, U8}, TypePair{S8, U8},
        TypePair{BF16, BF16}, TypePair{F32, F32}})
    for (int64_t channels : {1, 3, 5})
      for (int64_t pieces : {1, 4, 7}) {
        WindowProblem problem{types, 37, pieces, channels, 19};
        problem.dense = true;
        expectExact(problem, machine, jit, 3, 2);
      }
}

TEST_P(WindowProductOn, SumsAreRoundedAsTheyAreStored) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  using enum DataType;
  for (DataType type : {BF16, F16}) {
    WindowProblem problem{{type, type}, 37, 1, 9, 19};
    problem.output = type;
    bool canRound = type == BF16 ? !isa.amx : isa.fma;
    EXPECT_EQ(
        llvm::cantFail(WindowProduct::prepare(problem, machine, jit)).rounds(),
        canRound);
    expectExact(problem, machine, jit, 5, 2);
    expectExact({{type, type}, 70, 1, 700, 9}, machine, jit, 3, 1);
    problem = {{type, type}, 70, 1, 700, 9};
    problem.output = type;
    expectExact(problem, machine, jit, 3, 1); // several chunks
  }
  WindowProblem bytes{{U8, S8}, 37, 1, 9, 19};
  bytes.output = F32;
  EXPECT_FALSE(
      llvm::cantFail(WindowProduct::prepare(bytes, machine, jit)).rounds());
}

TEST_P(WindowProductOn, DeepFiltersAreCutIntoChunks) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  using enum DataType;
  for (int64_t positions : {1, 30})
    expectExact({{F32, F32}, 70, 1, 700, positions}, machine, jit, 3, 1);
  expectExact({{F32, F32}, 16, 1, 16, 14}, machine, jit, 49, 1);
  expectExact({{S8, S8}, 33, 1, 1300, 14}, machine, jit, 9, 1);
  expectExact({{U8, S8}, 1, 1, 1, 3}, machine, jit, 9, 3);
}

TEST_P(WindowProductOn, TileRegistersTakeWhatFillsThem) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  using enum DataType;
  for (TypePair types : {TypePair{BF16, BF16}, TypePair{S8, S8},
                         TypePair{U8, S8}, TypePair{U8, U8}, TypePair{S8, U8}}) {
    bool bytes = types.a != BF16;
    MicroMath tiles = bytes ? MicroMath::AmxBytes : MicroMath::AmxBf16,
              vectors = mathFor(types, isa);
    EXPECT_EQ(windowMath({types, 1, 1, 8, 9}, isa), isa.amx ? tiles : vectors);
    EXPECT_EQ(windowMath({types, 64, 1, 7, 9}, isa), vectors);
    // Whole squares and blocks; ragged ones of every kind; several runs; a line
    // of one position.
    expectExact({types, 64, 1, 64, 64}, machine, jit, 9, 1);
    expectExact({types, 21, 1, 40, 37}, machine, jit, 5, 2);
    expectExact({types, 70, 2, 17, 50}, machine, jit, 3, 1);
    expectExact({types, 8, 1, 16, 1}, machine, jit, 2, 1);
    expectExact({types, 3, 1, 9, 40}, machine, jit, 7, 1);
    expectExact({types, 100, 1, 900, 33}, machine, jit, 4, 1);
  }
  EXPECT_EQ(windowMath({{F32, F32}, 64, 1, 64, 9}, isa), MicroMath::F32);
}

TEST(WindowProduct, PackingSeesWhatIsNotFinite) {
  Machine machine = Machine::detect();
  Jit jit(machine.isa, "", false, checkMicroKernel);
  auto product = WindowProduct::prepare({{}, 40, 1, 5, 8}, machine, jit);
  ASSERT_TRUE(bool(product)) << llvm::toString(product.takeError());
  std::vector<float> filter(40 * 5, 1);
  Lines packed(product->packedBytes(1));
  int64_t starts[] = {0}, last = product->panels() - 1;
  for (float value : {std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(
        product->pack({filter.data(), starts, 40, 1}, last, packed.data()));
    filter[199] = value;
    EXPECT_FALSE(
        product->pack({filter.data(), starts, 40, 1}, last, packed.data()));
    filter[199] = std::numeric_limits<float>::max();
  }
}

template <typename T>
static void expectSeen(const Machine &machine, Jit &jit, DataType type,
                       std::initializer_list<uint64_t> finite,
                       std::initializer_list<uint64_t> others) {
  ASSERT_FALSE(WindowProduct::supports({type, type}));
  // Enough channels for tile registers, if the machine has them.
  auto product = llvm::cantFail(
      WindowProduct::prepare({{type, type}, 40, 1, 16, 8}, machine, jit));
  if (product.imageBytes() != int64_t(sizeof(T)))
    return; // elements are widened
  int64_t starts[] = {0}, last = product.panels() - 1;
  Lines packed(product.packedBytes(1));
  std::vector<T> filter(40 * 16, 0);
  auto packs = [&](uint64_t bits) {
    filter.back() = static_cast<T>(bits);
    return product.pack({filter.data(), starts, 40, 1}, last, packed.data());
  };
  for (uint64_t bits : finite)
    EXPECT_TRUE(packs(bits)) << toString(type) << " " << bits;
  for (uint64_t bits : others)
    EXPECT_FALSE(packs(bits)) << toString(type) << " " << bits;
}

TEST_P(WindowProductOn, PackingSeesWhatIsNotFiniteInEveryType) {
  Jit jit(isa, "", false, checkMicroKernel);
  Machine machine = Machine::detect();
  // The largest number, one whose low word looks like an infinity, and a
  // subnormal; infinities and a NaN of one bit.
  expectSeen<uint64_t>(machine, jit, DataType::F64,
                       {0x7fefffffffffffff, 0x3ff000007ff00000, 1},
                       {0x7ff0000000000000, 0xfff0000000000000,
                        0x7ff0000000000001});
  expectSeen<uint32_t>(machine, jit, DataType::F32,
                       {0x7f7fffff, 0x3f807f80, 1},
                       {0x7f800000, 0xff800000, 0x7f800001});
  expectSeen<uint16_t>(machine, jit, DataType::BF16, {0x7f7f, 0x3f80, 1},
                       {0x7f80, 0xff80, 0x7f81});
}
