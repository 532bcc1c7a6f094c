/* An engine that goes wrong in the way that ASSAY_TEST_PLUGIN names: for the
 * tests of the worker process. Otherwise it is right for driver op with one
 * stablehlo.add of f32, so that "wrong_op" and "right_op" show what a verdict
 * on a program is. */
#define _GNU_SOURCE
#include "assay/engine/assay_plugin.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int is(const char *name) {
  const char *asked = getenv("ASSAY_TEST_PLUGIN");
  return asked && !strcmp(asked, name);
}

__attribute__((constructor)) static void at_load(void) {
  if (is("exit_at_load"))
    _exit(0);
  if (is("crash_at_load"))
    raise(SIGSEGV);
}

const assay_plugin_info_t *assay_plugin_info(void) {
  static assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                     ASSAY_PLUGIN_ABI_VERSION,
                                     "misbehaves",
                                     "1",
                                     0,
                                     0};
  if (is("abi"))
    info.abi_version = 7;
  if (is("short_info"))
    info.struct_size = 8;
  if (is("null_info"))
    return 0;
  return &info;
}

static volatile int never = 0;
static int deeper(volatile int depth) {
  volatile char room[4096];
  room[depth % 4096] = 1;
  return never ? depth : deeper(depth + 1) + room[0];
}

int assay_plugin_create(const assay_problem_t *problem, void **kernel,
                        char *why, size_t why_size) {
  static int something;
  *kernel = &something;
  if (is("create_segv"))
    *(volatile int *)0 = 1;
  while (is("create_hang"))
    ;
  if (is("create_garbage"))
    return -7;
  if (is("create_not_here")) {
    strncpy(why, "no such device", why_size);
    return ASSAY_PLUGIN_NOT_HERE;
  }
  if (is("create_no_reason"))
    return ASSAY_PLUGIN_FAILED;
  if (is("create_long_reason")) { /* without an end */
    memset(why, 'x', why_size);
    return ASSAY_PLUGIN_UNSUPPORTED;
  }
  if (!strcmp(problem->driver, "op") &&
      !strstr(problem->problem_json, "\"op\":\"stablehlo.add\"")) {
    strncpy(why, "only stablehlo.add", why_size);
    return ASSAY_PLUGIN_UNSUPPORTED;
  }
  return ASSAY_PLUGIN_OK;
}

static size_t count(const assay_tensor_t *t) {
  size_t n = 1;
  for (int d = 0; d < t->rank; ++d)
    n *= (size_t)t->dims[d];
  return n;
}

/* The last results of a kernel: what is kept holds its size ("cache"), or takes
 * room now and then ("log"). */
static void keep_results(const float *out, size_t n) {
  static float *kept[12];
  static double *log;
  static size_t calls, room;
  if (is("cache")) {
    float **place = &kept[calls++ % 12];
    *place = *place ? *place : malloc(n * sizeof *out);
    memcpy(*place, out, n * sizeof *out);
  }
  if (is("log")) {
    if (calls == room)
      log = realloc(log, (room = 2 * room + 8) * sizeof *log);
    log[calls++] = (double)n;
  }
}

static void talk(void) {
  if (!is("talk") && !is("talk_and_fail") && !is("talk_and_crash"))
    return;
  for (int i = 0; i < 30; ++i)
    printf("line %d of the kernel\n", i);
  fprintf(stderr, "a warning without an end of line");
  if (is("talk_and_crash"))
    raise(SIGSEGV);
}

/* Memory below this function's frame, as a local array without values has. */
__attribute__((noinline)) static float *below(void) {
  char here;
  uintptr_t at = ((uintptr_t)&here - 4096) & ~(uintptr_t)15;
  return (float *)at;
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why,
                     size_t why_size) {
  (void)kernel, (void)why, (void)why_size;
  float *out = outputs[0].data;
  const float *a = inputs[0].data, *b = inputs[1].data;
  if (is("recursion"))
    deeper(0);
  if (is("exit"))
    exit(0);
  if (is("exit_7"))
    _exit(7);
  if (is("kill"))
    kill(getpid(), SIGKILL);
  if (is("allocate_touch"))
    for (;;) {
      volatile char *block = malloc((size_t)16 << 20);
      memset((char *)block, 1, (size_t)16 << 20);
    }
  if (is("close_socket")) {
    close(3);
    for (;;)
      pause();
  }
  if (is("write_socket")) {
    char noise[4096];
    memset(noise, 0x55, sizeof noise);
    (void)!write(3, noise, sizeof noise);
  }
  if (is("unprotect_input")) { /* makes its input writable, then changes it */
    uintptr_t page = (uintptr_t)inputs[0].data & ~(uintptr_t)4095;
    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
    ((volatile float *)inputs[0].data)[0] += 1;
  }
  if (is("read_before") && ((volatile float *)inputs[0].data)[-1] == 1)
    return ASSAY_PLUGIN_OK;
  if (is("run_no_reason"))
    return ASSAY_PLUGIN_FAILED;
  if (is("run_no_memory")) {
    strncpy(why, "the device is full", why_size);
    return ASSAY_PLUGIN_NO_MEMORY;
  }
  if (is("code_unsupported"))
    return ASSAY_PLUGIN_UNSUPPORTED; /* too late: create said that it can */
  if (is("close_all"))
    for (int number = 0; number < 256; ++number)
      close(number);
  if (is("fork") && fork() < 0)
    return ASSAY_PLUGIN_FAILED;
  if (is("fork_and_wait")) { /* a child that ends by itself harms nobody */
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    waitpid(child, 0, 0);
  }
  if (is("leak"))
    memset(malloc((size_t)1 << 20), 1, (size_t)1 << 20);
  if (is("leak_small"))
    memset(malloc(200), 1, 200);
  if (is("leak_map"))
    (void)!mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
  keep_results(out, count(&outputs[0]));
  talk();
  if (is("reads_output")) { /* a maximum that begins with what is there */
    for (size_t i = 0; i < count(&outputs[0]); ++i)
      out[i] = out[i] > a[i] + b[i] ? out[i] : a[i] + b[i];
    return ASSAY_PLUGIN_OK;
  }
  if (is("reads_heap") || is("reads_large_heap") || is("reads_stack")) {
    size_t size = is("reads_large_heap") ? (size_t)4 << 20 : 256;
    float *scratch = is("reads_stack") ? below() : malloc(size);
    volatile float *unwritten = scratch;
    float most = unwritten[size / 8];
    for (size_t i = 0; i < count(&outputs[0]); ++i)
      out[i] = most > a[i] + b[i] ? most : a[i] + b[i];
    if (!is("reads_stack"))
      free(scratch);
    return ASSAY_PLUGIN_OK;
  }
  for (size_t i = 0; i < count(&outputs[0]); ++i)
    out[i] = a[i] + b[i];
  if (is("talk_and_fail"))
    out[0] += 1;
  if (is("nan_lost"))
    for (size_t i = 0; i < count(&outputs[0]); ++i)
      out[i] = out[i] == out[i] ? out[i] : 0;
  if (is("wrong_op"))
    out[count(&outputs[0]) - 1] *= 1.0000003f;
  if (is("unwritten_op"))
    memset(out, 0xff, sizeof *out);
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) {
  (void)kernel;
  if (is("destroy_abort"))
    abort();
}
