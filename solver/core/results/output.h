/* output.h - the result arrays of a run, as outputs.def tells; theory, page 17. */
#ifndef MBS_OUTPUT_H
#define MBS_OUTPUT_H

#include "equations/jacobian.h"
#include "equations/system.h"
#include "mbs/result.h"
#include "results/columns.h"

typedef enum mbs_output_id {
#define MBS_OUTPUT(id, name, needs, axis1, axis2, level, unit, units, record, doc) MBS_OUTPUT_##id,
#include "model/outputs.def"
#undef MBS_OUTPUT
  MBS_OUTPUT_COUNT
} mbs_output_id;

typedef struct mbs_output {
  const mbs_model *model;
  mbs_array *arrays[MBS_OUTPUT_COUNT]; /* NULL: this analysis does not have it */
  mbs_array **sensors;                 /* [sensor_count] NULL: it is not kept */
  size_t rows;                         /* filled */
  struct {
    mbs_output_id id;
    size_t columns;
  } recorded[MBS_OUTPUT_COUNT]; /* [recorded_count] those with time */
  size_t recorded_count;
  size_t added;                 /* arrays without time, but for those of Jac_data */
  bool row_finite;              /* all numbers of the row recorded last are */
  double *workspace;            /* of the determinant */
  bool forces;                  /* forces, multipliers, reactions, energies are known */
  bool jacobian_sparse;         /* Jac_data in place of Jac */
  bool jacobian_left_out;       /* it alone would be too large */
  mbs_jacobian_entries entries; /* of Jac or Jac_data */
} mbs_output;

/* Makes the arrays for model->nt rows in the result's arena. False where they do not fit. */
bool mbs_output_open(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result);
/* Whether runs of the model have an array, kept or not. */
bool mbs_output_has(const mbs_output *output, mbs_output_id id);
/* What the Jacobian of all rows takes. */
double mbs_output_jacobian_bytes(const mbs_output *output);
/* Makes none, only room for those without time. */
bool mbs_output_open_bare(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result);
/* Fills a row from the system, whose accelerations (and, with forces, reactions) are known. */
void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row);
/* Adds an array without time, one of those that mbs_output_open() leaves out: its rows and columns are `shape` [rank],
 * row-major. `units`: of the columns, NULL: each is that of the array. Its zeroed data; NULL without memory. */
double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels, const char *const *units);
/* A row of an array that is there. */
double *mbs_output_row(const mbs_output *output, mbs_output_id id, size_t row);
/* Cuts the arrays to the rows that were filled. */
void mbs_output_close(mbs_output *output);

#endif
