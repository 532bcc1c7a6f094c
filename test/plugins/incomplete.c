/* An engine that lacks assay_plugin_run. */
#include "assay/engine/assay_plugin.h"

const assay_plugin_info_t *assay_plugin_info(void) {
  static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                           ASSAY_PLUGIN_ABI_VERSION,
                                           "incomplete",
                                           "1",
                                           0,
                                           0};
  return &info;
}
int assay_plugin_create(const assay_problem_t *problem, void **kernel,
                        char *why, size_t why_size) {
  (void)problem, (void)kernel, (void)why, (void)why_size;
  return ASSAY_PLUGIN_OK;
}
void assay_plugin_destroy(void *kernel) { (void)kernel; }
