/* Elements of every type that the interface knows, through the strides of a
 * tensor, as dense arrays of double; and the rounding on the way back. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int known_element_type(const char *t) {
  static const char *const known[] = {"f64", "f32", "bf16", "f16",
                                      "s32", "s8",  "u8"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (!strcmp(t, known[i]))
      return 1;
  return 0;
}

int next_index(const int64_t *dims, int rank, int64_t *index) {
  for (int d = rank - 1; d >= 0; --d) {
    if (++index[d] < dims[d])
      return 1;
    index[d] = 0;
  }
  return 0;
}

int64_t dense_offset(const dense_t *t, const int64_t *index) {
  int64_t offset = 0;
  for (int d = 0; d < t->rank; ++d)
    offset = offset * t->dims[d] + (t->dims[d] == 1 ? 0 : index[d]);
  return offset;
}

/* ---- 16 bits ---- */

static double from_f16(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double x = exponent == 31 ? (fraction ? NAN : INFINITY)
             : exponent     ? ldexp(1024 + fraction, exponent - 25)
                            : ldexp(fraction, -24);
  return bits >> 15 ? -x : x;
}

static uint16_t to_f16(double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  if (x != x)
    return 0x7e00;
  x = fabs(x);
  int exponent = -14; /* of the leading bit; subnormals share the lowest */
  if (x >= ldexp(1, -14) && x < INFINITY)
    frexp(x, &exponent), --exponent;
  double scaled = x < INFINITY ? ldexp(x, 10 - exponent) : INFINITY;
  double whole = fault_is("truncate") ? floor(scaled) : nearbyint(scaled);
  if (exponent > 15 || ldexp(whole, exponent - 10) > 65504)
    return sign | 0x7c00;
  if (whole < 1024)
    return sign | (uint16_t)whole;
  return sign | (uint16_t)(((uint32_t)(exponent + 14) << 10) + (uint32_t)whole);
}

static uint16_t to_bf16(float x) {
  uint32_t bits;
  float rounded = x == x ? fault_bf16(x) : x;
  memcpy(&bits, fault_is("truncate") ? &x : &rounded, 4);
  return (uint16_t)(bits >> 16);
}

/* ---- one element ---- */

static double load(const char *type, const void *data, int64_t i) {
  if (!strcmp(type, "f64"))
    return ((const double *)data)[i];
  if (!strcmp(type, "f32"))
    return ((const float *)data)[i];
  if (!strcmp(type, "s32"))
    return ((const int32_t *)data)[i];
  if (!strcmp(type, "s8"))
    return ((const int8_t *)data)[i];
  if (!strcmp(type, "u8"))
    return ((const uint8_t *)data)[i];
  uint16_t half = ((const uint16_t *)data)[i];
  if (!strcmp(type, "f16"))
    return from_f16(half);
  uint32_t bits = (uint32_t)half << 16;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static void store_integer(const char *type, void *data, int64_t i, double v) {
  double low = *type == 'u' ? 0 : !strcmp(type, "s8") ? -128 : -2147483648.0;
  double high = *type == 'u' ? 255 : !strcmp(type, "s8") ? 127 : 2147483647.0;
  double r = fault_is("truncate") ? trunc(v) : nearbyint(v);
  if (!fault_is("wrap"))
    r = r < low ? low : r > high ? high : r;
  if (!strcmp(type, "s8"))
    ((int8_t *)data)[i] = (int8_t)(long)r;
  else if (!strcmp(type, "u8"))
    ((uint8_t *)data)[i] = (uint8_t)(long)r;
  else
    ((int32_t *)data)[i] = (int32_t)(long)r;
}

static void store(const char *type, void *data, int64_t i, double v) {
  if (fault_is("nan_swallowed") && v != v)
    v = 0;
  if (!strcmp(type, "f64"))
    ((double *)data)[i] = v;
  else if (!strcmp(type, "f32"))
    ((float *)data)[i] = (float)v;
  else if (!strcmp(type, "bf16"))
    ((uint16_t *)data)[i] = to_bf16((float)v);
  else if (!strcmp(type, "f16"))
    ((uint16_t *)data)[i] = to_f16((float)v);
  else
    store_integer(type, data, i, v);
}

/* ---- tensors ---- */

static int64_t offset_of(const assay_tensor_t *t, const int64_t *index) {
  int64_t offset = 0;
  for (int d = 0; d < t->rank; ++d)
    offset += index[d] * t->strides[d];
  return offset;
}

int dense_read(const assay_tensor_t *t, int with_values, dense_t *out) {
  int64_t index[MAX_RANK] = {0}, i = 0;
  out->role = t->role, out->dtype = t->dtype, out->rank = t->rank;
  out->count = 1;
  for (int d = 0; d < t->rank; ++d) {
    out->dims[d] = t->dims[d];
    out->count *= t->dims[d];
  }
  out->at = calloc((size_t)out->count + 1, sizeof(double));
  if (!out->at)
    return 0;
  if (with_values && out->count > 0)
    do
      out->at[i++] = load(t->dtype, t->data, offset_of(t, index));
    while (next_index(t->dims, t->rank, index));
  return 1;
}

void dense_write(const dense_t *values, const assay_tensor_t *t) {
  int64_t index[MAX_RANK] = {0}, i = 0;
  if (values->count == 0)
    return;
  do {
    double v = values->at[i++];
    if (fault_is("unwritten") && i == values->count)
      continue; /* the last element keeps what the buffer held */
    if (fault_is("last_row") && t->rank > 0 && t->dims[0] > 1 &&
        index[0] == t->dims[0] - 1)
      v = 0; /* the loop over the first dimension ends too early */
    store(t->dtype, t->data, offset_of(t, index), v);
  } while (next_index(t->dims, t->rank, index));
}
