/// Reductions of f32 and of truth values: of rows, and of columns one row at a
/// time.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace assay::engine {

/// The function of a reduction.
enum class Fold : uint8_t { Sum, Greatest, Least };
/// The fold for stablehlo.add, maximum or minimum; nullopt for another
/// operation.
std::optional<Fold> foldOf(llvm::StringRef operation);

/// out[r] = round(init + sum over i of in[r * length + i]), summed in f64.
void sumRows(const float *in, float init, int64_t rows, int64_t length,
             float *out);
/// out[r] = the greatest (least) of init and the row; NaN if there is one; +0
/// is greater than -0.
void maximumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out);
void minimumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out);

/// out[r] = whether init or any truth value of the row is true, one byte each;
/// the second function: whether init and all of them are.
void anyOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out);
void allOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out);

/// sums[i] += in[r * stride + i], for one row r after the other
void addRows(const float *in, int64_t stride, int64_t rows, int64_t length,
             double *sums);
/// best[i] = the greater (lesser) of best[i] and row[i]; NaN and zeros as above.
void maximumRow(const float *row, int64_t length, float *best);
void minimumRow(const float *row, int64_t length, float *best);

/// Adjacent windows: rows of `length` numbers at each of the taps, whose
/// offsets count elements from the start of a window; windows begin `step`
/// elements apart.
struct TapRows {
  const float *in;
  llvm::ArrayRef<int64_t> taps;
  int64_t windows, step, length;
};
/// out[w * length + i] = the greatest (least) of init and in[w * step + tap +
/// i] over all taps, +0 greater than -0. If one of the numbers is NaN, returns
/// false and `out` is undefined.
bool maximumOfTaps(const TapRows &rows, float init, float *out);
bool minimumOfTaps(const TapRows &rows, float init, float *out);
/// out[w * length + i] = round((init + sum over the taps of in[w * step + tap +
/// i]) + more), in f64, one tap after the other
void sumTaps(const TapRows &rows, double init, double more, float *out);

} // namespace assay::engine
