/* skeleton.h - a scene of points alone, for results whose model is not known. */
#ifndef CLI_SKELETON_H
#define CLI_SKELETON_H

#include "motion.h"

#include <jansson.h>

/* Returns a scene (scene_json.h) without shapes, joints and forces, from the labels of the arrays r and rP of a motion,
 * body.x and body.point.x. Returns NULL if memory runs out. */
json_t *cli_skeleton(const cli_motion *motion);

#endif
