/* scene_json.h - what a drawing of a model needs, as JSON. */
#ifndef API_DOCUMENTS_SCENE_JSON_H
#define API_DOCUMENTS_SCENE_JSON_H

#include "mbs.h"

#include <jansson.h>

/* The scene of a model: members as schemas/openapi.json has them. NULL: no memory. */
json_t *api_scene_json(const mbs_model *model);

#endif
