/* Just enough JSON for the problem text: keys are unique at the top level,
 * objects inside "post_ops" hold no others. */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *json, const char *end,
                            const char *key) {
  char pattern[64];
  snprintf(pattern, sizeof pattern, "\"%s\":", key);
  const char *at = strstr(json, pattern);
  return at && (!end || at < end) ? at + strlen(pattern) : NULL;
}

long json_integer(const char *json, const char *key, long otherwise) {
  const char *at = value_of(json, NULL, key);
  return at ? strtol(at, NULL, 10) : otherwise;
}

int json_is(const char *json, const char *key, const char *text) {
  const char *at = value_of(json, NULL, key);
  return at && *at == '"' && strncmp(at + 1, text, strlen(text)) == 0 &&
         at[1 + strlen(text)] == '"';
}

int json_has_groups(const char *json) {
  return value_of(json, NULL, "groups") != NULL;
}

static void copy_text(const char *at, char *out, size_t size) {
  size_t n = 0;
  if (at && *at == '"')
    for (++at; at[n] && at[n] != '"' && n + 1 < size; ++n)
      out[n] = at[n];
  out[n] = 0;
}

int json_post_ops(const char *json, post_op_t *ops, int limit) {
  const char *at = value_of(json, NULL, "post_ops");
  int count = 0;
  if (!at || *at != '[')
    return 0;
  for (++at; *at == '{' || *at == ',';) {
    if (*at == ',') {
      ++at;
      continue;
    }
    const char *end = strchr(at, '}'), *v;
    if (!end || count == limit)
      return -1;
    post_op_t *op = &ops[count++];
    memset(op, 0, sizeof *op);
    op->scale = 1;
    op->tensor = -1;
    copy_text(value_of(at, end, "kind"), op->kind, sizeof op->kind);
    copy_text(value_of(at, end, "name"), op->name, sizeof op->name);
    if ((v = value_of(at, end, "alpha")))
      op->alpha = strtod(v, NULL);
    if ((v = value_of(at, end, "beta")))
      op->beta = strtod(v, NULL);
    if ((v = value_of(at, end, "scale")))
      op->scale = strtod(v, NULL);
    if ((v = value_of(at, end, "zero_point")))
      op->zero_point = strtol(v, NULL, 10);
    at = end + 1;
  }
  return count;
}
