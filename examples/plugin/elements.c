/* Elements of a tensor as numbers: f64, f32, s32, 8-bit integers, and every float of
 * 16 bits and fewer from one table of formats. Elements of 2 and 4 bits share
 * bytes, low bits first; strides count elements. */
#define _DEFAULT_SOURCE
#include "example.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *name;
  int bits, mantissa, bias;
  char codes; /* what follows the largest number: i infinity and NaN (IEEE), n one
                 NaN, z the code of -0 is NaN, f nothing, e powers of two */
} format_t;

static const format_t formats[] = {
    {"f16", 16, 10, 15, 'i'},          {"bf16", 16, 7, 127, 'i'},
    {"f8_e5m2", 8, 2, 15, 'i'},        {"f8_e4m3", 8, 3, 7, 'n'},
    {"e8m0", 8, 0, 127, 'e'},          {"f4_e2m1", 4, 1, 1, 'f'},
    {"f6_e2m3", 6, 3, 1, 'f'},         {"f6_e3m2", 6, 2, 3, 'f'},
    {"f8_e3m4", 8, 4, 3, 'i'},         {"f8_e4m3_ieee", 8, 3, 7, 'i'},
    {"f8_e4m3fnuz", 8, 3, 8, 'z'},     {"f8_e5m2fnuz", 8, 2, 16, 'z'},
    {"f8_e4m3b11fnuz", 8, 3, 11, 'z'},
};

static const format_t *format_of(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (!strcmp(formats[i].name, name))
      return &formats[i];
  return NULL;
}

int known_type(const char *t) {
  static const char *const whole[] = {"f32", "s32", "s8", "u8",
                                      "s4",  "u4",  "s2", "u2"};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i)
    if (!strcmp(whole[i], t))
      return 1;
  return format_of(t) != NULL;
}

int is_integer(const assay_tensor_t *t) {
  return t->dtype[0] == 's' || t->dtype[0] == 'u';
}

int element_bits(const assay_tensor_t *t) {
  const format_t *f = format_of(t->dtype);
  if (f)
    return f->bits == 6 ? 8 : f->bits; /* 6 bits lie in a byte of their own */
  return !strcmp(t->dtype, "f64") ? 64
         : !strcmp(t->dtype, "f32") || !strcmp(t->dtype, "s32")
             ? 32
             : t->dtype[1] - '0';
}

static unsigned read_code(const assay_tensor_t *t, int64_t i) {
  int bits = element_bits(t);
  if (bits == 16)
    return ((const uint16_t *)t->data)[i];
  if (fault_is("nibble_swapped") && bits == 4)
    i ^= 1;
  int64_t at = i * bits;
  return ((const uint8_t *)t->data)[at >> 3] >> (at & 7) & ((1u << bits) - 1);
}

static void write_code(const assay_tensor_t *t, int64_t i, unsigned code) {
  int bits = element_bits(t);
  if (bits == 16) {
    ((uint16_t *)t->data)[i] = (uint16_t)code;
    return;
  }
  int64_t at = i * bits;
  unsigned mask = ((1u << bits) - 1) << (at & 7);
  uint8_t *byte = (uint8_t *)t->data + (at >> 3);
  *byte = (uint8_t)((*byte & ~mask) | (code << (at & 7) & mask));
}

static double decode(const format_t *f, unsigned code) {
  if (f->codes == 'e')
    return code == 255 ? NAN : ldexp(1, (int)code - f->bias);
  int width = f->bits - 1 - f->mantissa, top = (1 << width) - 1;
  int negative = (int)(code >> (f->bits - 1)) & 1;
  int exponent = (int)(code >> f->mantissa) & top;
  unsigned fraction = code & ((1u << f->mantissa) - 1);
  double x = exponent
                 ? ldexp(1 + ldexp(fraction, -f->mantissa), exponent - f->bias)
                 : ldexp(fraction, 1 - f->bias - f->mantissa);
  if (f->codes == 'i' && exponent == top)
    x = fraction ? NAN : INFINITY;
  if (f->codes == 'n' && exponent == top && fraction == (1u << f->mantissa) - 1)
    x = NAN;
  if (f->codes == 'z' && code == 1u << (f->bits - 1))
    x = NAN;
  return negative ? -x : x;
}

/* The code of the nearest number; what is too large becomes infinity, NaN or
 * the largest number, whichever of them the format has first. */
static unsigned encode(const format_t *f, double v) {
  unsigned sign = signbit(v) ? 1u << (f->bits - 1) : 0;
  unsigned magnitudes = 1u << (f->bits - 1), infinity, nan, most;
  infinity = ((1u << (f->bits - 1 - f->mantissa)) - 1) << f->mantissa;
  nan = f->codes == 'z' ? magnitudes : magnitudes - 1;
  most = f->codes == 'i'   ? infinity - 1
         : f->codes == 'n' ? magnitudes - 2
                           : magnitudes - 1;
  if (v != v)
    return f->codes == 'f' ? 0 : nan;
  double a = fabs(v), ulp, r;
  int least = 1 - f->bias, exponent = a > 0 && !isinf(a) ? ilogb(a) : least;
  exponent = exponent < least ? least : exponent;
  ulp = ldexp(1, exponent - f->mantissa);
  r = fault_is("truncate") ? trunc(a / ulp) * ulp : nearbyint(a / ulp) * ulp;
  if (r > decode(f, most) && !(fault_is("wrap") && !isinf(a)))
    return f->codes == 'i'   ? sign | infinity
           : f->codes == 'f' ? sign | most
           : f->codes == 'z' ? nan
                             : sign | nan;
  unsigned code;
  if (r < ldexp(1, least)) {
    code = (unsigned)(r / ldexp(1, least - f->mantissa));
  } else {
    exponent = ilogb(r);
    code = ((unsigned)(exponent + f->bias) << f->mantissa) +
           (unsigned)(ldexp(r, f->mantissa - exponent) - (1 << f->mantissa));
  }
  if (f->codes == 'z' && !code)
    return 0;
  return sign | (code & (magnitudes - 1));
}

/* Uniform in [0, 1): xorshift. */
static double random_share(void) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

double at_random(const assay_tensor_t *t, double v) {
  const format_t *f = format_of(t->dtype);
  if ((!f && !is_integer(t)) || v != v || isinf(v) ||
      fault_is("stochastic_nearest"))
    return v;
  double step = 1, share = random_share();
  if (f && v != 0) {
    int least = 1 - f->bias, exponent = ilogb(v);
    step = ldexp(1, (exponent < least ? least : exponent) - f->mantissa);
  }
  if (fault_is("stochastic_biased"))
    share *= 0.8;
  if (fault_is("stochastic_even"))
    share = share < 0.5 ? 0.25 : 0.75;
  return floor(v / step + share) * step;
}

double load_at(const assay_tensor_t *t, int64_t i) {
  if (!strcmp(t->dtype, "f64"))
    return ((const double *)t->data)[i];
  if (!strcmp(t->dtype, "f32"))
    return ((const float *)t->data)[i];
  if (!strcmp(t->dtype, "s32"))
    return ((const int32_t *)t->data)[i];
  if (!strcmp(t->dtype, "s8"))
    return ((const int8_t *)t->data)[i];
  if (!strcmp(t->dtype, "u8"))
    return ((const uint8_t *)t->data)[i];
  if (!strcmp(t->dtype, "bf16")) {
    uint32_t bits = (uint32_t)((const uint16_t *)t->data)[i] << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
  }
  unsigned code = read_code(t, i);
  if (!is_integer(t))
    return decode(format_of(t->dtype), code);
  unsigned top = 1u << (element_bits(t) - 1);
  return t->dtype[0] == 'u' ? (double)code
                            : (double)((int)(code ^ top) - (int)top);
}

void store_at(const assay_tensor_t *t, int64_t i, double v) {
  if (!strcmp(t->dtype, "f64")) {
    ((double *)t->data)[i] = v;
    return;
  }
  if (!strcmp(t->dtype, "f32")) {
    ((float *)t->data)[i] = (float)v;
    return;
  }
  if (!is_integer(t)) {
    write_code(t, i, encode(format_of(t->dtype), v));
    return;
  }
  int bits = element_bits(t);
  double high = ldexp(1, bits - (t->dtype[0] == 's')) - 1,
         low = t->dtype[0] == 's' ? -high - 1 : 0;
  double r = fault_is("truncate") ? trunc(v) : nearbyint(v);
  if (!fault_is("wrap"))
    r = r < low ? low : r > high ? high : r;
  if (bits == 32)
    ((int32_t *)t->data)[i] = (int32_t)r;
  else
    write_code(t, i, (unsigned)(long)r & ((1u << bits) - 1));
}
