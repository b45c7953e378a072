/* inspect.h - a model looked at from inside, with what its parts cost: shared by the files of mbs inspect. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Processor time of one call. */
typedef struct cli_cost {
  mbs_status status;   /* not MBS_OK: it cannot be done at the start */
  double microseconds; /* median; NaN: not measured */
  size_t calls;        /* measured */
} cli_cost;

typedef struct cli_inspected {
  mbs_inspection *inspection; /* NULL: the model cannot be built, or is too large */
  bool started;      /* otherwise there are too many rows for ranks, and costs are those of the document's start */
  mbs_status status; /* of the start */
  mbs_error error;
  cli_cost costs[MBS_PART_COUNT];
} cli_inspected;

/* Measures a part. */
cli_cost cli_measure(mbs_inspection *inspection, mbs_part part);

/* "joint" or "body": the formulation that a model does not have. */
const char *cli_other_formulation(const mbs_inspection *inspection);
/* The name of a part. */
const char *cli_part_name(mbs_part part);

/* Entries of a list and columns of a picture that are printed. */
typedef struct cli_extent {
  size_t entries, picture_rows, picture_columns;
} cli_extent;

/* For people; `other` is the model in the other formulation. */
void cli_inspect_print(const cli_inspected *inspected, const cli_inspected *other, const cli_extent *most, FILE *out);
/* For programs; all of it. */
json_t *cli_inspect_json(const cli_inspected *inspected, const cli_inspected *other);

/* Pictures of the patterns of C and of S, with a line about their scale. */
void cli_picture_jacobian(const mbs_inspection *inspection, const cli_extent *most, FILE *out);
void cli_picture_skyline(const mbs_inspection *inspection, const cli_extent *most, FILE *out);

#endif
