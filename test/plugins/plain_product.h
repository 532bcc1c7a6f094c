/* What the faulty products of the tests share: the fault that is asked for, and
 * which problems they take. */
#include "assay/engine/assay_plugin.h"

#include <stdlib.h>
#include <string.h>

static int is(const char *name) {
  const char *asked = getenv("ASSAY_TEST_PLUGIN");
  return asked && !strcmp(asked, name);
}

/* ASSAY_PLUGIN_OK for a product of plain f32 matrices by rows. */
static int take_plain_product(const assay_problem_t *problem, char *why,
                              size_t why_size) {
  const assay_tensor_t *tensors[] = {problem->inputs, problem->inputs + 1,
                                     problem->outputs};
  int fits = !strcmp(problem->driver, "matmul") && problem->n_inputs == 2;
  for (int i = 0; fits && i < 3; ++i)
    fits = tensors[i]->rank == 2 && !strcmp(tensors[i]->dtype, "f32") &&
           tensors[i]->strides[1] == 1;
  if (fits)
    return ASSAY_PLUGIN_OK;
  strncpy(why, "only plain products of f32 by rows", why_size);
  return ASSAY_PLUGIN_UNSUPPORTED;
}
