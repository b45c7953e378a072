/* times.h - measurement of times in benchmarks: thread CPU time, medians and quartiles of many rounds. */
#ifndef BENCH_TIMES_H
#define BENCH_TIMES_H

#include <stdlib.h>
#include <time.h>

/* Returns the processor time of this thread [s]. */
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts times in ascending order. */
static inline void sort_times(double *times, size_t count) { qsort(times, count, sizeof *times, compare_times); }

/* Returns the median of sorted times. */
static inline double median(const double *times, size_t count) { return times[count / 2]; }
/* Returns half the distance of the quartiles, as a share of the median. */
static inline double spread(const double *times, size_t count) {
  return (times[3 * count / 4] - times[count / 4]) / (2 * times[count / 2]);
}

#endif
