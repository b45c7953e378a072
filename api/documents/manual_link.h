/* manual_link.h - which page of the manual tells of a class, or of a place in a document. */
#ifndef API_DOCUMENTS_MANUAL_LINK_H
#define API_DOCUMENTS_MANUAL_LINK_H

#include "mbs.h"

#include <jansson.h>

enum { API_MANUAL_LINK_SIZE = 128 };

/* "joint", "driver", ...; "" of MBS_FAMILY_NONE. */
const char *api_family_name(mbs_family family);
/* "joint-revolute"; of a class that is no element its own name. */
void api_manual_link_of_class(const mbs_class *cls, char name[API_MANUAL_LINK_SIZE]);
/* The page of the innermost element that a JSON pointer leads to in what was sent, a model or one with an analysis
 * beside it: "joint-revolute" for /joints/2/points/1, "joints" where its type is unknown, "analysis", or "model"; ""
 * for what stands beside these. */
void api_manual_link_at(const json_t *root, const char *pointer, char name[API_MANUAL_LINK_SIZE]);

#endif
