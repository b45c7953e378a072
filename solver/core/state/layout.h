/* layout.h - the state vector x = [q | v | z | quadratures | turns] of a motion.
 *
 * This file alone defines where each part of the state begins. Integrators, error norms, events, records, lanes and
 * derivatives take the offsets from the layout of their model.
 *
 *   q            coordinates
 *   v            velocities
 *   z            states of the document (mbs_model.states), then those of elements (mbs_force_class.states)
 *   quadratures  work W of drivers and actuators, and dissipation E_d; the equations of motion do not read them
 *   turns        angles of free rotations by integration; they count full revolutions; orientations do not */
#ifndef MBS_STATE_LAYOUT_H
#define MBS_STATE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Indices of the quadratures, relative to `quadratures`, of a model that computes power. */
enum { MBS_WORK = 0, MBS_DISSIPATED, MBS_QUADRATURES };

typedef struct mbs_state_layout {
  size_t v, z, quadratures, turns; /* the index of the first number of each part; q begins at 0 */
  size_t size;                     /* size of x */
  size_t motion;                   /* number of leading entries (q, v and z) that describe the motion itself */
} mbs_state_layout;

/* Returns the number of turns in a state. */
static inline size_t mbs_turn_count(const mbs_state_layout *at) { return at->size - at->turns; }

/* Returns the layout of a state with nq coordinates, nv velocities, nz element states and `turns` turns. */
mbs_state_layout mbs_state_layout_of(size_t nq, size_t nv, size_t nz, bool has_power, size_t turns);

#endif
