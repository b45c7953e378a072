/* Breaks of functions of time. */
#include "model/breaks.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double *mbs_find_breaks(const mbs_constants *constants, mbs_arena *arena, size_t *count) {
  const mbs_model *model = constants->model;
  size_t most = 1;
  for (size_t f = 0; f < model->function_count; f++)
    most += constants->functions[model->functions[f].number].break_count;
  double *breaks = mbs_arena_alloc(arena, most, sizeof *breaks);
  *count = 0;
  if (!breaks) return NULL;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function_constants *function = &constants->functions[model->functions[f].number];
    for (size_t k = 0; k < function->break_count; k++) {
      double t = function->breaks[k];
      if (t > model->t_start && t < model->t_end) breaks[(*count)++] = t;
    }
  }
  qsort(breaks, *count, sizeof *breaks, compare_doubles);
  breaks[(*count)++] = model->t_end;
  return breaks;
}
