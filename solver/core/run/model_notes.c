/* Adds notes on elements of the document that have no effect, or less effect than expected. All follow from the
 * structure of the model.
 *
 * A gear relates the absolute angles of its bodies and exerts a pair of torques. That is the ratio of meshing teeth
 * while both centres are fixed on a body that does not rotate. */
#include "run/model_notes.h"

#include "run/names.h"
#include "run/notes.h"

#include <string.h>

enum { NAMES = 150 };

/* ---- loads on the ground, sensors of constants --------------------------------------------------------------- */

/* Returns true if a force element acts on the ground only. An element between two bodies has another first body, or is
 * an error; so is a rope or belt on one body. */
static bool acts_on_ground(const mbs_force *force) {
  for (size_t b = 0; b < force->body_count; b++)
    if (force->bodies[b] != 0) return false;
  return force->path < 0 && force->frames.body1 == 0 && force->frames.body2 == 0 && force->coordinate < 0;
}

static void note_loads_on_ground(mbs_run_state *run) {
  const mbs_model *model = run->model;
  char names[NAMES];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  for (size_t f = 0; f < model->force_count; f++)
    if (acts_on_ground(&model->forces[f])) mbs_name_list_add(&list, model->forces[f].name);
  if (list.count)
    mbs_run_note(run, "%s act%s on the fixed ground only: %s no effect; choose a body that moves",
                 mbs_name_list_close(&list), list.count == 1 ? "s" : "", list.count == 1 ? "it has" : "they have");
}

/* Returns true if an input of an expression is constant. */
static bool is_constant(const mbs_model *model, const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX: return input->index == 0;
  case MBS_INPUT_PRIMITIVE: {
    const mbs_frames *frames = &model->coordinates[input->index].frames;
    return frames->body1 == frames->body2;
  }
  default: return false;
  }
}

static bool never_changes(const mbs_model *model, const mbs_law *law) {
  for (size_t i = 0; i < law->input_count; i++)
    if (!is_constant(model, &model->inputs[law->inputs[i]])) return false;
  return true;
}

static void note_constant_sensors(mbs_run_state *run) {
  const mbs_model *model = run->model;
  char names[NAMES];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  for (size_t s = 0; s < model->sensor_count; s++)
    if (never_changes(model, &model->sensors[s].law)) mbs_name_list_add(&list, model->sensors[s].name);
  if (list.count)
    mbs_run_note(run, "sensor%s %s use%s only quantities that do not change during a run: %s constant",
                 list.count == 1 ? "" : "s", mbs_name_list_close(&list), list.count == 1 ? "s" : "",
                 list.count == 1 ? "its value is" : "their values are");
}

/* ---- gears --------------------------------------------------------------------------------------------------- */

/* The mounting of bodies on one another. */
typedef struct mounting {
  const mbs_model *model;
  int *welded; /* [nB + 1] equal numbers for bodies that cannot move against each other */
  bool *still; /* [nB + 1] the body cannot rotate against the ground */
} mounting;

static size_t count_turns(const mbs_joint_shape *shape) {
  size_t turns = 0;
  for (size_t k = 0; k < shape->coordinate_count; k++) turns += mbs_is_turn(shape->coordinates[k].primitive);
  return turns;
}

/* Returns true if a joint's bodies cannot rotate against each other. */
static bool keeps_orientation(const mbs_joint *joint) {
  return joint->shape->in_tree && count_turns(joint->shape) == 0;
}

/* Returns true if the second body rotates about a point or an axis that is fixed on the first. In space a translation
 * in addition to a rotation is along its axis (cylindrical joint); in the plane it moves the centre. */
static bool holds_centre(const mbs_model *model, const mbs_joint *joint) {
  const mbs_joint_shape *shape = joint->shape;
  size_t turns = count_turns(shape), slides = shape->coordinate_count - turns;
  return shape->in_tree && turns > 0 && !shape->rolls && (slides == 0 || (model->dim == 3 && slides == 1));
}

static bool is_weld(const mbs_joint *joint) { return joint->shape->in_tree && joint->shape->coordinate_count == 0; }

static void weld(mounting *self, int keep, int replace) {
  for (size_t b = 0; b <= self->model->nB; b++)
    if (self->welded[b] == replace) self->welded[b] = keep;
}

static bool open_mounting(mounting *self, const mbs_model *model, mbs_arena *arena) {
  *self = (mounting){.model = model,
                     .welded = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->welded),
                     .still = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->still)};
  if (!self->welded || !self->still) return false;
  for (size_t b = 0; b <= model->nB; b++) self->welded[b] = (int)b;
  self->still[0] = true;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_frames *frames = &model->joints[j].frames;
    if (is_weld(&model->joints[j])) weld(self, self->welded[frames->body1], self->welded[frames->body2]);
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t j = 0; j < model->joint_count; j++) {
      bool *first = &self->still[model->joints[j].frames.body1], *second = &self->still[model->joints[j].frames.body2];
      if (*first == *second || !keeps_orientation(&model->joints[j])) continue;
      *first = *second = more = true;
    }
  }
  return true;
}

/* Returns the group of welded bodies on which joint `j` holds the centre of `body`, if the group cannot rotate;
 * otherwise -1. */
static int seat_of(const mounting *self, size_t j, int body) {
  const mbs_joint *joint = &self->model->joints[j];
  const int sides[] = {joint->frames.body1, joint->frames.body2};
  if (!holds_centre(self->model, joint)) return -1;
  for (int k = 0; k < 2; k++)
    if (self->welded[sides[k]] == self->welded[body] && self->still[sides[1 - k]]) return self->welded[sides[1 - k]];
  return -1;
}

/* Returns true if the centre of `body` is fixed on the group `seat` of welded bodies, which cannot rotate. */
static bool is_seated_on(const mounting *self, int body, int seat) {
  bool found = self->welded[body] == seat;
  for (size_t j = 0; j < self->model->joint_count && !found; j++) found = seat_of(self, j, body) == seat;
  return found;
}

/* Returns true if the centre of `body` is fixed on a body that cannot rotate, and that of `other` on the same one.
 * `other` is -1 if there is only one body. */
static bool is_seated(const mounting *self, int body, int other) {
  bool found = self->still[body] && (other < 0 || is_seated_on(self, other, self->welded[body]));
  for (size_t j = 0; j < self->model->joint_count && !found; j++) {
    int seat = seat_of(self, j, body);
    found = seat >= 0 && (other < 0 || is_seated_on(self, other, seat));
  }
  return found;
}

static void note_moving_centres(mbs_run_state *run, const mounting *self) {
  const mbs_model *model = run->model;
  char gears[NAMES], bodies[NAMES];
  mbs_name_list gear_list = mbs_name_list_open(gears, sizeof gears);
  mbs_name_list body_list = mbs_name_list_open(bodies, sizeof bodies);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *gear = &model->joints[j];
    if (!gear->cls->ties_turns || is_seated(self, gear->frames.body1, gear->frames.body2)) continue;
    mbs_name_list_add(&gear_list, gear->name);
    const int sides[] = {gear->frames.body1, gear->frames.body2};
    bool both = is_seated(self, sides[0], -1) && is_seated(self, sides[1], -1); /* both are fixed, but on different
                                                                                 * bodies */
    for (int k = 0; k < 2; k++)
      if (both || !is_seated(self, sides[k], -1)) mbs_name_list_add(&body_list, model->bodies[sides[k]].name);
  }
  if (gear_list.count)
    mbs_run_note(
        run,
        "gear%s %s relate%s the absolute angles of two bodies, but the centre of %s can move: on a moving carrier this "
        "is not the ratio of a gear mesh; use a joint of type gear-pair%s, whose angles are relative to the carrier",
        gear_list.count == 1 ? "" : "s", mbs_name_list_close(&gear_list), gear_list.count == 1 ? "s" : "",
        mbs_name_list_close(&body_list), model->dim == 2 ? "" : ", or of another gear with teeth");
}

/* Returns true if a joint other than a gear connects a body that is welded to one of the gear's bodies. */
static bool bears(const mounting *self, const mbs_joint *joint, const mbs_frames *gear) {
  if (joint->cls->ties_turns || joint->cls->row || joint->shape->row_count == 0) return false;
  const int sides[] = {self->welded[joint->frames.body1], self->welded[joint->frames.body2]};
  for (int k = 0; k < 2; k++)
    if (sides[k] != self->welded[0] && (sides[k] == self->welded[gear->body1] || sides[k] == self->welded[gear->body2]))
      return true;
  return false;
}

static void note_tooth_forces(mbs_run_state *run, const mounting *self) {
  const mbs_model *model = run->model;
  char gears[NAMES], joints[NAMES];
  mbs_name_list gear_list = mbs_name_list_open(gears, sizeof gears);
  mbs_name_list joint_list = mbs_name_list_open(joints, sizeof joints);
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->ties_turns) mbs_name_list_add(&gear_list, model->joints[j].name);
  for (size_t j = 0; j < model->joint_count; j++) {
    bool bearing = false;
    for (size_t g = 0; g < model->joint_count && !bearing; g++)
      bearing = model->joints[g].cls->ties_turns && bears(self, &model->joints[j], &model->joints[g].frames);
    if (bearing) mbs_name_list_add(&joint_list, model->joints[j].name);
  }
  if (joint_list.count)
    mbs_run_note(run,
                 "gear%s %s exert%s torques only: the reaction%s of %s omit%s the tooth forces; use a joint of type "
                 "gear-pair%s, whose teeth press on the bearings",
                 gear_list.count == 1 ? "" : "s", mbs_name_list_close(&gear_list), gear_list.count == 1 ? "s" : "",
                 joint_list.count == 1 ? "" : "s", mbs_name_list_close(&joint_list), joint_list.count == 1 ? "s" : "",
                 model->dim == 2 ? "" : ", or of another gear with teeth");
}

/* Returns true if the results, or sensors in them, contain reactions of joints. */
static bool has_reactions(const mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (!run->output.forces || model->asked == MBS_KINEMATICS) return false;
  if (run->output.arrays[MBS_OUTPUT_REACTIONS]) return true;
  for (size_t s = 0; s < model->sensor_count; s++)
    for (size_t i = 0; i < model->sensors[s].law.input_count; i++)
      if (model->inputs[model->sensors[s].law.inputs[i]].kind == MBS_INPUT_REACTION) return true;
  return false;
}

static void note_unchecked_inertia(mbs_run_state *run) {
  const mbs_model *model = run->model;
  char names[NAMES];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  for (size_t b = 1; b <= model->nB; b++)
    if (model->bodies[b].unchecked_inertia) mbs_name_list_add(&list, model->bodies[b].name);
  if (list.count)
    mbs_run_note(run, "the inertia of %s is not checked (\"inertia_check\": false); perhaps no rigid body has it",
                 mbs_name_list_close(&list));
}

/* Notes initial angles that may be meant in degrees. */
static void note_doubtful_angles(mbs_run_state *run) {
  const mbs_model *model = run->model;
  const char *name = NULL;
  double angle = 0;
  for (size_t b = model->nB; b > 0; b--)
    if (model->bodies[b].doubtful_angle != 0) name = model->bodies[b].name, angle = model->bodies[b].doubtful_angle;
  for (size_t j = model->joint_count; j > 0; j--)
    if (model->joints[j - 1].doubtful_angle != 0)
      name = model->joints[j - 1].name, angle = model->joints[j - 1].doubtful_angle;
  if (name)
    mbs_run_note(run, "the initial angle of '%s' is %g rad, more than a revolution; for degrees write \"%g deg\"", name,
                 angle, angle);
}

/* Notes joints that the document cuts, whose initial values have no use: a cut joint has no coordinates. */
static void note_cut_initials(mbs_run_state *run) {
  const mbs_model *model = run->model;
  char names[NAMES];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->cut == MBS_CUT_YES && joint->initial_position_count + joint->initial_velocity_count > 0)
      mbs_name_list_add(&list, joint->name);
  }
  if (list.count)
    mbs_run_note(run, "%s %s cut: 'initial' has no effect there; give the 'initial' of the bodies, or remove 'cut'",
                 mbs_name_list_close(&list), list.count == 1 ? "is" : "are");
}

static mbs_status note_gears(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mounting self;
  bool any = false;
  for (size_t j = 0; j < model->joint_count; j++) any |= model->joints[j].cls->ties_turns;
  if (!any) return MBS_OK;
  if (!open_mounting(&self, model, run->system->arena)) return MBS_NO_MEMORY;
  note_moving_centres(run, &self);
  if (has_reactions(run)) note_tooth_forces(run, &self);
  return MBS_OK;
}

mbs_status mbs_note_model(mbs_run_state *run) {
  run->warned = mbs_arena_alloc(run->system->arena, run->model->force_count + 1, sizeof *run->warned);
  if (!run->warned) return MBS_NO_MEMORY;
  if (run->quiet) return MBS_OK;
  note_loads_on_ground(run);
  note_constant_sensors(run);
  note_unchecked_inertia(run);
  note_cut_initials(run);
  note_doubtful_angles(run);
  for (size_t f = 0; f < run->model->force_count; f++) {
    const mbs_force *force = &run->model->forces[f];
    const char *note = force->cls->note ? force->cls->note(force) : NULL;
    if (note) mbs_run_note(run, "'%s': %s", force->name, note);
  }
  return note_gears(run);
}
