/* scene_json.h - the data for drawing a model, as JSON. */
#ifndef API_DOCUMENTS_SCENE_JSON_H
#define API_DOCUMENTS_SCENE_JSON_H

#include "mbs.h"

#include <jansson.h>

/* Returns the scene of a model, with the members that schemas/openapi.json lists. Returns NULL if memory runs out. */
json_t *api_scene_json(const mbs_model *model);

#endif
