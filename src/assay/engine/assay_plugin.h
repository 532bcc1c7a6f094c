/* The interface of an engine under test: a shared library that exports these
 * functions in C. Assay owns every buffer. The library is loaded in a separate
 * worker process, where a crash, a hang or a write to memory that is not its
 * own does no harm.
 *
 * A library exports assay_plugin_info, assay_plugin_create, assay_plugin_run,
 * assay_plugin_destroy, and may export assay_plugin_last_run_seconds and
 * assay_plugin_describe. C99; no other header is needed. ABI version 1.
 *
 * Roles of tensors: src wei bia dst, diff_src diff_wei diff_bia diff_dst; the
 * second operand of post-op N is "post_op_N"; scales are "scale_src scale_wei
 * scale_dst" (f32 unless the problem says otherwise), zero points "zp_src
 * zp_wei zp_dst" (s32 unless it says otherwise): one element, or one for each
 * index of the dimensions in the entry's mask, or, with groups, one for each
 * block: along dimension d a block has (dims[d] of the tensor) / (dims[d] of
 * the values) elements. Beside a "scale_wei" of blocks, "global_scale_wei" is a
 * scale of the whole tensor ("global_scale_src" likewise). With a `sum` post-op
 * the output holds its previous value when assay_plugin_run is called;
 * otherwise its content is undefined and must be overwritten.
 *
 * Types: f64 f32 bf16 f16 s32 s8 u8; s4 u4 s2 u2; f8_e4m3 (one NaN, no
 * infinity) f8_e5m2 f4_e2m1 e8m0 (scales: powers of two) f6_e2m3 f6_e3m2
 * f8_e3m4 f8_e4m3_ieee f8_e4m3fnuz f8_e5m2fnuz f8_e4m3b11fnuz; programs have
 * more, as StableHLO spells them. Elements of 4 and 2 bits share bytes, low
 * bits first: element i of b bits, counted with the strides, begins at bit i *
 * b % 8 of byte i * b / 8. A type of 6 bits uses the low bits of a byte.
 *
 * Arithmetic: acc = sum (src - zp_src) * (wei - zp_wei); v = acc * scale_src *
 * scale_wei + bia; post-ops in order; dst = saturate(round_to_nearest_even(v /
 * scale_dst + zp_dst)). Scales of blocks multiply the terms instead. Floats of
 * 8 bits may saturate or not. With "rounding_mode":"stochastic" v is rounded up
 * or down at random, with the seed "rounding_seed". Taps in the padding
 * contribute nothing. */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_ABI_VERSION 1

/* The values that create and run return, with the verdict of each; any other
 * value is reported as a failure.
 *   UNSUPPORTED  create: a correct problem that this library does not support;
 *                SKIPPED
 *   INVALID      create: the problem makes no sense to it; INVALID_ARGUMENTS
 *   FAILED       it should work and did not; FAILED
 *   NOT_HERE     create: the library supports the problem, but not on this
 *                machine (missing instructions, no device); SKIPPED
 *   NO_MEMORY    create, run: the problem does not fit in memory; SKIPPED */
#define ASSAY_PLUGIN_OK 0
#define ASSAY_PLUGIN_UNSUPPORTED 1
#define ASSAY_PLUGIN_INVALID 2
#define ASSAY_PLUGIN_FAILED 3
#define ASSAY_PLUGIN_NOT_HERE 4
#define ASSAY_PLUGIN_NO_MEMORY 5

typedef struct {
  uint32_t struct_size, abi_version;
  const char *name, *version;
  uint32_t
      alignment;  /* of every buffer in bytes; 0: that of the element type */
  uint32_t flags; /* 0 */
} assay_plugin_info_t;

typedef struct {
  const char *role, *dtype;
  int32_t rank;
  const int64_t *dims, *strides; /* strides in elements */
  void *data;                    /* NULL in assay_plugin_create */
} assay_tensor_t;

typedef struct {
  uint32_t struct_size;
  const char *driver;       /* matmul conv deconv ip op */
  const char *problem_json; /* dir dt tags; b m n k or g mb ic ...; post_ops
                               scales zero_points */
  int32_t n_inputs, n_outputs, threads;
  const assay_tensor_t *inputs, *outputs;
} assay_problem_t;

const assay_plugin_info_t *assay_plugin_info(void);

/* Prepares everything that does not depend on the data. When the result is not
 * OK, it writes the reason to `why`, NUL-terminated. */
int assay_plugin_create(const assay_problem_t *problem, void **kernel,
                        char *why, size_t why_size);

/* Computes the outputs. Inputs are read-only, and only the outputs' elements
 * may be written. Called any number of times. Tensors have the order of
 * assay_plugin_create. */
int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why, size_t why_size);

void assay_plugin_destroy(void *kernel);

/* Optional: the seconds that the computation of the last assay_plugin_run took,
 * without work that a user would do only once (packing weights, changing
 * formats). Mode P uses it instead of the time of the call. */
double assay_plugin_last_run_seconds(void *kernel);

/* Optional: facts about a kernel, as JSON text that lives as long as the
 * kernel:
 *   {"implementation": "gemm:avx512", "taken": ["skip_impl", "fpmath"]}
 * "implementation" is the name of the chosen implementation, "taken" the
 * requests of problem_json that the kernel follows (among impl, skip_impl,
 * check_ref_impl, runtime_dims_masks, fpmath, acc_mode, scratchpad,
 * deterministic, cpu_isa_hints, allow_enum_tags_only). The report names the
 * requests that were not taken. */
const char *assay_plugin_describe(void *kernel);

#ifdef __cplusplus
}
#endif

#endif
