/* Private to the driver plugin: what its files share. A driver is one file with
 * one function that reads dense inputs and fills dense outputs; plugin.c holds
 * the interface, tensors.c the element types and strides, post_ops.c what
 * follows the driver's own arithmetic. */
#ifndef DRIVERS_H
#define DRIVERS_H

#include "../plugin/example.h"

enum { MAX_RANK = 8, MAX_TENSORS = 40 };

/* The drivers: run_NAME(job) in NAME.c. */
#define EACH_DRIVER(X)                                                         \
  X(binary)                                                                    \
  X(bnorm)                                                                     \
  X(concat)                                                                    \
  X(eltwise)                                                                   \
  X(gnorm)                                                                     \
  X(lnorm)                                                                     \
  X(lrn)                                                                       \
  X(pool)                                                                      \
  X(prelu)                                                                     \
  X(reduction)                                                                 \
  X(reorder)                                                                   \
  X(resampling)                                                                \
  X(sdpa)                                                                      \
  X(shuffle)                                                                   \
  X(softmax)                                                                   \
  X(sum)

/* A tensor with its elements in row-major order, whatever its strides are. */
typedef struct {
  const char *role, *dtype;
  int rank;
  int64_t dims[MAX_RANK], count;
  double *at;
} dense_t;

/* One call: the problem's text, every tensor, and the post-ops. An output holds
 * zeros when the driver starts. */
typedef struct {
  const char *json;
  int n_inputs, n_outputs;
  dense_t inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  int post_op_count;
  post_op_t post_ops[MAX_POST_OPS];
} job_t;

#define DECLARE_DRIVER(name) int run_##name(job_t *job);
EACH_DRIVER(DECLARE_DRIVER)
#undef DECLARE_DRIVER

/* ---- plugin.c ---- */

dense_t *input_of(job_t *job, const char *role); /* NULL: there is none */
dense_t *output_of(job_t *job, const char *role);
/* The number that follows a key of the problem's text. */
double real_of(const job_t *job, const char *key, double otherwise);
long integer_of(const job_t *job, const char *key, long otherwise);
/* Whether the text that follows a key is this one. */
int text_is(const job_t *job, const char *key, const char *text);
/* Whether the text that follows a key contains this letter. */
int text_has(const job_t *job, const char *key, char letter);
/* The text that follows a key, in lower case; "" without one. */
void text_of(const job_t *job, const char *key, char *out, size_t size);
/* Number `i` of the list that follows a key. */
double number_in(const job_t *job, const char *key, int i, double otherwise);
int is_backward(const job_t *job);
/* acc + x; in bf16 when the fault acc_bf16 is asked for. */
double accumulate(double acc, double x);

/* ---- axis.c ---- */

/* A dense tensor seen along one axis: outer x size x inner elements. */
typedef struct {
  int64_t outer, size, inner;
} axis_t;
axis_t axis_of(const dense_t *tensor, long axis);

/* ---- tensors.c ---- */

int dense_read(const assay_tensor_t *tensor, int with_values, dense_t *out);
void dense_write(const dense_t *values, const assay_tensor_t *tensor);
/* Row-major position of `index` (as many as the tensor has dimensions; where
 * the tensor has size 1 the index counts as 0). */
int64_t dense_offset(const dense_t *tensor, const int64_t *index);
/* The next index in row-major order; 0 after the last. */
int next_index(const int64_t *dims, int rank, int64_t *index);
int known_element_type(const char *dtype);

/* ---- post_ops.c ---- */

/* NULL, or why the problem's post-ops are not supported. */
const char *post_ops_refusal(job_t *job);
/* Post-ops, the scale and the zero point of dst, on every element of dst;
 * `previous` is what dst held before. */
void finish_dst(job_t *job, const dense_t *previous);
/* The value of a scale that is the same for all elements; 1 without one. */
double scale_of(job_t *job, const char *role);

#endif
