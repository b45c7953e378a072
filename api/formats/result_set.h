/* result_set.h - all arrays of a job on their way into one file. */
#ifndef API_FORMATS_RESULT_SET_H
#define API_FORMATS_RESULT_SET_H

#include "api/base/temp_file.h"
#include "api/formats/unique_names.h"
#include "api/service.h"

#include <stddef.h>

typedef struct api_result_set {
  const service *service;
  const char *id;         /* of the job */
  const char *model_name; /* "" where it has none */
  const char *version;    /* of the program that writes the file */
  service_array *arrays;  /* who writes the file takes them over, one after another */
  size_t count;
  api_temp_file scratch;
} api_result_set;

/* A name by the rule for each array; api_unique_names_free(). NULL when there is no memory. */
char **api_result_set_names(const service_array *arrays, size_t count, const api_name_rule *rule);
/* What the numbers take [bytes]. */
uint64_t api_result_set_bytes(const service_array *arrays, size_t count);
/* What a file with them will take at most, with what tells of them. */
uint64_t api_result_set_max_bytes(const service_array *arrays, size_t count);

#endif
