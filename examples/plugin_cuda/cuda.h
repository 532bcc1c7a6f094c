/* What this plugin takes of CUDA, found at run time: the driver (libcuda), the
 * compiler of kernels (libnvrtc) and cuBLAS. No header of CUDA is needed to
 * build it, and it loads where none of them is. */
#ifndef PLUGIN_CUDA_H
#define PLUGIN_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_pointer_t;

/* Functions of the three libraries by their names; results: 0 is good. */
typedef struct {
  int (*cuInit)(unsigned);
  int (*cuDeviceGetCount)(int *);
  int (*cuDeviceGet)(int *, int);
  int (*cuDeviceGetAttribute)(int *, int, int);
  int (*cuDevicePrimaryCtxRetain)(void **, int);
  int (*cuCtxSetCurrent)(void *);
  int (*cuCtxSynchronize)(void);
  int (*cuMemAlloc)(device_pointer_t *, size_t);
  int (*cuMemFree)(device_pointer_t);
  int (*cuMemcpyHtoD)(device_pointer_t, const void *, size_t);
  int (*cuMemcpyDtoH)(void *, device_pointer_t, size_t);
  int (*cuMemsetD8)(device_pointer_t, unsigned char, size_t);
  int (*cuModuleLoadData)(void **, const void *);
  int (*cuModuleGetFunction)(void **, void *, const char *);
  int (*cuModuleUnload)(void *);
  int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, void *, void **, void **);
  int (*nvrtcCreateProgram)(void **, const char *, const char *, int,
                            const char *const *, const char *const *);
  int (*nvrtcCompileProgram)(void *, int, const char *const *);
  int (*nvrtcGetPTXSize)(void *, size_t *);
  int (*nvrtcGetPTX)(void *, char *);
  int (*nvrtcGetProgramLogSize)(void *, size_t *);
  int (*nvrtcGetProgramLog)(void *, char *);
  int (*nvrtcDestroyProgram)(void **);
  int (*cublasCreate)(void **);
  int (*cublasDestroy)(void *);
  int (*cublasSgemm)(void *, int, int, int, int, int, const float *,
                     const float *, int, const float *, int, const float *,
                     float *, int);
} cuda_t;

/* The first device, made current for the calling thread; NULL: `why` says what
 * is missing. */
const cuda_t *cuda_device(char *why, size_t size);
/* Whether the library behind a group of functions was found; NULL, or why not. */
const char *cuda_lacks_nvrtc(void);
const char *cuda_lacks_cublas(void);
/* The function of kernel.cu, compiled for the device with `defines` (may be
 * NULL); NULL: why. */
void *cuda_compile(const char *source, const char *name, const char *define,
                   void **module, char *why, size_t size);
/* The PTX of a source for an architecture such as "compute_80": needs the
 * compiler alone, no device. To be freed; NULL: why. */
char *cuda_ptx(const char *source, const char *architecture, const char *define,
               char *why, size_t size);

#endif
