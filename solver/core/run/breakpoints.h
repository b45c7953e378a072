/* breakpoints.h - times where functions of time jump or have a kink; integration ends and restarts there. */
#ifndef MBS_BREAKPOINTS_H
#define MBS_BREAKPOINTS_H

#include "equations/system.h"

/* The length of an instant, as a share of the time: a function that changes within it jumps. Chosen: about 1e7
 * roundings. */
static const double mbs_instant_share = 1e-9;

/* Returns true if a row of results at t shows the state before the break `at`, false if it shows the state after. A row
 * at the instant of a break shows the state before, a row at the instant of a sample the state after. Instants at a
 * distance of at most `resolution` [s] from a sample count as equal to it. */
static inline bool mbs_is_before_break(const mbs_break *at, double t, double resolution) {
  return at->samples ? t < at->end - resolution : t <= at->end || t < at->next;
}

/* Returns the first break of a function of time, or with `sampled` also the first sample, after t and before t_end;
 * {t_end, t_end} if there is none. Finds breaks that functions list, and jumps and kinks that neither a break nor a
 * switch represents, as where atan2() wraps. */
mbs_break mbs_next_break(const mbs_system *system, bool sampled, double t, double t_end);

/* Returns the breaks within the span, ascending, and t_end last; twice if values are sampled or triggers may fire
 * there. Without `sampled` only those of functions of time. Allocates from the system's arena. Returns NULL if memory
 * runs out. */
mbs_break *mbs_find_breaks(const mbs_system *system, bool sampled, size_t *count);

#endif
