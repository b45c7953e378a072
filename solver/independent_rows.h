/* independent_rows.h - which rows of C depend on others. */
#ifndef MBS_INDEPENDENT_ROWS_H
#define MBS_INDEPENDENT_ROWS_H

#include "system.h"

/* Lengths of the rows of C in the units of mbs_units(), given here as well, into out [rows]; 0 where less than `least`
 * is left. Of a row that vanishes everywhere, because its joint ties bodies that cannot move against each other, the
 * rounding of the data is left, which in space tilts axes by 1e-12 and more. Returns whether there are such rows. */
bool mbs_scaled_lengths(const mbs_system *system, double least, double *out, double *velocities, double *units);

/* Marks the rows of C that depend on the others (Gram-Schmidt): less than the share `least` of them is left. The
 * joints' rows come before the drivers', and the document's order counts, except that rows close to those before them
 * wait: so those that are kept are as independent as the mechanism allows. Returns the rank; of the joints' rows alone
 * in *joint_rank. Spoils s4. `work`: 2 m n + n + m doubles. */
size_t mbs_dependent_rows(const mbs_system *system, double least, bool *dependent, size_t joint_rows,
                          size_t *joint_rank, double *work);

#endif
