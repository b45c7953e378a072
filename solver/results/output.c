/* The result arrays: their shapes and labels, and how a row is filled. */
#include "results/output.h"

#include "base/norms.h"
#include "base/rotation.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "kernels/kernels.h"
#include "linear/lapack.h"
#include "model/rows.h"

#include <string.h>

static const struct {
  const char *name, *unit, *doc;
  char needs;
} descriptions[MBS_OUTPUT_COUNT] = {
#define MBS_OUTPUT(id, name, unit, doc, needs) {name, unit, doc, #needs[0]},
#include "results/outputs.def"
#undef MBS_OUTPUT
};

const char **mbs_coordinate_labels(const mbs_model *model, int level, mbs_arena *arena) {
  static const char *const joint_words[] = {"q", "qd", "qdd"};
  static const char *const planar_words[3][3] = {{"x", "y", "phi"}, {"vx", "vy", "omega"}, {"ax", "ay", "alpha"}};
  static const char *const spatial_words[3][7] = {{"x", "y", "z", "e0", "e1", "e2", "e3"},
                                                  {"vx", "vy", "vz", "omega_x", "omega_y", "omega_z", ""},
                                                  {"ax", "ay", "az", "alpha_x", "alpha_y", "alpha_z", ""}};
  const char *const *body_words = model->dim == 3 ? spatial_words[level] : planar_words[level];
  const char **labels = mbs_arena_alloc(arena, (level == 0 ? model->nq : model->nv) + 1, sizeof *labels);
  size_t next = 0;
  for (size_t b = 0; labels && b < model->nB; b++) {
    int body = model->user_body[b], joint = model->tree_joint[body];
    const int *first = level == 0 ? model->first_q : model->first_v;
    int count = first[body + 1] - first[body];
    /* Velocities that are no rates of coordinates: those of a ball. */
    int plain = model->first_q[body + 1] - model->first_q[body] == count ? count : count - 3;
    for (int k = 0; k < count; k++) {
      if (joint < 0)
        labels[next] = mbs_arena_format(arena, "%s.%s", model->bodies[body].name, body_words[k]);
      else if (level > 0 && k >= plain)
        labels[next] = mbs_arena_format(arena, "%s.%s", model->joints[joint].name, spatial_words[level][3 + k - plain]);
      else if (count == 1)
        labels[next] = mbs_arena_format(arena, "%s.%s", model->joints[joint].name, joint_words[level]);
      else
        labels[next] = mbs_arena_format(arena, "%s.%s%d", model->joints[joint].name, joint_words[level], k + 1);
      if (!labels[next++]) return NULL;
    }
  }
  return labels;
}

/* "name.word", or with another separator; not by printf, for there are thousands of them in a short run. */
static const char *join(mbs_arena *arena, const char *name, char separator, const char *word, size_t length) {
  size_t first = strlen(name);
  char *text = mbs_arena_alloc(arena, first + length + 2, 1);
  if (!text) return NULL;
  memcpy(text, name, first);
  text[first] = separator;
  memcpy(text + first + 1, word, length);
  return text;
}

/* "name." and word number `index` of "a|b|c". */
static const char *join_word(mbs_arena *arena, const char *name, const char *words, int index) {
  for (; index > 0 && *words; index--) words += strcspn(words, "|") + 1;
  return join(arena, name, '.', words, strcspn(words, "|"));
}

const char **mbs_row_labels(const mbs_model *model, mbs_arena *arena) {
  const char **labels = mbs_arena_alloc(arena, model->rows + 1, sizeof *labels);
  if (!labels) return NULL;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    for (int b = 0; b < joint->block_count; b++) {
      const mbs_block *block = &model->blocks[joint->first_block + b];
      for (int r = 0; r < block->rows; r++) {
        labels[block->first_row + r] = join_word(arena, joint->name, joint->shape->rows[b].labels, r);
        if (!labels[block->first_row + r]) return NULL;
      }
    }
  }
  for (size_t d = 0; d < model->driver_count; d++)
    if (!(labels[model->drivers[d].row] = mbs_arena_text(arena, model->drivers[d].name))) return NULL;
  return labels;
}

/* "name.word" for each of `count` names and each of the words. */
static const char **label_product(mbs_arena *arena, const char *const *names, size_t count, const char *words,
                                  size_t word_count) {
  const char **labels = mbs_arena_alloc(arena, count * word_count + 1, sizeof *labels);
  for (size_t i = 0; labels && i < count * word_count; i++) {
    labels[i] = join_word(arena, names[i / word_count], words, (int)(i % word_count));
    if (!labels[i]) return NULL;
  }
  return labels;
}

typedef struct name_lists {
  const char **bodies, **points, **joints, **rows, **multipliers, **outputs, **curves;
} name_lists;

static bool make_names(const mbs_model *model, mbs_arena *arena, name_lists *names) {
  names->bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof(char *));
  names->points = mbs_arena_alloc(arena, model->nP + 1, sizeof(char *));
  names->joints = mbs_arena_alloc(arena, model->joint_count + 1, sizeof(char *));
  names->multipliers = mbs_arena_alloc(arena, model->rows + 1, sizeof(char *));
  names->outputs = mbs_arena_alloc(arena, model->output_count + 1, sizeof(char *));
  names->curves = mbs_arena_alloc(arena, model->curve_count + 1, sizeof(char *));
  names->rows = mbs_row_labels(model, arena);
  if (!names->bodies || !names->points || !names->joints || !names->multipliers || !names->outputs || !names->curves ||
      !names->rows)
    return false;
  for (size_t b = 0; b < model->nB; b++) names->bodies[b] = model->bodies[model->user_body[b]].name;
  for (size_t p = 0; p < model->nP; p++)
    if (!(names->points[p] =
              mbs_arena_format(arena, "%s.%s", model->bodies[model->points[p].body].name, model->points[p].name)))
      return false;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    names->joints[j] = joint->name;
    for (int r = 0; r < joint->row_count; r++)
      if (!(names->multipliers[joint->first_row + r] = mbs_arena_format(arena, "%s.lambda%d", joint->name, r + 1)))
        return false;
  }
  for (size_t j = 0; j < model->joint_count; j++)
    for (int c = 0; c < model->joints[j].curve_count; c++)
      if (!(names->curves[model->joints[j].first_curve + c] =
                mbs_arena_format(arena, "%s.alpha%d", model->joints[j].name, c + 1)))
        return false;
  for (size_t d = 0; d < model->driver_count; d++)
    if (!(names->multipliers[model->drivers[d].row] = mbs_arena_format(arena, "%s.effort", model->drivers[d].name)))
      return false;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    for (int k = 0; k < force->outputs; k++) {
      names->outputs[force->first_output + k] = join_word(arena, force->name, mbs_force_labels(model, force), k);
      if (!names->outputs[force->first_output + k]) return false;
    }
  }
  return true;
}

static const char **pair_labels(mbs_arena *arena, const char *const *rows, size_t m, const char *const *columns,
                                size_t n) {
  const char **labels = mbs_arena_alloc(arena, m * n + 1, sizeof *labels);
  for (size_t i = 0; labels && i < m * n; i++)
    if (!(labels[i] = join(arena, rows[i / n], '/', columns[i % n], strlen(columns[i % n])))) return NULL;
  return labels;
}

/* Columns: up to two dimensions after the rows. */
typedef struct array_shape {
  int rank;
  size_t columns[2];
} array_shape;

static array_shape scalar(void) { return (array_shape){1, {1, 1}}; }
static array_shape list(size_t n) { return (array_shape){2, {n, 1}}; }
static array_shape table(size_t m, size_t n) { return (array_shape){3, {m, n}}; }

static array_shape shape_of(const mbs_model *model, mbs_output_id id) {
  size_t dim = (size_t)model->dim;
  switch (id) {
  case MBS_OUTPUT_T:
  case MBS_OUTPUT_DET: return scalar();
  case MBS_OUTPUT_UT: return list(model->nq + model->nv);
  case MBS_OUTPUT_THETA: return list(model->nq);
  case MBS_OUTPUT_THETA_D:
  case MBS_OUTPUT_THETA_DD: return list(model->nv);
  case MBS_OUTPUT_P:
  case MBS_OUTPUT_PD:
  case MBS_OUTPUT_PDD: return list(model->nB);
  case MBS_OUTPUT_EULER: return table(model->nB, 4);
  case MBS_OUTPUT_JAC_P: return table(model->rows + model->nB, model->nq);
  case MBS_OUTPUT_OMEGA:
  case MBS_OUTPUT_OMEGA_D:
  case MBS_OUTPUT_R:
  case MBS_OUTPUT_RD:
  case MBS_OUTPUT_RDD: return table(model->nB, dim);
  case MBS_OUTPUT_RP:
  case MBS_OUTPUT_RPD:
  case MBS_OUTPUT_RPDD: return table(model->nP, dim);
  case MBS_OUTPUT_JAC: return table(model->rows, model->nv);
  case MBS_OUTPUT_REACTIONS: return table(model->joint_count, dim + (size_t)model->kernels->torque_components);
  case MBS_OUTPUT_LAM: return list(model->rows);
  case MBS_OUTPUT_CONTACT_PARAMETERS: return list(model->curve_count);
  case MBS_OUTPUT_FORCES: return list(model->output_count);
  case MBS_OUTPUT_ENERGY: return list(4);
  case MBS_OUTPUT_RESIDUALS: return list(3);
  default: return list(0); /* arrays without time bring their shape and labels themselves */
  }
}

static const char **jac_p_labels(const mbs_model *model, const name_lists *names, mbs_arena *arena) {
  const char **columns = mbs_coordinate_labels(model, 0, arena);
  const char **rows = mbs_arena_alloc(arena, model->rows + model->nB + 1, sizeof *rows);
  if (!columns || !rows) return NULL;
  for (size_t r = 0; r < model->rows; r++) rows[r] = names->rows[r];
  for (size_t b = 0; b < model->nB; b++)
    if (!(rows[model->rows + b] = mbs_arena_format(arena, "%s.norm", names->bodies[b]))) return NULL;
  return pair_labels(arena, rows, model->rows + model->nB, columns, model->nq);
}

static const char *const *labels_of(const mbs_model *model, mbs_output_id id, const name_lists *names,
                                    mbs_arena *arena) {
  static const char *const energy[] = {"kinetic", "potential", "work", "dissipated"};
  static const char *const residuals[] = {"position", "velocity", "acceleration"};
  static const char *const time[] = {"T"}, *const determinant[] = {"det"};
  size_t dim = (size_t)model->dim;
  switch (id) {
  case MBS_OUTPUT_T: return time;
  case MBS_OUTPUT_UT: {
    const char **labels = mbs_arena_alloc(arena, model->nq + model->nv + 1, sizeof *labels);
    const char **q = mbs_coordinate_labels(model, 0, arena), **v = mbs_coordinate_labels(model, 1, arena);
    if (!labels || !q || !v) return NULL;
    memcpy(labels, q, model->nq * sizeof *q);
    memcpy(labels + model->nq, v, model->nv * sizeof *v);
    return labels;
  }
  case MBS_OUTPUT_THETA: return mbs_coordinate_labels(model, 0, arena);
  case MBS_OUTPUT_THETA_D: return mbs_coordinate_labels(model, 1, arena);
  case MBS_OUTPUT_THETA_DD: return mbs_coordinate_labels(model, 2, arena);
  case MBS_OUTPUT_R: return label_product(arena, names->bodies, model->nB, "x|y|z", dim);
  case MBS_OUTPUT_RD: return label_product(arena, names->bodies, model->nB, "vx|vy|vz", dim);
  case MBS_OUTPUT_RDD: return label_product(arena, names->bodies, model->nB, "ax|ay|az", dim);
  case MBS_OUTPUT_P: return label_product(arena, names->bodies, model->nB, "phi", 1);
  case MBS_OUTPUT_PD: return label_product(arena, names->bodies, model->nB, "omega", 1);
  case MBS_OUTPUT_PDD: return label_product(arena, names->bodies, model->nB, "alpha", 1);
  case MBS_OUTPUT_EULER: return label_product(arena, names->bodies, model->nB, "e0|e1|e2|e3", 4);
  case MBS_OUTPUT_OMEGA: return label_product(arena, names->bodies, model->nB, "omega_x|omega_y|omega_z", 3);
  case MBS_OUTPUT_OMEGA_D: return label_product(arena, names->bodies, model->nB, "alpha_x|alpha_y|alpha_z", 3);
  case MBS_OUTPUT_JAC_P: return jac_p_labels(model, names, arena);
  case MBS_OUTPUT_DET: return determinant;
  case MBS_OUTPUT_RP: return label_product(arena, names->points, model->nP, "x|y|z", dim);
  case MBS_OUTPUT_RPD: return label_product(arena, names->points, model->nP, "vx|vy|vz", dim);
  case MBS_OUTPUT_RPDD: return label_product(arena, names->points, model->nP, "ax|ay|az", dim);
  case MBS_OUTPUT_JAC: {
    /* In space, where there are no coordinates for velocities to be rates of, by the velocities. */
    const char **columns = mbs_coordinate_labels(model, model->dim == 3, arena);
    return columns ? pair_labels(arena, names->rows, model->rows, columns, model->nv) : NULL;
  }
  case MBS_OUTPUT_LAM: return names->multipliers;
  case MBS_OUTPUT_REACTIONS:
    return label_product(arena, names->joints, model->joint_count, dim == 3 ? "fx|fy|fz|tx|ty|tz" : "fx|fy|torque",
                         dim + (size_t)model->kernels->torque_components);
  case MBS_OUTPUT_CONTACT_PARAMETERS: return names->curves;
  case MBS_OUTPUT_FORCES: return names->outputs;
  case MBS_OUTPUT_ENERGY: return energy;
  case MBS_OUTPUT_RESIDUALS: return residuals;
  default: break;
  }
  return NULL;
}

/* Whether a model's runs have an array. */
static bool has_output(const mbs_model *model, int id, bool dynamics, bool jacobian_left_out) {
  bool jacobian = id == MBS_OUTPUT_JAC || id == MBS_OUTPUT_JAC_P || id == MBS_OUTPUT_DET;
  if (jacobian && jacobian_left_out) return false;
  if (id == MBS_OUTPUT_DET && model->rows + model->nB != model->nq) return false;
  if (id == MBS_OUTPUT_CONTACT_PARAMETERS) return model->curve_count > 0;
  switch (descriptions[id].needs) {
  case 'D': return dynamics;
  case 'L': return false;
  case 'P': return model->dim == 2;
  case 'S': return model->dim == 3;
  case 'B': return model->dim == 3 && model->body_formulation;
  default: return true;
  }
}

bool mbs_output_open(mbs_output *output, const mbs_model *model, bool dynamics, mbs_result *result,
                     bool *jacobian_left_out) {
  mbs_arena *arena = result->arena;
  name_lists names;
  *output = (mbs_output){.model = model, .dynamics = dynamics};
  result->arrays = mbs_arena_alloc(arena, MBS_OUTPUT_COUNT + model->sensor_count + 1, sizeof *result->arrays);
  if (!result->arrays || !make_names(model, arena, &names)) return false;
  /* The Jacobian is the one array that grows with the square of the model. */
  double rows = (double)model->rows + (model->dim == 3 ? (double)model->nB : 0);
  double jacobian = (double)model->nt * rows * (double)model->nq * sizeof(double);
  *jacobian_left_out = jacobian > 0.25 * (double)model->limits.memory;
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++) {
    if (!has_output(model, id, dynamics, *jacobian_left_out)) continue;
    mbs_array *array = output->arrays[id] = &result->arrays[result->array_count++];
    array_shape shape = shape_of(model, (mbs_output_id)id);
    array->rank = shape.rank;
    array->name = descriptions[id].name;
    array->unit = descriptions[id].unit;
    array->doc = descriptions[id].doc;
    array->shape[0] = model->nt;
    array->shape[1] = shape.columns[0];
    array->shape[2] = shape.columns[1];
    array->labels = labels_of(model, (mbs_output_id)id, &names, arena);
    array->data = mbs_arena_alloc(arena, model->nt * shape.columns[0] * shape.columns[1] + 1, sizeof(double));
    if (!array->labels || !array->data) return false;
  }
  if (output->arrays[MBS_OUTPUT_DET]) {
    output->workspace = mbs_arena_alloc(arena, model->nq * (model->nq + 1), sizeof *output->workspace);
    if (!output->workspace) return false;
  }
  output->sensors = result->arrays + result->array_count;
  for (size_t s = 0; s < model->sensor_count; s++) {
    mbs_array *array = &result->arrays[result->array_count++];
    const mbs_sensor *sensor = &model->sensors[s];
    const char **label = mbs_arena_alloc(arena, 1, sizeof *label);
    double *data = mbs_arena_alloc(arena, model->nt + 1, sizeof *data);
    if (!label || !data) return false;
    *label = mbs_arena_text(arena, sensor->name);
    *array = (mbs_array){.name = *label,
                         .unit = mbs_arena_text(arena, sensor->unit),
                         .doc = mbs_arena_text(arena, sensor->doc),
                         .rank = 1,
                         .shape = {model->nt},
                         .labels = label,
                         .data = data};
    if (!array->name || !array->unit || !array->doc) return false;
  }
  return true;
}

static double *row_of(const mbs_output *output, mbs_output_id id, size_t row) {
  const mbs_array *array = output->arrays[id];
  if (!array) return NULL;
  size_t columns = array->rank == 1 ? 1 : array->rank == 2 ? array->shape[1] : array->shape[1] * array->shape[2];
  return array->data + row * columns;
}

static void record_coordinates(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  double *uT = row_of(output, MBS_OUTPUT_UT, row), *theta = row_of(output, MBS_OUTPUT_THETA, row),
         *theta_d = row_of(output, MBS_OUTPUT_THETA_D, row), *theta_dd = row_of(output, MBS_OUTPUT_THETA_DD, row);
  for (size_t i = 0; i < model->nq; i++) uT[i] = theta[i] = system->q[model->user_q[i]];
  for (size_t i = 0; i < model->nv; i++) {
    uT[model->nq + i] = theta_d[i] = system->v[model->user_v[i]];
    theta_dd[i] = system->vdot[model->user_v[i]];
  }
}

/* Orientation, angular velocity and acceleration of a body. */
static void record_rotation(mbs_output *output, const mbs_system *system, size_t row, size_t b, int level) {
  static const mbs_output_id planar[] = {MBS_OUTPUT_P, MBS_OUTPUT_PD, MBS_OUTPUT_PDD},
                             spatial[] = {MBS_OUTPUT_EULER, MBS_OUTPUT_OMEGA, MBS_OUTPUT_OMEGA_D};
  const mbs_model *model = output->model;
  int body = model->user_body[b];
  double *p = row_of(output, model->dim == 3 ? spatial[level] : planar[level], row), out[3];
  if (model->dim == 3 && level == 0) {
    model->kernels->orientation(system, body, p + 4 * b);
  } else if (model->dim == 3) {
    model->kernels->rotation(system, body, level, p + 3 * b);
  } else {
    model->kernels->rotation(system, body, level, out);
    p[b] = out[2];
  }
}

static void record_bodies(mbs_output *output, const mbs_system *system, size_t row) {
  static const mbs_output_id centres[] = {MBS_OUTPUT_R, MBS_OUTPUT_RD, MBS_OUTPUT_RDD},
                             points[] = {MBS_OUTPUT_RP, MBS_OUTPUT_RPD, MBS_OUTPUT_RPDD};
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = output->model;
  size_t dim = (size_t)model->dim;
  double out[3];
  for (int level = 0; level < 3; level++) {
    double *r = row_of(output, centres[level], row), *rP = row_of(output, points[level], row);
    for (size_t b = 0; b < model->nB; b++) {
      model->kernels->point(system, model->user_body[b], centre, level, out);
      memcpy(r + b * dim, out, dim * sizeof *r);
      record_rotation(output, system, row, b, level);
    }
    for (size_t k = 0; k < model->nP; k++) {
      model->kernels->point(system, model->points[k].body, system->constants->points[k], level, out);
      memcpy(rP + k * dim, out, dim * sizeof *rP);
    }
  }
}

static void record_constraints(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  double *residuals = row_of(output, MBS_OUTPUT_RESIDUALS, row), *Jac = row_of(output, MBS_OUTPUT_JAC, row);
  residuals[0] = mbs_largest(system->Phi, model->rows);
  mbs_jacobian_times(system, system->v, system->rates);
  for (size_t r = 0; r < model->rows; r++) system->rates[r] -= system->rhsV[r];
  residuals[1] = mbs_largest(system->rates, model->rows);
  mbs_jacobian_times(system, system->vdot, system->rates);
  for (size_t r = 0; r < model->rows; r++) system->rates[r] -= system->rhsA[r];
  residuals[2] = mbs_largest(system->rates, model->rows);
  if (!Jac) return;
  int *column = system->column_of;
  for (size_t i = 0; i < model->nv; i++) column[model->user_v[i]] = (int)i;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const double *values = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, values += block->columns)
      for (int c = 0; c < block->columns; c++)
        Jac[(size_t)(block->first_row + r) * model->nv + (size_t)column[model->pattern[block->pattern0 + c]]] =
            values[c];
  }
}

/* Jac_p = dPhi/d(r, p): the columns of p are those of omega times 2 E, omega = 2 E p', and p'p - 1 = 0 adds 2 p'. */
static void record_euler_jacobian(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  double *Jac_p = row_of(output, MBS_OUTPUT_JAC_P, row), *det = row_of(output, MBS_OUTPUT_DET, row);
  const double *Jac = row_of(output, MBS_OUTPUT_JAC, row);
  size_t n = 7 * model->nB;
  if (!Jac_p) return;
  for (size_t b = 0; b < model->nB; b++) {
    double p[4], rates[3][4];
    model->kernels->orientation(system, model->user_body[b], p);
    for (int k = 0; k < 3; k++) {
      double axis[3] = {k == 0, k == 1, k == 2};
      mbs_euler_rate(p, axis, rates[k]); /* a row of E, halved */
    }
    for (size_t r = 0; r < model->rows; r++) {
      const double *from = Jac + r * model->nv + 6 * b;
      double *to = Jac_p + r * n + 7 * b;
      for (int k = 0; k < 3; k++) to[k] = from[k];
      for (int c = 0; c < 4; c++)
        to[3 + c] = 4 * (from[3] * rates[0][c] + from[4] * rates[1][c] + from[5] * rates[2][c]);
    }
    for (int c = 0; c < 4; c++) Jac_p[(model->rows + b) * n + 7 * b + 3 + (size_t)c] = 2 * p[c];
  }
  if (det) *det = mbs_determinant(n, Jac_p, output->workspace);
}

static void record_dynamics(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  size_t dim = (size_t)model->dim, torques = (size_t)model->kernels->torque_components;
  double *Lam = row_of(output, MBS_OUTPUT_LAM, row), *energy = row_of(output, MBS_OUTPUT_ENERGY, row),
         *reactions = row_of(output, MBS_OUTPUT_REACTIONS, row), *forces = row_of(output, MBS_OUTPUT_FORCES, row);
  memcpy(Lam, system->lambda, model->rows * sizeof *Lam);
  memcpy(forces, system->outputs, model->output_count * sizeof *forces);
  for (size_t j = 0; j < model->joint_count; j++) {
    const double *from = system->reactions + 6 * j;
    double *to = reactions + j * (dim + torques);
    memcpy(to, from, dim * sizeof *to);
    memcpy(to + dim, from + 6 - torques, torques * sizeof *to);
  }
  energy[0] = model->kernels->kinetic(system);
  energy[1] = model->kernels->potential(system) + system->potential_forces;
  energy[2] = system->work;
  energy[3] = system->dissipated;
}

void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  *row_of(output, MBS_OUTPUT_T, row) = system->t;
  record_coordinates(output, system, row);
  record_bodies(output, system, row);
  record_constraints(output, system, row);
  record_euler_jacobian(output, system, row);
  double *alpha = row_of(output, MBS_OUTPUT_CONTACT_PARAMETERS, row);
  for (size_t c = 0; alpha && c < model->curve_count; c++) alpha[c] = system->contacts[c].alpha;
  if (output->dynamics) record_dynamics(output, system, row);
  for (size_t s = 0; s < model->sensor_count; s++)
    output->sensors[s].data[row] = mbs_law_value(system, &model->sensors[s].law);
  if (row >= output->rows) output->rows = row + 1;
}

double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels) {
  size_t count = 1;
  for (int k = 0; k < rank; k++) count *= shape[k];
  double *data = mbs_arena_alloc(result->arena, count + 1, sizeof *data);
  if (!data || !labels) return NULL;
  mbs_array *array = output->arrays[id] = &result->arrays[result->array_count++];
  *array = (mbs_array){.name = descriptions[id].name,
                       .unit = descriptions[id].unit,
                       .doc = descriptions[id].doc,
                       .rank = rank,
                       .labels = labels,
                       .data = data,
                       .timeless = true};
  memcpy(array->shape, shape, (size_t)rank * sizeof *shape);
  return data;
}

void mbs_output_close(mbs_output *output) {
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (output->arrays[id] && !output->arrays[id]->timeless) output->arrays[id]->shape[0] = output->rows;
  for (size_t s = 0; output->sensors && s < output->model->sensor_count; s++)
    output->sensors[s].shape[0] = output->rows;
}
