/* row_factors.h - the factors of the rows of C that a start is corrected by, and which rows depend on others there. */
#ifndef MBS_ROW_FACTORS_H
#define MBS_ROW_FACTORS_H

#include "equations/system.h"

/* More rows than these are many: dense algebra takes long. */
enum { MBS_MANY_ROWS = 300 };

/* The factors of C W C'. False where they do not tell for certain that C has its rank. */
bool mbs_factor_rows(mbs_system *system);

/* Rows that count from here on: all but those left out. */
void mbs_leave_rows_out(mbs_system *system, const bool *left_out);
/* The rows left out at present, into out [rows]. */
void mbs_read_rows_left_out(const mbs_system *system, bool *out);

/* Which of many rows depend on others, with the factors of those that are kept; rows that do not restrict what `level`
 * names count as dependent. Returns the rank, that of the joints' rows in *joint_rank; -1 where these are no good,
 * though dense algebra may find better ones. */
int mbs_choose_rows(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                    size_t *joint_rank, double *workspace);
/* The same of any number of rows; -1 without memory. Of few rows the most independent ones stay, of many those before
 * others, where they will do. */
int mbs_find_dependents(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                        size_t *joint_rank, double *workspace);

#endif
