/* Reads mechanisms from our models; see mechanism.h. */
#include "mechanism.h"

#include "elements/forces/force.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "models.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Data of our side. */
struct peers_run {
  char *document;
  mbs_model *model;
  mbs_arena *arena;
  mbs_system *system;
  mbs_result *motion;
  double *states; /* [PEERS_STATES][nq + nv] coordinates and velocities along it */
};

_Noreturn static void give_up(const char *name, const char *why) {
  fprintf(stderr, "%s: %s\n", name, why);
  exit(1);
}

static void *room(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) give_up("mechanism", "no memory");
  return memory;
}

static void copy(double out[3], const mbs_real from[3]) {
  for (int k = 0; k < 3; k++) out[k] = from[k];
}

/* ---- parts of the mechanism ---------------------------------------------------------------------------------- */

static void swap_sides(peers_joint *joint) {
  const peers_joint from = *joint;
  joint->body1 = from.body2;
  joint->body2 = from.body1;
  copy(joint->at1, from.at2);
  copy(joint->at2, from.at1);
}

/* Reads a joint. `child`: the body that it carries, -1 if it is cut. */
static peers_joint read_joint(const mbs_model *model, int number, int child) {
  const mbs_joint *joint = &model->joints[number];
  const mbs_geometry *at = &mbs_joint_numbers(model->constants, joint)->geometry;
  const char *type = joint->cls->base.name;
  peers_joint out = {
      .ball = strcmp(type, "spherical") == 0, .body1 = joint->frames.body1, .body2 = joint->frames.body2, .axis[2] = 1};
  if (!out.ball && strcmp(type, "revolute") != 0) give_up(joint->name, "is neither a hinge nor a ball");
  copy(out.at1, at->s1);
  copy(out.at2, at->s2);
  if (model->dim == 3 && !out.ball) {
    copy(out.axis, at->u1);
    for (int k = 0; k < 3; k++)
      if (fabs(at->u1[k] - at->u2[k]) > 1e-15) give_up(joint->name, "has two axes");
  }
  if (child >= 0 && out.body2 != child) swap_sides(&out);
  return out;
}

static void read_bodies(peers_mechanism *m, const mbs_model *model) {
  m->body_count = model->nB;
  m->bodies = room(model->nB + 1, sizeof *m->bodies);
  m->cuts = room(model->joint_count, sizeof *m->cuts);
  for (size_t b = 1; b <= model->nB; b++) {
    const mbs_body_constants *numbers = &model->constants->bodies[b];
    if (model->tree_joint[b] < 0) give_up(m->name, "has a floating body");
    m->bodies[b].mass = numbers->mass;
    for (int k = 0; k < 3; k++) m->bodies[b].inertia[k] = numbers->inertia[model->dim == 2 ? 0 : k];
    for (int k = 3; k < 6; k++)
      if (model->dim == 3 && numbers->inertia[k] != 0) give_up(m->name, "has products of inertia");
    m->bodies[b].joint = read_joint(model, model->tree_joint[b], (int)b);
  }
  for (size_t j = 0; j < model->joint_count; j++)
    if (!model->joints[j].in_tree) m->cuts[m->cut_count++] = read_joint(model, (int)j, -1);
}

/* Returns the value of an expression-valued parameter that is a constant. */
static double number(const mbs_model *model, const mbs_force *force, size_t law) {
  const mbs_law_constants *numbers = mbs_law_numbers(model->constants, &force->laws[law]);
  if (numbers->expression) give_up(force->name, "is not constant");
  return numbers->value;
}

static void read_forces(peers_mechanism *m, const mbs_model *model) {
  m->springs = room(model->force_count, sizeof *m->springs);
  m->torques = room(model->force_count, sizeof *m->torques);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    const mbs_geometry *at = &mbs_force_numbers(model->constants, force)->geometry;
    const char *type = force->cls->base.name;
    if (strcmp(type, "torque") == 0 && model->dim == 2) {
      m->torques[m->torque_count++] = (peers_torque){.body = force->frames.body2, .torque[2] = number(model, force, 0)};
    } else if (strcmp(type, "spring-damper") == 0 && number(model, force, 2) == 0 && number(model, force, 3) == 0) {
      peers_spring *spring = &m->springs[m->spring_count++];
      *spring = (peers_spring){.body1 = force->frames.body1,
                               .body2 = force->frames.body2,
                               .stiffness = number(model, force, 0),
                               .free_length = number(model, force, 1)};
      copy(spring->at1, at->s1);
      copy(spring->at2, at->s2);
    } else {
      give_up(force->name, "is a force that the other programs were not told of");
    }
  }
}

/* ---- its motion ---------------------------------------------------------------------------------------------- */

void peers_mechanism_evaluate(const peers_mechanism *mechanism, size_t state) {
  const peers_run *run = mechanism->run;
  const double *row = run->states + state * run->model->state.z;
  mbs_evaluate(run->system, 0, row, row + run->model->state.v);
}

static void read_coordinates(peers_run *run) {
  const mbs_model *model = run->model;
  run->states = room(PEERS_STATES * model->state.z, sizeof *run->states);
  for (size_t state = 0; state < PEERS_STATES; state++)
    models_state(run->motion, model, state, run->states + state * model->state.z);
}

static peers_motion read_motion(const mbs_system *system, const mbs_model *model, int body) {
  static const double centre[3];
  const mbs_kernels *kernels = model->kernels;
  peers_motion out = {.p[0] = 1};
  kernels->point(system, body, centre, 0, out.r);
  kernels->point(system, body, centre, 1, out.v);
  kernels->point(system, body, centre, 2, out.a);
  kernels->rotation(system, body, 1, out.omega);
  kernels->rotation(system, body, 2, out.alpha);
  if (model->dim == 3) {
    kernels->orientation(system, body, out.p);
  } else {
    double angle[3] = {0};
    kernels->rotation(system, body, 0, angle);
    out.p[0] = cos(angle[2] / 2);
    out.p[3] = sin(angle[2] / 2);
    for (int k = 0; k < 2; k++) out.omega[k] = out.alpha[k] = 0;
    out.r[2] = out.v[2] = out.a[2] = 0;
  }
  return out;
}

static void read_states(peers_mechanism *m) {
  read_coordinates(m->run);
  for (size_t state = 0; state < PEERS_STATES; state++) {
    m->states[state] = room(m->body_count + 1, sizeof **m->states);
    m->states[state][0].p[0] = 1;
    peers_mechanism_evaluate(m, state);
    if (m->rows) mbs_constraints(m->run->system, MBS_WANT_PHI);
    for (size_t r = 0; r < m->rows; r++)
      if (!(fabs(m->run->system->Phi[r]) <= 1e-6)) give_up(m->name, "is not together along its motion");
    m->run->model->kernels->accelerations(m->run->system);
    for (size_t b = 1; b <= m->body_count; b++)
      m->states[state][b] = read_motion(m->run->system, m->run->model, (int)b);
  }
}

static mbs_model *build(const char *document, const char *method, double tolerance, double t_end, double dt,
                        const char *output) {
  char analysis[320];
  snprintf(
      analysis, sizeof analysis,
      "{\"type\": \"dynamics\", \"formulation\": \"joint\", \"t_end\": %.17g, \"dt\": %.17g, \"outputs\": [\"%s\"],"
      " \"integrator\": {\"method\": \"%s\", \"rtol\": %g, \"atol\": %g}}",
      t_end, dt, output, method, tolerance, tolerance);
  return models_build(document, analysis);
}

static mbs_result *run_model(const char *name, const mbs_model *model) {
  mbs_result *result = NULL;
  mbs_error error = {0};
  if (mbs_run(model, NULL, &result, &error) != MBS_OK) give_up(name, error.message);
  return result;
}

peers_mechanism *peers_mechanism_new(const char *name, char *document, double t_end) {
  peers_mechanism *m = room(1, sizeof *m);
  peers_run *run = m->run = room(1, sizeof *run);
  m->name = name;
  m->t_end = t_end;
  run->document = document;
  run->model = build(document, "dop853", 1e-8, t_end, t_end / (PEERS_STATES - 1), "uT");
  run->arena = mbs_arena_new(0);
  run->system = mbs_system_new(run->model, run->arena);
  m->planar = run->model->dim == 2;
  m->rows = run->model->rows;
  for (int k = 0; k < 3; k++) m->gravity[k] = run->model->constants->gravity[k];
  read_bodies(m, run->model);
  read_forces(m, run->model);
  run->motion = run_model(name, run->model);
  for (size_t r = 0; r < m->rows; r++)
    if (run->motion->report.constraints[r].redundant) give_up(name, "has redundant rows");
  read_states(m);
  return m;
}

void peers_mechanism_free(peers_mechanism *m) {
  for (size_t state = 0; state < PEERS_STATES; state++) free(m->states[state]);
  free(m->bodies);
  free(m->cuts);
  free(m->springs);
  free(m->torques);
  mbs_result_free(m->run->motion);
  mbs_arena_free(m->run->arena);
  mbs_model_free(m->run->model);
  free(m->run->document);
  free(m->run->states);
  free(m->run);
  free(m);
}

double peers_mechanism_simulate(const peers_mechanism *m, const char *method, double tolerance, double *centres) {
  mbs_model *model = build(m->run->document, method, tolerance, m->t_end, m->t_end, "r");
  const double start = now();
  mbs_result *result = run_model(m->name, model);
  const double seconds = now() - start;
  const double *r = models_row(result, "r", models_rows(result) - 1);
  for (size_t b = 0; b < m->body_count; b++)
    for (int k = 0; k < 3; k++) centres[3 * model->user_body[b] + k] = k < model->dim ? r[model->dim * (int)b + k] : 0;
  mbs_result_free(result);
  mbs_model_free(model);
  return seconds;
}
