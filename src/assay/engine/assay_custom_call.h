/* A function of your own for stablehlo.custom_call: a shared library exports
 * it in C, and `assay run --custom-call TARGET=LIBRARY.so:FUNCTION` calls it
 * for every custom_call of that target. C99; no other header is needed.
 *
 * Types are StableHLO's names: f32 f64 bf16 f16 i1 i8 ... i64 ui8 ... ui64
 * complex<f32> complex<f64> f8E4M3FN .... Elements are row-major; an element of
 * i1 or of a type narrower than a byte has its own byte. Do not write to
 * operands. Results are allocated, with undefined content. `attributes` is the
 * call's configuration (mhlo.backend_config or backend_config) as a JSON
 * object, or {"backend_config": TEXT} if the configuration is text.
 *
 * Return 0 on success. On failure, write the reason to `message`
 * (NUL-terminated, at most message_size bytes) and return another value. The
 * function runs in the process of `assay run`: a crash in it ends the run.
 * Several runs may call it at once. */
#ifndef ASSAY_CUSTOM_CALL_H
#define ASSAY_CUSTOM_CALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_CUSTOM_CALL_ABI_VERSION 1

typedef struct {
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  void *data;
} assay_custom_call_tensor_t;

typedef struct {
  uint32_t struct_size, abi_version;
  const char *target, *attributes;
  int64_t operand_count, result_count;
  const assay_custom_call_tensor_t *operands, *results;
  char *message;
  size_t message_size;
} assay_custom_call_t;

typedef int (*assay_custom_call_function_t)(const assay_custom_call_t *call);

#ifdef __cplusplus
}
#endif
#endif
