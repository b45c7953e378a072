/* skeleton.c - see skeleton.h. */
#include "skeleton.h"

#include "api/base/values.h"
#include "api/drawing/vector.h"

#include <stdlib.h>
#include <string.h>

static const mbs_array *array_named(const cli_motion *motion, const char *name) {
  for (size_t i = 0; i < motion->memory.count; i++)
    if (strcmp(motion->memory.list[i].name, name) == 0) return &motion->memory.list[i];
  return NULL;
}

/* Returns the part of a label before its last component, ".x". */
static json_t *stem_of(const char *label) {
  const char *dot = strrchr(label, '.');
  return json_stringn(label, dot ? (size_t)(dot - label) : strlen(label));
}

/* Returns the number of the body whose name and a dot begin the label; 0, the ground, if there is none. */
static size_t body_of(const json_t *bodies, const char *label) {
  size_t i, found = 0, longest = 0;
  json_t *body;
  json_array_foreach(bodies, i, body) {
    const char *name = json_string_value(json_object_get(body, "name"));
    const size_t length = strlen(name);
    if (strncmp(label, name, length) != 0 || label[length] != '.' || length < longest) continue;
    found = i;
    longest = length;
  }
  return found;
}

/* Adds a point with its place at the first row, in the axes of its body. Returns false if memory runs out. */
static bool add_point(const api_poses *poses, json_t *points, const json_t *bodies, int index, const char *label) {
  api_poses one = *poses;
  const size_t body = body_of(bodies, label);
  double at[1][3], centre[1][3] = {{0}}, p[1][4] = {{1, 0, 0, 0}}, local[3];
  one.count = 1;
  if (!api_poses_points(&one, index, at)) return false;
  if (body && (!api_poses_centres(&one, (int)body, centre) || !api_poses_turns(&one, (int)body, p))) return false;
  api_plus(at[0], centre[0], -1, at[0]);
  for (int k = 1; k < 4; k++) p[0][k] = -p[0][k]; /* the inverse rotation */
  api_rotate(p[0], at[0], local);
  return json_array_append_new(points, json_pack("{s:o, s:I, s:o}", "name", stem_of(label), "body", (json_int_t)body,
                                                 "at", api_json_numbers(local, poses->dimension))) == 0;
}

json_t *cli_skeleton(const cli_motion *motion) {
  const mbs_array *centres = array_named(motion, "r"), *places = array_named(motion, "rP");
  const size_t dimension = motion->poses.dimension;
  json_t *bodies = json_pack("[{s:s}]", "name", "ground"), *points = json_array();
  bool good = bodies && points && centres && places;
  for (size_t k = 0; good && k + dimension <= mbs_array_columns(centres); k += dimension)
    good = json_array_append_new(bodies, json_pack("{s:o}", "name", stem_of(centres->labels[k]))) == 0;
  for (size_t k = 0; good && k + dimension <= mbs_array_columns(places); k += dimension)
    good = add_point(&motion->poses, points, bodies, (int)(k / dimension), places->labels[k]);
  json_t *scene =
      good ? json_pack("{s:I, s:O, s:O}", "dimension", (json_int_t)dimension, "bodies", bodies, "points", points)
           : NULL;
  json_decref(bodies);
  json_decref(points);
  return scene;
}
