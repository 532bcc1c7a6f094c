/* Functions for stablehlo.custom_call, for test/cli/custom_calls.test: one that multiplies by a number of the configuration,
   one that fails with a message, one that fails without. */
#include "assay/engine/assay_custom_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t count(const assay_custom_call_tensor_t *tensor) {
  int64_t n = 1;
  for (int64_t d = 0; d < tensor->rank; ++d)
    n *= tensor->shape[d];
  return n;
}

int scale(const assay_custom_call_t *call) {
  const char *factor = strstr(call->attributes, "\"factor\":");
  if (call->abi_version != ASSAY_CUSTOM_CALL_ABI_VERSION || call->operand_count != 1 || call->result_count != 1 ||
      strcmp(call->operands[0].dtype, "f32") != 0 || !factor) {
    snprintf(call->message, call->message_size, "%s takes one tensor of f32 and a factor, got %s %s", call->target,
             call->operands[0].dtype, call->attributes);
    return 2;
  }
  const float *from = call->operands[0].data;
  float *to = call->results[0].data;
  for (int64_t i = 0; i < count(&call->operands[0]); ++i)
    to[i] = from[i] * (float)atof(factor + 9);
  return 0;
}

int silent(const assay_custom_call_t *call) {
  (void)call;
  return 7;
}
