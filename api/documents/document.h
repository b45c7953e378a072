/* document.h - the body of a request: from JSON text to the node trees from which the solver builds models. */
#ifndef API_DOCUMENTS_DOCUMENT_H
#define API_DOCUMENTS_DOCUMENT_H

#include "api/documents/annotations.h"
#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The first syntax error of a JSON text. */
typedef struct api_syntax_error {
  int line, column; /* counted from 1, in characters: the end of the part that cannot be read */
  char detail[256];
  bool no_memory; /* not a syntax error: memory ran out */
} api_syntax_error;

/* A document: {"model": ..., "analysis": ..., "study": ...}, with annotations of the job beside them, or a bare model.
 * Pointers refer to the document as it was sent. */
typedef struct api_document {
  json_t *root;
  bool wrapped;                  /* true if it has "model" */
  json_t *model;                 /* borrowed from the root */
  json_t *analysis;              /* borrowed: the analysis in use, beside the model or in it; NULL if there is none */
  json_t *study;                 /* borrowed: beside the model; NULL if there is none */
  api_annotations annotations;   /* set when the nodes are read */
  mbs_arena *arena;              /* arena of the nodes, until a model is built from them */
  const mbs_node *model_node;    /* after a model was built, valid as long as the model */
  const mbs_node *analysis_node; /* NULL if there is no analysis beside the model */
  const mbs_node *study_node;    /* NULL if there is no study */
} api_document;

/* Parses `text`. Numbers too large for a double, repeated keys, text that is not UTF-8 and nesting deeper than 2048 are
 * syntax errors. Returns false and fills `error` on failure. */
bool api_document_parse(const char *text, size_t size, api_document *document, api_syntax_error *error);
/* Makes a document from a parsed value, which it owns. */
void api_document_adopt(json_t *root, api_document *document);
/* Reads the nodes and builds the model, each within limits->memory. May be called again, with other limits. Reports all
 * errors of both to `list`; returns NULL if there are any. */
mbs_model *api_document_build(api_document *document, const mbs_limits *limits, mbs_diagnostics *list);
void api_document_free(api_document *document);
/* Replaces the analysis of a document by another one, which it owns. Pointers of errors in the new analysis refer to
 * the position of the old one. `root` is a shallow copy of the document's value: deeper values are not changed. */
void api_document_replace_analysis(json_t *root, json_t *analysis);

/* Returns the name of the model; NULL if it has none. */
const char *api_document_name(const api_document *document);
/* Returns the JSON text of the analysis in use, malloc'd; NULL if there is none. */
char *api_document_analysis(const api_document *document);

#endif
