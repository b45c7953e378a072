/* final_documents.c - see final_documents.h. */
#include "server/store/common/final_documents.h"

#include "api/base/text.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool store_end_copy(const store_end *end, store_end *copy) {
  *copy = *end;
  copy->report = api_text_copy(end->report);
  copy->error = api_text_copy(end->error);
  return (copy->report || !end->report) && (copy->error || !end->error);
}

void store_end_free(store_end *copy) {
  free((char *)copy->report);
  free((char *)copy->error);
}

bool store_extent_is(const store_extent *a, const store_extent *b) {
  return a->arrays == b->arrays && a->rows == b->rows && a->bytes == b->bytes;
}

bool store_error_set_time(const char **error, double t) {
  assert(*error);
  json_t *value = json_loads(*error, 0, NULL);
  bool set = value && json_object_set_new(value, "t", json_real(t)) == 0;
  char *changed = set ? json_dumps(value, JSON_COMPACT) : NULL;
  json_decref(value);
  if (!changed) return false;
  free((char *)*error);
  *error = changed;
  return true;
}

bool store_report_set_checksum(const char **report, uint64_t checksum) {
  size_t length = *report ? strlen(*report) : 0;
  if (checksum == 0 || length < 3 || (*report)[length - 1] != '}') return true;
  size_t size = length + 64;
  char *longer = malloc(size);
  if (!longer) return false;
  snprintf(longer, size, "%.*s,\"results_checksum\":\"" SERVICE_CHECKSUM "\"}", (int)length - 1, *report, checksum);
  free((char *)*report);
  *report = longer;
  return true;
}
