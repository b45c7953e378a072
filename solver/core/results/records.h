/* records.h - the functions that fill a row of each result array from the system. They change only the
 * system's workspace. */
#ifndef MBS_RECORDS_H
#define MBS_RECORDS_H

#include "results/output.h"

typedef struct mbs_recording {
  const mbs_output *output;
  const mbs_system *system;
  size_t row;
  int level;
} mbs_recording;

/* Fills `out`, the row of one array. Compiled for lanes, it fills the rows of all lanes, interleaved, except for those
 * in tables.c. */
typedef void mbs_record(const mbs_recording *recording, mbs_real *out);
mbs_record mbs_record_nothing; /* arrays that are added by another one */
mbs_record mbs_record_time, mbs_record_state;
mbs_record mbs_record_motions; /* coordinates, velocities or accelerations */
mbs_record mbs_record_centres, mbs_record_points;
mbs_record mbs_record_rotations, mbs_record_orientations;
mbs_record mbs_record_jacobian_entries;
mbs_record mbs_record_jacobian, mbs_record_euler_jacobian, mbs_record_determinant; /* tables.c */
mbs_record mbs_record_multipliers, mbs_record_reactions, mbs_record_forces, mbs_record_energies;
mbs_record mbs_record_discrete; /* variables (level 0) or sampled values (level 1); tables.c */
mbs_record mbs_record_contact_parameters, mbs_record_states, mbs_record_residuals;

#endif
