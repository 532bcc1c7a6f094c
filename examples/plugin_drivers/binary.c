/* Driver binary: two tensors, either broadcast along its dimensions of size 1.
 * Faults: operands_swapped, wrong_axis (src1 is broadcast along the last
 * dimension whatever its sizes are), first_row (every row uses src1's first),
 * or_equal (comparisons treat equality the other way), select_inverted, coarse
 * (results keep 11 bits). */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <string.h>

static int compare(const char *name, double a, double b) {
  int equal = !fault_is("or_equal");
  if (!strcmp(name, "ge"))
    return equal ? a >= b : a > b;
  if (!strcmp(name, "gt"))
    return equal ? a > b : a >= b;
  if (!strcmp(name, "le"))
    return equal ? a <= b : a < b;
  if (!strcmp(name, "lt"))
    return equal ? a < b : a <= b;
  if (!strcmp(name, "eq"))
    return equal ? a == b : a >= b;
  return equal ? a != b : a > b;
}

static double combine(const char *name, double a, double b) {
  if (!strcmp(name, "add"))
    return a + b;
  if (!strcmp(name, "sub"))
    return a - b;
  if (!strcmp(name, "mul"))
    return a * b;
  if (!strcmp(name, "div"))
    return a / b;
  if (!strcmp(name, "max"))
    return a > b || a != a ? a : b;
  if (!strcmp(name, "min"))
    return a < b || a != a ? a : b;
  return compare(name, a, b);
}

int run_binary(job_t *job) {
  dense_t *a = input_of(job, "src"), *b = input_of(job, "src1"),
          *which = input_of(job, "src2"), *dst = output_of(job, "dst");
  char name[16];
  text_of(job, "alg", name, sizeof name);
  if (!a || !b || !dst)
    return ASSAY_PLUGIN_FAILED;
  double scale_a = scale_of(job, "scale_src"),
         scale_b = scale_of(job, "scale_src1");
  int64_t index[MAX_RANK] = {0}, at = 0;
  if (dst->count == 0)
    return ASSAY_PLUGIN_OK;
  do {
    int64_t other = dense_offset(b, index);
    if (fault_is("wrong_axis"))
      other = at % b->count;
    if (fault_is("first_row"))
      other %= b->dims[b->rank - 1];
    double x = a->at[dense_offset(a, index)] * scale_a,
           y = b->at[other] * scale_b;
    double v;
    if (which)
      v = (which->at[dense_offset(which, index)] != 0) !=
                  fault_is("select_inverted")
              ? x
              : y;
    else
      v = fault_is("operands_swapped") ? combine(name, y, x)
                                       : combine(name, x, y);
    dst->at[at++] = fault_is("coarse") ? fault_bits((float)v, 11) : v;
  } while (next_index(dst->dims, dst->rank, index));
  return ASSAY_PLUGIN_OK;
}
