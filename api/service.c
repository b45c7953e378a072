/* service.c - frees objects returned by a service; names of permissions and limits. */
#include "api/service.h"

#include <stdlib.h>
#include <string.h>

static const char *const right_names[] = {"none", "own", "read", "run", "admin"};

service_right service_right_find(const char *word) {
  for (int i = SERVICE_RIGHT_OWN; i <= SERVICE_RIGHT_ADMIN; i++)
    if (strcmp(right_names[i], word) == 0) return (service_right)i;
  return SERVICE_RIGHT_NONE;
}

const char *service_right_name(service_right right) { return right_names[right]; }

const char *service_limit_name(service_limit limit) {
  static const char *const names[SERVICE_LIMITS] = {"client-queue", "stored-bytes", "cpu-seconds"};
  return names[limit];
}

service_limit service_limit_reached(const double most[SERVICE_LIMITS], const double used[SERVICE_LIMITS],
                                    size_t bytes) {
  const double more[SERVICE_LIMITS] = {[SERVICE_LIMIT_QUEUE] = 1, [SERVICE_LIMIT_BYTES] = (double)bytes};
  for (service_limit i = 0; i < SERVICE_LIMITS; i++)
    if (most[i] > 0 && (used[i] + more[i] > most[i] || used[i] >= most[i])) return i;
  return SERVICE_LIMITS;
}

void service_job_free(service_job *job) {
  free(job->model_name);
  free(job->analysis);
  free(job->report);
  free(job->error);
  free(job->name);
  free(job->tags);
  *job = (service_job){0};
}

void service_job_list_free(service_job_list *list) {
  for (size_t i = 0; i < list->count; i++) service_job_free(&list->items[i]);
  free(list->items);
  *list = (service_job_list){0};
}

void service_array_free(service_array *array) {
  free(array->name);
  free(array->unit);
  free(array->doc);
  free(array->labels);
  free(array->units);
  *array = (service_array){0};
}

size_t service_arrays_rows(service_array *list, size_t count) {
  size_t rows = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    if ((!list[i].timeless || list[i].by_run) && list[i].shape[0] < rows) rows = list[i].shape[0];
    service_array_free(&list[i]);
  }
  free(list);
  return rows == SIZE_MAX ? 0 : rows;
}

void service_verdict_free(service_verdict *verdict) {
  free(verdict->text);
  free(verdict->model_name);
  free(verdict->analysis);
  free(verdict->name);
  free(verdict->tags);
  *verdict = (service_verdict){0};
}
