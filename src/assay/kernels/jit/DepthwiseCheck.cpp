// The check of depthwise kernels: whole numbers from -8 to 8 at addresses in an
// arbitrary order, more channels in each row than the kernel may access, and
// sentinels around every position's result. Sums are rounded to the kernel's
// type.
#include "assay/kernels/jit/Check.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Math.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <vector>

namespace assay::kernels {

static constexpr float kSentinel = 77;

namespace {
struct Trial {
  const MicroKey &key;
  MicroFunction function;
  int64_t runs, channels; ///< the sizes that the kernel computes
  int64_t row;            ///< channels in a row in memory
  int64_t channel = 3;    ///< the first requested channel

  float expectedAt(int64_t i, int64_t c, const std::vector<float> &x,
                   const std::vector<float> &w) const;
  llvm::Error run() const;
};
} // namespace

static std::vector<std::byte> stored(DataType type,
                                     const std::vector<float> &values) {
  auto count = static_cast<int64_t>(values.size());
  std::vector<std::byte> bytes(static_cast<size_t>(count * sizeOf(type)));
  numerics::convertArray(elementTypeOf(DataType::F32), values.data(),
                         elementTypeOf(type), bytes.data(), count);
  return bytes;
}

/// Whole numbers, and their codes in `type`.
static std::vector<std::byte> draw(DataType type, uint64_t stream,
                                   std::vector<float> &values) {
  CounterRandom random(20260102, stream);
  int64_t least = type == DataType::U8 ? 0 : -8;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.integer(i, least, 8));
  return stored(type, values);
}

/// The number of table entries that any position of any run of taps may
/// prefetch.
static int64_t entriesOf(const MicroKey &key, int64_t runs) {
  return runs * 2 + (key.run - 1) * std::abs(key.apart) + key.rows * key.unroll;
}

/// The entry of tap `tap` of run `run` for the first position. Runs have
/// descending order, two entries apart, so that they overlap.
static int64_t entryOf(const MicroKey &key, int64_t runs, int64_t run,
                       int64_t tap) {
  int64_t first = (runs - 1 - run) * 2;
  if (key.apart < 0)
    first -= (key.run - 1) * key.apart;
  return first + tap * key.apart;
}

/// Entry e of the table is row (5 e + 2) % 11 of the image; taps overlap.
static constexpr int64_t kImageRows = 11;
static int64_t imageRowOf(int64_t entry) { return (5 * entry + 2) % kImageRows; }

/// Channel `c` of position `i`, by the formula.
float Trial::expectedAt(int64_t i, int64_t c, const std::vector<float> &x,
                        const std::vector<float> &w) const {
  float sum = 0;
  for (int64_t run = 0; run < runs; ++run)
    for (int64_t tap = 0; tap < key.run; ++tap)
      for (int64_t g = 0; g < key.inputs; ++g) {
        if (key.only >= 0 && g != key.only)
          continue;
        int64_t from =
                    imageRowOf(entryOf(key, runs, run, tap) + i * key.unroll),
                at = run * key.run + tap,
                factor = key.only < 0 ? at * key.inputs + g : at;
        sum += x[static_cast<size_t>(from * row + channel + c - c % key.inputs +
                                     g)] *
               w[static_cast<size_t>(factor * row + channel + c)];
      }
  return sum;
}

llvm::Error Trial::run() const {
  DataType sums = accumulatorOf(key.math);
  int64_t positions = key.rows, apart = channels + 2;
  std::vector<float> x(static_cast<size_t>(kImageRows * row)),
      w(static_cast<size_t>(runs * key.run * key.inputs * row));
  std::vector<std::byte> image = draw(key.aType, 1, x),
                         filter = draw(sums, 2, w);
  std::vector<const std::byte *> table;
  std::vector<int64_t> offsets;
  int64_t size = sizeOf(key.aType);
  for (int64_t e = 0; e < entriesOf(key, runs); ++e)
    table.push_back(image.data() + imageRowOf(e) * row * size);
  for (int64_t run = 0; run < runs; ++run)
    offsets.push_back(entryOf(key, runs, run, 0) * 8);
  std::vector<float> expected(static_cast<size_t>((positions + 2) * apart),
                              kSentinel),
      got(expected);
  for (int64_t i = 0; i < positions; ++i)
    for (int64_t c = 0; c < channels; ++c)
      expected[static_cast<size_t>((i + 1) * apart + c)] =
          expectedAt(i, c, x, w);
  auto count = static_cast<int64_t>(got.size());
  std::vector<std::byte> out = stored(key.cType, got);
  MicroArguments arguments;
  arguments.k = runs;
  arguments.a = table.data();
  arguments.taps = offsets.data();
  arguments.channel = channel * size;
  arguments.b = filter.data() + channel * sizeOf(sums);
  arguments.bStride = row * sizeOf(sums);
  arguments.c = out.data() + apart * sizeOf(key.cType);
  arguments.cRow = apart * sizeOf(key.cType);
  arguments.n = channels;
  function(&arguments);
  auto read = [&](const std::vector<std::byte> &from, std::vector<float> &to) {
    numerics::convertArray(elementTypeOf(key.cType), from.data(),
                           elementTypeOf(DataType::F32), to.data(), count);
  };
  read(out, got);
  read(stored(key.cType, expected), expected);
  for (int64_t i = 0; i < count; ++i)
    if (got[static_cast<size_t>(i)] != expected[static_cast<size_t>(i)])
      return makeError(ErrorCode::Mismatch,
                       "kernel {0} failed its check on this machine: {1} runs, "
                       "{2} channels, element ({3}, {4}): got {5}, expected "
                       "{6}",
                       key.text(), runs, channels, i / apart - 1, i % apart,
                       got[static_cast<size_t>(i)],
                       expected[static_cast<size_t>(i)]);
  return llvm::Error::success();
}

llvm::Error checkDepthwiseKernel(const MicroKey &key, MicroFunction function,
                                 const Isa &isa) {
  int64_t lanes = isa.lanes(accumulatorOf(key.math)),
          width = key.columns * lanes;
  for (int64_t runs : {1, 2, 9})
    for (int64_t channels : {width, width - 1, int64_t(1)}) {
      // Groups are complete.
      channels = roundUp(channels, int64_t(key.inputs));
      bool possible = key.bMasked ? channels > 0 : channels == width;
      if (!possible)
        continue;
      Trial trial{key, function, runs, channels, width + 7};
      if (llvm::Error error = trial.run())
        return error;
    }
  return llvm::Error::success();
}

} // namespace assay::kernels
