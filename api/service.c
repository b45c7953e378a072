/* service.c - freeing what a service hands out. */
#include "api/service.h"

#include <stdlib.h>

void service_job_free(service_job *job) {
  free(job->model_name);
  free(job->analysis);
  free(job->report);
  free(job->error);
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
    if (!list[i].timeless && list[i].shape[0] < rows) rows = list[i].shape[0];
    service_array_free(&list[i]);
  }
  free(list);
  return rows == SIZE_MAX ? 0 : rows;
}

void service_verdict_free(service_verdict *verdict) {
  free(verdict->text);
  free(verdict->model_name);
  free(verdict->analysis);
  *verdict = (service_verdict){0};
}
