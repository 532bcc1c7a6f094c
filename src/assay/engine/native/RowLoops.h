/// Reductions of rows of f32.
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

} // namespace assay::engine
