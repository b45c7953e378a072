/* columns.h - what the columns of result arrays go over: bodies, coordinates, directions, ...; labels and units. */
#ifndef MBS_COLUMNS_H
#define MBS_COLUMNS_H

#include "model/model.h"

typedef struct mbs_columns {
  size_t count;
  const char **labels; /* [count] */
  const char **units;  /* [count]; NULL: they are no quantities of their own */
  char separator;      /* between the label of an axis before and one of this; 0: a dot */
} mbs_columns;

/* One axis: its columns, words and units of a level (0 position, 1 velocity, 2 acceleration). False: no memory. */
typedef bool mbs_axis(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns);
mbs_axis mbs_axis_none;        /* one column without a label */
mbs_axis mbs_axis_coordinates; /* the coordinates, or velocities or accelerations, in the document's order */
mbs_axis mbs_axis_state;       /* the coordinates, then the velocities */
mbs_axis mbs_axis_velocities;  /* by coordinates where each velocity is the rate of one, in space by the velocities */
mbs_axis mbs_axis_bodies, mbs_axis_points, mbs_axis_joints;
mbs_axis mbs_axis_angles;                                                /* of bodies, planar */
mbs_axis mbs_axis_directions, mbs_axis_turns, mbs_axis_euler_parameters; /* components of a body or point */
mbs_axis mbs_axis_wrench;                                                /* force and torque */
mbs_axis mbs_axis_rows, mbs_axis_rows_and_norms;                         /* of constraints, and of p'p - 1 = 0 */
mbs_axis mbs_axis_jacobian_entries;                                      /* "row/velocity" of those not always zero */
mbs_axis mbs_axis_multipliers, mbs_axis_curves, mbs_axis_outputs;
mbs_axis mbs_axis_energies, mbs_axis_residuals;

/* The columns of two axes, row by row: "body.x". Units are those of the second. */
bool mbs_columns_product(const mbs_columns *first, const mbs_columns *second, mbs_arena *arena, mbs_columns *out);

/* Names of coordinates (level 0), velocities (1), accelerations (2) in the document's order. NULL without memory. */
const char **mbs_coordinate_labels(const mbs_model *model, int level, mbs_arena *arena);
/* Names of the constraint rows, such as "pin.x". */
const char **mbs_row_labels(const mbs_model *model, mbs_arena *arena);

#endif
