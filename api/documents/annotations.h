/* annotations.h - the members beside a model that describe its job: its name and tags, whether it is exempt from
 * removal, and whether an equal job may be reused. */
#ifndef API_DOCUMENTS_ANNOTATIONS_H
#define API_DOCUMENTS_ANNOTATIONS_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>

enum { API_NAME_MAX = 200, API_TAGS_MAX = 32, API_TAG_MAX = 64 };

/* The names of these members, as a name list. */
#define API_ANNOTATIONS "name|tags|keep|reuse"

/* Members as read. Texts and lists are borrowed from the object; NULL if a member is missing. */
typedef struct api_annotations {
  const json_t *name; /* a string, or null: no name */
  const json_t *tags; /* an array of different strings */
  const json_t *keep; /* true or false */
  bool reuse;
} api_annotations;

/* Reads these members of an object, which may have others. Reports errors to `list`, at their pointers. */
void api_annotations_read(const json_t *object, api_annotations *out, mbs_diagnostics *list);

/* Returns the JSON text of the tags, malloc'd; NULL if there are none. */
char *api_annotations_tags(const api_annotations *annotations);

#endif
