#include "elements/forces/force.h"

void mbs_force_laws(mbs_builder *builder, const mbs_node *node, mbs_force *force, const char *const *fields,
                    size_t count, const mbs_local_name *locals) {
  force->laws = mbs_builder_alloc(builder, count, sizeof *force->laws);
  if (!force->laws) return;
  force->law_count = count;
  for (size_t i = 0; i < count; i++)
    mbs_read_field_law(builder, node, fields[i], MBS_SCOPE_STATE, locals, &force->laws[i]);
}

void mbs_force_components(mbs_builder *builder, const mbs_node *node, mbs_force *force, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  force->laws = mbs_builder_alloc(builder, value->count, sizeof *force->laws);
  if (!force->laws) return;
  force->law_count = value->count;
  for (size_t i = 0; i < value->count; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    char *place = mbs_arena_text(builder->arena, pointer);
    if (place)
      mbs_read_law(builder, mbs_field_of(node, field), &value->scalars[i], place, MBS_SCOPE_STATE, NULL,
                   &force->laws[i]);
  }
}

bool mbs_elastic_conservative(const mbs_force *force) {
  for (size_t i = 0; i < force->law_count; i++)
    if (force->laws[i].expression || (i >= 2 && (force->laws[i].value != 0 || force->laws[i].constant >= 0)))
      return false;
  return true;
}
