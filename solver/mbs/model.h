/* mbs/model.h - from the nodes of a document to a model. */
#ifndef MBS_MBS_MODEL_H
#define MBS_MBS_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/arena.h"
#include "mbs/document.h"
#include "mbs/status.h"

typedef struct mbs_model mbs_model;

typedef struct mbs_limits {
  size_t rows;             /* most reporting times; 0: 1000000 */
  size_t memory;           /* most bytes of a model and of a run each; 0: 2 GiB */
  const char *advice;      /* "...", how a user gets more memory; lasts as long as the model; NULL: nothing to say */
  double wall_seconds;     /* most seconds of a run; 0: no limit */
  const char *wall_name;   /* what a user knows that limit by, as long as the model; NULL: "the wall clock" */
  uint64_t evaluations;    /* most evaluations of a run; 0: no limit */
  size_t runs;             /* most runs of a study; 0: 1000000 */
  const char *runs_name;   /* what a user knows that limit by, as long as the model; NULL: nothing to say */
  size_t result_bytes;     /* most bytes of a study's arrays; 0: no limit */
  const char *result_name; /* likewise */
} mbs_limits;

/* Builds a model for one analysis. `analysis` is of class mbs_class_analysis(); NULL: the one in the document. `limits`
 * may be NULL. All mistakes go to `list`; returns NULL if the list is not empty. The nodes may be freed afterwards. If
 * the reader of the document found mistakes, it passes them in `list`, so that all mistakes are found at once: required
 * values that are then not `given` are not reported again. */
MBS_API mbs_model *mbs_model_build(const mbs_node *document, const mbs_node *analysis, const mbs_limits *limits,
                                   mbs_diagnostics *list);
/* What makes a model: the document, and what may stand beside it, NULL where it does not. */
typedef struct mbs_documents {
  const mbs_node *model;
  const mbs_node *analysis; /* of class mbs_class_analysis() */
  const mbs_node *study;    /* of class mbs_class_study() */
  mbs_arena *arena;         /* of mbs_documents_arena(), with all nodes and their texts: the model is made in it, and it
                             * is freed with the model, at once if there is none; NULL: the model copies the nodes */
} mbs_documents;

/* Creates an arena for the nodes of a model within these limits. Returns NULL if memory runs out. */
MBS_API mbs_arena *mbs_documents_arena(const mbs_limits *limits);

/* Builds a model as mbs_model_build() does, with a study, whose mistakes are reported, too, and with other values of
 * the parameters, in the order of the document [number of parameters]. NaN keeps the value of the document; NULL
 * keeps all values. */
MBS_API mbs_model *mbs_model_build_for(const mbs_documents *documents, const double *parameters,
                                       const mbs_limits *limits, mbs_diagnostics *list);
/* Frees a model. */
MBS_API void mbs_model_free(mbs_model *model);

/* Returns the name of a model, which lasts as long as the model. */
MBS_API const char *mbs_model_name(const mbs_model *model);

#endif
