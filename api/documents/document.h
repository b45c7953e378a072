/* document.h - the body of a request: JSON text to the node trees that the solver builds models from. */
#ifndef API_DOCUMENTS_DOCUMENT_H
#define API_DOCUMENTS_DOCUMENT_H

#include "api/documents/annotations.h"
#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Where a text stops being JSON. */
typedef struct api_syntax_error {
  int line, column; /* counted from 1, in characters: the end of what cannot be read */
  char detail[256];
  bool no_memory; /* it is not the text: there was no memory for its tree */
} api_syntax_error;

/* Either {"model": ..., "analysis": ..., "study": ...}, with annotations of the job beside them, or a bare model
 * document; pointers are into what was sent. */
typedef struct api_document {
  json_t *root;
  bool wrapped;                /* it has "model" */
  json_t *model;               /* borrowed from the root */
  json_t *analysis;            /* borrowed: the one that counts, beside the model or in it; NULL where there is none */
  json_t *study;               /* borrowed: beside the model; NULL where there is none */
  api_annotations annotations; /* set with the nodes */
  mbs_arena *arena;            /* of the nodes, until a model is made of them */
  const mbs_node *model_node;  /* after a model was built as long as it */
  const mbs_node *analysis_node; /* NULL where no analysis came beside the model */
  const mbs_node *study_node;    /* NULL where no study did */
} api_document;

/* Parses `text`. Numbers too large for a double, repeated keys, text that is not UTF-8 and nesting deeper than 2048
 * are errors of the syntax. */
bool api_document_parse(const char *text, size_t size, api_document *document, api_syntax_error *error);
/* The same for a value that was parsed, which is taken over. */
void api_document_adopt(json_t *root, api_document *document);
/* Reads the nodes and builds the model, within limits->memory each; may be called again, with other limits. All
 * mistakes of both go to `list`; NULL if there was any. */
mbs_model *api_document_build(api_document *document, const mbs_limits *limits, mbs_diagnostics *list);
void api_document_free(api_document *document);
/* Puts another analysis, which is taken over, in place of a document's own, so that pointers of mistakes in it lead to
 * what was sent. `root` is a shallow copy of the document's value: what lies beneath it is not changed. */
void api_document_replace_analysis(json_t *root, json_t *analysis);

/* The name of the model, NULL where it has none. */
const char *api_document_name(const api_document *document);
/* The JSON text of the analysis that counts, malloc'd; NULL where there is none. */
char *api_document_analysis(const api_document *document);

#endif
