/* inspect.h - internal data of a model and the costs of its parts: shared by the files of mbs inspect. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Processor time of one call. */
typedef struct cli_cost {
  mbs_status status;   /* not MBS_OK: it cannot be evaluated at the start */
  double microseconds; /* median; NaN: not measured */
  size_t calls;        /* measured */
} cli_cost;

typedef struct cli_inspected {
  mbs_inspection *inspection; /* result of the inspection; NULL: the model cannot be built, or is too large */
  /* The start was computed. False: too many rows for a test of ranks; costs are those at the document's initial
   * position. */
  bool started;
  mbs_status status; /* status of the start */
  mbs_error error;
  cli_cost costs[MBS_PART_COUNT];
} cli_inspected;

/* Measures a part. */
cli_cost cli_measure(mbs_inspection *inspection, mbs_part part);

/* Returns the formulation that a model does not have: "joint" or "body". */
const char *cli_other_formulation(const mbs_inspection *inspection);
/* Returns the name of a part. */
const char *cli_part_name(mbs_part part);

/* Limits of the printed output: entries of a list, and the size of a picture. */
typedef struct cli_extent {
  size_t entries, picture_rows, picture_columns;
} cli_extent;

/* Prints the data for readers; `other` is the model in the other formulation. */
void cli_inspect_print(const cli_inspected *inspected, const cli_inspected *other, const cli_extent *most, FILE *out);
/* Returns all data as JSON. */
json_t *cli_inspect_json(const cli_inspected *inspected, const cli_inspected *other);

/* Print pictures of the sparsity patterns of C and of S, with a line about their scale. */
void cli_picture_jacobian(const mbs_inspection *inspection, const cli_extent *most, FILE *out);
void cli_picture_skyline(const mbs_inspection *inspection, const cli_extent *most, FILE *out);

#endif
