/* The steps in which a model is built. */
#include "base/norms.h"
#include "builder/builder.h"
#include "builder/extent.h"
#include "builder/named_functions.h"
#include "equations/error_scales.h"
#include "equations/forces.h"
#include "equations/input.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "equations/state.h"
#include "model/subsystems.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t default_memory = (size_t)2 << 30;

/* Returns true if a run starts at the initial state because the correction does not change it. */
static bool starts_here(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->rows == 0 || !model->correct) return true;
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  if (!(mbs_largest_in_units(system->Phi, system->row_units, model->rows) < 1e-9)) return false;
  mbs_jacobian_times(system, system->constants->v0, system->rates);
  for (size_t r = 0; r < model->rows; r++)
    if (!(fabs(system->rates[r] - system->rhsV[r]) * system->constants->time < 1e-9 * system->row_units[r]))
      return false;
  return true;
}

/* Reports a law that has no finite value at the start. */
static void refuse_value(mbs_builder *builder, const mbs_system *system, const mbs_law *law) {
  const mbs_model *model = builder->model;
  const mbs_input *input = law->input_count == 1 ? &model->inputs[law->inputs[0]] : NULL;
  bool by_speed = false;
  for (size_t i = 0; i < law->input_count; i++) by_speed |= model->inputs[law->inputs[i]].level == 1;
  char where[60] = "";
  if (input && input->kind != MBS_INPUT_TIME)
    snprintf(where, sizeof where, ", where the quantity in it is %.6g", mbs_input_value(system, input));
  mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, law->pointer,
               "'%.200s' has no finite value at the start (t = %g)%s%s", law->text, model->t_start, where,
               by_speed && strchr(law->text, '/')
                   ? "; if it divides by a speed that is zero there, add a small speed, as in "
                     "v/sqrt(vx^2 + vy^2 + 0.001^2)"
                   : "");
}

/* Checks that laws have a finite value at the start; a division by zero there is an error of the document. If the start
 * will be corrected, only laws of the time are checked. */
static void check_laws(mbs_builder *builder) {
  const mbs_model *model = builder->model;
  mbs_arena *scratch = mbs_arena_new(model->limits.memory);
  mbs_system *system = scratch ? mbs_system_new(model, scratch) : NULL;
  if (!system) {
    builder->failed = true;
    mbs_arena_free(scratch);
    return;
  }
  mbs_check_functions(&builder->binder);
  mbs_set_position(system, model->t_start, system->constants->q0);
  mbs_set_velocity(system, system->constants->v0);
  mbs_states_start(system);
  mbs_apply_forces(system);
  bool here = starts_here(system);
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law *law = model->laws[l];
    assert(law->number == (int)l);
    bool known = law->expression != NULL && !law->later;
    for (size_t i = 0; i < law->input_count; i++) {
      const mbs_input *input = &model->inputs[law->inputs[i]];
      known = known && (here || input->kind == MBS_INPUT_TIME) &&
              (input->kind == MBS_INPUT_FORCE || !mbs_input_needs_forces(input));
    }
    if (!known || isfinite(mbs_law_value(system, law))) continue;
    double place[2];
    const char *table = mbs_law_outside(system, law, model->t_start, place);
    if (table)
      mbs_diagnose(builder->list, MBS_OUTSIDE_TABLE, law->pointer,
                   "at the start (t = %g) the argument of the table '%s' is %.9g, but the table %s at %.9g; add values "
                   "to the table, or set its \"outside\" to hold, extend or periodic",
                   model->t_start, table, place[0], place[0] < place[1] ? "begins" : "ends", place[1]);
    else
      refuse_value(builder, system, law);
  }
  mbs_arena_free(scratch);
}

static void read_document(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const char *name = mbs_read_text(builder->document, "name");
  model->name = name ? name : "";
  const char *space = mbs_read_text(builder->document, "space");
  model->kernels = space && strcmp(space, "spatial") == 0 ? &mbs_spatial_kernels : &mbs_planar_kernels;
  model->dim = model->kernels->dim;
  assert(model->dim == 2 || model->dim == 3);
  mbs_list_named_functions(builder);
  mbs_read_parameters(builder);
  if (!builder->failed) mbs_read_named_functions(builder);
  if (!builder->failed) mbs_read_discrete(builder);
  if (!builder->failed) mbs_declare_externals(builder);
  model->gravity_given = mbs_read_value(builder->document, "gravity")->count > 0;
  mbs_gravity_numbers(mbs_numbers_of(builder));
  if (!builder->failed) mbs_declare_states(builder);
  if (!builder->failed) mbs_read_bodies(builder);
  if (!builder->failed) mbs_read_joints(builder);
  if (!builder->failed) mbs_read_analysis(builder);
  if (!builder->failed) mbs_read_drivers(builder);
  if (!builder->failed) mbs_read_steady(builder);
  if (!builder->failed) mbs_read_forces(builder);
  if (!builder->failed) mbs_read_joint_laws(builder);
  if (!builder->failed) mbs_read_armatures(builder);
  if (!builder->failed) mbs_read_triggers(builder);
  if (!builder->failed) mbs_read_sensors(builder);
  if (!builder->failed) mbs_read_sensitivities(builder);
  if (!builder->failed) mbs_read_frequency_response(builder);
  if (!builder->failed) mbs_read_outputs(builder);
  if (!builder->failed) mbs_read_study(builder);
  mbs_check_drawing(builder);
}

/* Marks the velocities of the joints in `hold`. In body coordinates these have none; there the primitives of the joints
 * are held. */
static void mark_held(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->hold_v = mbs_builder_alloc(builder, model->nv, sizeof *model->hold_v);
  for (size_t i = 1; i <= model->nB && !builder->failed; i++)
    if (model->tree_joint[i] >= 0 && model->held_joint[model->tree_joint[i]])
      for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) model->hold_v[k] = true;
  for (size_t j = 0; j < model->joint_count && !builder->failed; j++)
    if (model->held_joint[j] && !model->joints[j].in_tree && !model->body_formulation)
      mbs_diagnose(builder->list, MBS_INVALID, "/analysis/hold", "joint '%s' is cut, so it has no coordinate to hold",
                   model->joints[j].name);
}

static void build_structure(mbs_builder *builder) {
  mbs_tree_choice tree;
  if (!mbs_choose_tree(builder, &tree) || !mbs_choose_formulation(builder, &tree)) return;
  mbs_build_structure(builder, &tree);
  if (!mbs_builder_ok(builder)) return;
  mark_held(builder);
  mbs_check_modes(builder);
  mbs_build_sparsity(builder);
  if (!mbs_builder_ok(builder)) return;
  mbs_model *model = builder->model;
  builder->failed = !model->kernels->prepare(model) || !mbs_open_constants(model, model->arena, model->constants) ||
                    !mbs_subsystems_divide(model);
  if (builder->failed) return;
  model->state =
      mbs_state_layout_of(model->nq, model->nv, model->nz, model->has_power, model->kernels->integrated_angles(model));
  assert(model->state.quadratures == model->nq + model->nv + model->nz);
  mbs_rotor_numbers(mbs_numbers_of(builder));
  mbs_start_numbers(mbs_numbers_of(builder));
  if (mbs_builder_ok(builder)) check_laws(builder);
}

mbs_model *mbs_model_build(const mbs_node *document, const mbs_node *analysis, const mbs_limits *limits,
                           mbs_diagnostics *list) {
  return mbs_model_build_for(&(mbs_documents){.model = document, .analysis = analysis}, NULL, limits, list);
}

mbs_arena *mbs_documents_arena(const mbs_limits *limits) {
  return mbs_arena_new(limits->memory ? limits->memory : default_memory);
}

mbs_model *mbs_model_build_for(const mbs_documents *documents, const double *parameters, const mbs_limits *limits,
                               mbs_diagnostics *list) {
  mbs_limits limited = limits ? *limits : (mbs_limits){0};
  if (limited.memory == 0) limited.memory = default_memory;
  mbs_arena *arena = documents->arena ? documents->arena : mbs_documents_arena(&limited);
  mbs_model *model = arena ? mbs_arena_alloc(arena, 1, sizeof *model) : NULL;
  if (!model) {
    mbs_arena_free(arena);
    mbs_diagnose(list, MBS_NO_MEMORY, "", "no memory for a model");
    return NULL;
  }
  model->arena = arena;
  model->limits = limited;
  if (documents->study) model->limits.wall_seconds = 0; /* the limits of the document apply to each run */
  model->constants = mbs_arena_alloc(arena, 1, sizeof *model->constants);
  mbs_builder builder = {.model = model,
                         .binder = {.model = model, .constants = model->constants, .list = list, .builder = &builder},
                         .arena = arena,
                         .list = list,
                         .document = documents->model,
                         .analysis = documents->analysis,
                         .study = documents->study,
                         .host_limits = limited,
                         .uses_count = true,
                         .given = parameters,
                         .force_now = -1,
                         .failed = !model->constants};
  if (model->constants) model->constants->model = model;
  if (!builder.failed) mbs_keep_document(&builder, !documents->arena);
  if (!builder.failed) read_document(&builder);
  if (mbs_builder_ok(&builder)) build_structure(&builder);
  mbs_names_free(&builder.parameter_names);
  mbs_names_free(&builder.named_functions);
  mbs_names_free(&builder.body_names);
  mbs_names_free(&builder.joint_names);
  mbs_names_free(&builder.force_names);
  mbs_names_free(&builder.driver_names);
  mbs_names_free(&builder.declared_names);
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
