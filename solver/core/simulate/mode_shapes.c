/* Computes the mode shapes of the bodies, V = B v, by the kinematics of the tree, which is linear in v. The real and
 * the imaginary part are separate displacements. */
#include "simulate/mode_shapes.h"

#include "equations/state.h"
#include "kernels/kernels.h"

/* components of a body's displacement: of its mass centre, then a small rotation */
static const char *const planar[] = {"x", "y", "phi"}, *const spatial[] = {"x", "y", "z", "phi_x", "phi_y", "phi_z"};

static const char **list_labels(const mbs_model *model, mbs_arena *arena) {
  size_t width = (size_t)model->kernels->width, count = model->nB * width * 2;
  const char *const *words = model->dim == 3 ? spatial : planar;
  const char **labels = mbs_arena_alloc(arena, count + 1, sizeof *labels);
  for (size_t i = 0; labels && i < count; i++) {
    const char *body = model->bodies[model->user_body[i / 2 / width]].name;
    labels[i] = mbs_arena_format(arena, "%s.%s.%s", body, words[i / 2 % width], i % 2 ? "imaginary" : "real");
    if (!labels[i]) return NULL;
  }
  return labels;
}

static const char **list_units(const mbs_model *model, mbs_arena *arena) {
  size_t width = (size_t)model->kernels->width, count = model->nB * width * 2;
  const char **units = mbs_arena_alloc(arena, count + 1, sizeof *units);
  for (size_t i = 0; units && i < count; i++) units[i] = i / 2 % width < (size_t)model->dim ? "m" : "rad";
  return units;
}

/* Writes the velocities of all bodies at the current velocity, in the document's order, to every second element of
 * `out`. */
static void read_bodies(const mbs_system *system, double *out) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = system->model;
  int turns = model->kernels->torque_components;
  for (size_t b = 0; b < model->nB; b++) {
    double slide[3], turn[3];
    model->kernels->point(system, model->user_body[b], centre, 1, slide);
    model->kernels->rotation(system, model->user_body[b], 1, turn);
    for (int k = 0; k < model->dim; k++, out += 2) *out = slide[k];
    for (int k = 3 - turns; k < 3; k++, out += 2) *out = turn[k];
  }
}

bool mbs_add_mode_shapes(mbs_run_state *run, const mbs_array *modes) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  size_t nv = model->nv, width = (size_t)model->kernels->width, count = modes->shape[0];
  double *v = mbs_arena_alloc(system->arena, nv + 1, sizeof *v);
  mbs_arena *arena = run->result->arena;
  const size_t shape[] = {count, model->nB, width, 2};
  double *data = mbs_output_add(&run->output, MBS_OUTPUT_MODE_SHAPES, run->result, 4, shape, list_labels(model, arena),
                                list_units(model, arena));
  if (!v || !data) return false;
  mbs_set_position(system, model->t_start, run->q);
  /* V = B v of the real and the imaginary part of each mode */
  for (size_t k = 0; k < 2 * count; k++) {
    const double *mode = modes->data + k / 2 * nv * 2 + k % 2;
    for (size_t i = 0; i < nv; i++) v[model->user_v[i]] = mode[2 * i];
    mbs_set_velocity(system, v);
    read_bodies(system, data + k / 2 * model->nB * width * 2 + k % 2);
  }
  return true;
}
