/* The numbers of a model: their storage, and their computation from parameters.
 *
 * A model is built by reading its document once, with all numbers. For other parameter values the same functions read
 * the same numbers again, from the model's own document, in the same order; the structure does not change. */
#include "builder/builder.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "model/discrete.h"
#include "model/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the model's own document ----------------------------------------------------------------------------------- */

/* Returns the number of values of a node; a row, which has no class, is one value. */
static size_t count_values(const mbs_node *node) {
  size_t count = 0;
  while (node->cls && node->cls->fields[count].name) count++;
  return node->cls ? count : 1;
}

static size_t count_scalars(const mbs_node *node) {
  size_t count = 0, values = node ? count_values(node) : 0;
  for (size_t f = 0; f < values; f++) {
    const mbs_value *value = &node->values[f];
    if (value->scalars) count += value->count;
    for (size_t i = 0; value->nodes && i < value->count; i++) count += count_scalars(&value->nodes[i]);
  }
  return count;
}

const char *mbs_keep_text(mbs_builder *builder, const char *text) {
  const char *copy = text ? mbs_arena_text(builder->arena, text) : NULL;
  builder->failed = builder->failed || (text && !copy);
  return copy;
}

static void copy_node(mbs_builder *builder, const mbs_node *from, mbs_node *to) {
  mbs_model *model = builder->model;
  size_t fields = count_values(from);
  *to = (mbs_node){
      .cls = from->cls, .pointer = mbs_keep_text(builder, from->pointer), .key = mbs_keep_text(builder, from->key)};
  to->values = mbs_builder_alloc(builder, fields, sizeof *to->values);
  for (size_t f = 0; f < fields && !builder->failed; f++) {
    const mbs_value *value = &from->values[f];
    mbs_value *copy = &to->values[f];
    *copy = *value;
    /* the pointer of an entry's only value is that of the entry */
    copy->pointer = value->pointer == from->pointer ? to->pointer : mbs_keep_text(builder, value->pointer);
    copy->scalars = value->scalars ? model->scalars + model->scalar_count : NULL;
    for (size_t i = 0; value->scalars && i < value->count; i++)
      model->scalars[model->scalar_count++] =
          (mbs_scalar){mbs_keep_text(builder, value->scalars[i].text), value->scalars[i].number};
    if (!value->nodes) continue;
    copy->nodes = mbs_builder_alloc(builder, value->count, sizeof *copy->nodes);
    for (size_t i = 0; i < value->count && !builder->failed; i++) copy_node(builder, &value->nodes[i], &copy->nodes[i]);
  }
}

/* Moves the scalars of a node in the model's arena to the model's array. */
static void gather_scalars(mbs_model *model, const mbs_node *node) {
  size_t values = count_values(node);
  for (size_t f = 0; f < values; f++) {
    mbs_value *value = &node->values[f];
    if (value->scalars && value->count > 0) {
      mbs_scalar *own = model->scalars + model->scalar_count;
      value->scalars = memcpy(own, value->scalars, value->count * sizeof *own);
      model->scalar_count += value->count;
    }
    for (size_t i = 0; value->nodes && i < value->count; i++) gather_scalars(model, &value->nodes[i]);
  }
}

void mbs_keep_document(mbs_builder *builder, bool copied) {
  mbs_model *model = builder->model;
  const mbs_node **parts[] = {&builder->document, &builder->analysis, &builder->study};
  size_t count = count_scalars(builder->document) + count_scalars(builder->analysis) + count_scalars(builder->study);
  model->scalars = mbs_builder_alloc(builder, count, sizeof *model->scalars);
  model->number_of = mbs_builder_alloc(builder, count, sizeof *model->number_of);
  for (size_t k = 0; k < 3 && !builder->failed; k++) {
    if (!copied && *parts[k]) gather_scalars(model, *parts[k]);
    mbs_node *copy = copied && *parts[k] ? mbs_builder_alloc(builder, 1, sizeof *copy) : NULL;
    if (!copy) continue;
    copy_node(builder, *parts[k], copy);
    *parts[k] = copy;
  }
  assert(builder->failed || model->scalar_count == count);
  model->document = builder->document;
  model->documents = (mbs_documents){builder->document, builder->analysis, builder->study, NULL};
}

/* ---- storage of numbers ------------------------------------------------------------------------------------------ */

void mbs_frames_geometry(const mbs_constants *constants, const mbs_frames *frames, mbs_geometry *geometry) {
  *geometry = (mbs_geometry){.s1 = {0}};
  if (frames->point1 >= 0) memcpy(geometry->s1, constants->points[frames->point1], sizeof geometry->s1);
  if (frames->point2 >= 0) memcpy(geometry->s2, constants->points[frames->point2], sizeof geometry->s2);
  if (frames->vector1 >= 0) memcpy(geometry->u1, constants->vectors[frames->vector1], sizeof geometry->u1);
  if (frames->vector2 >= 0) memcpy(geometry->u2, constants->vectors[frames->vector2], sizeof geometry->u2);
}

bool mbs_open_constants(const mbs_model *model, mbs_arena *arena, mbs_constants *constants) {
  const struct {
    void **array;
    size_t count, size;
  } arrays[] = {{(void **)&constants->parameters, model->parameter_count, sizeof *constants->parameters},
                {(void **)&constants->numbers, model->number_count, sizeof *constants->numbers},
                {(void **)&constants->laws, model->law_count, sizeof *constants->laws},
                {(void **)&constants->points, model->nP, sizeof *constants->points},
                {(void **)&constants->vectors, model->vector_count, sizeof *constants->vectors},
                {(void **)&constants->bodies, model->nB + 1, sizeof *constants->bodies},
                {(void **)&constants->joints, model->joint_count, sizeof *constants->joints},
                {(void **)&constants->joint_data, model->joint_count, sizeof *constants->joint_data},
                {(void **)&constants->blocks, model->block_numbers, sizeof *constants->blocks},
                {(void **)&constants->functions, model->function_numbers, sizeof *constants->functions},
                {(void **)&constants->forces, model->force_count, sizeof *constants->forces},
                {(void **)&constants->rotors, model->rotor_count, sizeof *constants->rotors},
                {(void **)&constants->rotor_masses, model->nv, sizeof *constants->rotor_masses},
                {(void **)&constants->state_starts, model->state_count, sizeof *constants->state_starts},
                {(void **)&constants->sampling, model->sampled_count, sizeof *constants->sampling},
                {(void **)&constants->external_starts, model->external_count, sizeof *constants->external_starts},
                {(void **)&constants->jets, 3 * model->input_max, sizeof *constants->jets},
                {(void **)&constants->strands, model->strand_count, sizeof *constants->strands},
                {(void **)&constants->paths, model->path_count, sizeof *constants->paths},
                {(void **)&constants->radius2, model->nB + 1, sizeof *constants->radius2},
                {(void **)&constants->boxes, model->nB + 1, sizeof *constants->boxes},
                {(void **)&constants->poses, model->nB + 1, sizeof *constants->poses},
                {(void **)&constants->q0, model->nq, sizeof *constants->q0},
                {(void **)&constants->v0, model->nv, sizeof *constants->v0},
                {(void **)&constants->slots, model->slot_max + model->bind_slots, sizeof *constants->slots},
                {&constants->kernels, model->nB + 1, model->kernels->constants_size}};
  constants->model = model;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    if (*arrays[i].array) continue; /* read already */
    *arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, arrays[i].size);
    if (!*arrays[i].array) return false;
  }
  return true;
}

/* Allocates the data of elements, with the sizes of those of the document. */
static bool open_elements(const mbs_model *model, mbs_arena *arena, mbs_constants *constants) {
  for (size_t j = 0; j < model->joint_count; j++) {
    constants->joint_data[j] = mbs_arena_alloc(arena, 1, model->joints[j].cls->data_size);
    if (!constants->joint_data[j]) return false;
  }
  for (size_t f = 0; f < model->force_count; f++) {
    constants->forces[f].data =
        mbs_arena_alloc(arena, 1, model->forces[f].cls->data_size + model->forces[f].data_extra);
    if (!constants->forces[f].data) return false;
  }
  for (size_t f = 0; f < model->function_numbers; f++) {
    const mbs_function_constants *own = &model->constants->functions[f];
    mbs_function_constants *out = &constants->functions[f];
    out->data = mbs_arena_alloc(arena, own->data_count, sizeof *out->data);
    out->breaks = mbs_arena_alloc(arena, own->break_most, sizeof *out->breaks);
    out->data_count = own->data_count;
    out->break_most = own->break_most;
    if (!out->data || !out->breaks) return false;
  }
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law *law = model->laws[l];
    constants->laws[l] = (mbs_law_constants){.expression = law->expression, .value = law->value};
    if (!law->copied) continue;
    constants->laws[l].own = mbs_expression_copy(law->expression, arena);
    constants->laws[l].expression = constants->laws[l].own;
    if (!constants->laws[l].own) return false;
  }
  return true;
}

/* Allocates the stored start. It is not used with contacts and counted revolutions, because a correction also changes
 * these. */
static bool open_kept_start(const mbs_model *model, mbs_arena *arena, mbs_constants *constants) {
  if (model->curve_count || model->kernels->integrated_angles(model)) return true;
  mbs_kept_start *kept = constants->kept_start = mbs_arena_alloc(arena, 1, sizeof *kept);
  return kept && (kept->q = mbs_arena_alloc(arena, model->nq + 1, sizeof *kept->q));
}

mbs_constants *mbs_constants_new(const mbs_model *model, mbs_arena *arena) {
  assert(model != NULL && arena != NULL);
  mbs_constants *constants = mbs_arena_alloc(arena, 1, sizeof *constants);
  bool complete = constants && mbs_open_constants(model, arena, constants) && open_elements(model, arena, constants) &&
                  open_kept_start(model, arena, constants);
  return complete ? constants : NULL;
}

/* ---- functions of time ----------------------------------------------------------------------------------------- */

/* Shares of the initial value of a distance. Below the first, rounding determines its direction. If the distance goes
 * to 0, a motion rotates without bounds as it comes nearer; its integration ends at the second share. */
static const double least_distance = 1e-9, least_on_the_way_to_zero = 1e-3;
enum { DISTANCE_SAMPLES = 1024 };

/* Checks that a distance starts above 0, and sets its smallest permitted value. */
static void check_distance(mbs_binder *binder, mbs_system *system, const mbs_function *function) {
  const mbs_model *model = binder->model;
  double *least = &binder->constants->functions[function->number].least;
  double start[3], value[3];
  function->cls->value(system, function, model->t_start, start);
  if (start[0] <= 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, function->pointer,
                 "a distance must stay above 0; it is %g at the start (t = %g)", start[0], model->t_start);
  *least = least_distance * start[0];
  for (int k = 1; k <= DISTANCE_SAMPLES && model->type == MBS_DYNAMICS; k++) {
    double t = model->t_start + (model->t_end - model->t_start) * k / DISTANCE_SAMPLES;
    function->cls->value(system, function, t, value);
    if (value[0] <= *least) *least = least_on_the_way_to_zero * start[0];
  }
}

/* Checks that functions of time do not jump between their pieces. */
void mbs_check_functions(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  mbs_system probe = mbs_probe_of_time(binder->constants);
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    const mbs_function_constants *numbers = &binder->constants->functions[function->number];
    if (function->distance) check_distance(binder, &probe, function);
    for (size_t k = 0; k < numbers->break_count; k++) {
      double t = numbers->breaks[k], before[3], after[3];
      if (t <= model->t_start || t >= model->t_end) continue;
      probe.span_end = t;
      function->cls->value(&probe, function, t, before);
      probe.span_end = INFINITY;
      function->cls->value(&probe, function, t, after);
      if (fabs(after[0] - before[0]) > 1e-9 * (mbs_function_unit(binder->constants, f) + fabs(before[0])))
        mbs_diagnose(binder->list, MBS_INVALID, function->pointer,
                     "the function jumps between two pieces at t = %g: %.9g before, %.9g after", t, before[0],
                     after[0]);
    }
  }
}

/* ---- binding --------------------------------------------------------------------------------------------------- */

static void refuse(mbs_binder *binder, const char *pointer, mbs_bind_outcome outcome) {
  mbs_diagnose(binder->list, outcome == MBS_BIND_NOT_FINITE ? MBS_BAD_EXPRESSION : MBS_INVALID, pointer,
               outcome == MBS_BIND_NOT_FINITE ? "this expression has no finite value for these parameters"
                                              : "this number determines the structure of the model and cannot change "
                                                "with a parameter; build the model again for this value");
}

/* Computes parameters that are expressions of others, each after those that it names. */
static void bind_parameters(mbs_binder *binder, const double *given) {
  const mbs_model *model = binder->model;
  double *values = binder->constants->parameters;
  for (size_t i = 0; i < model->parameter_count; i++) {
    int at = model->parameters[i].order;
    assert(at >= 0 && (size_t)at < model->parameter_count);
    const mbs_parameter *parameter = &model->parameters[at];
    mbs_bind_outcome outcome = MBS_BIND_OK;
    if (given && !isnan(given[at]))
      values[at] = given[at];
    else if (parameter->expression)
      outcome = mbs_expression_bind_value(parameter->expression, values, binder->constants->slots, &values[at]);
    else
      values[at] = parameter->value;
    if (outcome != MBS_BIND_OK)
      refuse(binder, parameter->pointer, outcome);
    else if (isfinite(values[at]))
      continue;
    else
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, parameter->pointer, "a parameter must be finite, not %g",
                   values[at]);
    values[at] = parameter->value; /* reported; a finite substitute lets binding continue */
  }
}

/* Returns true if a number on which positions may depend has changed. */
static bool bind_numbers(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  mbs_constants *constants = binder->constants;
  bool moved = false;
  for (size_t i = 0; i < model->number_count; i++) {
    const mbs_dependent *number = &model->numbers[i];
    assert(number->expression != NULL);
    const double before = constants->numbers[i];
    mbs_bind_outcome outcome =
        mbs_expression_bind_value(number->expression, constants->parameters, constants->slots, &constants->numbers[i]);
    if (number->structural && constants->numbers[i] != model->constants->numbers[i]) outcome = MBS_BIND_OTHER_FORM;
    moved |= number->places && constants->numbers[i] != before;
    if (outcome == MBS_BIND_OK) continue;
    refuse(binder, number->pointer, outcome);
    constants->numbers[i] = NAN; /* reported, so values that depend on it are not reported */
  }
  return moved;
}

static void bind_laws(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  mbs_constants *constants = binder->constants;
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law *law = model->laws[l];
    mbs_law_constants *out = &constants->laws[l];
    assert(law->constant < (int)model->number_count);
    if (law->constant >= 0) out->value = constants->numbers[law->constant];
    if (!law->copied) continue;
    mbs_bind_outcome outcome = mbs_expression_bind(out->own, constants->parameters, constants->slots);
    if (law->structural && !mbs_expression_same(out->own, law->expression)) outcome = MBS_BIND_OTHER_FORM;
    if (outcome != MBS_BIND_OK) refuse(binder, law->pointer, outcome);
  }
}

/* Checks that laws of the time alone have a finite value at the start, as the builder does. */
static void check_laws(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law *law = model->laws[l];
    if (!law->copied || law->later || law->input_count != 1 || model->inputs[law->inputs[0]].kind != MBS_INPUT_TIME)
      continue;
    const mbs_expression *expression = binder->constants->laws[l].expression;
    if (!isfinite(mbs_expression_value(expression, &model->t_start, NULL, binder->constants->slots)))
      mbs_diagnose(binder->list, MBS_BAD_EXPRESSION, law->pointer, "'%.200s' has no finite value at the start (t = %g)",
                   law->text, model->t_start);
  }
}

void mbs_gravity_numbers(mbs_binder *binder) {
  binder->loads = true;
  mbs_read_numbers(binder, binder->model->document, "gravity", binder->constants->gravity, 3);
  binder->loads = false;
}

/* Reads the numbers of all elements. If `moved` is false, skips those on which positions depend, because they have not
 * changed: numbers of points, vectors and joints, and those of bodies other than mass and inertia. */
static void bind_elements(mbs_binder *binder, bool moved) {
  const mbs_model *model = binder->model;
  mbs_constants *constants = binder->constants;
  mbs_gravity_numbers(binder);
  for (size_t i = 0; i < model->nP && moved; i++)
    mbs_point_or_vector_numbers(binder, &model->points[i], false, constants->points[i]);
  for (size_t i = 0; i < model->vector_count && moved; i++)
    mbs_point_or_vector_numbers(binder, &model->vectors[i], true, constants->vectors[i]);
  for (size_t b = 0; b <= model->nB; b++)
    (moved ? mbs_body_numbers : mbs_body_masses)(binder, &model->bodies[b], &constants->bodies[b]);
  for (size_t j = 0; j < model->joint_count && moved; j++)
    mbs_joint_numbers_of(binder, &model->joints[j], &constants->joints[j]);
  for (size_t f = 0; f < model->function_count; f++)
    mbs_function_numbers_of(binder, &model->functions[f], &constants->functions[model->functions[f].number]);
  for (size_t f = 0; f < model->force_count; f++)
    mbs_force_numbers_of(binder, &model->forces[f], &constants->forces[f]);
  mbs_rotor_numbers(binder);
  mbs_state_numbers(binder, constants);
  mbs_external_numbers(binder, constants);
  for (size_t i = 0; i < model->sampled_count; i++)
    mbs_sampling_numbers(binder, &model->discrete[model->variable_count + i], &constants->sampling[i]);
}

mbs_status mbs_bind_parameters(mbs_constants *constants, const double *parameters, mbs_diagnostics *list) {
  mbs_binder binder = {.model = constants->model, .constants = constants, .list = list};
  size_t before = list->count;
  bind_parameters(&binder, parameters);
  return list->count == before ? MBS_OK : list->items[before].status;
}

mbs_status mbs_bind(mbs_constants *constants, const double *parameters, mbs_diagnostics *list) {
  assert(constants != constants->model->constants);
  mbs_binder binder = {.model = constants->model, .constants = constants, .list = list};
  size_t before = list->count;
  bool moved = true;
  bind_parameters(&binder, parameters);
  if (list->count == before) { /* values that name an invalid parameter are not reported */
    moved = bind_numbers(&binder) || !constants->placed || constants->model->laws_place;
    if (moved && constants->kept_start) constants->kept_start->known = false;
    bind_laws(&binder);
    bind_elements(&binder, moved);
    for (size_t j = 0; j < constants->model->joint_count && moved && list->count > before; j++)
      mbs_check_row_numbers(&binder, &constants->model->joints[j]);
  }
  if (list->count == before) {
    if (moved)
      mbs_start_numbers(&binder);
    else
      constants->model->kernels->bind(constants);
  }
  if (list->count == before) {
    mbs_check_functions(&binder);
    check_laws(&binder);
  }
  constants->placed = list->count == before;
  return list->count == before ? MBS_OK : list->items[before].status;
}
