/* row_factors.h - factors of the rows of C for the correction of a start, and the dependent rows there. */
#ifndef MBS_ROW_FACTORS_H
#define MBS_ROW_FACTORS_H

#include "equations/system.h"

/* Number of rows above which dense algebra takes long. */
enum { MBS_MANY_ROWS = 300 };

/* Computes the factors of C W C'. Returns false if they do not prove that C has full rank. */
bool mbs_factor_rows(mbs_system *system);

/* Omits the rows in `left_out` from here on. */
void mbs_leave_rows_out(mbs_system *system, const bool *left_out);
/* Copies the rows that are omitted at present, into out [rows]. */
void mbs_read_rows_left_out(const mbs_system *system, bool *out);

/* Marks the dependent rows among many, with the factors of the independent ones. Rows that do not restrict `level`
 * count as dependent. Returns the rank, and that of the joints' rows in *joint_rank; -1 if the choice is unusable,
 * though dense algebra may find a better one. */
int mbs_choose_rows(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                    size_t *joint_rank, double *workspace);
/* Marks the dependent rows among any number of rows. Of few rows the most independent ones are selected; of many rows
 * earlier ones are preferred, if they suffice. Returns the rank; -1 if memory runs out. */
int mbs_find_dependents(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                        size_t *joint_rank, double *workspace);

#endif
