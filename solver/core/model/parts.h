/* parts.h - divides items, as the velocities of a mechanism, into parts that are computed one by one. */
#ifndef MBS_PARTS_H
#define MBS_PARTS_H

#include "mbs/arena.h"

#include <stdbool.h>

typedef struct mbs_parts {
  size_t count;
  int *of;      /* [items] part of each item, 0 .. count - 1 */
  int *first;   /* [count + 1] */
  int *members; /* [items] members[first[p] .. first[p + 1]): the items of part p, ascending */
} mbs_parts;

/* Allocates at most `count` parts of at most `items` items, all in one part. Returns false if memory runs out. */
bool mbs_parts_open(mbs_parts *parts, mbs_arena *arena, size_t items, size_t count);
/* Lists the members of each part after `count` and `of` [items] were set. */
void mbs_parts_list(mbs_parts *parts, size_t items);
/* Returns the largest number of items in a part. */
size_t mbs_parts_largest(const mbs_parts *parts);

/* Returns item number `k` of part p; -1 if the part is smaller. The items number k of all parts are a group: as no part
 * depends on another, one evaluation can change all of them. */
static inline int mbs_parts_member(const mbs_parts *parts, int p, size_t k) {
  return k < (size_t)(parts->first[p + 1] - parts->first[p]) ? parts->members[(size_t)parts->first[p] + k] : -1;
}

#endif
