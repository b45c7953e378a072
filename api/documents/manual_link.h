/* manual_link.h - names the page of the manual about a class, or about a location in a document. */
#ifndef API_DOCUMENTS_MANUAL_LINK_H
#define API_DOCUMENTS_MANUAL_LINK_H

#include "mbs.h"

#include <jansson.h>

enum { API_MANUAL_LINK_SIZE = 128 };

/* Returns "joint", "driver", ...; "" for MBS_FAMILY_NONE. */
const char *api_family_name(mbs_family family);
/* Writes the name of a class's page: "joint-revolute"; the class's own name if it is not an element. */
void api_manual_link_of_class(const mbs_class *cls, char name[API_MANUAL_LINK_SIZE]);
/* Writes the name of the page about the innermost element that contains the value at a JSON pointer. `root` is a model,
 * or a document with an analysis beside it. Examples: "joint-revolute" for /joints/2/points/1, "joints" if its type is
 * unknown, "analysis", "model"; "" for other members of the document. */
void api_manual_link_at(const json_t *root, const char *pointer, char name[API_MANUAL_LINK_SIZE]);

#endif
