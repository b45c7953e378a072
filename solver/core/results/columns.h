/* columns.h - the columns of result arrays (bodies, coordinates, directions, ...), with their labels and units. */
#ifndef MBS_COLUMNS_H
#define MBS_COLUMNS_H

#include "model/model.h"

typedef struct mbs_columns {
  size_t count;
  const char **labels; /* [count] */
  const char **units;  /* [count]; NULL: the columns are not physical quantities */
  char separator;      /* between the label of the preceding axis and that of this one; 0: a dot */
} mbs_columns;

/* Builds one axis: its columns, labels and units for a level (0 position, 1 velocity, 2 acceleration). Returns false if
 * memory runs out. */
typedef bool mbs_axis(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns);
mbs_axis mbs_axis_none;        /* a single column without a label */
mbs_axis mbs_axis_coordinates; /* the coordinates, or velocities or accelerations, in the document's order */
mbs_axis mbs_axis_state;       /* the coordinates, then the velocities */
mbs_axis mbs_axis_velocities;  /* coordinates if each velocity is the derivative of one; spatial: velocities */
mbs_axis mbs_axis_bodies, mbs_axis_points, mbs_axis_joints;
mbs_axis mbs_axis_angles;                                                /* angles of bodies, planar */
mbs_axis mbs_axis_directions, mbs_axis_turns, mbs_axis_euler_parameters; /* components of a body or point */
mbs_axis mbs_axis_wrench;                                                /* force and torque */
mbs_axis mbs_axis_rows, mbs_axis_rows_and_norms;                         /* rows of constraints, and of p'p - 1 = 0 */
mbs_axis mbs_axis_jacobian_entries; /* "row/velocity" of the entries that are not identically zero */
mbs_axis mbs_axis_multipliers, mbs_axis_curves, mbs_axis_outputs;
mbs_axis mbs_axis_states, mbs_axis_signals;
mbs_axis mbs_axis_variables, mbs_axis_sampled;
mbs_axis mbs_axis_energies, mbs_axis_residuals;

/* Builds the columns of the product of two axes, row by row, such as "body.x". The units are those of the second
 * axis. */
bool mbs_columns_product(const mbs_columns *first, const mbs_columns *second, mbs_arena *arena, mbs_columns *out);

/* Returns the names of the coordinates (level 0), velocities (1) or accelerations (2), in the document's order. NULL if
 * memory runs out. */
const char **mbs_coordinate_labels(const mbs_model *model, int level, mbs_arena *arena);
/* Returns the names of all states [nz]: of the document, of signals (numbered), and of force elements (numbered). NULL
 * if memory runs out. */
const char **mbs_state_labels(const mbs_model *model, mbs_arena *arena);
/* Returns the names of the constraint rows, such as "pin.x". */
const char **mbs_row_labels(const mbs_model *model, mbs_arena *arena);

#endif
