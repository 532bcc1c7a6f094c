/* Libraries of CUDA by name: those of the system, then of the folder
 * ASSAY_CUDA_LIBRARIES (the wheels nvidia-cublas-cu12 and nvidia-cuda-nvrtc-cu12
 * have them in nvidia/.../lib). */
#define _DEFAULT_SOURCE
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cuda_t api;
static const char *no_nvrtc, *no_cublas;

static void *open_library(const char *const *names) {
  const char *folder = getenv("ASSAY_CUDA_LIBRARIES");
  for (const char *const *name = names; *name; ++name) {
    char path[4096];
    void *found = dlopen(*name, RTLD_NOW | RTLD_GLOBAL);
    if (!found && folder) {
      snprintf(path, sizeof path, "%s/%s", folder, *name);
      found = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    if (found)
      return found;
  }
  return NULL;
}

/* Puts the function's address where `place` points; the one way that ISO C has
 * from void * to a function. */
static int take(void *library, const char *name, void *place) {
  void *address = dlsym(library, name);
  memcpy(place, &address, sizeof address);
  return address != NULL;
}

#define TAKE(library, member, name) take(library, name, &api.member)

static int load_driver(void) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  void *cuda = open_library(names);
  return cuda && TAKE(cuda, cuInit, "cuInit") &&
         TAKE(cuda, cuDeviceGetCount, "cuDeviceGetCount") &&
         TAKE(cuda, cuDeviceGet, "cuDeviceGet") &&
         TAKE(cuda, cuDeviceGetAttribute, "cuDeviceGetAttribute") &&
         TAKE(cuda, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") &&
         TAKE(cuda, cuCtxSetCurrent, "cuCtxSetCurrent") &&
         TAKE(cuda, cuCtxSynchronize, "cuCtxSynchronize") &&
         TAKE(cuda, cuMemAlloc, "cuMemAlloc_v2") &&
         TAKE(cuda, cuMemFree, "cuMemFree_v2") &&
         TAKE(cuda, cuMemcpyHtoD, "cuMemcpyHtoD_v2") &&
         TAKE(cuda, cuMemcpyDtoH, "cuMemcpyDtoH_v2") &&
         TAKE(cuda, cuMemsetD8, "cuMemsetD8_v2") &&
         TAKE(cuda, cuModuleLoadData, "cuModuleLoadData") &&
         TAKE(cuda, cuModuleGetFunction, "cuModuleGetFunction") &&
         TAKE(cuda, cuModuleUnload, "cuModuleUnload") &&
         TAKE(cuda, cuLaunchKernel, "cuLaunchKernel");
}

static void load_nvrtc(void) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                      "libnvrtc.so.11.2", "libnvrtc.so", NULL};
  void *rtc = open_library(names);
  if (!rtc || !(TAKE(rtc, nvrtcCreateProgram, "nvrtcCreateProgram") &&
                TAKE(rtc, nvrtcCompileProgram, "nvrtcCompileProgram") &&
                TAKE(rtc, nvrtcGetPTXSize, "nvrtcGetPTXSize") &&
                TAKE(rtc, nvrtcGetPTX, "nvrtcGetPTX") &&
                TAKE(rtc, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize") &&
                TAKE(rtc, nvrtcGetProgramLog, "nvrtcGetProgramLog") &&
                TAKE(rtc, nvrtcDestroyProgram, "nvrtcDestroyProgram")))
    no_nvrtc = "libnvrtc was not found (ASSAY_CUDA_LIBRARIES names a folder)";
}

static void load_cublas(void) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                      "libcublas.so.11", "libcublas.so", NULL};
  void *blas = open_library(names);
  if (!blas || !(TAKE(blas, cublasCreate, "cublasCreate_v2") &&
                 TAKE(blas, cublasDestroy, "cublasDestroy_v2") &&
                 TAKE(blas, cublasSgemm, "cublasSgemm_v2")))
    no_cublas = "libcublas was not found (ASSAY_CUDA_LIBRARIES names a folder)";
}

static void load_compilers(void) {
  static int done;
  if (!done)
    load_nvrtc(), load_cublas();
  done = 1;
}

const char *cuda_lacks_nvrtc(void) {
  load_compilers();
  return no_nvrtc;
}
const char *cuda_lacks_cublas(void) {
  load_compilers();
  return no_cublas;
}

const cuda_t *cuda_device(char *why, size_t size) {
  int count = 0, device = 0, code;
  void *context = NULL;
  if (!load_driver()) {
    snprintf(why, size, "no CUDA here: libcuda.so.1 was not found");
    return NULL;
  }
  if ((code = api.cuInit(0)) || (code = api.cuDeviceGetCount(&count)) ||
      count == 0) {
    snprintf(why, size, "no CUDA device here (error %d, %d devices)", code,
             count);
    return NULL;
  }
  if ((code = api.cuDeviceGet(&device, 0)) ||
      (code = api.cuDevicePrimaryCtxRetain(&context, device)) ||
      (code = api.cuCtxSetCurrent(context))) {
    snprintf(why, size, "the CUDA device cannot be used (error %d)", code);
    return NULL;
  }
  load_compilers();
  return &api;
}

char *cuda_ptx(const char *source, const char *architecture, const char *define,
               char *why, size_t size) {
  if (cuda_lacks_nvrtc()) {
    snprintf(why, size, "%s", no_nvrtc);
    return NULL;
  }
  char target[64];
  snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
  const char *options[] = {target, define};
  void *program = NULL;
  char *ptx = NULL;
  size_t bytes = 0;
  int code =
      api.nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL);
  if (!code)
    code = api.nvrtcCompileProgram(program, define ? 2 : 1, options);
  if (code) {
    size_t length = 0;
    char *log = NULL;
    if (program && !api.nvrtcGetProgramLogSize(program, &length))
      log = calloc(length + 1, 1);
    if (log)
      api.nvrtcGetProgramLog(program, log);
    snprintf(why, size, "nvrtc refuses the kernel (error %d): %s", code,
             log ? log : "");
    free(log);
  } else if (!api.nvrtcGetPTXSize(program, &bytes) &&
             (ptx = malloc(bytes + 1)) != NULL) {
    api.nvrtcGetPTX(program, ptx);
  }
  if (program)
    api.nvrtcDestroyProgram(&program);
  return ptx;
}

void *cuda_compile(const char *source, const char *name, const char *define,
                   void **module, char *why, size_t size) {
  enum {
    MAJOR = 75,
    MINOR = 76
  }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_* */
  int device = 0, major = 0, minor = 0;
  char architecture[32];
  api.cuDeviceGet(&device, 0);
  api.cuDeviceGetAttribute(&major, MAJOR, device);
  api.cuDeviceGetAttribute(&minor, MINOR, device);
  snprintf(architecture, sizeof architecture, "compute_%d%d", major, minor);
  char *ptx = cuda_ptx(source, architecture, define, why, size);
  if (!ptx)
    return NULL;
  void *function = NULL;
  int code = api.cuModuleLoadData(module, ptx);
  free(ptx);
  if (!code)
    code = api.cuModuleGetFunction(&function, *module, name);
  if (code)
    snprintf(why, size, "the device cannot load the kernel (error %d)", code);
  return function;
}
