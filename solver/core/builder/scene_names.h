/* scene_names.h - the references of a document as numbers of a scene's bodies, points and vectors. */
#ifndef MBS_SCENE_NAMES_H
#define MBS_SCENE_NAMES_H

#include "builder/builder.h"
#include "mbs/scene.h"

typedef struct mbs_scene_name {
  const char *name;
  int number;
} mbs_scene_name;

/* Sorted, to be searched by halves. */
typedef struct mbs_scene_names {
  mbs_scene_name *names; /* [count] */
  size_t count;
} mbs_scene_names;

/* "body"; false: no memory. */
bool mbs_scene_names_of_bodies(const mbs_scene *scene, mbs_arena *arena, mbs_scene_names *out);
/* "body.place" of points or vectors; false: no memory. */
bool mbs_scene_names_of_places(const mbs_scene *scene, const mbs_scene_place *places, size_t count, mbs_arena *arena,
                               mbs_scene_names *out);
/* -1 where there is none of that name. */
int mbs_scene_names_find(const mbs_scene_names *names, const char *name);

#endif
