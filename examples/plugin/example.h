/* Private to the example plugin: what its files share. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "assay/engine/assay_plugin.h"

enum { MAX_POST_OPS = 8 };

typedef struct {
  char kind[16], name[16];
  double alpha, beta, scale;
  long zero_point;
  int tensor; /* index of the second operand among the inputs, -1 = none */
} post_op_t;

typedef struct {
  int is_conv, threads, is_stochastic;
  long g, mb, ic, ih, iw, oc, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw; /* conv */
  int src, wei, bia, scale_src, scale_wei, scale_dst, zp_src, zp_wei, zp_dst,
      global_src, global_wei; /* input indices, -1 = none */
  int post_op_count;
  post_op_t post_ops[MAX_POST_OPS];
} kernel_t;

/* elements.c: element i of a tensor, counted in elements of its type. */
int known_type(const char *dtype); /* all but f64, which load_at and
                                      store_at take too */
int is_integer(const assay_tensor_t *t);
int element_bits(const assay_tensor_t *t); /* that it takes in memory */
double load_at(const assay_tensor_t *t, int64_t i);
void store_at(const assay_tensor_t *t, int64_t i, double v);
double at_random(const assay_tensor_t *t, double v); /* a neighbour of v */

/* blocks.c: whether a scale or zero point of src or wei varies along the sum,
 * and the one of the element at `index` of tensor t. */
int varies_inside(const assay_tensor_t *values, const assay_tensor_t *t,
                  int is_weights);
double block_value(const assay_tensor_t *values, const assay_tensor_t *t,
                   const int64_t *index, int is_weights, int is_scale);

/* json.c: the few questions that this plugin asks of the problem's JSON text.
 */
long json_integer(const char *json, const char *key, long otherwise);
int json_has_groups(const char *json); /* of a scale or zero point */
int json_is(const char *json, const char *key, const char *text);
int json_post_ops(const char *json, post_op_t *ops,
                  int limit); /* -1: too many or of an unknown kind */

/* sums.c: acc[j] += sum over k of a[k] * b[k * n + j], in the order that
 * ASSAY_EXAMPLE_SUM names. */
void sum_row(const float *a, const float *b, long k_size, long n, float *acc);
void sum_row_reversed(const float *a, const float *b, long k_size, long n,
                      float *acc);
const char *sum_order(void); /* "" when none is asked for */

/* fault.c: the fault that ASSAY_EXAMPLE_FAULT asks for, "" when none. */
int fault_is(const char *name);
float fault_bf16(float x);           /* rounds to bf16 */
float fault_bits(float x, int kept); /* keeps `kept` bits of the significand */
/* Whether row i of m x n results is summed in reverse: right within its bound,
 * and the property that the fault is named after does not hold. */
int fault_reverses(const kernel_t *k, const assay_tensor_t *wei,
                   const assay_tensor_t *dst, long i, long m, long n);
/* Cheats of a timer: whether a run is left out (timed_skip) or answered from the
 * first one's result (timed_cache), which fault_keep keeps. */
int fault_skips(const assay_tensor_t *dst);
void fault_keep(const assay_tensor_t *dst);
int fault_misbehave(
    const assay_tensor_t *inputs,
    const assay_tensor_t *outputs); /* crash, hang, ...: before computing */

#endif
