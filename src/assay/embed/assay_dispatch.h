/* Matrix products from another program: a problem in, the kernel that Assay
 * chooses and its prepared call out. C99; assay_dispatch.hpp wraps it for C++.
 * Codes, messages and promises as in assay.h; every function may be called from
 * several threads at once. */
#ifndef ASSAY_DISPATCH_H
#define ASSAY_DISPATCH_H

#include "assay.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels of this processor, what chooses among them, and threads. */
typedef struct assay_dispatcher assay_dispatcher_t;
/* A kernel prepared for one problem; lives as long as its dispatcher. */
typedef struct assay_kernel assay_kernel_t;

/* Zeros are the defaults. */
typedef struct {
  uint32_t struct_size;
  int32_t analytic;      /* not 0: by the cost model alone, no learned one */
  const char *model_dir; /* NULL: the models that `assay` itself looks at */
} assay_dispatch_options_t;

int assay_dispatcher_create(const assay_dispatch_options_t *options,
                            assay_dispatcher_t **dispatcher, char *message,
                            size_t message_size);
/* Frees its kernels too. */
void assay_dispatcher_free(assay_dispatcher_t *dispatcher);

typedef enum {
  ASSAY_F32,
  ASSAY_F64,
  ASSAY_BF16,
  ASSAY_F16,
  ASSAY_S8,
  ASSAY_U8,
  ASSAY_S32
} assay_element_t;
typedef enum {
  ASSAY_NO_BIAS,
  ASSAY_BIAS_PER_COLUMN,
  ASSAY_BIAS_PER_ROW
} assay_bias_t;
typedef enum {
  ASSAY_NO_ACTIVATION,
  ASSAY_RELU,
  ASSAY_TANH,
  ASSAY_GELU_TANH,
  ASSAY_GELU_ERF,
  ASSAY_LOGISTIC
} assay_activation_t;

/* Strides in elements: of a row, of a column, of a batch entry. */
typedef struct {
  int64_t row, column, batch;
} assay_strides_t;

/* C[b,i,j] = round(act(alpha * sum_p A[b,i,p] * B[b,p,j] + bias + beta * C)),
 * A is m x k, B is k x n. Sums are f64 of f64, s32 of 8-bit integers, f32
 * otherwise; the bias has the type of the sums. */
typedef struct {
  assay_element_t a_type, b_type, c_type;
  int64_t m, n, k, batch;
  assay_strides_t a, b, c;
  double alpha, beta;
  assay_bias_t bias;
  assay_activation_t activation;
  int32_t threads;
} assay_gemm_t;

/* A problem with dense operands in a layout: "rcr" (the order in memory of A, B
 * and C, r rows, c columns), "rrr", "crr", "ccr"; `types` are those of A and B:
 * "f32" "bf16" "u8s8" ... C has the type of the sums; alpha 1, one thread. */
int assay_gemm_dense(const char *types, const char *layout, int64_t m,
                     int64_t n, int64_t k, int64_t batch, assay_gemm_t *gemm,
                     char *message, size_t message_size);

/* The kernel for a problem, compiled and checked on its first use (0.1 to 20 ms,
 * more where a model is read); a repeated problem costs a look-up. */
int assay_dispatch(assay_dispatcher_t *dispatcher, const assay_gemm_t *gemm,
                   const assay_kernel_t **kernel, char *message,
                   size_t message_size);
const char *assay_kernel_name(const assay_kernel_t *kernel);
/* "model 'FOLDER'" or "analytic". */
const char *assay_kernel_chosen_by(const assay_kernel_t *kernel);
/* The product at these addresses; bias may be NULL where the problem has none. */
void assay_kernel_run(const assay_kernel_t *kernel, const void *a,
                      const void *b, void *c, const void *bias);

/* A kernel that can compute a problem. `score` ranks (higher is better): the
 * model's sum, or minus the estimated nanoseconds of the cost model. */
typedef struct {
  char name[96];
  double score;
} assay_candidate_t;
/* The best `count` candidates, best first; `*found` says how many were written. */
int assay_dispatch_candidates(assay_dispatcher_t *dispatcher,
                              const assay_gemm_t *gemm,
                              assay_candidate_t *candidates, size_t count,
                              size_t *found, char *message,
                              size_t message_size);
/* The kernel of that name in place of the chosen one. */
int assay_dispatch_named(assay_dispatcher_t *dispatcher,
                         const assay_gemm_t *gemm, const char *name,
                         const assay_kernel_t **kernel, char *message,
                         size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
