/* A second engine for Assay in C99, for the drivers that are not contractions:
 * plain loops in double over dense copies of the tensors, one file per driver.
 *
 *   cc -std=c99 -O2 -fPIC -shared -I<assay>/src *.c ../plugin/json.c
 *      ../plugin/fault.c -lm -o libassay_drivers.so
 *   assay verify --engine=plugin:./libassay_drivers.so --reduction
 *      --alg=sum 8x16:8x1
 *
 * Here are the four functions of the interface, and what drivers ask of the
 * problem's text. A driver's faults (ASSAY_EXAMPLE_FAULT=NAME, see README.md)
 * stand in its file, those that any driver can have in tensors.c. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int (*run)(job_t *job);
  int n_inputs, n_outputs;
  char json[]; /* the problem's text */
} plan_t;

static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                         ASSAY_PLUGIN_ABI_VERSION,
                                         "drivers",
                                         "1.0",
                                         0,
                                         0};

const assay_plugin_info_t *assay_plugin_info(void) { return &info; }

static const struct {
  const char *name;
  int (*run)(job_t *job);
} drivers[] = {
#define DRIVER_ROW(name) {#name, run_##name},
    EACH_DRIVER(DRIVER_ROW)
#undef DRIVER_ROW
};

static int refuse(char *why, size_t size, const char *text) {
  snprintf(why, size, "%s", text);
  return ASSAY_PLUGIN_UNSUPPORTED;
}

static int known_tensors(const assay_tensor_t *tensors, int count) {
  for (int i = 0; i < count; ++i)
    if (!known_element_type(tensors[i].dtype) || tensors[i].rank > MAX_RANK)
      return 0;
  return 1;
}

int assay_plugin_create(const assay_problem_t *p, void **out, char *why,
                        size_t size) {
  size_t driver = 0, count = sizeof drivers / sizeof *drivers;
  while (driver < count && strcmp(drivers[driver].name, p->driver))
    ++driver;
  if (driver == count)
    return refuse(why, size, "this plugin does not have this driver");
  if (p->n_inputs > MAX_TENSORS || p->n_outputs > MAX_TENSORS)
    return refuse(why, size, "too many tensors for this plugin");
  if (!known_tensors(p->inputs, p->n_inputs) ||
      !known_tensors(p->outputs, p->n_outputs))
    return refuse(why, size,
                  "this plugin does f64, f32, bf16, f16, s32, s8 and u8");
  job_t *job = calloc(1, sizeof *job);
  if (!job)
    return ASSAY_PLUGIN_FAILED;
  job->json = p->problem_json;
  const char *refusal = post_ops_refusal(job);
  free(job);
  if (refusal)
    return refuse(why, size, refusal);
  plan_t *plan = malloc(sizeof *plan + strlen(p->problem_json) + 1);
  if (!plan)
    return ASSAY_PLUGIN_FAILED;
  plan->run = drivers[driver].run;
  plan->n_inputs = p->n_inputs, plan->n_outputs = p->n_outputs;
  strcpy(plan->json, p->problem_json);
  *out = plan;
  return ASSAY_PLUGIN_OK;
}

void assay_plugin_destroy(void *kernel) { free(kernel); }

static int has_sum(const job_t *job) {
  for (int i = 0; i < job->post_op_count; ++i)
    if (!strcmp(job->post_ops[i].kind, "sum"))
      return 1;
  return 0;
}

static int run(const plan_t *plan, job_t *job, const assay_tensor_t *inputs,
               const assay_tensor_t *outputs) {
  dense_t previous = {0};
  for (int i = 0; i < plan->n_inputs; ++i, ++job->n_inputs)
    if (!dense_read(&inputs[i], 1, &job->inputs[i]))
      return ASSAY_PLUGIN_FAILED;
  for (int i = 0; i < plan->n_outputs; ++i, ++job->n_outputs)
    if (!dense_read(&outputs[i], 0, &job->outputs[i]))
      return ASSAY_PLUGIN_FAILED;
  if (!dense_read(&outputs[0], has_sum(job), &previous))
    return ASSAY_PLUGIN_FAILED;
  int status = plan->run(job);
  if (status == ASSAY_PLUGIN_OK && output_of(job, "dst")) {
    const dense_t *before = input_of(job, "before");
    finish_dst(job, before ? before : &previous);
  }
  free(previous.at);
  for (int i = 0; status == ASSAY_PLUGIN_OK && i < plan->n_outputs; ++i)
    dense_write(&job->outputs[i], &outputs[i]);
  return status;
}

int assay_plugin_run(void *kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, char *why, size_t size) {
  const plan_t *plan = kernel;
  int status = fault_misbehave(inputs, outputs);
  if (status)
    return status;
  job_t *job = calloc(1, sizeof *job);
  if (!job)
    return ASSAY_PLUGIN_FAILED;
  job->json = plan->json;
  status = post_ops_refusal(job) ? ASSAY_PLUGIN_FAILED
                                 : run(plan, job, inputs, outputs);
  for (int i = 0; i < job->n_inputs; ++i)
    free(job->inputs[i].at);
  for (int i = 0; i < job->n_outputs; ++i)
    free(job->outputs[i].at);
  free(job);
  if (status != ASSAY_PLUGIN_OK)
    snprintf(why, size, "a tensor is missing, or there is not enough memory");
  return status;
}

/* ---- what drivers ask ---- */

static dense_t *find(dense_t *tensors, int count, const char *role) {
  for (int i = 0; i < count; ++i)
    if (!strcmp(tensors[i].role, role))
      return &tensors[i];
  return NULL;
}

dense_t *input_of(job_t *job, const char *role) {
  return find(job->inputs, job->n_inputs, role);
}

dense_t *output_of(job_t *job, const char *role) {
  return find(job->outputs, job->n_outputs, role);
}

static const char *value_of(const job_t *job, const char *key) {
  char pattern[64];
  snprintf(pattern, sizeof pattern, "\"%s\":", key);
  const char *at = strstr(job->json, pattern);
  return at ? at + strlen(pattern) : NULL;
}

double real_of(const job_t *job, const char *key, double otherwise) {
  const char *at = value_of(job, key);
  if (at && *at == '"') /* a number may come as a text */
    ++at;
  return at ? strtod(at, NULL) : otherwise;
}

long integer_of(const job_t *job, const char *key, long otherwise) {
  return (long)real_of(job, key, (double)otherwise);
}

int text_is(const job_t *job, const char *key, const char *text) {
  return json_is(job->json, key, text);
}

int text_has(const job_t *job, const char *key, char letter) {
  const char *at = value_of(job, key);
  if (at && *at == '"')
    for (++at; *at && *at != '"'; ++at)
      if (*at == letter)
        return 1;
  return 0;
}

void text_of(const job_t *job, const char *key, char *out, size_t size) {
  const char *at = value_of(job, key);
  size_t n = 0;
  if (at && *at == '"')
    for (++at; at[n] && at[n] != '"' && n + 1 < size; ++n)
      out[n] = (char)tolower((unsigned char)at[n]);
  out[n] = 0;
}

double number_in(const job_t *job, const char *key, int i, double otherwise) {
  const char *at = value_of(job, key);
  if (!at || *at != '[')
    return otherwise;
  for (++at; i > 0 && *at && *at != ']'; ++at)
    i -= *at == ',';
  return i == 0 && *at != ']' ? strtod(at, NULL) : otherwise;
}

int is_backward(const job_t *job) {
  const char *at = value_of(job, "dir");
  return at && !strncmp(at, "\"BWD", 4);
}

double accumulate(double acc, double x) {
  return fault_is("acc_bf16") ? fault_bf16((float)(acc + x)) : acc + x;
}
