/* glb.h - a mechanism and its motion as a binary glTF file (glTF 2.0): one node for each body, with keys at the rows,
 * between which viewers interpolate linearly. The file refers to no others. It is written piece by piece. */
#ifndef API_DRAWING_GLB_H
#define API_DRAWING_GLB_H

#include "api/base/buffer.h"
#include "api/drawing/poses.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Content type. */
#define API_GLB_TYPE "model/gltf-binary"

typedef struct api_glb api_glb;

/* Prepares the file of the rows of `poses`, at least one, which refers to arrays that must outlive it; `scene` is that
 * of the model (scene_json.h). Returns NULL if memory runs out, rows cannot be read, or the
 * model is another one. */
api_glb *api_glb_new(const json_t *scene, const api_poses *poses);
/* Returns the size of the file [bytes]; 0 if it would have more than 4 GiB, which the format cannot have. */
uint64_t api_glb_size(const api_glb *self);
/* Appends the next piece. Returns 1 if more may follow, 0 at the end, -1 on failure. */
int api_glb_next(api_glb *self, api_buffer *out);
void api_glb_free(api_glb *self);

#endif
