/* Appends each problem's text to $ASSAY_TEST_PROBLEMS, a line each, and does
 * none of them. */
#include "assay/engine/assay_plugin.h"

#include <stdio.h>
#include <stdlib.h>

static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                         ASSAY_PLUGIN_ABI_VERSION,
                                         "says_problem", "1.0", 0, 0};

const assay_plugin_info_t *assay_plugin_info(void) { return &info; }

int assay_plugin_create(const assay_problem_t *p, void **kernel, char *why,
                        size_t size) {
  (void)kernel;
  FILE *file = fopen(getenv("ASSAY_TEST_PROBLEMS"), "a");
  if (!file)
    return ASSAY_PLUGIN_FAILED;
  fprintf(file, "%s\n", p->problem_json);
  fclose(file);
  snprintf(why, size, "it only reads");
  return ASSAY_PLUGIN_UNSUPPORTED;
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why, size_t size) {
  (void)kernel, (void)inputs, (void)outputs, (void)why, (void)size;
  return ASSAY_PLUGIN_FAILED;
}

void assay_plugin_destroy(void *kernel) { (void)kernel; }
