/* description.c - describes the mechanism in sentences: coordinates, tree and cuts, the solved equations, and the laws
 * of forces and drivers. */
#include "symbolic/derivation.h"

#include "kernels/kernels.h"
#include "model/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCES_MORE = 16 };

typedef struct story {
  mbs_equations_work *work;
  const char **lines;
  size_t count, room;
} story;

static bool open_story(story *told, mbs_equations_work *work, size_t room) {
  told->work = work;
  told->room = room;
  told->lines = mbs_arena_alloc(work->arena, room, sizeof(char *));
  if (!told->lines) work->algebra.failed = true;
  return told->lines != NULL;
}

static void tell(story *told, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(story *told, const char *format, ...) {
  char text[1024];
  va_list arguments;
  if (told->count == told->room) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *kept = mbs_arena_text(told->work->arena, text);
  if (kept)
    told->lines[told->count++] = kept;
  else
    told->work->algebra.failed = true;
}

static const char *body_name(const mbs_model *model, int body) {
  return body ? model->bodies[body].name : "the ground";
}

/* ---- tree and cuts ------------------------------------------------------------------------------------------- */

/* Writes the columns of the joint that carries a body: "theta_1" or "theta_{3,1}, theta_{3,2}". */
static void column_names(const mbs_tree_columns *chain, int body, char *out, size_t size) {
  size_t length = 0;
  *out = 0;
  for (size_t c = 0; c < chain->column_count && length < size; c++)
    if (chain->columns[c].body == body)
      length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", chain->columns[c].label);
}

static void tell_tree(story *told) {
  const mbs_tree_columns *chain = &told->work->tree;
  const mbs_model *model = chain->model;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b], joint = model->tree_joint[body];
    char names[200];
    column_names(chain, body, names, sizeof names);
    if (joint < 0) {
      tell(told, "Body %zu, %s, is free: coordinates %s.", b + 1, body_name(model, body), names);
      continue;
    }
    const mbs_joint *by = &model->joints[joint];
    bool reversed = by->frames.body1 == body;
    tell(told, "The %s joint %s connects body %zu, %s, to %s: %s%s.", by->cls->base.name, by->name, b + 1,
         body_name(model, body), body_name(model, model->parent[body]), *names ? names : "no coordinate",
         reversed ? "; its first body is the outer one, so its column changes sign" : "");
  }
}

enum { LEVEL_TEXT = 60 };

/* Describes the rows of a joint that restrict velocities only. */
static const char *level_text(const mbs_equations_work *work, const mbs_joint *joint, char text[LEVEL_TEXT]) {
  int count = 0;
  for (int r = 0; r < joint->row_count; r++) count += work->model->levels[joint->first_row + r] == MBS_LEVEL_VELOCITY;
  if (count == 0) return "";
  if (count == joint->row_count)
    return count == 1 ? ", which restricts velocities only" : ", which restrict velocities only";
  snprintf(text, LEVEL_TEXT, ", %d of which %s velocities only", count, count == 1 ? "restricts" : "restrict");
  return text;
}

static void tell_cuts(story *told) {
  const mbs_model *model = told->work->model;
  bool bodies = model->body_formulation;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    char text[LEVEL_TEXT];
    if (joint->block_count == 0) continue;
    if (joint->body_count > 0)
      tell(told, "%s (%s) is a constraint of %d %s%s.", joint->name, joint->cls->base.name, joint->row_count,
           joint->row_count == 1 ? "row" : "rows", level_text(told->work, joint, text));
    else
      tell(told, "The %s joint %s between %s and %s %s %d constraint %s.", joint->cls->base.name, joint->name,
           body_name(model, joint->frames.body1), body_name(model, joint->frames.body2),
           bodies ? "gives" : "is cut and gives", joint->row_count, joint->row_count == 1 ? "row" : "rows");
  }
  for (size_t d = 0; d < model->driver_count; d++)
    tell(told, "Driver %s (%s): %s.", model->drivers[d].name, model->drivers[d].cls->base.name,
         model->drivers[d].cls->base.equation);
}

static bool tell_words(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  story all = {0};
  if (!open_story(&all, work, model->nB + model->joint_count + model->driver_count + SENTENCES_MORE)) return false;
  tell(&all, model->body_formulation
                 ? "Body coordinates: every body is free, every joint is a constraint, B = I and C = D."
                 : "Joint coordinates: B maps the rates of the joints to the velocities of the bodies, V = B theta'.");
  tell_tree(&all);
  tell_cuts(&all);
  tell(&all, "The model has %zu %s and %zu constraint %s.", model->nv, model->nv == 1 ? "velocity" : "velocities",
       model->bilateral_rows, model->bilateral_rows == 1 ? "row" : "rows");
  if (model->touch_count > 0)
    tell(
        &all,
        "Rigid contacts, rigid limits and dry friction are not part of these equations: they add rows and forces while "
        "bodies touch, stick or slip.");
  equations->words = all.lines;
  equations->word_count = all.count;
  return true;
}

/* ---- the system ---------------------------------------------------------------------------------------------- */

static void tell_keeping(story *told) {
  const mbs_model *model = told->work->model;
  if (model->type != MBS_DYNAMICS || model->bilateral_rows == 0) return;
  switch (model->constraints) {
  case MBS_PROJECTION:
    tell(told, "After each step positions are projected onto Phi = 0 and velocities onto C theta' = rhsV.");
    break;
  case MBS_PARTITIONING:
    tell(told, "Independent coordinates are integrated; the others follow from Phi = 0 and C theta' = rhsV.");
    break;
  case MBS_BAUMGARTE:
    tell(told,
         "C theta'' = rhsA - 2 alpha (C theta' - rhsV) - beta^2 Phi, alpha = %.9g 1/s, beta = %.9g 1/s "
         "(Baumgarte).",
         model->alpha, model->beta);
    break;
  case MBS_NONE: tell(told, "The constraints are enforced at acceleration level only."); break;
  }
}

static bool tell_system(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  story all = {0};
  if (!open_story(&all, work, SENTENCES_MORE)) return false;
  tell(&all, model->bilateral_rows ? "M theta'' - C' lambda = h" : "M theta'' = h");
  if (model->bilateral_rows) tell(&all, "C theta'' = rhsA");
  if (!model->body_formulation) tell(&all, "M = B' Mb B, h = B' (hb - Mb Bdot theta')");
  if (model->bilateral_rows && !model->body_formulation) tell(&all, "C = D B, rhsA = gamma - D Bdot theta'");
  if (model->type == MBS_KINEMATICS || model->type == MBS_INVERSE_DYNAMICS)
    tell(&all,
         "Drivers prescribe every degree of freedom. Phi(theta, t) = 0, C theta' = rhsV and C theta'' = rhsA give the "
         "motion%s",
         model->type == MBS_INVERSE_DYNAMICS ? "; C' lambda = M theta'' - h gives the forces." : ".");
  tell_keeping(&all);
  equations->system = all.lines;
  equations->system_count = all.count;
  return true;
}

/* ---- forces and drivers -------------------------------------------------------------------------------------- */

/* Lists the laws that are written as expressions; skips constants. */
static bool set_laws(mbs_equations_work *work, const mbs_law *laws, size_t count, mbs_equation_element *out) {
  const char **texts = mbs_arena_alloc(work->arena, count + 1, sizeof(char *));
  const char **pointers = mbs_arena_alloc(work->arena, count + 1, sizeof(char *));
  if (!texts || !pointers) return false;
  out->laws = texts;
  out->pointers = pointers;
  for (size_t l = 0; l < count; l++) {
    if (!laws[l].text) continue;
    texts[out->law_count] = laws[l].text;
    pointers[out->law_count++] = laws[l].pointer;
  }
  return true;
}

static bool tell_elements(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  size_t count = model->force_count + model->driver_count + model->joint_count;
  equations->elements = mbs_arena_alloc(work->arena, count + 1, sizeof *equations->elements);
  if (!equations->elements) return false;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    mbs_equation_element *out = &equations->elements[equations->element_count++];
    *out = (mbs_equation_element){
        .name = force->name, .type = force->cls->base.name, .equation = force->cls->base.equation};
    if (!set_laws(work, force->laws, force->law_count, out)) return false;
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_driver *driver = &model->drivers[d];
    const mbs_function *function = &model->functions[model->blocks[driver->block].function];
    mbs_equation_element *out = &equations->elements[equations->element_count++];
    *out = (mbs_equation_element){.name = driver->name,
                                  .type = driver->cls->base.name,
                                  .role = MBS_ROLE_DRIVER,
                                  .equation = driver->cls->base.equation,
                                  .function = function->cls->base.name,
                                  .follows = function->cls->base.equation};
    if (!set_laws(work, function->law, function->law ? 1 : 0, out)) return false;
  }
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->law_count == 0) continue;
    mbs_equation_element *out = &equations->elements[equations->element_count++];
    *out = (mbs_equation_element){.name = joint->name,
                                  .type = joint->cls->base.name,
                                  .role = MBS_ROLE_CONSTRAINT,
                                  .equation = joint->cls->base.equation};
    if (!set_laws(work, joint->laws, joint->law_count, out)) return false;
  }
  return true;
}

bool mbs_describe(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  equations->functions = work->model->named_functions;
  equations->function_count = work->model->named_count;
  const mbs_report *report = work->inspection->report;
  equations->formulation = report->formulation;
  equations->dimension = work->model->dim;
  equations->q_labels = report->coordinate_labels;
  equations->v_labels = report->velocity_labels;
  equations->q_count = report->coordinates;
  equations->v_count = report->velocities;
  return tell_words(equations) && tell_system(equations) && tell_elements(equations) && !work->algebra.failed;
}
