/* Bodies, their points, vectors and initial poses. The ground is body 0. */
#include "build.h"

#include <math.h>
#include <string.h>

static void read_places(mbs_build *build, const mbs_node *node, bool vector, int body, mbs_place *places,
                        size_t *count) {
  const mbs_value *map = mbs_read_value(node, vector ? "vectors" : "points");
  for (size_t i = 0; i < map->count; i++) {
    const mbs_node *entry = &map->nodes[i];
    mbs_place *place = &places[(*count)++];
    *place = (mbs_place){.name = mbs_arena_text(build->arena, entry->key), .body = body};
    if (!place->name) {
      build->failed = true;
      place->name = "";
    }
    mbs_read_numbers(build, entry, "value", place->s, 3);
    if (!vector) continue;
    double length = sqrt(place->s[0] * place->s[0] + place->s[1] * place->s[1] + place->s[2] * place->s[2]);
    if (!(length > 0) && entry->values[0].given) {
      mbs_diagnose(build->list, MBS_OUT_OF_RANGE, entry->values[0].pointer, "the vector '%s' has no length",
                   place->name);
      length = 1;
    }
    for (int k = 0; k < 3; k++) place->s[k] /= length > 0 ? length : 1;
  }
}

static void read_initial(mbs_build *build, const mbs_node *node, mbs_body *body) {
  body->given.position = mbs_read_numbers(build, node, "position", body->initial.r, 3) > 0;
  body->given.velocity = mbs_read_numbers(build, node, "velocity", body->initial.v, 3) > 0;
  body->given.angle = mbs_read_given(node, "angle");
  if (body->given.angle) body->initial.angle = mbs_read_number(build, node, "angle");
  body->given.angular_velocity = mbs_read_given(node, "angular_velocity");
  if (body->given.angular_velocity) body->initial.omega[2] = mbs_read_number(build, node, "angular_velocity");
}

static size_t count_places(const mbs_build *build, const char *field) {
  const mbs_value *ground = mbs_read_value(build->document, "ground"),
                  *bodies = mbs_read_value(build->document, "bodies");
  size_t count = ground->given ? mbs_read_value(&ground->nodes[0], field)->count : 0;
  for (size_t i = 0; i < bodies->count; i++) count += mbs_read_value(&bodies->nodes[i], field)->count;
  return count;
}

void mbs_read_bodies(mbs_build *build) {
  mbs_model *model = build->model;
  const mbs_value *ground = mbs_read_value(build->document, "ground"),
                  *bodies = mbs_read_value(build->document, "bodies");
  model->nB = bodies->count;
  model->bodies = mbs_build_alloc(build, model->nB + 1, sizeof *model->bodies);
  model->points = mbs_build_alloc(build, count_places(build, "points"), sizeof *model->points);
  model->vectors = mbs_build_alloc(build, count_places(build, "vectors"), sizeof *model->vectors);
  if (build->failed) return;
  for (size_t i = 0; i <= model->nB; i++) {
    const mbs_node *node = i ? &bodies->nodes[i - 1] : ground->given ? &ground->nodes[0] : NULL;
    mbs_body *body = &model->bodies[i];
    body->name = i ? mbs_read_text(node, "name") : "ground";
    body->pointer = node ? node->pointer : "/ground";
    if (!body->name) /* reported as missing by the reader */
      body->name = "";
    else
      body->name = mbs_arena_text(build->arena, body->name);
    body->pointer = mbs_arena_text(build->arena, body->pointer);
    if (!body->name || !body->pointer) {
      build->failed = true;
      return;
    }
    mbs_names_add(build, &build->body_names, body->name, "body", body->pointer);
    body->first_point = model->nP;
    read_places(build, node, false, (int)i, model->points, &model->nP);
    body->point_count = model->nP - body->first_point;
    body->first_vector = model->vector_count;
    read_places(build, node, true, (int)i, model->vectors, &model->vector_count);
    body->vector_count = model->vector_count - body->first_vector;
    if (i == 0) continue;
    body->mass = mbs_read_number(build, node, "mass");
    body->inertia[0] = mbs_read_number(build, node, "inertia");
    const mbs_value *initial = mbs_read_value(node, "initial");
    if (initial->given && initial->count) read_initial(build, &initial->nodes[0], body);
  }
}
