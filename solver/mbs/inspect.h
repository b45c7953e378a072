/* mbs/inspect.h - the structure of a built model, and its parts evaluated one by one. */
#ifndef MBS_MBS_INSPECT_H
#define MBS_MBS_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/status.h"

/* Parts of the work on a model. The first four, in their order, are an evaluation. */
typedef enum mbs_part {
  MBS_PART_POSITIONS,     /* functions of time, poses of the bodies, contact parameters of curves */
  MBS_PART_VELOCITIES,    /* of the bodies, and their accelerations without v' */
  MBS_PART_CONSTRAINTS,   /* C and its right-hand sides */
  MBS_PART_ACCELERATIONS, /* force elements, M and S with their factors, v', lambda */
  MBS_PART_EVALUATION,    /* all of these */
  MBS_PART_SENSORS,       /* their laws, at reporting times only */
  MBS_PART_BINDING,       /* the numbers for other values of the parameters */
  MBS_PART_COUNT
} mbs_part;

/* Where a body of report->tree hangs. */
typedef struct mbs_inspected_body {
  int parent;                           /* in report->tree; -1: the ground */
  size_t level;                         /* joints between it and the ground */
  size_t first_coordinate, coordinates; /* in report->coordinate_labels */
} mbs_inspected_body;

/* A cut joint or a driver. Where it is between two bodies, paths lead from these to the first one that both have in
 * common: a cut closes a loop of path[0] + path[1] + 1 joints. */
typedef struct mbs_inspected_element {
  const char *name, *type;
  bool driver;
  size_t first_row, rows; /* in report->constraints */
  size_t bodies;          /* that its rows are taken between, the ground not counted */
  size_t path[2];         /* joints; 0 where there are more than two bodies */
  size_t velocities;      /* that its rows depend on */
} mbs_inspected_element;

/* Rows that depend on the same velocities. */
typedef struct mbs_inspected_block {
  size_t element; /* in `elements` */
  size_t first_row, rows, columns;
  const int *velocities; /* [columns], ascending */
} mbs_inspected_block;

/* M: each velocity couples with those before it on its branch. */
typedef struct mbs_inspected_masses {
  const int *before; /* [velocities] how many that are */
  size_t longest;    /* velocities on the longest branch */
  size_t size;       /* numbers of the packed matrix */
  bool recursive;    /* it is not formed: some velocity has `recursive_from` or more before it */
  size_t recursive_from;
} mbs_inspected_masses;

typedef struct mbs_inspected_pair {
  size_t block1, block2; /* block2 not later in the order of elimination; may be block1 */
  size_t velocities;     /* that they share */
} mbs_inspected_pair;

/* S = C M^-1 C': row i in the order of elimination has the columns first[i] to i. */
typedef struct mbs_inspected_skyline {
  const int *position; /* [rows] place of a row in that order */
  const int *first;    /* [rows] */
  size_t size;         /* numbers of the skyline, or of S and its factors where an order of less fill takes its place */
  mbs_inspected_pair *pairs;
  size_t pair_count;
} mbs_inspected_skyline;

/* The program of an expression. */
typedef struct mbs_inspected_law {
  const char *pointer, *text;
  size_t instructions, inputs, switches;
  bool depends;    /* its constants follow from parameters */
  bool structural; /* and these must not change */
} mbs_inspected_law;

/* What is evaluated one by one, in this order. */
typedef struct mbs_inspected_stage {
  mbs_part part;
  const char *element, *type; /* of a function of time: the driver that follows it, and its class */
  size_t first_law, laws;     /* programs, in `laws`; what is constant has none */
} mbs_inspected_stage;

/* A number of the document that follows from parameters. */
typedef struct mbs_inspected_number {
  const char *pointer;
  bool structural; /* the structure of the model follows from it */
} mbs_inspected_number;

/* A model as it is evaluated, and one system to evaluate it. Velocities and columns are counted along the tree, parents
 * first; bodies as in the document. Everything lives until mbs_inspection_free(), the model at least as long. */
typedef struct mbs_inspection {
  const mbs_report *report; /* what a run says before it has begun; after mbs_inspect_start() ranks and the start */
  const char **velocities;  /* [report->velocities] labels */
  mbs_inspected_body *tree; /* [report->bodies] */
  mbs_inspected_element *elements;
  size_t element_count;
  mbs_inspected_block *blocks; /* the pattern of C */
  size_t block_count;
  size_t jacobian_size; /* numbers of the packed Jacobian */
  mbs_inspected_masses masses;
  mbs_inspected_skyline skyline;
  mbs_inspected_stage *stages;
  size_t stage_count;
  mbs_inspected_law *laws;
  size_t law_count;
  size_t parameters;
  mbs_inspected_number *numbers;
  size_t number_count;
  size_t model_bytes, constants_bytes, system_bytes; /* the model has one set of constants in it */
  struct mbs_inspected_run *run;                     /* the solver's own */
} mbs_inspection;

/* Inspects a model. Returns NULL if memory runs out. */
MBS_API mbs_inspection *mbs_inspect(const mbs_model *model);
/* Frees an inspection. */
MBS_API void mbs_inspection_free(mbs_inspection *inspection);
/* Computes the start of a run, with corrected initial conditions, ranks and redundant rows as an assembly reports
 * them. It may be called once; later evaluations are at that state instead of the document's. On failure it returns
 * the status and fills `error`. */
MBS_API mbs_status mbs_inspect_start(mbs_inspection *inspection, mbs_error *error);
/* Evaluates a part `times` times at the start, after one evaluation of the parts that it needs. The first status other
 * than MBS_OK ends it. */
MBS_API mbs_status mbs_inspect_evaluate(mbs_inspection *inspection, mbs_part part, size_t times);

#endif
