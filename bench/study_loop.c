/* study_loop.c - the runs of a study in a plain loop, without a job, a process or a database.
 *
 *     build/release/bench/study_loop FILE [--single]      {"model", "analysis", "study"}; --single: one by one
 *
 * Prints the runs and the thread CPU time per run [s]. bench/study_rates.py compares a service with it. */
#include "api/jobs/build.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the document of a file; ends the program if it cannot be read. */
static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  *size = 0;
  for (size_t got = 1; file && got > 0; *size += got) {
    text = realloc(text, *size + 65536);
    if (!text) exit(1);
    got = fread(text + *size, 1, 65536, file);
  }
  if (!file) exit(1);
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  if (argc != 2 && !(argc == 3 && strcmp(argv[2], "--single") == 0)) {
    fprintf(stderr, "usage: %s FILE [--single]\n", argv[0]);
    return 2;
  }
  size_t size;
  char *text = read_file(argv[1], &size);
  json_t *error = NULL;
  const mbs_limits limits = {0};
  mbs_model *model = api_build_text(text, size, &limits, &error);
  mbs_study *study = model ? mbs_study_new(model) : NULL;
  if (!study) {
    fprintf(stderr, "%s: no study can be made of it\n", argv[1]);
    return 1;
  }
  const mbs_study_outline *outline = mbs_study_info_of(study);
  double *values = calloc(outline->parameters + outline->outputs, sizeof *values);
  const mbs_hooks hooks = {.user = NULL};
  mbs_error failure;
  double start = now();
  if (argc == 2) mbs_study_prefetch(study, 0, outline->runs);
  for (size_t i = 0; values && i < outline->runs; i++)
    mbs_study_run(study, i, &hooks, values, values + outline->parameters, &failure);
  double seconds = (now() - start) / (double)outline->runs;
  printf("%zu %.9g\n", outline->runs, seconds);
  free(values);
  mbs_study_free(study);
  mbs_model_free(model);
  free(text);
  return 0;
}
