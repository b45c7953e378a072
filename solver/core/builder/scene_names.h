/* scene_names.h - converts references of a document to indices of a scene's bodies, points and vectors. */
#ifndef MBS_SCENE_NAMES_H
#define MBS_SCENE_NAMES_H

#include "builder/builder.h"
#include "mbs/scene.h"

typedef struct mbs_scene_name {
  const char *name;
  int number;
} mbs_scene_name;

/* Sorted, for binary search. */
typedef struct mbs_scene_names {
  mbs_scene_name *names; /* [count] */
  size_t count;
} mbs_scene_names;

/* Lists the names "body". Returns false if memory runs out. */
bool mbs_scene_names_of_bodies(const mbs_scene *scene, mbs_arena *arena, mbs_scene_names *out);
/* Lists the names "body.place" of points or vectors. Returns false if memory runs out. */
bool mbs_scene_names_of_places(const mbs_scene *scene, const mbs_scene_place *places, size_t count, mbs_arena *arena,
                               mbs_scene_names *out);
/* Returns the index of a name, or -1. */
int mbs_scene_names_find(const mbs_scene_names *names, const char *name);

#endif
