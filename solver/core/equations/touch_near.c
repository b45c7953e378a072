/* The list of touches that are near: those of near points of contact, and all others that have no surfaces. */
#include "equations/touches.h"

#include <string.h>

static bool has_side(const mbs_system *system, const mbs_touch *touch) {
  return touch->cls->sided && touch->cls->sided(system, touch);
}

static void find_sided(mbs_system *system) {
  mbs_touches *self = system->touches;
  self->sided_count = 0;
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    if (!has_side(system, touch)) continue;
    self->sided[self->sided_count++] = (int)i;
    if (!self->at[i].closed) mbs_touch_look(system, touch);
  }
}

/* Adds the near touches of an element, `count` touches from `first` on. */
static void add_near(mbs_system *system, const mbs_force *force, size_t first, size_t count) {
  mbs_touches *self = system->touches;
  const size_t each = (size_t)force->touches_each;
  for (size_t i = 0; i < count && each == 0; i++) self->near[self->near_count++] = (int)(first + i);
  for (size_t n = 0; each > 0 && n < mbs_near_count(system, force); n++)
    for (size_t i = 0; i < each; i++)
      self->near[self->near_count++] = (int)(first + mbs_near_point(system, force, n) * each + i);
}

void mbs_touches_find_near(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  if (system->fault.status != MBS_OK) return;
  mbs_near_update(system);
  const uint64_t lists = system->near ? system->near->lists : 1;
  if (self->list == lists) return;
  if (self->list == 0) find_sided(system);
  memcpy(self->was_near, self->is_near, model->touch_count);
  for (size_t k = 0; k < self->near_count; k++) self->is_near[self->near[k]] = false;
  self->near_count = 0;
  for (size_t i = 0, end; i < model->touch_count; i = end) {
    for (end = i + 1; end < model->touch_count && model->touches[end].force == model->touches[i].force;) end++;
    add_near(system, mbs_touch_force(system, &model->touches[i]), i, end - i);
  }
  /* touches without memory of a side look at the surfaces that have come near */
  for (size_t k = 0; k < self->near_count; k++) {
    const int i = self->near[k];
    if (!self->was_near[i] && !self->at[i].closed && !has_side(system, &model->touches[i]))
      mbs_touch_look(system, &model->touches[i]);
    self->is_near[i] = true;
  }
  self->list = lists;
}
