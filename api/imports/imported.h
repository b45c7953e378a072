/* imported.h - converts a model of another program and checks the resulting document. */
#ifndef API_IMPORTS_IMPORTED_H
#define API_IMPORTS_IMPORTED_H

#include "import/import.h"
#include "mbs.h"

#include <jansson.h>

/* The result of a conversion. */
typedef struct api_imported {
  json_t *answer;        /* {"format", "model", "notes", "summary"}; NULL on failure */
  json_t *errors;        /* all parts of the source that cannot be mapped, or errors of the document; NULL: none */
  json_t *notes;         /* the notes until the failure; may be NULL */
  json_t *not_assembled; /* error of the assembly; NULL: the model can be assembled */
  const char *format;    /* NULL if it is not known */
  import_fault fault;    /* status 0 unless the whole source is refused */
} api_imported;

/* Converts the source and assembles the model within these limits. Fills `out`, which the caller frees. */
void api_import(import_tree *tree, const import_options *options, const mbs_limits *limits, api_imported *out);
void api_imported_free(api_imported *imported);

#endif
