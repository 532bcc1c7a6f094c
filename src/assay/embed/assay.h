/* Assay inside another program: StableHLO programs parsed, planned and run in
 * this process. C99; assay.hpp wraps it for C++. Link with -lassay, or
 * find_package(assay) and assay::assay.
 *
 * Functions that can fail return 0, or one of the codes below with the reason
 * in `message` (NUL-terminated, at most message_size bytes; may be NULL). No
 * function aborts, exits or prints. A program may be run from several threads;
 * its runs then wait for each other. Element types have StableHLO's names (f32
 * bf16 i32 ui8 i1 complex<f32> f8E4M3FN ...). Elements are in row-major order;
 * one that is narrower than a byte, such as i1, occupies a byte. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_OK 0
#define ASSAY_CHECK_FAILED 1 /* a check in the program failed */
#define ASSAY_BAD_INPUT 2    /* missing file, bad program or argument, a limit */
#define ASSAY_INTERNAL 70    /* a bug in Assay */

typedef struct assay_program assay_program_t;

/* A zero selects the default: clear the structure with memset, then set
 * struct_size. */
typedef struct {
  uint32_t struct_size;
  int32_t threads;    /* 0: all cores */
  int64_t max_memory; /* bytes; 0: 80 % of the machine's */
  const char *entry;  /* NULL: main, or the only public function */
  const char *engine; /* NULL or "reference"; "native": kernels, fused loops */
  const char *alg;    /* convolutions in "native": NULL or "direct"; "wino" and
                       * "auto" also allow Winograd's transforms */
} assay_options_t;

/* The element type and shape of an argument or a result; valid until the
 * program is freed. */
typedef struct {
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  size_t size_bytes;
} assay_type_t;

/* Makes a program from a file (MLIR text or bytecode, a portable artifact, a
 * file of jax.export) or from text. `options` may be NULL. */
int assay_program_load(const char *path, const assay_options_t *options,
                       assay_program_t **program, char *message,
                       size_t message_size);
int assay_program_parse(const char *text, const assay_options_t *options,
                        assay_program_t **program, char *message,
                        size_t message_size);
void assay_program_free(assay_program_t *program);

size_t assay_program_input_count(const assay_program_t *program);
size_t assay_program_output_count(const assay_program_t *program);
assay_type_t assay_program_input(const assay_program_t *program, size_t index);
assay_type_t assay_program_output(const assay_program_t *program, size_t index);

/* Runs the program. Each argument and result points to size_bytes bytes. */
int assay_program_run(assay_program_t *program, const void *const *arguments,
                      void *const *results, char *message, size_t message_size);

/* The version of the library: "0.1.0". */
const char *assay_version(void);

#ifdef __cplusplus
}
#endif
#endif
