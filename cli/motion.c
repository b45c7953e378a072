/* motion.c - see motion.h. */
#include "motion.h"

#include "api/drawing/glb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_motion_open(cli_motion *motion, const mbs_array *list, size_t count) {
  *motion = (cli_motion){.memory = {list, count}};
  motion->source = cli_memory_service(&motion->memory);
  motion->arrays = calloc(count + 1, sizeof *motion->arrays);
  for (size_t i = 0; motion->arrays && i < count; i++) {
    motion->arrays[i] = (service_array){.name = (char *)list[i].name, .rank = list[i].rank};
    memcpy(motion->arrays[i].shape, list[i].shape, sizeof motion->arrays[i].shape);
  }
  return motion->arrays && api_poses_find(&motion->poses, &motion->source, "", motion->arrays, count);
}

void cli_motion_close(cli_motion *motion) { free(motion->arrays); }

static bool write_glb(const char *path, api_glb *glb) {
  api_buffer piece = {0};
  FILE *out = fopen(path, "wb");
  int more = out ? 1 : -1;
  while (more > 0 && (more = api_glb_next(glb, &piece)) >= 0)
    if (!cli_memory_flush(&piece, out)) more = -1;
  const int reason = errno;
  const bool closed = !out || fclose(out) == 0;
  if (more < 0 || !closed) fprintf(stderr, "mbs: cannot write %s: %s\n", path, strerror(more < 0 ? reason : errno));
  api_buffer_free(&piece);
  return more == 0 && closed;
}

bool cli_glb_file_write(const char *path, const json_t *scene, const mbs_array *list, size_t count) {
  cli_motion motion;
  const bool moves = cli_motion_open(&motion, list, count);
  api_glb *glb = moves && scene ? api_glb_new(scene, &motion.poses) : NULL;
  bool good = false;
  if (!moves)
    fprintf(stderr, "mbs: %s is not written: this run has no motion of bodies\n", path);
  else if (!glb)
    fprintf(stderr, "mbs: %s is not written: out of memory\n", path);
  else if (api_glb_size(glb) == 0)
    fprintf(stderr, "mbs: %s is not written: it would have more than 4 GiB; use a larger dt\n", path);
  else
    good = write_glb(path, glb);
  api_glb_free(glb);
  cli_motion_close(&motion);
  return good;
}
