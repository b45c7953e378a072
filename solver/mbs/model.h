/* mbs/model.h - builds a model from the nodes of a document. */
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
  const char *advice;      /* advice how to obtain more memory, as "..."; must outlive the model; NULL: no advice */
  double wall_seconds;     /* most seconds of a run; 0: no limit */
  const char *wall_name;   /* the user's name of that limit; must outlive the model; NULL: "the wall clock" */
  uint64_t evaluations;    /* most evaluations of a run; 0: no limit */
  size_t runs;             /* most runs of a study; 0: 1000000 */
  const char *runs_name;   /* the user's name of that limit; must outlive the model; NULL: not named */
  size_t result_bytes;     /* most bytes of a study's arrays; 0: no limit */
  const char *result_name; /* the user's name of that limit, as runs_name */
} mbs_limits;

/* Builds a model for one analysis. `analysis` is of class mbs_class_analysis(); NULL selects the analysis in the
 * document. `limits` may be NULL. All errors of the document are appended to `list`. Returns NULL if the list is not
 * empty. The nodes may be freed afterwards.
 *
 * The list may contain errors from the reader of the document, so that one call reports all errors. Required values
 * that are not `given` are then not reported again. */
MBS_API mbs_model *mbs_model_build(const mbs_node *document, const mbs_node *analysis, const mbs_limits *limits,
                                   mbs_diagnostics *list);
/* The documents from which a model is built. Optional ones may be NULL. */
typedef struct mbs_documents {
  const mbs_node *model;
  const mbs_node *analysis; /* class mbs_class_analysis(), optional */
  const mbs_node *study;    /* class mbs_class_study(), optional */
  /* Created by mbs_documents_arena(), contains all nodes and their texts. The model is built in it and frees it; if no
   * model is built, it is freed at once. NULL: the model copies the nodes. */
  mbs_arena *arena;
} mbs_documents;

/* Creates an arena for the nodes of a model within these limits. Returns NULL if memory runs out. */
MBS_API mbs_arena *mbs_documents_arena(const mbs_limits *limits);

/* Builds a model as mbs_model_build() does, with a study, whose errors are reported too, and with other values of the
 * parameters. `parameters` is in the order of the document [number of parameters]. NaN leaves one value as in the
 * document; NULL leaves all. */
MBS_API mbs_model *mbs_model_build_for(const mbs_documents *documents, const double *parameters,
                                       const mbs_limits *limits, mbs_diagnostics *list);
/* Frees a model. */
MBS_API void mbs_model_free(mbs_model *model);

/* Returns the name of a model. The text exists as long as the model. */
MBS_API const char *mbs_model_name(const mbs_model *model);

#endif
