/* document_reader.h - from JSON to nodes. It walks the class tables of the solver and knows no class by name. */
#ifndef API_DOCUMENTS_DOCUMENT_READER_H
#define API_DOCUMENTS_DOCUMENT_READER_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>

/* Objects within one another, at most (a function may hold functions, without an end in the tables). */
enum { API_DOCUMENT_DEPTH = 32 };

typedef struct api_document_reader {
  mbs_arena *arena;
  mbs_diagnostics *list;
  mbs_space space;    /* MBS_PLANAR or MBS_SPATIAL: of the model that the nodes belong to */
  const char *advice; /* how to get more memory, or NULL */
  int depth;
  bool no_memory; /* the arena is full; said once */
} api_document_reader;

/* Reads `json`, which lies at `pointer`, as an object of `cls`. All mistakes go to the list; values with one count as
 * not given, objects that cannot be read are left out, and NULL is returned where not even the outermost one can. The
 * node is in the arena with all its texts. */
const mbs_node *api_document_read(api_document_reader *reader, const mbs_class *cls, const json_t *json,
                                  const char *pointer);

/* Whether a function may be written as the value of its first field alone: it needs no other. */
bool api_function_has_shorthand(const mbs_class *cls);

/* "x-...": fields that are nobody's business. */
bool api_key_is_extension(const char *key);

/* "an object", "a number", ... */
const char *api_json_type(const json_t *json);

#endif
