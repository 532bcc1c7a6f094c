/* An engine on a CUDA device behind Assay's C interface: f32 products of two
 * row-major matrices by cuBLAS, or by a kernel of its own (kernel.h).
 *
 *   assay verify --engine=plugin:./libassay_cuda.so --matmul 512x1024:1024x512
 *
 * ASSAY_CUDA_KERNEL=own|cublas chooses (default cublas where it is).
 * ASSAY_CUDA_FAULT=DROP_LAST_TILE|NO_SYNC|NO_EDGE breaks the own kernel. Without
 * a device each problem is SKIPPED with the reason. */
#define _DEFAULT_SOURCE
#include "assay/engine/assay_plugin.h"
#include "cuda.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  const cuda_t *cuda;
  int m, n, k;
  device_pointer_t src, wei, dst;
  void *module, *function; /* of the own kernel, else NULL */
  void *blas;
  double seconds;
} kernel_t;

static const assay_plugin_info_t info = {
    sizeof(assay_plugin_info_t), ASSAY_PLUGIN_ABI_VERSION, "cuda", "1.0", 0, 0};

const assay_plugin_info_t *assay_plugin_info(void) { return &info; }

static int refuse(char *why, size_t size, const char *text) {
  snprintf(why, size, "%s", text);
  return ASSAY_PLUGIN_UNSUPPORTED;
}

/* A row-major matrix of f32. */
static int is_plain(const assay_tensor_t *t) {
  return !strcmp(t->dtype, "f32") && t->rank == 2 && t->dims[0] < INT32_MAX &&
         t->dims[1] < INT32_MAX && t->strides[1] == 1 &&
         t->strides[0] == t->dims[1];
}

static int make_own(kernel_t *k, char *why, size_t size) {
  const char *fault = getenv("ASSAY_CUDA_FAULT");
  char define[64];
  snprintf(define, sizeof define, "-DFAULT_%.48s", fault ? fault : "");
  k->function =
      cuda_compile(kKernelSource, kKernelName, fault && *fault ? define : NULL,
                   &k->module, why, size);
  return k->function ? ASSAY_PLUGIN_OK : ASSAY_PLUGIN_FAILED;
}

static int make(kernel_t *k, char *why, size_t size) {
  const char *asked = getenv("ASSAY_CUDA_KERNEL");
  int own = asked ? !strcmp(asked, "own") : cuda_lacks_cublas() != NULL;
  const char *lacks = own ? cuda_lacks_nvrtc() : cuda_lacks_cublas();
  if (lacks)
    return refuse(why, size, lacks);
  size_t m = (size_t)k->m, n = (size_t)k->n, depth = (size_t)k->k;
  if (k->cuda->cuMemAlloc(&k->src, 4 * m * depth) ||
      k->cuda->cuMemAlloc(&k->wei, 4 * depth * n) ||
      k->cuda->cuMemAlloc(&k->dst, 4 * m * n))
    return refuse(why, size, "the device has too little memory");
  if (own)
    return make_own(k, why, size);
  if (!k->cuda->cublasCreate(&k->blas))
    return ASSAY_PLUGIN_OK;
  snprintf(why, size, "cublasCreate failed");
  return ASSAY_PLUGIN_FAILED;
}

int assay_plugin_create(const assay_problem_t *p, void **out, char *why,
                        size_t size) {
  if (strcmp(p->driver, "matmul") || p->n_inputs != 2 || p->n_outputs != 1 ||
      !is_plain(&p->inputs[0]) || !is_plain(&p->inputs[1]) ||
      !is_plain(&p->outputs[0]))
    return refuse(why, size,
                  "the CUDA example multiplies two row-major f32 matrices, "
                  "without bias and attributes");
  kernel_t *k = calloc(1, sizeof *k);
  if (!k)
    return ASSAY_PLUGIN_FAILED;
  k->m = (int)p->outputs[0].dims[0], k->n = (int)p->outputs[0].dims[1];
  k->k = (int)p->inputs[0].dims[1];
  k->cuda = cuda_device(why, size);
  int code = k->cuda ? make(k, why, size) : ASSAY_PLUGIN_UNSUPPORTED;
  if (code != ASSAY_PLUGIN_OK) {
    assay_plugin_destroy(k);
    return code;
  }
  *out = k;
  return ASSAY_PLUGIN_OK;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compute(kernel_t *k) {
  if (k->function) {
    void *arguments[] = {&k->src, &k->wei, &k->dst, &k->m, &k->n, &k->k};
    return k->cuda->cuLaunchKernel(k->function,
                                   (unsigned)((k->n + TILE - 1) / TILE),
                                   (unsigned)((k->m + TILE - 1) / TILE), 1,
                                   TILE, TILE, 1, 0, NULL, arguments, NULL);
  }
  /* Column-major, the row-major product is wei^T src^T. */
  float one = 1, zero = 0;
  const float *src, *wei;
  float *dst;
  memcpy(&src, &k->src, sizeof src);
  memcpy(&wei, &k->wei, sizeof wei);
  memcpy(&dst, &k->dst, sizeof dst);
  return k->cuda->cublasSgemm(k->blas, 0, 0, k->n, k->m, k->k, &one, wei, k->n,
                              src, k->k, &zero, dst, k->n);
}

int assay_plugin_run(void *opaque, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why, size_t size) {
  kernel_t *k = opaque;
  const cuda_t *cuda = k->cuda;
  size_t m = (size_t)k->m, n = (size_t)k->n, depth = (size_t)k->k;
  /* NaN in the device's result: what is not written shows. */
  int code = cuda->cuMemcpyHtoD(k->src, inputs[0].data, 4 * m * depth);
  code =
      code ? code : cuda->cuMemcpyHtoD(k->wei, inputs[1].data, 4 * depth * n);
  code = code ? code : cuda->cuMemsetD8(k->dst, 0xff, 4 * m * n);
  code = code ? code : cuda->cuCtxSynchronize();
  double start = now();
  code = code ? code : compute(k);
  code = code ? code : cuda->cuCtxSynchronize();
  k->seconds = now() - start;
  code = code ? code : cuda->cuMemcpyDtoH(outputs[0].data, k->dst, 4 * m * n);
  if (code)
    snprintf(why, size, "CUDA returned the error %d", code);
  return code ? ASSAY_PLUGIN_FAILED : ASSAY_PLUGIN_OK;
}

/* Without the copies to and from the device. */
double assay_plugin_last_run_seconds(void *kernel) {
  return ((kernel_t *)kernel)->seconds;
}

void assay_plugin_destroy(void *kernel) {
  kernel_t *k = kernel;
  if (k->blas)
    k->cuda->cublasDestroy(k->blas);
  if (k->module)
    k->cuda->cuModuleUnload(k->module);
  for (int i = 0; k->cuda && i < 3; ++i) {
    device_pointer_t p = i == 0 ? k->src : i == 1 ? k->wei : k->dst;
    if (p)
      k->cuda->cuMemFree(p);
  }
  free(k);
}
