/// Reductions of f32 and of truth values: of rows, and of columns a row at a time.
#pragma once

#include <cstdint>

namespace assay::engine {

/// out[r] = round(init + sum over i of in[r * length + i]), summed in f64.
void sumRows(const float *in, float init, int64_t rows, int64_t length,
             float *out);
/// out[r] = the greatest (least) of init and the row; NaN if there is one;
/// +0 is greater than -0.
void maximumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out);
void minimumRows(const float *in, float init, int64_t rows, int64_t length,
                 float *out);

/// out[r] = whether init or some truth value of the row is true, a byte each;
/// whether init and all of them are.
void anyOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out);
void allOfRows(const uint8_t *in, uint8_t init, int64_t rows, int64_t length,
               uint8_t *out);

/// sums[i] += in[r * stride + i] for each row r in turn
void addRows(const float *in, int64_t stride, int64_t rows, int64_t length,
             double *sums);
/// best[i] = the greater (lesser) of best[i] and row[i]; NaN and zeros as above.
void maximumRow(const float *row, int64_t length, float *best);
void minimumRow(const float *row, int64_t length, float *best);

} // namespace assay::engine
