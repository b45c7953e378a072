/* output.h - the result arrays of a run, as defined in outputs.def; theory, page 17. */
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
  mbs_array *arrays[MBS_OUTPUT_COUNT]; /* arrays; NULL: not available in this analysis */
  mbs_array **sensors;                 /* [sensor_count]; NULL: not stored */
  size_t rows;                         /* number of rows filled so far */
  struct {
    mbs_output_id id;
    size_t columns;
  } recorded[MBS_OUTPUT_COUNT]; /* [recorded_count]; the arrays with one row for each output time */
  size_t recorded_count;
  size_t added;                 /* number of arrays without time, except those of Jac_data */
  bool row_finite;              /* all numbers of the last recorded row are finite */
  double *workspace;            /* workspace of the determinant */
  bool forces;                  /* forces, multipliers, reactions and energies are available */
  bool jacobian_sparse;         /* Jac_data in place of Jac */
  bool jacobian_left_out;       /* omitted because it alone would be too large */
  mbs_jacobian_entries entries; /* entries of Jac or Jac_data */
} mbs_output;

/* Allocates the arrays for model->nt rows in the result's arena. Returns false if they do not fit. */
bool mbs_output_open(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result);
/* Returns whether runs of the model have this array, whether it is stored or not. */
bool mbs_output_has(const mbs_output *output, mbs_output_id id);
/* Returns the memory that the Jacobian of all rows would need. */
double mbs_output_jacobian_bytes(const mbs_output *output);
/* Allocates no arrays, only space for those without time. */
bool mbs_output_open_bare(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result);
/* Fills a row from the system, whose accelerations (and, with forces, reactions) must have been computed. */
void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row);
/* Adds an array without time, one of those that mbs_output_open() omits. `shape` [rank] gives its rows and columns,
 * row-major; `units` those of its columns (NULL: each has the unit of the array). Returns its data, initialized to
 * zero, or NULL if memory runs out. */
double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels, const char *const *units);
/* Returns a row of an array that exists. */
double *mbs_output_row(const mbs_output *output, mbs_output_id id, size_t row);
/* Truncates the arrays to the rows that were filled. */
void mbs_output_close(mbs_output *output);

#endif
