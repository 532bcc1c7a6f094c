/* Matrix products for another program: for a given problem, Assay chooses a
 * kernel and prepares it for calls. C99; assay_dispatch.hpp wraps it for C++.
 * Codes, messages and guarantees are those of assay.h; every function may be
 * called from several threads at once. */
#ifndef ASSAY_DISPATCH_H
#define ASSAY_DISPATCH_H

#include "assay.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of this processor, the models that choose among them, and the
 * threads that run them. */
typedef struct assay_dispatcher assay_dispatcher_t;
/* A kernel prepared for one problem; valid until its dispatcher is freed. */
typedef struct assay_kernel assay_kernel_t;

/* A zero selects the default, except for struct_size. */
typedef struct {
  uint32_t struct_size;
  int32_t analytic;      /* nonzero: use only the cost model, no learned one */
  const char *model_dir; /* NULL: the models that `assay` itself uses */
} assay_dispatch_options_t;

int assay_dispatcher_create(const assay_dispatch_options_t *options,
                            assay_dispatcher_t **dispatcher, char *message,
                            size_t message_size);
/* Also frees its kernels. */
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

/* Strides in elements, between rows, between columns, between batch entries. */
typedef struct {
  int64_t row, column, batch;
} assay_strides_t;

/* C[b,i,j] = round(act(alpha * sum_p A[b,i,p] * B[b,p,j] + bias + beta * C)),
 * A is m x k, B is k x n. Sums are f64 for f64, s32 for 8-bit integers, f32
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

/* A problem with dense operands. `layout` is the order in memory of A, B and C
 * (r row-major, c column-major): "rcr", "rrr", "crr" or "ccr". `types` are
 * those of A and B: "f32" "bf16" "u8s8" ... C has the type of the sums; alpha
 * is 1, and there is one thread. */
int assay_gemm_dense(const char *types, const char *layout, int64_t m,
                     int64_t n, int64_t k, int64_t batch, assay_gemm_t *gemm,
                     char *message, size_t message_size);

/* Chooses the kernel for a problem. It is compiled and checked on first use
 * (0.1 to 20 ms, more where a model is read); a repeated problem costs a
 * look-up. */
int assay_dispatch(assay_dispatcher_t *dispatcher, const assay_gemm_t *gemm,
                   const assay_kernel_t **kernel, char *message,
                   size_t message_size);
const char *assay_kernel_name(const assay_kernel_t *kernel);
/* "model 'FOLDER'", "analytic", or "name" after assay_dispatch_named(). */
const char *assay_kernel_chosen_by(const assay_kernel_t *kernel);
/* Computes the product; bias may be NULL if the problem has none. */
void assay_kernel_run(const assay_kernel_t *kernel, const void *a,
                      const void *b, void *c, const void *bias);

/* A kernel that can compute a problem. A higher `score` is better: it is the
 * model's sum, or minus the nanoseconds that the cost model estimates. */
typedef struct {
  char name[96];
  double score;
} assay_candidate_t;
/* The best `count` candidates, best first; `*found` of them are written. */
int assay_dispatch_candidates(assay_dispatcher_t *dispatcher,
                              const assay_gemm_t *gemm,
                              assay_candidate_t *candidates, size_t count,
                              size_t *found, char *message,
                              size_t message_size);
/* Returns the kernel with that name instead of choosing one. */
int assay_dispatch_named(assay_dispatcher_t *dispatcher,
                         const assay_gemm_t *gemm, const char *name,
                         const assay_kernel_t **kernel, char *message,
                         size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
