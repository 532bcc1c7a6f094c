// Reductions of rows (and of columns, one row at a time) with sixteen running
// values that are joined in a fixed order at the end: the bits do not depend on
// the processor. Compiled with -O3.
#include "assay/engine/native/RowLoops.h"
#include "assay/support/TargetClones.h"

#include "llvm/ADT/StringSwitch.h"

#include <bit>
#include <cstring>

namespace assay::engine {

std::optional<Fold> foldOf(llvm::StringRef operation) {
  return llvm::StringSwitch<std::optional<Fold>>(operation)
      .Case("stablehlo.add", Fold::Sum)
      .Case("stablehlo.maximum", Fold::Greatest)
      .Case("stablehlo.minimum", Fold::Least)
      .Default(std::nullopt);
}

static constexpr int kLanes = 16;

ASSAY_CLONES
void sumRows(const float *in, float init, int64_t rows, int64_t length,
             float *out) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *row = in + r * length;
    double sums[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= length; i += kLanes)
      for (int j = 0; j < kLanes; ++j)
        sums[j] += static_cast<double>(row[i + j]);
    for (int j = 0; i < length; ++i, ++j)
      sums[j] += static_cast<double>(row[i]);
    double total = init;
    for (double sum : sums)
      total += sum;
    out[r] = static_cast<float>(total);
  }
}

// Integers in the order of floats, without NaN: the bits of positive floats,
// and negative floats reversed below them.
static inline int32_t keyOf(float x) {
  auto bits = std::bit_cast<int32_t>(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
static inline float fromKey(int32_t key) {
  return std::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff));
}
static constexpr int32_t kInfinity = 0x7f800000;

/// The greatest (or least) element of each row; NaN if it contains one.
template <bool kGreatest>
static inline __attribute__((always_inline)) void
extremeRows(const float *in, float init, int64_t rows, int64_t length,
            float *out) {
  auto better = [](int32_t x, int32_t y) {
    return (kGreatest ? x > y : x < y) ? x : y;
  };
  for (int64_t r = 0; r < rows; ++r) {
    const float *row = in + r * length;
    int32_t best[kLanes], nan = init != init;
    for (int32_t &key : best)
      key = keyOf(init);
    int64_t i = 0;
    for (; i + kLanes <= length; i += kLanes)
      for (int j = 0; j < kLanes; ++j) {
        best[j] = better(keyOf(row[i + j]), best[j]);
        nan |= row[i + j] != row[i + j];
      }
    int32_t found = best[0];
    for (int32_t key : best)
      found = better(key, found);
    for (; i < length; ++i) {
      found = better(keyOf(row[i]), found);
      nan |= row[i] != row[i];
    }
    out[r] = nan ? std::bit_cast<float>(kInfinity | (1 << 22)) : fromKey(found);
  }
}

ASSAY_CLONES
void maximumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out) {
  extremeRows<true>(in, init, rows, length, out);
}

ASSAY_CLONES
void minimumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out) {
  extremeRows<false>(in, init, rows, length, out);
}

ASSAY_CLONES
void anyOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out) {
  for (int64_t r = 0; r < rows; ++r) {
    uint8_t found = init;
    for (int64_t i = 0; i < length; ++i)
      found |= in[r * length + i];
    out[r] = found != 0;
  }
}

ASSAY_CLONES
void allOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out) {
  for (int64_t r = 0; r < rows; ++r) {
    uint8_t missing = init == 0;
    for (int64_t i = 0; i < length; ++i)
      missing |= in[r * length + i] == 0;
    out[r] = missing == 0;
  }
}

typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(64)));
static constexpr int64_t kDoubles = 8;

/// Sums of `Vectors` adjacent vectors of columns, which stay in registers.
template <int Vectors>
static inline __attribute__((always_inline)) void
addColumns(const float *in, int64_t stride, int64_t rows, double *sums) {
  Doubles mine[Vectors];
  std::memcpy(mine, sums, sizeof(mine));
  for (int64_t r = 0; r < rows; ++r)
    for (int v = 0; v < Vectors; ++v) {
      Floats some;
      std::memcpy(&some, in + r * stride + v * kDoubles, sizeof(some));
      mine[v] += __builtin_convertvector(some, Doubles);
    }
  std::memcpy(sums, mine, sizeof(mine));
}

ASSAY_CLONES
void addRows(const float *in, int64_t stride, int64_t rows, int64_t length,
             double *sums) {
  constexpr int kTogether = 8;
  int64_t c = 0;
  for (; c + kTogether * kDoubles <= length; c += kTogether * kDoubles)
    addColumns<kTogether>(in + c, stride, rows, sums + c);
  for (; c + kDoubles <= length; c += kDoubles)
    addColumns<1>(in + c, stride, rows, sums + c);
  for (; c < length; ++c)
    for (int64_t r = 0; r < rows; ++r)
      sums[c] += static_cast<double>(in[r * stride + c]);
}

template <bool kGreatest>
static inline __attribute__((always_inline)) void
extremeRow(const float *row, int64_t length, float *best) {
  for (int64_t i = 0; i < length; ++i) {
    float x = row[i], y = best[i];
    int32_t a = keyOf(x), b = keyOf(y);
    float found = (kGreatest ? a > b : a < b) ? x : y;
    found = x != x ? x : found;
    best[i] = y != y ? y : found;
  }
}

ASSAY_CLONES
void maximumRow(const float *row, int64_t length, float *best) {
  extremeRow<true>(row, length, best);
}

ASSAY_CLONES
void minimumRow(const float *row, int64_t length, float *best) {
  extremeRow<false>(row, length, best);
}

//===--- Taps of a window --------------------------------------------------===//

typedef int32_t Keys __attribute__((vector_size(64)));

/// Stores the extremes of `Vectors` adjacent vectors as floats; returns whether
/// one of the numbers was NaN.
template <bool kGreatest, int Vectors>
static inline __attribute__((always_inline)) bool
extremeOfVectors(const float *in, llvm::ArrayRef<int64_t> taps, int32_t init,
                 float *out) {
  constexpr int32_t kMagnitude = 0x7fffffff;
  Keys best[Vectors], most = Keys{};
  for (Keys &mine : best)
    mine = Keys{} + init;
  for (int64_t tap : taps)
    for (int v = 0; v < Vectors; ++v) {
      Keys bits;
      std::memcpy(&bits, in + tap + v * kLanes, sizeof(bits));
      Keys size = bits & kMagnitude, key = bits ^ ((bits >> 31) & kMagnitude);
      most = size > most ? size : most;
      best[v] = (kGreatest ? key > best[v] : key < best[v]) ? key : best[v];
    }
  bool nan = false;
  for (int lane = 0; lane < kLanes; ++lane)
    nan |= most[lane] > kInfinity;
  for (int v = 0; v < Vectors; ++v) {
    Keys bits = best[v] ^ ((best[v] >> 31) & kMagnitude);
    std::memcpy(out + v * kLanes, &bits, sizeof(bits));
  }
  return nan;
}

/// The last vector of a row is moved back so that it ends at the end of the
/// row.
template <bool kGreatest>
static inline __attribute__((always_inline)) bool
extremeOfTaps(const float *in, llvm::ArrayRef<int64_t> taps, int64_t length,
              float init, float *out) {
  constexpr int64_t kTogether = 4;
  bool nan = init != init;
  int32_t first = keyOf(init);
  int64_t i = 0;
  for (; i + kTogether * kLanes <= length; i += kTogether * kLanes)
    nan |= extremeOfVectors<kGreatest, kTogether>(in + i, taps, first, out + i);
  for (; i < length && length >= kLanes; i += kLanes) {
    int64_t at = i + kLanes <= length ? i : length - kLanes;
    nan |= extremeOfVectors<kGreatest, 1>(in + at, taps, first, out + at);
  }
  for (; i < length; ++i) {
    int32_t best = first;
    for (int64_t tap : taps) {
      float x = in[tap + i];
      nan |= x != x;
      best = (kGreatest ? keyOf(x) > best : keyOf(x) < best) ? keyOf(x) : best;
    }
    out[i] = fromKey(best);
  }
  return !nan;
}

template <bool kGreatest>
static inline __attribute__((always_inline)) bool
extremeOfWindows(const TapRows &rows, float init, float *out) {
  bool all = true;
  for (int64_t w = 0; w < rows.windows; ++w)
    all &= extremeOfTaps<kGreatest>(rows.in + w * rows.step, rows.taps, rows.length, init,
                                    out + w * rows.length);
  return all;
}

ASSAY_CLONES
bool maximumOfTaps(const TapRows &rows, float init, float *out) {
  return extremeOfWindows<true>(rows, init, out);
}

ASSAY_CLONES
bool minimumOfTaps(const TapRows &rows, float init, float *out) {
  return extremeOfWindows<false>(rows, init, out);
}

template <int Vectors>
static inline __attribute__((always_inline)) void
sumVectors(const float *in, llvm::ArrayRef<int64_t> taps, double init, double more,
           float *out) {
  Doubles mine[Vectors];
  for (Doubles &sum : mine)
    sum = Doubles{} + init;
  for (int64_t tap : taps)
    for (int v = 0; v < Vectors; ++v) {
      Floats some;
      std::memcpy(&some, in + tap + v * kDoubles, sizeof(some));
      mine[v] += __builtin_convertvector(some, Doubles);
    }
  for (int v = 0; v < Vectors; ++v) {
    Floats rounded = __builtin_convertvector(mine[v] + more, Floats);
    std::memcpy(out + v * kDoubles, &rounded, sizeof(rounded));
  }
}

static inline __attribute__((always_inline)) void
sumWindow(const float *in, llvm::ArrayRef<int64_t> taps, int64_t length, double init,
          double more, float *out) {
  constexpr int64_t kTogether = 4;
  int64_t i = 0;
  for (; i + kTogether * kDoubles <= length; i += kTogether * kDoubles)
    sumVectors<kTogether>(in + i, taps, init, more, out + i);
  for (; i + kDoubles <= length; i += kDoubles)
    sumVectors<1>(in + i, taps, init, more, out + i);
  for (; i < length; ++i) {
    double sum = init;
    for (int64_t tap : taps)
      sum += static_cast<double>(in[tap + i]);
    out[i] = static_cast<float>(sum + more);
  }
}

ASSAY_CLONES
void sumTaps(const TapRows &rows, double init, double more, float *out) {
  for (int64_t w = 0; w < rows.windows; ++w)
    sumWindow(rows.in + w * rows.step, rows.taps, rows.length, init, more,
              out + w * rows.length);
}

} // namespace assay::engine
