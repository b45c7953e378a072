/* Accelerations and multipliers:   M v' - C' lambda = h,   C v' = rhsA.
 *
 *     M = L' D L           sparse along the tree
 *     Z = L^-T C'          row by row, within the pattern of C
 *     S = Z' D^-1 Z        = C M^-1 C', in skyline form
 *     S lambda = rhsA - Z' D^-1 w,  w = L^-T h;     v' = L^-1 D^-1 (w + Z lambda)
 *
 * Near a position where rows of C become dependent, S loses rank. A small diagonal shift bounds its factors. Refinement
 * with the true S removes the error of the shift except along the lost direction, where the multipliers have minimum
 * norm (proximal iteration; Carpentier, Budhiraja, Mansard, RSS 2021).
 *
 * A body without inertia makes M singular although the equations may be regular, because joints hold it. The
 * corresponding iteration (M + mu) v'_k+1 - C' lambda = h + mu v'_k converges fast if they are regular. */
#include "equations/solve.h"

#include "base/message.h"
#include "equations/elimination.h"
#include "equations/feedback.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/rotors.h"
#include "equations/schur.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "linalg/sparse.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double shift_share = 1e-8;
/* If pivots of S are smaller than those of C C' by this factor, the masses are the cause, not the rank. */
static const double unequal_share = 1e3;
/* Pivot ratio below which solutions with S are refined. */
static const double refinement_ratio = 1e-3;
enum { REFINEMENTS_MAX = 6, MASS_ITERATIONS_MAX = 40 };

static double factor_products(mbs_system *system, const double *values, const double *weights) {
  mbs_assemble_schur(system, values, weights);
  return mbs_factor_schur(system);
}

/* Computes S and its factors, with a shift near a loss of rank. theory (8.17), (8.18) */
static void factor_schur(mbs_system *system) {
  system->shifted = system->unequal_masses = false;
  /* S = Z' D^-1 Z */
  system->pivot_ratio = factor_products(system, system->Z, system->M_diagonal);
  if (system->pivot_ratio >= mbs_pivot_floor || system->schur_rows.failed) return;
  /* Masses and inertias of very different size cause small pivots even if C has full rank. */
  double rank_ratio = factor_products(system, system->C, system->v_weights);
  system->unequal_masses = rank_ratio > mbs_pivot_floor && rank_ratio > unequal_share * system->pivot_ratio;
  if (system->unequal_masses) {
    factor_products(system, system->Z, system->M_diagonal);
    return;
  }
  /* S + shift_share scale */
  system->shifted = true;
  mbs_assemble_schur(system, system->Z, system->M_diagonal);
  mbs_shift_schur(system, shift_share);
  mbs_factor_schur(system);
}

/* Returns what a body needs so that its degree of freedom has inertia. */
static const char *missing_mass(const mbs_system *system, size_t body) {
  const mbs_body_constants *own = &system->constants->bodies[body];
  bool turns = false;
  for (int k = 0; k < 6; k++) turns |= own->inertia[k] != 0;
  if ((own->mass > 0) == turns) return "a mass and a moment of inertia";
  return turns ? "a mass" : "a moment of inertia";
}

static mbs_status fail_mass(mbs_system *system, int velocity) {
  assert(velocity >= 0 && (size_t)velocity < system->model->nv);
  const mbs_model *model = system->model;
  size_t body = 1;
  while (body < model->nB && model->first_v[body + 1] <= velocity) body++;
  if (system->error && system->error->message[0] == 0) {
    system->error->time = system->t;
    snprintf(system->error->element, sizeof system->error->element, "%s", model->bodies[body].name);
    mbs_message(system->error->message, sizeof system->error->message,
                "body '%s' has a degree of freedom without inertia at t = %.9g; give it %s", model->bodies[body].name,
                system->t, missing_mass(system, body));
  }
  return MBS_SINGULAR_MASS;
}

/* Share of the usual pivot ratio below which a position is near a loss of rank. A mechanism may have small pivots at
 * all positions. */
static const double near_share = 0.02;

/* theory (10.4) */
bool mbs_near_singular(const mbs_system *system) {
  return system->model->rows > 0 && system->pivot_ratio < near_share * system->usual_ratio;
}

double mbs_ordinary_ratio(const mbs_system *system) { return fmax(refinement_ratio, near_share * system->usual_ratio); }

/* Factors M + mass_shift; with the recursive back end also computes w = L^-T h. Returns -1, or the velocity without
 * inertia. */
static int factor_mass(mbs_system *system) {
  const mbs_model *model = system->model;
  if (system->coupled) system->coupled->known = false;
  if (model->recursive) return model->kernels->articulated_factor(system, mbs_mass_floor);
  model->kernels->mass_matrix(system);
  if (system->mass_shift > 0)
    for (size_t k = 0; k < model->nv; k++)
      system->M[model->tree.row0[k] + model->tree.depth[k]] += system->mass_shifts[k];
  return mbs_tree_factor(&model->tree, model->nv, system->M, system->M_diagonal, mbs_mass_floor);
}

mbs_status mbs_factor(mbs_system *system) {
  const mbs_model *model = system->model;
  system->factorizations++;
  int singular = factor_mass(system);
  if (singular >= 0) return fail_mass(system, singular);
  if (model->rows) {
    mbs_transform_jacobian(system);
    factor_schur(system);
    if (system->schur_rows.failed) return MBS_NO_MEMORY;
  }
  return MBS_OK;
}

/* Computes out[rows] = S x from the definition of S; redundant rows have a unit diagonal. */
static void schur_times(mbs_system *system, const double *x, double *out) {
  const mbs_model *model = system->model;
  double *spread = system->spread;
  memset(spread, 0, model->nv * sizeof *spread);
  /* spread = D^-1 Z x */
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->Z + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      if (system->active[block->first_row + r])
        for (int c = 0; c < block->columns; c++) spread[pattern[c]] += row[c] * x[block->first_row + r];
  }
  for (size_t k = 0; k < model->nv; k++) spread[k] *= system->M_diagonal[k];
  /* Z' spread */
  memcpy(out, x, model->rows * sizeof *out); /* rows of touches that are off keep x */
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->Z + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns) {
      double sum = 0;
      for (int c = 0; c < block->columns; c++) sum += row[c] * spread[pattern[c]];
      out[block->first_row + r] = system->active[block->first_row + r] ? sum : x[block->first_row + r];
    }
  }
}

/* theory (8.18) */
void mbs_solve_multipliers(mbs_system *system, double *x) {
  const mbs_model *model = system->model;
  mbs_zero_redundant(system, x);
  if (system->pivot_ratio > refinement_ratio) {
    mbs_solve_factors(system, x);
    return;
  }
  /* a single refinement removes the effect of rounding */
  int refinements = system->shifted || system->unequal_masses ? REFINEMENTS_MAX : 1;
  double *target = system->target, *residual = system->residual;
  memcpy(target, x, model->rows * sizeof *x);
  mbs_solve_factors(system, x);
  /* x := x + S^-1 (b - S x) */
  for (int k = 0; k < refinements; k++) {
    schur_times(system, x, residual);
    for (size_t r = 0; r < model->rows; r++) residual[r] = target[r] - residual[r];
    mbs_solve_factors(system, residual);
    for (size_t r = 0; r < model->rows; r++) x[r] += residual[r];
  }
}

/* Computes vdot and lambda for the force L' w, with the current factors, without coupled rotors. theory (8.16) */
static void solve_uncoupled(mbs_system *system, double *w) {
  const mbs_model *model = system->model;
  if (model->rows) {
    /* S lambda = rhsA - Z' D^-1 w, w := w + Z lambda */
    mbs_missing_accelerations(system, w, system->lambda);
    mbs_solve_multipliers(system, system->lambda);
    mbs_add_transformed(system, system->lambda, w);
  }
  /* v' = L^-1 D^-1 w */
  for (size_t k = 0; k < model->nv; k++) system->vdot[k] = w[k] * system->M_diagonal[k];
  mbs_solve_down(system, system->vdot);
}

/* Computes the solutions for the forces J_i' of coupled rotors, and A = 1 + I J v'_i. theory (8.27) */
static void find_coupled(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_coupled_rotors *self = system->coupled;
  double *vdot = system->vdot, *lambda = system->lambda, *rhsA = system->rhsA;
  mbs_rotors_rows(system);
  system->rhsA = self->zero;
  for (size_t i = 0; i < self->count; i++) {
    memset(self->w, 0, model->nv * sizeof *self->w);
    mbs_rotor_add(system, &model->rotors[self->rotors[i]], 1, self->w);
    mbs_solve_up(system, self->w);
    system->vdot = self->vdot_of + i * model->nv;
    system->lambda = self->lambda_of + i * model->rows;
    solve_uncoupled(system, self->w);
    for (size_t j = 0; j < self->count; j++)
      self->A[i * self->count + j] =
          (i == j) + self->inertia[j] * mbs_rotor_times(system, &model->rotors[self->rotors[j]], system->vdot);
  }
  system->vdot = vdot;
  system->lambda = lambda;
  system->rhsA = rhsA;
  self->known = true;
}

/* Computes mu of the coupled rotors for v' without them. Of an impulse or a force alone, b is 0. theory (8.27) */
static void find_moments(mbs_system *system, const double *vdot, bool moves) {
  const mbs_model *model = system->model;
  mbs_coupled_rotors *self = system->coupled;
  if (!self->known) find_coupled(system);
  for (size_t i = 0; i < self->count; i++)
    self->mu[i] = -self->inertia[i] *
                  (mbs_rotor_times(system, &model->rotors[self->rotors[i]], vdot) + (moves ? self->bias[i] : 0));
  memcpy(self->factors, self->A, self->count * self->count * sizeof *self->A);
  /* A is the identity plus a product of matrices without negative eigenvalues, so it is regular */
  (void)mbs_linear_solve(self->count, self->factors, self->mu, self->workspace);
}

/* Computes vdot and lambda for the force L' w; `moves`: with the terms of the velocities. theory (8.16), (8.28) */
static void solve_equations(mbs_system *system, double *w, bool moves) {
  const mbs_model *model = system->model;
  const mbs_coupled_rotors *self = system->coupled;
  solve_uncoupled(system, w);
  if (!self) return;
  find_moments(system, system->vdot, moves);
  for (size_t i = 0; i < self->count; i++) {
    for (size_t k = 0; k < model->nv; k++) system->vdot[k] += self->mu[i] * self->vdot_of[i * model->nv + k];
    for (size_t r = 0; r < model->rows; r++) system->lambda[r] += self->mu[i] * self->lambda_of[i * model->rows + r];
  }
}

void mbs_solve_force_multipliers(mbs_system *system, double *push, double *x) {
  const mbs_model *model = system->model;
  const mbs_coupled_rotors *self = system->coupled;
  /* x = S^-1 C M^-1 push */
  mbs_solve_up(system, push);
  for (size_t k = 0; k < model->nv; k++) push[k] *= system->M_diagonal[k];
  mbs_solve_down(system, push);
  mbs_jacobian_times(system, push, x);
  mbs_solve_multipliers(system, x);
  if (!self) return;
  if (!self->known) find_coupled(system); /* needs w, too */
  mbs_spread_multipliers(system, x, self->w);
  for (size_t k = 0; k < model->nv; k++) self->w[k] = push[k] - self->w[k];
  find_moments(system, self->w, false);
  for (size_t i = 0; i < self->count; i++)
    for (size_t r = 0; r < model->rows; r++) x[r] -= self->mu[i] * self->lambda_of[i * model->rows + r];
}

/* Iterates for a singular mass matrix; diverges along a degree of freedom that is not held. theory (8.19) */
static mbs_status solve_massless(mbs_system *system, bool moves) {
  const mbs_model *model = system->model;
  /* If nothing accelerates, rounding is compared with the acceleration that the shift alone would permit. */
  const double *units = system->v_units;
  double change = 0, unheld = 0;
  int worst = 0;
  for (size_t k = 0; k < model->nv; k++) unheld = fmax(unheld, fabs(system->h[k]) * units[k] / system->mass_shift);
  memset(system->vdot, 0, model->nv * sizeof *system->vdot);
  for (int i = 0; i < MASS_ITERATIONS_MAX; i++) {
    double size = 0;
    /* w = L^-T (h + mu v'_k) */
    for (size_t k = 0; k < model->nv; k++) system->w[k] = system->h[k] + system->mass_shifts[k] * system->vdot[k];
    memcpy(system->vdot_before, system->vdot, model->nv * sizeof *system->vdot);
    mbs_solve_up(system, system->w);
    solve_equations(system, system->w, moves);
    change = 0;
    for (size_t k = 0; k < model->nv; k++) {
      double changed = fabs(system->vdot[k] - system->vdot_before[k]) / units[k];
      size = fmax(size, fabs(system->vdot[k]) / units[k]);
      if (changed <= change) continue;
      change = changed;
      worst = (int)k;
    }
    if (change <= 1e-13 * size || change <= 1e-15 * unheld) return MBS_OK;
    if (i == MASS_ITERATIONS_MAX - 1 && change <= 1e-9 * fmax(size, unheld)) return MBS_OK;
  }
  return fail_mass(system, worst);
}

mbs_status mbs_accelerate_given(mbs_system *system, bool factored) {
  const mbs_model *model = system->model;
  bool straight = model->recursive && system->mass_shift == 0 && !factored; /* w is computed with the factors */
  mbs_apply_forces(system);
  if (!straight) model->kernels->generalized_forces(system);
  mbs_status status = factored ? MBS_OK : mbs_factor(system);
  if (status == MBS_OK && system->mass_shift > 0) {
    status = solve_massless(system, true);
  } else if (status == MBS_OK) {
    if (!straight) {
      /* w = L^-T h */
      memcpy(system->w, system->h, model->nv * sizeof *system->w);
      mbs_solve_up(system, system->w);
    }
    solve_equations(system, system->w, true);
  }
  if (status != MBS_OK) return status;
  if (system->touches && (status = mbs_touches_accelerate(system)) != MBS_OK) return status;
  for (size_t k = 0; k < model->nv; k++)
    if (!isfinite(system->vdot[k])) return MBS_NOT_FINITE;
  return MBS_OK;
}

mbs_status mbs_accelerate(mbs_system *system) {
  return system->feedback ? mbs_feedback_accelerate(system) : mbs_accelerate_given(system, false);
}

mbs_status mbs_probe_masses(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_status status = mbs_factor(system);
  if (status != MBS_OK) return status;
  /* h: a force on every velocity, rhsA = 0 */
  for (size_t k = 0; k < model->nv; k++) system->h[k] = (1 + 0.3 * sin(1.7 * (double)(k + 1))) / system->v_units[k];
  for (size_t r = 0; r < model->rows; r++) system->rhsA[r] = 0;
  return solve_massless(system, false);
}

/* theory (12.2) */
mbs_status mbs_solve_impulse(mbs_system *system, const double *missing) {
  assert(missing != NULL || system->model->rows == 0);
  const mbs_model *model = system->model;
  mbs_status status = mbs_factor(system);
  if (status != MBS_OK) return status;
  /* h = 0, rhsA = rhsV+ - C v: v' is the change of velocity, lambda the impulse p */
  memset(system->h, 0, model->nv * sizeof *system->h);
  memcpy(system->rhsA, missing, model->rows * sizeof *missing);
  if (system->mass_shift > 0) return solve_massless(system, false);
  memset(system->w, 0, model->nv * sizeof *system->w);
  solve_equations(system, system->w, false);
  return MBS_OK;
}

/* theory (8.16) */
void mbs_resolve(mbs_system *system, const double *h, const double *rhsA) {
  const mbs_model *model = system->model;
  if (rhsA) memcpy(system->rhsA, rhsA, model->rows * sizeof *rhsA);
  for (size_t r = 0; !rhsA && r < model->rows; r++) system->rhsA[r] = 0;
  if (system->mass_shift > 0) { /* a degree of freedom that is not held was reported before */
    memcpy(system->h, h, model->nv * sizeof *h);
    (void)solve_massless(system, false);
    return;
  }
  memcpy(system->w, h, model->nv * sizeof *h);
  mbs_solve_up(system, system->w);
  solve_equations(system, system->w, false);
}

/* theory (18.2) */
void mbs_solve_within(mbs_system *system, const double *x) {
  /* h = x, rhsA = 0: v' is the velocity, lambda the impulse of the constraints */
  mbs_resolve(system, x, NULL);
}
