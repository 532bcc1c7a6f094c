// The gate of depthwise kernels: whole numbers from -8 to 8 at addresses in an
// arbitrary order, more channels in each row than the kernel may touch, and
// sentinels around every position's result.
#include "assay/kernels/jit/Check.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <vector>

namespace assay::kernels {

static constexpr float kSentinel = 77;

namespace {
struct Trial {
  const MicroKey &key;
  MicroFunction function;
  int64_t taps, channels; ///< what the kernel computes
  int64_t row;            ///< channels of a row in memory
  int64_t channel = 3;    ///< the first one that it is asked for

  llvm::Error run() const;
};
} // namespace

static numerics::ElementType elementOf(DataType type) {
  return *numerics::parseElementType(toString(type));
}

static std::vector<std::byte> stored(DataType type,
                                     const std::vector<float> &values) {
  auto count = static_cast<int64_t>(values.size());
  std::vector<std::byte> bytes(static_cast<size_t>(count * sizeOf(type)));
  numerics::convertArray(elementOf(DataType::F32), values.data(),
                         elementOf(type), bytes.data(), count);
  return bytes;
}

/// Whole numbers, and as `type` has them.
static std::vector<std::byte> draw(DataType type, uint64_t stream,
                                   std::vector<float> &values) {
  CounterRandom random(20260102, stream);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.integer(i, -8, 8));
  return stored(type, values);
}

llvm::Error Trial::run() const {
  DataType sums = accumulatorOf(key.math);
  constexpr int64_t kImageRows = 11;
  int64_t positions = key.rows, apart = channels + 2;
  std::vector<float> x(static_cast<size_t>(kImageRows * row)),
      w(static_cast<size_t>(taps * row));
  std::vector<std::byte> image = draw(key.aType, 1, x),
                         filter = draw(sums, 2, w);
  // Entry e of the table is row (5 e + 2) % 11 of the image; taps overlap.
  auto imageRow = [](int64_t entry) { return (5 * entry + 2) % kImageRows; };
  std::vector<const std::byte *> table;
  std::vector<int64_t> offsets;
  int64_t size = sizeOf(key.aType), entries = taps * 2 + positions * key.unroll;
  for (int64_t e = 0; e < entries; ++e)
    table.push_back(image.data() + imageRow(e) * row * size);
  for (int64_t t = 0; t < taps; ++t)
    offsets.push_back((taps - 1 - t) * 2 * 8);
  std::vector<float> expected(static_cast<size_t>((positions + 2) * apart),
                              kSentinel),
      got(expected);
  for (int64_t i = 0; i < positions; ++i)
    for (int64_t c = 0; c < channels; ++c) {
      float sum = 0;
      for (int64_t t = 0; t < taps; ++t) {
        int64_t from = imageRow((taps - 1 - t) * 2 + i * key.unroll);
        sum += x[static_cast<size_t>(from * row + channel + c)] *
               w[static_cast<size_t>(t * row + channel + c)];
      }
      expected[static_cast<size_t>((i + 1) * apart + c)] = sum;
    }
  auto count = static_cast<int64_t>(got.size());
  std::vector<std::byte> out = stored(sums, got);
  MicroArguments arguments;
  arguments.k = taps;
  arguments.a = table.data();
  arguments.taps = offsets.data();
  arguments.channel = channel * size;
  arguments.b = filter.data() + channel * sizeOf(sums);
  arguments.bStride = row * sizeOf(sums);
  arguments.c = out.data() + apart * sizeOf(sums);
  arguments.cRow = apart * sizeOf(sums);
  arguments.n = channels;
  function(&arguments);
  numerics::convertArray(elementOf(sums), out.data(), elementOf(DataType::F32),
                         got.data(), count);
  for (int64_t i = 0; i < count; ++i)
    if (got[static_cast<size_t>(i)] != expected[static_cast<size_t>(i)])
      return makeError(ErrorCode::Mismatch,
                       "kernel {0} failed its check on this machine: {1} taps, "
                       "{2} channels, element ({3}, {4}): got {5}, expected "
                       "{6}",
                       key.text(), taps, channels, i / apart - 1, i % apart,
                       got[static_cast<size_t>(i)],
                       expected[static_cast<size_t>(i)]);
  return llvm::Error::success();
}

llvm::Error checkDepthwiseKernel(const MicroKey &key, MicroFunction function,
                                 const Isa &isa) {
  int64_t lanes = isa.lanes(accumulatorOf(key.math)),
          width = key.columns * lanes;
  for (int64_t taps : {1, 2, 9})
    for (int64_t channels : {width, width - 1, int64_t(1)}) {
      bool possible = key.bMasked ? channels > 0 : channels == width;
      if (!possible)
        continue;
      Trial trial{key, function, taps, channels, width + 7};
      if (llvm::Error error = trial.run())
        return error;
    }
  return llvm::Error::success();
}

} // namespace assay::kernels
