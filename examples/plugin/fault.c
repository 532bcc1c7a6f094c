/* Faults on request, to see that Assay finds them: ASSAY_EXAMPLE_FAULT=NAME in
 * the environment. The names, what each does and how strong it is stand in
 * README.md; utils/evidence/verify_matrix.py runs them all. */
#define _DEFAULT_SOURCE
#include "example.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Asked for in every inner loop, so read from the environment once. */
int fault_is(const char *name) {
  static const char *asked;
  static int known;
  if (!known) {
    asked = getenv("ASSAY_EXAMPLE_FAULT");
    asked = asked && *asked ? asked : NULL;
    known = 1;
  }
  return asked && strcmp(asked, name) == 0;
}

const char *sum_order(void) {
  const char *order = getenv("ASSAY_EXAMPLE_SUM");
  return order ? order : "";
}

float fault_bits(float x, int kept) {
  uint32_t bits, drop = 24 - (uint32_t)kept;
  memcpy(&bits, &x, 4);
  if (drop && (bits & 0x7f800000u) != 0x7f800000u)
    bits = (bits + (((1u << drop) - 1) >> 1) + (bits >> drop & 1)) &
           ~((1u << drop) - 1);
  memcpy(&x, &bits, 4);
  return x;
}

float fault_bf16(float x) { return fault_bits(x, 8); }

int fault_reverses(const kernel_t *k, const assay_tensor_t *wei,
                   const assay_tensor_t *dst, long i, long m, long n) {
  static long rows;
  rows += fault_is("not_deterministic");
  return rows % 3 == 2 ||
         (fault_is("not_thread_independent") && k->threads == 1) ||
         (fault_is("not_alignment_independent") &&
          (uintptr_t)dst->data % 64 != 0) ||
         (fault_is("not_stride_independent") &&
          wei->strides[wei->rank - 1] != 1) ||
         (fault_is("not_batch_invariant") && m < 4) ||
         (fault_is("not_permutation_equivariant") && i == 0) ||
         (fault_is("not_transpose_equivariant") && m > n);
}

static size_t tensor_bytes(const assay_tensor_t *t) {
  size_t last = 0;
  for (int d = 0; d < t->rank; ++d)
    last += (size_t)((t->dims[d] - 1) * t->strides[d]);
  return ((last + 1) * (size_t)element_bits(t) + 7) / 8;
}

static char *kept_result;

int fault_skips(const assay_tensor_t *dst) {
  static long runs;
  if (fault_is("timed_skip"))
    return ++runs > 1;
  if (kept_result)
    memcpy(dst->data, kept_result, tensor_bytes(dst));
  return kept_result != NULL;
}

void fault_keep(const assay_tensor_t *dst) {
  if (!kept_result && fault_is("timed_cache"))
    kept_result =
        memcpy(malloc(tensor_bytes(dst)), dst->data, tensor_bytes(dst));
}

int fault_misbehave(const assay_tensor_t *inputs,
                    const assay_tensor_t *outputs) {
  if (fault_is("segv"))
    *(volatile int *)(uintptr_t)getpid() = 1; /* an address that nobody has */
  if (fault_is("abort"))
    abort();
  if (fault_is("hang"))
    for (;;)
      usleep(1000);
  if (fault_is("exit"))
    exit(0);
  if (fault_is("garbage"))
    return 12345;
  if (fault_is("fails"))
    return ASSAY_PLUGIN_FAILED;
  if (fault_is("allocate"))
    for (size_t i = 0;; ++i) {
      volatile char *block = malloc((size_t)64 << 20);
      block[i] =
          1; /* NULL when memory is limited: a crash, as in much real code */
    }
  if (fault_is("write_after"))
    ((volatile char *)outputs[0].data)[tensor_bytes(&outputs[0])] = 1;
  if (fault_is("write_before"))
    ((volatile char *)outputs[0].data)[-1] = 1;
  if (fault_is("read_after"))
    if (((volatile char *)inputs[0].data)[tensor_bytes(&inputs[0])] == 1)
      return 0;
  if (fault_is("write_input"))
    ((volatile char *)inputs[0].data)[0] += 1;
  return 0;
}
