/* mbs/inspect.h - structure of a built model, and separate evaluation of its parts. */
#ifndef MBS_MBS_INSPECT_H
#define MBS_MBS_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/status.h"

/* Parts of the computations for a model. The first four, in this order, form an evaluation. */
typedef enum mbs_part {
  MBS_PART_POSITIONS,     /* functions of time, poses of the bodies, contact parameters of curves */
  MBS_PART_VELOCITIES,    /* velocities of the bodies, and their accelerations without v' */
  MBS_PART_CONSTRAINTS,   /* C and its right-hand sides */
  MBS_PART_ACCELERATIONS, /* force elements, M and S with their factors, v', lambda */
  MBS_PART_EVALUATION,    /* the four parts above */
  MBS_PART_SENSORS,       /* expressions of sensors, at reporting times only */
  MBS_PART_BINDING,       /* new numbers for other values of the parameters */
  MBS_PART_COUNT
} mbs_part;

/* The parent of a body of report->tree. */
typedef struct mbs_inspected_body {
  int parent;                           /* index in report->tree; -1: the ground */
  size_t level;                         /* number of joints between the body and the ground */
  size_t first_coordinate, coordinates; /* range in report->coordinate_labels */
} mbs_inspected_body;

/* A cut joint or a driver. Between two bodies, paths lead from each body to the first common ancestor; a cut closes a
 * loop of path[0] + path[1] + 1 joints. */
typedef struct mbs_inspected_element {
  const char *name, *type;
  bool driver;
  size_t first_row, rows; /* range in report->constraints */
  size_t bodies;          /* number of bodies of its rows, without the ground */
  size_t path[2];         /* number of joints on each path; 0 if there are more than two bodies */
  size_t velocities;      /* number of velocities on which its rows depend */
} mbs_inspected_element;

/* Rows that depend on the same velocities. */
typedef struct mbs_inspected_block {
  size_t element; /* index in `elements` */
  size_t first_row, rows, columns;
  const int *velocities; /* [columns], ascending */
} mbs_inspected_block;

/* The mass matrix M: each velocity is coupled with its ancestors, the velocities before it on its branch. */
typedef struct mbs_inspected_masses {
  const int *before; /* [velocities] number of ancestors */
  size_t longest;    /* velocities on the longest branch */
  size_t size;       /* numbers in the packed matrix */
  bool recursive;    /* M is not formed, because a velocity has at least `recursive_from` ancestors */
  size_t recursive_from;
} mbs_inspected_masses;

typedef struct mbs_inspected_pair {
  size_t block1, block2; /* indices; block2 is not after block1 in the order of elimination and may equal it */
  size_t velocities;     /* number of shared velocities */
} mbs_inspected_pair;

/* S = C M^-1 C': row i in the order of elimination has columns first[i] to i. */
typedef struct mbs_inspected_skyline {
  const int *position; /* [rows] index of a row in that order */
  const int *first;    /* [rows] */
  size_t size;         /* numbers in the skyline, or in S and its factors if an order of less fill is used instead */
  mbs_inspected_pair *pairs;
  size_t pair_count;
} mbs_inspected_skyline;

/* The program of an expression. */
typedef struct mbs_inspected_law {
  const char *pointer, *text;
  size_t instructions, inputs, switches;
  bool depends;    /* constants depend on parameters */
  bool structural; /* constants depend on parameters that cannot be changed after the model is built */
} mbs_inspected_law;

/* Step of an evaluation, in the order of computation. */
typedef struct mbs_inspected_stage {
  mbs_part part;
  const char *element, *type; /* a function of time: its driver and the class of the driver */
  size_t first_law, laws;     /* range in `laws`; constant values have no program */
} mbs_inspected_stage;

/* A number of the document that depends on parameters. */
typedef struct mbs_inspected_number {
  const char *pointer;
  bool structural; /* the structure of the model depends on it */
} mbs_inspected_number;

/* A built model, with one system in which it is evaluated. Velocities and columns are numbered along the tree, parents
 * first; bodies as in the document. All members exist until mbs_inspection_free(). The model must outlive the
 * inspection. */
typedef struct mbs_inspection {
  const mbs_report
      *report; /* report before the start of a run; after mbs_inspect_start() with ranks and initial values */
  const char **velocities;  /* [report->velocities] labels */
  mbs_inspected_body *tree; /* [report->bodies] */
  mbs_inspected_element *elements;
  size_t element_count;
  mbs_inspected_block *blocks; /* sparsity pattern of C */
  size_t block_count;
  size_t jacobian_size; /* numbers in the packed Jacobian */
  mbs_inspected_masses masses;
  mbs_inspected_skyline skyline;
  mbs_inspected_stage *stages;
  size_t stage_count;
  mbs_inspected_law *laws;
  size_t law_count;
  size_t parameters;
  mbs_inspected_number *numbers;
  size_t number_count;
  size_t model_bytes, constants_bytes, system_bytes; /* sizes in memory; the model includes one set of constants */
  struct mbs_inspected_run *run;                     /* internal to the solver */
} mbs_inspection;

/* Inspects a model. Returns NULL if memory runs out. */
MBS_API mbs_inspection *mbs_inspect(const mbs_model *model);
/* Frees an inspection. */
MBS_API void mbs_inspection_free(mbs_inspection *inspection);
/* Computes the start of a run: corrected initial conditions, ranks and redundant rows, as in the analysis assembly. It
 * may be called once; later evaluations use that state instead of the document's initial values. On failure it returns
 * the status and fills `error`. */
MBS_API mbs_status mbs_inspect_start(mbs_inspection *inspection, mbs_error *error);
/* Evaluates a part `times` times at the start, after one evaluation of the parts on which it depends. Stops at the
 * first status other than MBS_OK and returns it. */
MBS_API mbs_status mbs_inspect_evaluate(mbs_inspection *inspection, mbs_part part, size_t times);

#endif
