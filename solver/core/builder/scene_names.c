#include "builder/scene_names.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  return strcmp(((const mbs_scene_name *)a)->name, ((const mbs_scene_name *)b)->name);
}

bool mbs_scene_names_of_bodies(const mbs_scene *scene, mbs_arena *arena, mbs_scene_names *out) {
  out->names = mbs_arena_alloc(arena, scene->body_count + 1, sizeof *out->names);
  if (!out->names) return false;
  for (size_t b = 0; b < scene->body_count; b++)
    out->names[out->count++] = (mbs_scene_name){scene->bodies[b].name, (int)b};
  qsort(out->names, out->count, sizeof *out->names, compare);
  return true;
}

bool mbs_scene_names_of_places(const mbs_scene *scene, const mbs_scene_place *places, size_t count, mbs_arena *arena,
                               mbs_scene_names *out) {
  out->names = mbs_arena_alloc(arena, count + 1, sizeof *out->names);
  for (size_t i = 0; i < count && out->names; i++) {
    const char *name = mbs_arena_format(arena, "%s.%s", scene->bodies[places[i].body].name, places[i].name);
    if (!name) return false;
    out->names[out->count++] = (mbs_scene_name){name, (int)i};
  }
  if (out->names) qsort(out->names, out->count, sizeof *out->names, compare);
  return out->names != NULL;
}

int mbs_scene_names_find(const mbs_scene_names *names, const char *name) {
  const mbs_scene_name wanted = {.name = name};
  const mbs_scene_name *found =
      name ? bsearch(&wanted, names->names, names->count, sizeof *names->names, compare) : NULL;
  return found ? found->number : -1;
}
