/* motion.h - the motion of a run, which is drawn, among its arrays. */
#ifndef CLI_MOTION_H
#define CLI_MOTION_H

#include "api/drawing/poses.h"
#include "mbs.h"
#include "memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The motion refers to its own members, so it must not be moved. */
typedef struct cli_motion {
  cli_memory memory;
  service source;
  service_array *arrays;
  api_poses poses;
} cli_motion;

/* Finds the motion among the `count` arrays of a run, which must outlive it. Returns false if there is none, or memory
 * runs out. Close it in any case. */
bool cli_motion_open(cli_motion *motion, const mbs_array *list, size_t count);
void cli_motion_close(cli_motion *motion);

/* Writes the motion of a run as a binary glTF file. `scene` is that of the model (scene_json.h). Returns false after
 * printing an error. */
bool cli_glb_file_write(const char *path, const json_t *scene, const mbs_array *list, size_t count);

#endif
