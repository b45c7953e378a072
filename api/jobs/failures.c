/* failures.c - see failures.h. */
#include "api/jobs/failures.h"

#include "api/documents/report_json.h"

size_t api_failures_add(api_failures *failures, const mbs_error *error, size_t index) {
  size_t i = 0;
  while (i < failures->count && failures->items[i].error.status != error->status) i++;
  if (i == failures->count) failures->items[failures->count++] = (api_failure){.error = *error, .first = index};
  failures->items[i].count++;
  failures->runs++;
  return i + 1;
}

const api_failure *api_failures_commonest(const api_failures *failures) {
  const api_failure *most = NULL;
  for (size_t i = 0; i < failures->count; i++)
    if (!most || failures->items[i].count > most->count) most = &failures->items[i];
  return most;
}

json_t *api_failures_json(const api_failures *failures) {
  json_t *list = json_array();
  for (size_t i = 0; i < failures->count; i++) {
    const api_failure *each = &failures->items[i];
    json_t *entry = api_error_json(&each->error);
    json_object_set_new(entry, "count", json_integer((json_int_t)each->count));
    json_object_set_new(entry, "first", json_integer((json_int_t)each->first));
    json_array_append_new(list, entry);
  }
  return list;
}
