/* States of a session as bytes. They contain everything that continues from one step to the next: the state of the
 * motion, switches, memory of elements, modes of touches, counted revolutions, triggers, and the length of the last
 * step. All else, as the factors of the last evaluation, is reset to that of the session's start before the bytes are
 * loaded. A step from loaded bytes is therefore a function of these bytes alone. */
#include "base/arena_image.h"
#include "equations/sliding.h"
#include "equations/touches.h"
#include "interactive/session.h"
#include "kernels/kernels.h"
#include "run/touch_modes.h"

#include <assert.h>
#include <string.h>

typedef void visit_part(void *context, void *data, size_t size);

#define VISIT(array, count) visit(context, array, (count) * sizeof *(array))
#define VISIT_ONE(number) visit(context, &(number), sizeof(number))

static void visit_sliding(mbs_session *session, visit_part *visit, void *context) {
  mbs_sliding *sliding = session->run.system->sliding;
  const size_t switches = session->model->switch_count;
  VISIT_ONE(sliding->count);
  VISIT_ONE(sliding->moving_count);
  VISIT_ONE(sliding->pending_count);
  VISIT_ONE(sliding->holds);
  VISIT_ONE(sliding->nested);
  VISIT(sliding->surfaces, sliding->most);
  VISIT(sliding->moving, sliding->most);
  VISIT(sliding->member, switches);
  VISIT(sliding->pending, switches);
  VISIT(sliding->drives_back, switches);
}

static void visit_touches(mbs_session *session, visit_part *visit, void *context) {
  const mbs_model *model = session->model;
  mbs_touches *touches = session->run.system->touches;
  const size_t rows = model->rows - model->bilateral_rows, count = model->touch_count;
  if (!touches) return;
  VISIT(touches->at, count);
  VISIT(touches->use, rows);
  VISIT(touches->given, rows);
  VISIT_ONE(touches->any_led);
  VISIT_ONE(touches->force);
  VISIT_ONE(touches->present_count);
  VISIT(touches->present, count);
  VISIT_ONE(touches->dependent_count);
  VISIT(touches->dependent, rows);
  VISIT_ONE(touches->sided_count);
  VISIT(touches->sided, count);
  VISIT_ONE(touches->near_count);
  VISIT(touches->near, count);
  VISIT(touches->is_near, count);
  VISIT(touches->was_near, count);
  VISIT_ONE(touches->list);
}

static void visit_near(mbs_session *session, visit_part *visit, void *context) {
  const mbs_model *model = session->model;
  mbs_near *near = session->run.system->near;
  const size_t bodies = model->nB + 1;
  if (!near) return;
  VISIT_ONE(near->known);
  VISIT_ONE(near->lists);
  VISIT_ONE(near->skin);
  VISIT(near->reach, bodies);
  VISIT(near->arm, bodies);
  VISIT_ONE(near->steps);
  VISIT(near->cover, bodies);
  VISIT(near->poses, MBS_POSE * bodies);
  VISIT(near->accepted, MBS_POSE * bodies);
  VISIT(near->count, model->force_count);
  VISIT(near->points, near->first[model->force_count]);
}

static void visit_system(mbs_session *session, visit_part *visit, void *context) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  VISIT_ONE(system->work);
  VISIT_ONE(system->dissipated);
  VISIT(system->discrete, model->discrete_count);
  VISIT(system->externals, model->external_count);
  VISIT_ONE(system->externals_time);
  VISIT(system->active, model->rows);
  VISIT_ONE(system->usual_ratio);
  VISIT_ONE(system->pivot_ratio);
  VISIT_ONE(system->rounding);
  VISIT(system->mode_held, model->switch_count);
  VISIT(system->memory, model->memory_count);
  VISIT(system->contacts, model->curve_count);
  VISIT_ONE(system->contacts_accepted);
  VISIT_ONE(system->contacts_time);
  VISIT(system->strand_angles, model->strand_turns);
  VISIT(system->strand_rates, model->strand_turns);
  VISIT_ONE(system->strands_time);
}

static void visit_all(mbs_session *session, visit_part *visit, void *context) {
  const mbs_model *model = session->model;
  mbs_session_state *now = &session->now;
  VISIT_ONE(now->t);
  VISIT(now->q, model->nq);
  VISIT(now->v, model->nv);
  VISIT(now->z, model->nz);
  VISIT(now->offsets, model->function_count);
  VISIT_ONE(now->rates_open);
  VISIT_ONE(session->playing);
  VISIT_ONE(session->reference_pivot_ratio);
  VISIT(session->inputs.before, model->external_count);
  VISIT_ONE(session->inputs.changed);
  VISIT_ONE(session->inputs.set);
  visit_system(session, visit, context);
  visit_sliding(session, visit, context);
  visit_near(session, visit, context);
  visit_touches(session, visit, context);
  mbs_session_visit_player(session, visit, context);
  if (model->kernels->visit_remembered) model->kernels->visit_remembered(session->run.system, visit, context);
}

static void count_part(void *context, void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
}

static void save_part(void *context, void *data, size_t size) {
  char **to = context;
  if (size > 0) memcpy(*to, data, size);
  *to += size;
}

static void load_part(void *context, void *data, size_t size) {
  const char **from = context;
  if (size > 0) memcpy(data, *from, size);
  *from += size;
}

bool mbs_session_open_states(mbs_session *session) {
  assert(!session->image);
  if (!mbs_touch_modes_open(&session->run)) return false; /* later a step would allocate */
  session->image = mbs_arena_image_new(session->arena);
  return session->image != NULL;
}

size_t mbs_session_state_size(mbs_session *session) {
  size_t size = 0;
  visit_all(session, count_part, &size);
  return size;
}

void mbs_session_save(mbs_session *session, void *state) {
  char *to = state;
  visit_all(session, save_part, &to);
}

void mbs_session_load(mbs_session *session, const void *state) {
  mbs_arena_image *image = session->image;
  const char *from = state;
  assert(image != NULL);
  mbs_arena_image_restore(image, session->arena);
  session->image = image; /* the session, which is part of the arena, had no image then */
  visit_all(session, load_part, &from);
  mbs_system *system = session->run.system;
  system->all_active = true;
  for (size_t r = 0; r < session->model->rows; r++) system->all_active &= system->active[r];
  system->mode = session->playing ? system->mode_held : NULL;
  system->settled = session->playing;
  if (system->touches) mbs_touches_use_rows(system, NULL); /* lists the rows that hold, for the elimination */
  mbs_session_hold(session);
}
