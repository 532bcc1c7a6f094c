/* A complete engine for Assay in C99: matmul (any batch, strides) and 2-D
 * convolution forward in f32, bf16, f16, 8-bit and narrower types, with bias,
 * scales and zero points (a matmul's also by blocks) and the post-ops sum, relu,
 * exp, tanh, linear and add. Plain loops: the point is the interface.
 *
 *   cc -std=c99 -O2 -fPIC -shared -I<assay>/src *.c -lm -o libassay_example.so
 *   assay verify --engine=plugin:./libassay_example.so --matmul 64x512:512x48
 *
 * Every "fault_is" line is there for the demonstration of faults and would not
 * be in a plugin of yours. */
#define _DEFAULT_SOURCE
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                         ASSAY_PLUGIN_ABI_VERSION,
                                         "example",
                                         "1.0",
                                         0,
                                         0};

const assay_plugin_info_t *assay_plugin_info(void) { return &info; }

static int unsupported(char *why, size_t size, const char *text) {
  snprintf(why, size, "%s", text);
  return ASSAY_PLUGIN_UNSUPPORTED;
}

static int find_input(const assay_problem_t *p, const char *role) {
  for (int i = 0; i < p->n_inputs; ++i)
    if (!strcmp(p->inputs[i].role, role))
      return i;
  return -1;
}

/* The post-ops and their tensors. Returns why they can't be done, or NULL. */
static const char *read_post_ops(const assay_problem_t *p, kernel_t *k) {
  k->post_op_count = json_post_ops(p->problem_json, k->post_ops, MAX_POST_OPS);
  if (k->post_op_count < 0)
    return "too many post-ops for the example";
  for (int i = 0; i < k->post_op_count; ++i) {
    static const char *const known[] = {"sum",  "relu",   "exp",
                                        "tanh", "linear", "add"};
    int found = 0;
    for (size_t n = 0; n < sizeof known / sizeof *known; ++n)
      found |= !strcmp(known[n], k->post_ops[i].name);
    if (!found)
      return "the example lacks this post-op";
    char role[32];
    snprintf(role, sizeof role, "post_op_%d", i);
    k->post_ops[i].tensor = find_input(p, role);
  }
  return NULL;
}

int assay_plugin_create(const assay_problem_t *p, void **out, char *why,
                        size_t size) {
  kernel_t k;
  memset(&k, 0, sizeof k);
  k.is_conv = !strcmp(p->driver, "conv");
  if (!k.is_conv && strcmp(p->driver, "matmul"))
    return unsupported(why, size, "the example does matmul and conv");
  if (k.is_conv && strncmp("FWD", strstr(p->problem_json, "\"dir\":\"") + 7, 3))
    return unsupported(why, size, "the example does the forward pass");
  for (int i = 0; i < p->n_inputs; ++i)
    if (!known_type(p->inputs[i].dtype))
      return unsupported(why, size, "the example lacks this data type");
  if (!known_type(p->outputs[0].dtype))
    return unsupported(why, size, "the example lacks this data type");
  const char *refusal = read_post_ops(p, &k);
  if (refusal)
    return unsupported(why, size, refusal);
  k.threads = p->threads;
  k.is_stochastic = json_is(p->problem_json, "rounding_mode", "stochastic");
  k.src = find_input(p, "src"), k.wei = find_input(p, "wei"),
  k.bia = find_input(p, "bia");
  k.scale_src = find_input(p, "scale_src"),
  k.scale_wei = find_input(p, "scale_wei"),
  k.scale_dst = find_input(p, "scale_dst");
  k.zp_src = find_input(p, "zp_src"), k.zp_wei = find_input(p, "zp_wei"),
  k.zp_dst = find_input(p, "zp_dst");
  k.global_src = find_input(p, "global_scale_src"),
  k.global_wei = find_input(p, "global_scale_wei");
  if (k.is_conv && (k.zp_wei >= 0 || p->outputs[0].rank != 4))
    return unsupported(why, size,
                       "the example has no zero points of a convolution's "
                       "weights and only 2-D convolutions");
  if (k.is_conv && json_has_groups(p->problem_json))
    return unsupported(why, size,
                       "the example's convolutions have no groups "
                       "of scales");
  const struct {
    const char *key;
    long *value;
  } sizes[] = {{"g", &k.g},   {"mb", &k.mb}, {"ic", &k.ic}, {"ih", &k.ih},
               {"iw", &k.iw}, {"oc", &k.oc}, {"oh", &k.oh}, {"ow", &k.ow},
               {"kh", &k.kh}, {"kw", &k.kw}, {"sh", &k.sh}, {"sw", &k.sw},
               {"ph", &k.ph}, {"pw", &k.pw}, {"dh", &k.dh}, {"dw", &k.dw}};
  for (size_t i = 0; k.is_conv && i < sizeof sizes / sizeof *sizes; ++i)
    *sizes[i].value = json_integer(p->problem_json, sizes[i].key, 0);
  *out = malloc(sizeof k);
  if (!*out)
    return ASSAY_PLUGIN_FAILED;
  memcpy(*out, &k, sizeof k);
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) { free(kernel); }

/* Offset of element `index` (row-major over dims) in a tensor whose dims may be
 * 1 where they broadcast. */
static int64_t offset_of(const assay_tensor_t *t, const int64_t *dims, int rank,
                         int64_t index) {
  int64_t offset = 0;
  for (int d = rank - 1; d >= 0; --d) {
    int64_t at = index % dims[d];
    index /= dims[d];
    if (t->dims[d] > 1)
      offset += at * t->strides[d];
  }
  return offset;
}

/* ---- the sums ---- */

/* Integer sums of one output row; float sums are in sums.c. */
static void row_s32(const float *a, const float *b, long k_size, long n,
                    int32_t *acc) {
  int short_sums = fault_is("acc_s16");
  for (long k = 0; k < k_size; ++k) {
    if ((fault_is("drop_k") && k == k_size / 3) ||
        (fault_is("edge_k") && k == k_size - 1))
      continue;
    int32_t x =
        (int32_t)a[k] * (fault_is("double_k") && k == k_size / 3 ? 2 : 1);
    for (long j = 0; j < n; ++j) {
      acc[j] += x * (int32_t)b[k * n + j];
      if (short_sums)
        acc[j] = acc[j] > 32767 ? 32767 : acc[j] < -32768 ? -32768 : acc[j];
    }
  }
}

/* All faults of one finished row of sums (length n; row i of m). */
static void spoil_row(float *acc, long i, long m, long n, float *previous) {
  if (fault_is("edge_m") && i == m - 1)
    memset(acc, 0, (size_t)n * sizeof *acc);
  if (fault_is("edge_n"))
    acc[n - 1] = 0;
  if (fault_is("stale") && i == m - 1 && n > 1)
    acc[n / 2] += acc[n / 2 - 1]; /* an accumulator that was not cleared */
  if (fault_is("every_16th"))
    for (long j = 15; j < n; j += 16)
      acc[j] += 1.0f / 64 + fabsf(acc[j]) / 64;
  if (fault_is("nan_swallowed"))
    for (long j = 0; j < n; ++j)
      acc[j] = acc[j] == acc[j] ? acc[j] : 0;
  if (fault_is("previous_row") && m > 1 && i == m / 2)
    memcpy(acc, previous, (size_t)n * sizeof *acc);
  memcpy(previous, acc, (size_t)n * sizeof *acc);
}

/* Faults that only a property shows: a neighbour times zero, fixed point. */
static void spoil_properties(float *acc, long n, const float *before) {
  for (long j = 0; j < n; ++j) {
    if (fault_is("not_nan_local"))
      acc[j] += 0 * before[j];
    if (fault_is("not_scale_equivariant"))
      acc[j] = rintf(acc[j] * 0x1p18f) * 0x1p-18f;
  }
}

static float post_ops(const kernel_t *k, const assay_tensor_t *in,
                      const assay_tensor_t *dst, int64_t index, int64_t at,
                      float v) {
  for (int i = 0; i < k->post_op_count; ++i) {
    const post_op_t *op = &k->post_ops[i];
    if (!strcmp(op->name, "sum") && !fault_is("beta_ignored"))
      v += (float)(op->scale * (load_at(dst, at) - (double)op->zero_point));
    else if (!strcmp(op->name, "relu") && !fault_is("relu_missing"))
      v = v > 0 ? v : op->alpha == 0 && v <= 0 ? 0 : (float)op->alpha * v;
    else if (!strcmp(op->name, "exp"))
      v = fault_is("low_exp") ? fault_bits(expf(v), 9) : expf(v);
    else if (!strcmp(op->name, "tanh"))
      v = tanhf(v);
    else if (!strcmp(op->name, "linear"))
      v = (float)op->alpha * v + (float)op->beta;
    else if (!strcmp(op->name, "add"))
      v += (float)load_at(&in[op->tensor], offset_of(&in[op->tensor], dst->dims,
                                                     dst->rank, index));
  }
  return v;
}

static int has_block_scales(const kernel_t *k, const assay_tensor_t *in) {
  return (k->scale_src >= 0 &&
          varies_inside(&in[k->scale_src], &in[k->src], 0)) ||
         (k->scale_wei >= 0 &&
          varies_inside(&in[k->scale_wei], &in[k->wei], 1));
}

/* The scale of the sums of src or wei: the only one, or that beside blocks. */
static const assay_tensor_t *
outer_scale(const kernel_t *k, const assay_tensor_t *in, int is_weights) {
  int own = is_weights ? k->scale_wei : k->scale_src,
      global = is_weights ? k->global_wei : k->global_src;
  if (global >= 0)
    return fault_is("global_ignored") ? NULL : &in[global];
  if (own < 0 ||
      (!k->is_conv &&
       varies_inside(&in[own], &in[is_weights ? k->wei : k->src], is_weights)))
    return NULL;
  return &in[own];
}

/* Scales, bias, post-ops and the store of element `index` of dst, from its sum; in
 * float, but a sum of integers that nothing follows is stored with all its digits.
 * `channel` selects per-channel values. */
static void finish(const kernel_t *k, const assay_tensor_t *in,
                   const assay_tensor_t *dst, int64_t index, long channel,
                   double sum) {
  float v = (float)sum;
  int64_t at = offset_of(dst, dst->dims, dst->rank, index);
  if (outer_scale(k, in, 0) && !fault_is("scale_ignored")) {
    const assay_tensor_t *s = outer_scale(k, in, 0);
    v *= (float)load_at(s, offset_of(s, dst->dims, dst->rank, index));
  }
  if (outer_scale(k, in, 1)) {
    const assay_tensor_t *s = outer_scale(k, in, 1);
    int64_t count = 1;
    for (int d = 0; d < s->rank; ++d)
      count *= s->dims[d];
    v *= (float)load_at(s, count == 1 ? 0 : channel);
  }
  if (k->bia >= 0 && !(fault_is("bias_dropped") && channel % 16 == 15)) {
    const assay_tensor_t *b = &in[k->bia];
    v += (float)load_at(b, b->rank == 1
                               ? channel * b->strides[0]
                               : offset_of(b, dst->dims, dst->rank, index));
  }
  v = post_ops(k, in, dst, index, at, v);
  if (k->scale_dst >= 0)
    v /= (float)load_at(&in[k->scale_dst], 0);
  if (k->zp_dst >= 0)
    v += (float)load_at(&in[k->zp_dst], 0);
  if (fault_is("not_output_independent") && load_at(dst, at) == 0)
    return; /* taken for a result that is there already */
  if (fault_is("unwritten") && index % 61 == 60)
    return;
  if (fault_is("race") && rand() % 8 == 0)
    v *= 0.5f; /* half of the partial sums were lost */
  store_at(dst, at,
           k->is_stochastic  ? at_random(dst, v)
           : v == (float)sum ? sum
                             : v);
}

static float zero_point(const kernel_t *k, const assay_tensor_t *in,
                        long channel) {
  if (k->zp_src < 0)
    return 0;
  const assay_tensor_t *z = &in[k->zp_src];
  int64_t count = 1;
  for (int d = 0; d < z->rank; ++d)
    count *= z->dims[d];
  return (float)load_at(z, count == 1 ? 0 : channel) +
         (fault_is("zp_wrong") ? 1 : 0);
}

static float element(const assay_tensor_t *t, int64_t offset) {
  float x = (float)load_at(t, offset);
  if (fault_is("tf32"))
    x = fault_bits(x, 11);
  return x;
}

/* What element `index` of a factor stands for. */
static float factor(const kernel_t *k, const assay_tensor_t *in, int is_weights,
                    const int64_t *index, float x) {
  const assay_tensor_t *t = &in[is_weights ? k->wei : k->src];
  int zero = is_weights ? k->zp_wei : k->zp_src,
      scale = is_weights ? k->scale_wei : k->scale_src;
  double off = 0, times = 1;
  if (zero >= 0)
    off = block_value(&in[zero], t, index, is_weights, 0) +
          (fault_is("zp_wrong") && !is_weights);
  if (scale >= 0 && varies_inside(&in[scale], t, is_weights))
    times = block_value(&in[scale], t, index, is_weights, 1);
  return fault_is("zp_after_scale") ? (float)(x * times - off)
                                    : (float)((x - off) * times);
}

/* Where batch entry `batch` of dst is in a tensor; the last two are left. */
static void batch_index(const assay_tensor_t *t, const assay_tensor_t *dst,
                        int64_t batch, int64_t *index) {
  for (int d = dst->rank - 3; d >= 0; --d) {
    index[d] = t->dims[d] > 1 ? batch % dst->dims[d] : 0;
    batch /= dst->dims[d];
  }
}

/* One batch entry of the weights, row by row. */
static void read_weights(const kernel_t *k, const assay_tensor_t *in,
                         const assay_tensor_t *dst, int64_t batch, long depth,
                         long n, float *values) {
  const assay_tensor_t *b = &in[k->wei];
  const int64_t *strides = b->strides + b->rank - 2;
  int64_t index[16],
      first = b->rank > 2 ? offset_of(b, dst->dims, b->rank - 2, batch) : 0;
  batch_index(b, dst, batch, index);
  for (long x = 0; x < depth; ++x)
    for (long j = 0; j < n; ++j) {
      long row = x, col = j;
      if (fault_is("stride") &&
          n > 1) /* the leading dimension is one too small */
        row = (x * (n - 1) + j) / n, col = (x * (n - 1) + j) % n;
      index[b->rank - 2] = row, index[b->rank - 1] = col;
      values[x * n + j] =
          factor(k, in, 1, index,
                 element(b, first + row * strides[0] + col * strides[1]));
    }
}

/* One row of one batch entry of the source. */
static void read_row(const kernel_t *k, const assay_tensor_t *in,
                     const assay_tensor_t *dst, int64_t batch, long i,
                     long depth, float *values) {
  const assay_tensor_t *a = &in[k->src];
  const int64_t *strides = a->strides + a->rank - 2;
  int64_t index[16],
      first = a->rank > 2 ? offset_of(a, dst->dims, a->rank - 2, batch) : 0;
  batch_index(a, dst, batch, index);
  index[a->rank - 2] = i;
  for (long x = 0; x < depth; ++x) {
    index[a->rank - 1] = x;
    values[x] = factor(k, in, 0, index,
                       element(a, first + i * strides[0] + x * strides[1]));
  }
}

static int matmul(const kernel_t *k, const assay_tensor_t *in,
                  const assay_tensor_t *dst) {
  const assay_tensor_t *a = &in[k->src], *b = &in[k->wei];
  int rank = dst->rank;
  long m = dst->dims[rank - 2], n = dst->dims[rank - 1],
       depth = a->dims[rank - 1];
  int64_t batches = 1;
  for (int d = 0; d + 2 < rank; ++d)
    batches *= dst->dims[d];
  float *av = malloc(sizeof(float) * (size_t)depth),
        *bv = malloc(sizeof(float) * (size_t)(depth * n));
  float *acc = malloc(sizeof(float) * (size_t)n * 2);
  double *block = malloc(sizeof(double) * (size_t)(m * n));
  int32_t *sums = malloc(sizeof(int32_t) * (size_t)n);
  int integers = is_integer(a) && is_integer(b) && !has_block_scales(k, in);
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t base =
        fault_is("wrong_batch") && batches > 1 ? (batch + 1) % batches : batch;
    read_weights(k, in, dst, batch, depth, n, bv);
    for (long i = 0; i < m; ++i) {
      read_row(k, in, dst, base, i, depth, av);
      if (integers) {
        memset(sums, 0, sizeof(int32_t) * (size_t)n);
        row_s32(av, bv, depth, n, sums);
        for (long j = 0; j < n; ++j)
          acc[j] = (float)sums[j];
      } else {
        memset(acc, 0, sizeof(float) * (size_t)n);
        if (fault_reverses(k, b, dst, i, m, n))
          sum_row_reversed(av, bv, depth, n, acc);
        else
          sum_row(av, bv, depth, n, acc);
        spoil_properties(acc, n, i ? acc + n : acc);
      }
      spoil_row(acc, i, m, n, acc + n);
      for (long j = 0; j < n; ++j)
        block[i * n + j] =
            integers && acc[j] == (float)sums[j] ? (double)sums[j] : acc[j];
    }
    int transposed = fault_is("transposed") && m >= 16 &&
                     n >= 16; /* the first 16 x 16 block of results */
    for (long i = 0; i < m; ++i)
      for (long j = 0; j < n; ++j) {
        int swap = transposed && i < 16 && j < 16;
        finish(k, in, dst, (batch * m + i) * n + j, j,
               swap ? block[j * n + i] : block[i * n + j]);
      }
  }
  free(av), free(bv), free(acc), free(block), free(sums);
  return 0;
}

static int conv(const kernel_t *k, const assay_tensor_t *in,
                const assay_tensor_t *dst) {
  const assay_tensor_t *src = &in[k->src], *wei = &in[k->wei];
  long icg = k->ic / k->g, ocg = k->oc / k->g,
       shift = fault_is("padding") ? 1 : 0;
  int grouped = wei->rank == 5;
  const int64_t *ws = wei->strides + grouped;
  for (long n = 0; n < k->mb; ++n)
    for (long oc = 0; oc < k->oc; ++oc)
      for (long oh = 0; oh < k->oh; ++oh)
        for (long ow = 0; ow < k->ow; ++ow) {
          long g = oc / ocg,
               from = fault_is("swapped_groups") ? k->g - 1 - g : g;
          float sum = 0;
          int64_t whole = 0;
          for (long ic = 0; ic < icg; ++ic)
            for (long kh = 0; kh < k->kh; ++kh)
              for (long kw = 0; kw < k->kw; ++kw) {
                long h = oh * k->sh - k->ph + kh * (k->dh + 1),
                     w = ow * k->sw - k->pw - shift + kw * (k->dw + 1),
                     c = from * icg + ic;
                if (h < 0 || h >= k->ih || w < 0 || w >= k->iw ||
                    (fault_is("drop_k") && ic == icg / 3 && kh == 0 && kw == 0))
                  continue;
                float x =
                    element(src, n * src->strides[0] + c * src->strides[1] +
                                     h * src->strides[2] +
                                     w * src->strides[3]) -
                    zero_point(k, in, c);
                float y = element(wei, (grouped ? g * wei->strides[0] : 0) +
                                           oc % ocg * ws[0] + ic * ws[1] +
                                           kh * ws[2] + kw * ws[3]);
                if (is_integer(src))
                  whole += (int64_t)x * (int64_t)y;
                else
                  sum += x * y;
              }
          finish(k, in, dst, ((n * k->oc + oc) * k->oh + oh) * k->ow + ow, oc,
                 is_integer(src) ? (float)whole : sum);
        }
  return 0;
}

int assay_plugin_run(void *opaque, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why,
                     size_t why_size) {
  const kernel_t *k = opaque;
  int code = fault_misbehave(inputs, outputs);
  if (code) {
    snprintf(why, why_size, "asked to fail");
    return code;
  }
  if (fault_skips(outputs))
    return ASSAY_PLUGIN_OK;
  code = k->is_conv ? conv(k, inputs, outputs) : matmul(k, inputs, outputs);
  fault_keep(outputs);
  return code;
}
