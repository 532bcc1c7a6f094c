/* A product of plain f32 matrices that breaks one half of one property, named by
 * ASSAY_TEST_PLUGIN: for test/cli/verify_property_halves.test. The first element
 * of the result is off by one
 *   run2 … run5        in that run of the process
 *   threads2, threads3 with that many threads
 *   zeros, positive, negative   when it held that before the run
 *   nan, infinity      when the last argument of row 4 is that
 *   first1, last1, first4, last4   in a batch of so many rows that begins with
 *                      the first row, or ends with the last, of the first batch */
#include "plain_product.h"

#include <math.h>

static int threads;

const assay_plugin_info_t *assay_plugin_info(void) {
  static assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                     ASSAY_PLUGIN_ABI_VERSION,
                                     "halves",
                                     "1",
                                     0,
                                     0};
  return &info;
}

int assay_plugin_create(const assay_problem_t *problem, void **kernel,
                        char *why, size_t why_size) {
  if (take_plain_product(problem, why, why_size) != ASSAY_PLUGIN_OK)
    return ASSAY_PLUGIN_UNSUPPORTED;
  int *own = malloc(sizeof *own);
  *own = problem->threads;
  *kernel = own;
  return ASSAY_PLUGIN_OK;
}

static float first_of(const assay_tensor_t *a, int64_t row) {
  return ((const float *)a->data)[row * a->strides[0]];
}

static int is_wrong(const assay_tensor_t *a, float before) {
  static int runs;
  static int64_t rows;
  static float first, last;
  ++runs;
  if (!rows)
    rows = a->dims[0], first = first_of(a, 0), last = first_of(a, rows - 1);
  for (char n = '2'; n <= '5'; ++n) {
    char name[] = {'r', 'u', 'n', n, 0}, with[] = "threads?";
    with[7] = n;
    if ((is(name) && runs == n - '0') || (is(with) && threads == n - '0'))
      return 1;
  }
  if ((is("zeros") && before == 0) ||
      (is("positive") && before > 0 && isfinite(before)) ||
      (is("negative") && before < 0 && isfinite(before)))
    return 1;
  float held =
      a->dims[0] > 4
          ? ((const float *)a->data)[4 * a->strides[0] + a->dims[1] - 1]
          : 0;
  if ((is("nan") && isnan(held)) || (is("infinity") && isinf(held)))
    return 1;
  int64_t now = a->dims[0];
  return now < rows &&
         ((is(now == 1 ? "first1" : "first4") && first_of(a, 0) == first) ||
          (is(now == 1 ? "last1" : "last4") && first_of(a, now - 1) == last));
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why,
                     size_t why_size) {
  (void)why, (void)why_size;
  threads = *(int *)kernel;
  const assay_tensor_t *a = &inputs[0], *b = &inputs[1], *c = &outputs[0];
  int64_t rows = c->dims[0], columns = c->dims[1], depth = a->dims[1];
  int wrong = is_wrong(a, *(const float *)c->data);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += ((const float *)a->data)[i * a->strides[0] + k] *
               ((const float *)b->data)[k * b->strides[0] + j];
      ((float *)c->data)[i * c->strides[0] + j] = sum;
    }
  if (wrong)
    *(float *)c->data += 1;
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) { free(kernel); }
