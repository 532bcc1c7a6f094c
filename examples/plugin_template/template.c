/* The smallest engine that Assay can check: matrix products in f32. Take it as
 * the beginning of your own: put your kernel where `multiply` is.
 *
 *   cc -std=c99 -O2 -fPIC -shared -I<assay>/src template.c -o libtemplate.so
 *   assay verify --engine=plugin:./libtemplate.so --matmul 64x512:512x48
 *
 * docs/plugins.md says what each function may do, and every key of the
 * problem's text. */
#include "assay/engine/assay_plugin.h"

#include <stdio.h>
#include <string.h>

/* Assay names what it finds wrong after these. */
static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                         ASSAY_PLUGIN_ABI_VERSION,
                                         "template", "1.0", 0, 0};

const assay_plugin_info_t *assay_plugin_info(void) { return &info; }

static int refuse(char *why, size_t size, const char *text) {
  snprintf(why, size, "%s", text);
  return ASSAY_PLUGIN_UNSUPPORTED; /* the problem is SKIPPED, with this reason */
}

/* Says whether the problem is one of ours. What is not looked at here would be
 * computed wrongly later: a bias, a post-op or a scale is a tensor or an entry
 * more. */
int assay_plugin_create(const assay_problem_t *p, void **kernel, char *why,
                        size_t size) {
  if (strcmp(p->driver, "matmul"))
    return refuse(why, size, "only matmul");
  if (p->n_inputs != 2 || !strstr(p->problem_json, "\"post_ops\":[]"))
    return refuse(why, size, "no bias, scales, zero points or post-ops");
  for (int i = 0; i < 3; ++i) {
    const assay_tensor_t *t = i < 2 ? &p->inputs[i] : &p->outputs[0];
    if (strcmp(t->dtype, "f32") || t->rank != 2)
      return refuse(why, size, "only f32 matrices");
  }
  *kernel = NULL; /* what belongs to the problem: packed weights, a plan */
  return ASSAY_PLUGIN_OK;
}

/* dst[i,j] = sum over k of src[i,k] * wei[k,j], wherever elements lie. */
static void multiply(const assay_tensor_t *a, const assay_tensor_t *b,
                     const assay_tensor_t *c) {
  const float *x = a->data, *y = b->data;
  for (int64_t i = 0; i < a->dims[0]; ++i)
    for (int64_t j = 0; j < b->dims[1]; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < a->dims[1]; ++k)
        sum += x[i * a->strides[0] + k * a->strides[1]] *
               y[k * b->strides[0] + j * b->strides[1]];
      ((float *)c->data)[i * c->strides[0] + j * c->strides[1]] = sum;
    }
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why, size_t size) {
  (void)kernel, (void)why, (void)size;
  multiply(&inputs[0], &inputs[1], &outputs[0]);
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) { (void)kernel; }
