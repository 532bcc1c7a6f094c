/* A product of plain f32 matrices with the fault that ASSAY_TEST_PLUGIN names:
 * for the tests of triage. Its last column is off by one
 *   isa      unless ASSAY_ISA restricts the instruction set
 *   first    in the first run of all processes (the file ASSAY_TEST_COUNTER is
 *            made by it)
 *   fresh    in the first run of each process
 *   wide     with eleven columns and more
 *   narrow   the same; with fewer it crashes
 *   refuses  the same; with fewer it reports a failure */
#include "plain_product.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

const assay_plugin_info_t *assay_plugin_info(void) {
  static assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                     ASSAY_PLUGIN_ABI_VERSION,
                                     "planted",
                                     "1",
                                     0,
                                     0};
  return &info;
}

int assay_plugin_create(const assay_problem_t *problem, void **kernel,
                        char *why, size_t why_size) {
  static int something;
  *kernel = &something;
  return take_plain_product(problem, why, why_size);
}

static int is_wrong(int64_t columns) {
  if (is("isa"))
    return !getenv("ASSAY_ISA");
  if (is("first")) {
    int file = open(getenv("ASSAY_TEST_COUNTER"), O_CREAT | O_EXCL, 0600);
    return file >= 0 && close(file) == 0;
  }
  static int runs;
  if (is("fresh"))
    return runs++ == 0;
  if (is("narrow") && columns < 11)
    raise(SIGSEGV);
  return (is("wide") || is("narrow") || is("refuses")) && columns >= 11;
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why,
                     size_t why_size) {
  (void)kernel, (void)why, (void)why_size;
  const assay_tensor_t *a = &inputs[0], *b = &inputs[1], *c = &outputs[0];
  int64_t rows = c->dims[0], columns = c->dims[1], depth = a->dims[1];
  float off = is_wrong(columns) ? 1 : 0;
  if (is("refuses") && columns < 11)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += ((const float *)a->data)[i * a->strides[0] + k] *
               ((const float *)b->data)[k * b->strides[0] + j];
      ((float *)c->data)[i * c->strides[0] + j] =
          sum + (j == columns - 1 ? off : 0);
    }
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) { (void)kernel; }
