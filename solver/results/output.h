/* output.h - the result arrays of a run; theory, page 17. */
#ifndef MBS_OUTPUT_H
#define MBS_OUTPUT_H

#include "equations/system.h"

typedef enum mbs_output_id {
#define MBS_OUTPUT(id, name, unit, doc, needs) MBS_OUTPUT_##id,
#include "results/outputs.def"
#undef MBS_OUTPUT
  MBS_OUTPUT_COUNT
} mbs_output_id;

typedef struct mbs_output {
  const mbs_model *model;
  mbs_array *arrays[MBS_OUTPUT_COUNT]; /* NULL: this analysis does not have it */
  mbs_array *sensors;                  /* [sensor_count] */
  size_t rows;                         /* filled */
  double *workspace;                   /* of the determinant */
  bool dynamics;                       /* forces, multipliers, reactions, energies are known */
} mbs_output;

/* Makes the arrays for model->nt rows in the result's arena. False where they do not fit. `jacobian_left_out` tells
 * that Jac alone would be too large. */
bool mbs_output_open(mbs_output *output, const mbs_model *model, bool dynamics, mbs_result *result,
                     bool *jacobian_left_out);
/* Fills a row from the system, whose accelerations (and, with dynamics, reactions) are known. */
void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row);
/* Adds an array without time, one of those that mbs_output_open() leaves out: its rows and columns are `shape` [rank],
 * row-major. Its zeroed data; NULL without memory. */
double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels);
/* Cuts the arrays to the rows that were filled. */
void mbs_output_close(mbs_output *output);

/* Names of coordinates (level 0), velocities (1), accelerations (2) in the document's order. NULL without memory. */
const char **mbs_coordinate_labels(const mbs_model *model, int level, mbs_arena *arena);
/* Names of the constraint rows, such as "pin.x". */
const char **mbs_row_labels(const mbs_model *model, mbs_arena *arena);

#endif
