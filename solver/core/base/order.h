/* order.h - order of numbers, for qsort() and bsearch(). */
#ifndef MBS_ORDER_H
#define MBS_ORDER_H

/* Compares two ints: ascending. */
static inline int mbs_compare_ints(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

#endif
