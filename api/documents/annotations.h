/* annotations.h - what a client says of a job beside its model: what it is called, whether it is kept, and whether an
 * equal one does as well. */
#ifndef API_DOCUMENTS_ANNOTATIONS_H
#define API_DOCUMENTS_ANNOTATIONS_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>

enum { API_NAME_MAX = 200, API_TAGS_MAX = 32, API_TAG_MAX = 64 };

/* The members that there may be, as a name list. */
#define API_ANNOTATIONS "name|tags|keep|reuse"

/* Texts and lists are borrowed from the object; NULL where a member did not come. */
typedef struct api_annotations {
  const json_t *name; /* a string, or null: none */
  const json_t *tags; /* an array of different strings */
  const json_t *keep; /* true or false */
  bool reuse;
} api_annotations;

/* Reads the members of an object, which may have others. Mistakes go to `list`, at their pointers. */
void api_annotations_read(const json_t *object, api_annotations *out, mbs_diagnostics *list);

/* The text of the tags, malloc'd; NULL where there are none. */
char *api_annotations_tags(const api_annotations *annotations);

#endif
