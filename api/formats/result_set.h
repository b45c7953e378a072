/* result_set.h - all arrays of a job that are to be written into one file. */
#ifndef API_FORMATS_RESULT_SET_H
#define API_FORMATS_RESULT_SET_H

#include "api/base/temp_file.h"
#include "api/formats/unique_names.h"
#include "api/service.h"

#include <stddef.h>

typedef struct api_result_set {
  const service *service;
  const char *id;         /* id of the job */
  const char *model_name; /* "" if it has none */
  const char *version;    /* version of the program that writes the file */
  service_array *arrays;  /* the function that writes the file takes ownership of them, one by one */
  size_t count;
  api_temp_file scratch;
} api_result_set;

/* Returns a name by the rule for each array; free them with api_unique_names_free(). Returns NULL if memory runs
 * out. */
char **api_result_set_names(const service_array *arrays, size_t count, const api_name_rule *rule);
/* Returns the size of the numbers [bytes]. */
uint64_t api_result_set_bytes(const service_array *arrays, size_t count);
/* Returns an upper bound of the size of a file with the arrays and their descriptions [bytes]. */
uint64_t api_result_set_max_bytes(const service_array *arrays, size_t count);

#endif
