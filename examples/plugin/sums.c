/* One output row of a product, acc[j] = sum over k of a[k] * b[k][j], in float
 * and in the order that ASSAY_EXAMPLE_SUM names: `sequential` (the default),
 * `reverse`, `blocked` (64 terms at a time), `split_k` (four quarters),
 * `pairwise`, `fma` (products not rounded), `flush` (subnormal operands and
 * results become 0). All of them are correct: a verdict must let them pass. The
 * faults of the sums (ASSAY_EXAMPLE_FAULT) are here too. Integers up to 2^24
 * are exact in each order. */
#define _DEFAULT_SOURCE
#include "example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* acc += the terms [from, to) in ascending order. */
static void add_terms(const float *a, const float *b, long n, long from,
                      long to, float *acc) {
  for (long k = from; k < to; ++k)
    for (long j = 0; j < n; ++j)
      acc[j] += a[k] * b[k * n + j];
}

static void add_reversed(const float *a, const float *b, long n, long k_size,
                         float *acc) {
  for (long k = k_size - 1; k >= 0; --k)
    for (long j = 0; j < n; ++j)
      acc[j] += a[k] * b[k * n + j];
}

static void add_fused(const float *a, const float *b, long n, long k_size,
                      float *acc) {
  for (long k = 0; k < k_size; ++k)
    for (long j = 0; j < n; ++j)
      acc[j] = fmaf(a[k], b[k * n + j], acc[j]);
}

/* Partial sums of `length` terms each, added up in turn. */
static void add_blocks(const float *a, const float *b, long n, long k_size,
                       long length, float *acc) {
  float *part = malloc(sizeof(float) * (size_t)n);
  for (long k = 0; k < k_size; k += length) {
    memset(part, 0, sizeof(float) * (size_t)n);
    add_terms(a, b, n, k, k + length < k_size ? k + length : k_size, part);
    for (long j = 0; j < n; ++j)
      acc[j] += part[j];
  }
  free(part);
}

static void add_pairwise(const float *a, const float *b, long n, long from,
                         long to, float *acc) {
  if (to - from <= 4) {
    add_terms(a, b, n, from, to, acc);
    return;
  }
  float *part = calloc((size_t)n * 2, sizeof(float));
  long middle = from + (to - from) / 2;
  add_pairwise(a, b, n, from, middle, part);
  add_pairwise(a, b, n, middle, to, part + n);
  for (long j = 0; j < n; ++j)
    acc[j] += part[j] + part[n + j];
  free(part);
}

static void add_flushing(const float *a, const float *b, long n, long k_size,
                         float *acc) {
#ifdef __SSE2__
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u); /* flush to zero, denormals are zero */
#endif
  add_terms(a, b, n, 0, k_size, acc);
#ifdef __SSE2__
  _mm_setcsr(before);
#endif
}

static int add_wrongly(const float *a, const float *b, long n, long k_size,
                       float *acc) {
  int drop = fault_is("drop_k"), edge = fault_is("edge_k"),
      twice = fault_is("double_k"), narrow = fault_is("acc_bf16");
  int half = fault_is("f16"); /* products and sums in 11 bits */
  if (!drop && !edge && !twice && !narrow && !half)
    return 0;
  for (long k = 0; k < k_size; ++k) {
    if ((drop && k == k_size / 3) || (edge && k == k_size - 1))
      continue;
    for (int times = twice && k == k_size / 3 ? 2 : 1; times > 0; --times)
      for (long j = 0; j < n; ++j) {
        float term = a[k] * b[k * n + j];
        acc[j] = narrow ? fault_bf16(acc[j] + term)
                 : half ? fault_bits(acc[j] + fault_bits(term, 11), 11)
                        : acc[j] + term;
      }
  }
  return 1;
}

void sum_row_reversed(const float *a, const float *b, long k_size, long n,
                      float *acc) {
  add_reversed(a, b, n, k_size, acc);
}

void sum_row(const float *a, const float *b, long k_size, long n, float *acc) {
  const char *order = sum_order();
  if (add_wrongly(a, b, n, k_size, acc))
    return;
  if (!strcmp(order, "reverse"))
    add_reversed(a, b, n, k_size, acc);
  else if (!strcmp(order, "blocked"))
    add_blocks(a, b, n, k_size, 64, acc);
  else if (!strcmp(order, "split_k"))
    add_blocks(a, b, n, k_size, (k_size + 3) / 4, acc);
  else if (!strcmp(order, "pairwise"))
    add_pairwise(a, b, n, 0, k_size, acc);
  else if (!strcmp(order, "fma"))
    add_fused(a, b, n, k_size, acc);
  else if (!strcmp(order, "flush"))
    add_flushing(a, b, n, k_size, acc);
  else
    add_terms(a, b, n, 0, k_size, acc);
}
