/* The order in which a model is built. */
#include "base/norms.h"
#include "builder/builder.h"
#include "builder/extent.h"
#include "equations/error_units.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "equations/state.h"

#include <math.h>
#include <string.h>

static const size_t default_memory = (size_t)2 << 30;

/* Shares of what a distance is at the start. Below the first one rounding has taken its direction. Where it goes to 0,
 * a motion turns ever faster the nearer it comes, without bounds: the integration of what cannot arrive ends at the
 * second one. */
static const double least_distance = 1e-9, least_on_the_way_to_zero = 1e-3;
enum { DISTANCE_SAMPLES = 1024 };

/* A distance starts above 0, which also says how small it may become. */
static void check_distance(mbs_builder *builder, mbs_system *system, mbs_function *function) {
  const mbs_model *model = builder->model;
  double start[3], value[3];
  function->cls->value(system, function, model->t_start, start);
  if (start[0] <= 0)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, function->pointer,
                 "a distance must stay above 0, and this is %g at the start (t = %g)", start[0], model->t_start);
  function->least = least_distance * start[0];
  for (int k = 1; k <= DISTANCE_SAMPLES && model->type == MBS_DYNAMICS; k++) {
    double t = model->t_start + (model->t_end - model->t_start) * k / DISTANCE_SAMPLES;
    function->cls->value(system, function, t, value);
    if (value[0] <= function->least) function->least = least_on_the_way_to_zero * start[0];
  }
}

/* Where the pieces of a function of time follow one another it must not jump. */
static void check_functions(mbs_builder *builder, mbs_system *system) {
  const mbs_model *model = builder->model;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    if (function->distance) check_distance(builder, system, &model->functions[f]);
    for (size_t k = 0; k < function->break_count; k++) {
      double t = function->breaks[k], before[3], after[3];
      if (t <= model->t_start || t >= model->t_end) continue;
      system->t_left = t;
      function->cls->value(system, function, t, before);
      system->t_left = INFINITY;
      function->cls->value(system, function, t, after);
      if (fabs(after[0] - before[0]) > 1e-9 * (mbs_function_unit(system, f) + fabs(before[0])))
        mbs_diagnose(builder->list, MBS_INVALID, function->pointer,
                     "the pieces do not meet at t = %g: %.9g before, %.9g after", t, before[0], after[0]);
    }
  }
}

/* Whether the state at the start is the one that a run starts from: the correction does not move it. */
static bool starts_here(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->rows == 0 || !model->correct) return true;
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  if (!(mbs_largest_in_units(system->Phi, system->row_units, model->rows) < 1e-9)) return false;
  mbs_jacobian_times(system, model->v0, system->rates);
  for (size_t r = 0; r < model->rows; r++)
    if (!(fabs(system->rates[r] - system->rhsV[r]) * model->time < 1e-9 * system->row_units[r])) return false;
  return true;
}

/* Laws must have a value where the model starts; a division by zero there is the document's mistake. Where the start is
 * corrected only what depends on nothing but the time is known. */
static void check_laws(mbs_builder *builder) {
  const mbs_model *model = builder->model;
  mbs_arena *scratch = mbs_arena_new(model->limits.memory);
  mbs_system *system = scratch ? mbs_system_new(model, scratch) : NULL;
  if (!system) {
    builder->failed = true;
    mbs_arena_free(scratch);
    return;
  }
  check_functions(builder, system);
  mbs_set_position(system, model->t_start, model->q0);
  mbs_set_velocity(system, model->v0);
  mbs_apply_forces(system);
  bool here = starts_here(system);
  for (size_t l = 0; l < builder->law_count; l++) {
    const mbs_law *law = builder->laws[l].law;
    bool known = true;
    for (size_t i = 0; i < law->input_count; i++) {
      const mbs_input *input = &model->inputs[law->inputs[i]];
      known = known && (here || input->kind == MBS_INPUT_TIME) && input->kind != MBS_INPUT_REACTION &&
              input->kind != MBS_INPUT_MULTIPLIER && input->kind != MBS_INPUT_ENERGY && input->level < 2;
    }
    if (known && !isfinite(mbs_law_value(system, law)))
      mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, builder->laws[l].pointer,
                   "this expression has no finite value at the start (t = %g)", model->t_start);
  }
  mbs_arena_free(scratch);
}

static void read_document(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const char *name = mbs_read_text(builder->document, "name");
  model->name = mbs_arena_text(builder->arena, name ? name : "");
  const char *space = mbs_read_text(builder->document, "space");
  model->kernels = space && strcmp(space, "spatial") == 0 ? &mbs_spatial_kernels : &mbs_planar_kernels;
  model->dim = model->kernels->dim;
  mbs_read_parameters(builder);
  model->gravity_given = mbs_read_numbers(builder, builder->document, "gravity", model->gravity, 3) > 0;
  if (!builder->failed) mbs_read_bodies(builder);
  if (!builder->failed) mbs_read_joints(builder);
  if (!builder->failed) mbs_read_analysis(builder);
  if (!builder->failed) mbs_read_drivers(builder);
  if (!builder->failed) mbs_read_forces(builder);
  if (!builder->failed) mbs_read_joint_laws(builder);
  if (!builder->failed) mbs_read_sensors(builder);
  mbs_check_drawing(builder);
}

/* hold: velocities of the joints named. Those of body coordinates are not a joint's: there its primitives are held. */
static void mark_held(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->hold_v = mbs_builder_alloc(builder, model->nv, sizeof *model->hold_v);
  for (size_t i = 1; i <= model->nB && !builder->failed; i++)
    if (model->tree_joint[i] >= 0 && model->held_joint[model->tree_joint[i]])
      for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) model->hold_v[k] = true;
  for (size_t j = 0; j < model->joint_count && !builder->failed; j++)
    if (model->held_joint[j] && !model->joints[j].in_tree && !model->body_formulation)
      mbs_diagnose(builder->list, MBS_INVALID, "/analysis/hold",
                   "joint '%s' is a cut, so it has no coordinate of its own to hold", model->joints[j].name);
}

static void build_structure(mbs_builder *builder) {
  mbs_tree_choice tree;
  if (!mbs_choose_tree(builder, &tree)) return;
  mbs_initial_poses(builder, &tree);
  if (builder->failed) return;
  mbs_build_structure(builder, &tree);
  if (!mbs_builder_ok(builder)) return;
  mark_held(builder);
  mbs_build_patterns(builder);
  if (!mbs_builder_ok(builder)) return;
  if (!mbs_measure_extent(builder->model) || !builder->model->kernels->prepare(builder->model))
    builder->failed = true;
  else
    check_laws(builder);
}

mbs_model *mbs_model_build(const mbs_node *document, const mbs_node *analysis, const mbs_limits *limits,
                           mbs_diagnostics *list) {
  mbs_limits limited = limits ? *limits : (mbs_limits){0};
  if (limited.memory == 0) limited.memory = default_memory;
  mbs_arena *arena = mbs_arena_new(limited.memory);
  mbs_model *model = arena ? mbs_arena_alloc(arena, 1, sizeof *model) : NULL;
  if (!model) {
    mbs_arena_free(arena);
    mbs_diagnose(list, MBS_NO_MEMORY, "", "no memory for a model");
    return NULL;
  }
  model->arena = arena;
  model->limits = limited;
  mbs_builder builder = {
      .model = model, .arena = arena, .list = list, .document = document, .analysis = analysis, .force_now = -1};
  read_document(&builder);
  if (mbs_builder_ok(&builder)) build_structure(&builder);
  mbs_names_free(&builder.parameter_names);
  mbs_names_free(&builder.body_names);
  mbs_names_free(&builder.joint_names);
  mbs_names_free(&builder.force_names);
  mbs_names_free(&builder.driver_names);
  if (builder.failed)
    mbs_diagnose(list, MBS_NO_MEMORY, "", "the model is too large for the memory limit of %.4g MiB%s%s",
                 (double)limited.memory / (1 << 20), limited.advice ? "; " : "", limited.advice ? limited.advice : "");
  if (mbs_builder_ok(&builder)) return model;
  mbs_arena_free(arena);
  return NULL;
}

void mbs_model_free(mbs_model *model) {
  if (model) mbs_arena_free(model->arena);
}

const char *mbs_model_name(const mbs_model *model) { return model->name; }
