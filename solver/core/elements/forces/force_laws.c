#include "elements/forces/force.h"

#include <string.h>

/* Returns the names that a law of a field may contain: what an element exerts may depend on accelerations and
 * reactions, its other laws may not. */
static mbs_scope_level scope_of(const char *field) {
  return strcmp(field, "value") == 0 || strcmp(field, "actuator") == 0 ? MBS_SCOPE_REACTION : MBS_SCOPE_STATE;
}

void mbs_force_laws(mbs_builder *builder, const mbs_node *node, mbs_force *force, const char *const *fields,
                    size_t count, const mbs_local_name *locals) {
  force->laws = mbs_builder_alloc(builder, count, sizeof *force->laws);
  if (!force->laws) return;
  force->law_count = count;
  for (size_t i = 0; i < count; i++)
    mbs_read_field_law(builder, node, fields[i], scope_of(fields[i]), locals, &force->laws[i]);
}

void mbs_force_components(mbs_builder *builder, const mbs_node *node, const char *field, mbs_force *force) {
  const mbs_value *value = mbs_read_value(node, field);
  force->laws = mbs_builder_alloc(builder, value->count, sizeof *force->laws);
  if (!force->laws) return;
  force->law_count = value->count;
  for (size_t i = 0; i < value->count; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    char *place = mbs_arena_text(builder->arena, pointer);
    if (place)
      mbs_read_law(builder, mbs_field_of(node, field), &value->scalars[i], place, scope_of(field), NULL,
                   &force->laws[i]);
  }
}

void mbs_force_place(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *point = mbs_read_value(node, "point"), *body = mbs_read_value(node, "body");
  mbs_frames *frames = &force->frames;
  if (point->given == body->given)
    mbs_diagnose(builder->list, point->given ? MBS_INVALID : MBS_MISSING, node->pointer,
                 "give either 'point' or 'body'");
  else if (point->given)
    mbs_read_place(builder, point->scalars[0].text, false, point->pointer, &frames->body2, &frames->point2);
  else
    frames->body2 = mbs_read_body(builder, body->scalars[0].text, body->pointer);
  frames->body1 = 0;
  if (frames->body2 < 0) *frames = MBS_ON_GROUND;
}

bool mbs_force_bodies(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  int body[2];
  force->frames = MBS_ON_GROUND;
  if (mbs_read_body_list(builder, node, "bodies", body, 2) < 2) return false;
  force->frames.body1 = body[0];
  force->frames.body2 = body[1];
  if (body[0] == body[1])
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "bodies")->pointer,
                 "two different bodies are needed");
  return body[0] != body[1];
}

bool mbs_elastic_conservative(const mbs_force *force) {
  for (size_t i = 0; i < force->law_count; i++)
    if (force->laws[i].expression || (i >= 2 && (force->laws[i].value != 0 || force->laws[i].constant >= 0)))
      return false;
  return true;
}
