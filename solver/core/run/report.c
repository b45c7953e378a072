/* Opens the report, with all facts that are known before the run. */
#include "run/report.h"

#include "kernels/kernels.h"
#include "model/rows.h"
#include "results/accuracy.h"
#include "results/output.h"
#include "run/run.h"

#include <assert.h>
#include <math.h>

static const char *analysis_name(const mbs_model *model) {
  assert(model->type <= MBS_RELATIVE_EQUILIBRIUM);
  static const char *const names[] = {[MBS_DYNAMICS] = "dynamics",
                                      [MBS_KINEMATICS] = "kinematics",
                                      [MBS_INVERSE_DYNAMICS] = "inverse-dynamics",
                                      [MBS_ASSEMBLY] = "assembly",
                                      [MBS_EQUILIBRIUM] = "equilibrium",
                                      [MBS_LINEARIZATION] = "linearization",
                                      [MBS_FREQUENCY_RESPONSE] = "frequency-response",
                                      [MBS_RELATIVE_EQUILIBRIUM] = "relative-equilibrium"};
  return names[model->type];
}

/* Returns the element of each constraint row; NULL if memory runs out. */
static const char **row_elements(const mbs_model *model, mbs_arena *arena) {
  const char **elements = mbs_arena_alloc(arena, model->bilateral_rows + 1, sizeof *elements);
  if (!elements) return NULL;
  for (size_t r = 0; r < model->bilateral_rows; r++) elements[r] = "";
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    const char *name = joint->row_count > 0 ? mbs_arena_text(arena, joint->name) : "";
    if (!name) return NULL;
    for (int r = 0; r < joint->row_count; r++) elements[joint->first_row + r] = name;
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    const char *name = mbs_arena_text(arena, model->drivers[d].name);
    if (!name) return NULL;
    if (model->drivers[d].row >= 0) elements[model->drivers[d].row] = name;
  }
  return elements;
}

static bool report_structure(const mbs_model *model, mbs_result *result) {
  mbs_report *report = &result->report;
  mbs_arena *arena = result->arena;
  report->tree = mbs_arena_alloc(arena, model->nB + 1, sizeof *report->tree);
  report->cut = mbs_arena_alloc(arena, model->joint_count + 1, sizeof *report->cut);
  report->constraints = mbs_arena_alloc(arena, model->bilateral_rows + 1, sizeof *report->constraints);
  const char **labels = mbs_row_labels(model, arena);
  if (!report->tree || !report->cut || !report->constraints || !labels) return false;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b], j = model->tree_joint[body];
    report->tree[b] = (mbs_tree_entry){.body = mbs_arena_text(arena, model->bodies[body].name),
                                       .joint = mbs_arena_text(arena, j < 0 ? "" : model->joints[j].name),
                                       .type = j < 0 ? "floating" : model->joints[j].cls->base.name,
                                       .parent = mbs_arena_text(arena, model->bodies[model->parent[body]].name),
                                       .freedoms = model->first_v[body + 1] - model->first_v[body]};
    if (!report->tree[b].body || !report->tree[b].joint || !report->tree[b].parent) return false;
  }
  for (size_t j = 0; j < model->joint_count; j++)
    if (!model->joints[j].in_tree && !(report->cut[report->cut_count++] = mbs_arena_text(arena, model->joints[j].name)))
      return false;
  const char **elements = row_elements(model, arena);
  if (!elements) return false;
  size_t driver_row = mbs_joint_rows(model);
  for (size_t r = 0; r < model->bilateral_rows; r++) {
    report->constraints[r] = (mbs_row_entry){.element = elements[r], .label = labels[r], .driver = r >= driver_row};
  }
  return true;
}

static bool integrates(const mbs_model *model) {
  return model->type == MBS_DYNAMICS || model->type == MBS_INVERSE_DYNAMICS;
}

bool mbs_report_open(const mbs_model *model, mbs_result *result) {
  mbs_report *report = &result->report;
  mbs_arena *arena = result->arena;
  *report = (mbs_report){.model_name = mbs_arena_text(arena, model->name),
                         .analysis = analysis_name(model),
                         .formulation = model->body_formulation ? "body" : "joint",
                         .space = model->kernels->name,
                         .bodies = model->nB,
                         .coordinates = model->nq,
                         .velocities = model->nv,
                         .rows = model->bilateral_rows,
                         .method = mbs_arena_text(arena, integrates(model) ? model->method : ""),
                         .coordinate_labels = mbs_coordinate_labels(model, 0, arena),
                         .velocity_labels = mbs_coordinate_labels(model, 1, arena),
                         .q_before = mbs_arena_alloc(arena, model->nq + 1, sizeof(double)),
                         .q_after = mbs_arena_alloc(arena, model->nq + 1, sizeof(double)),
                         .v_before = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                         .v_after = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                         .notes = mbs_arena_alloc(arena, MBS_NOTES_MAX, sizeof(char *)),
                         .position_residual = NAN,
                         .velocity_residual = NAN,
                         .failed_row = -1,
                         .stopped_at = NAN,
                         .kinetic_final = NAN,
                         .potential_final = NAN,
                         .energy_start = NAN,
                         .jacobian_error = NAN,
                         .residual_row = {-1, -1, -1},
                         .stable = -1};
  return report->model_name && report->method && report->coordinate_labels && report->velocity_labels &&
         report->q_before && report->q_after && report->v_before && report->v_after && report->notes &&
         (!integrates(model) || mbs_accuracy_open(model, result)) && report_structure(model, result);
}
