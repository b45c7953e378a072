/* document_reader.h - converts JSON to nodes by the class tables of the solver. It has no code for a particular
 * class. */
#ifndef API_DOCUMENTS_DOCUMENT_READER_H
#define API_DOCUMENTS_DOCUMENT_READER_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>

/* Deepest nesting of objects (a function may contain functions, which the tables do not limit). */
enum { API_DOCUMENT_DEPTH = 32 };

typedef struct api_document_reader {
  mbs_arena *arena;
  mbs_diagnostics *list;
  mbs_space space;    /* MBS_PLANAR or MBS_SPATIAL: of the nodes' model */
  const char *advice; /* how to get more memory, or NULL */
  int depth;
  bool no_memory; /* the arena is full; reported once */
} api_document_reader;

/* Reads `json`, found at `pointer`, as an object of `cls`. Reports all errors to the list. A value with an error counts
 * as missing, and an object that cannot be read is left out. Returns NULL if the outermost object cannot be read. The
 * node and its texts are in the arena. */
const mbs_node *api_document_read(api_document_reader *reader, const mbs_class *cls, const json_t *json,
                                  const char *pointer);

/* Returns true if a function may be written as the value of its first field alone, because it needs no other. */
bool api_function_has_shorthand(const mbs_class *cls);

/* Returns true if the entries of a map are objects, because their class has several fields. */
bool api_map_has_objects(const mbs_field *map);

/* Returns true if `key` is an extension field ("x-..."), which is ignored. */
bool api_key_is_extension(const char *key);

/* Returns "an object", "a number", ... */
const char *api_json_type(const json_t *json);

#endif
