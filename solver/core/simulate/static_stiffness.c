/* The stiffness of a search for a static equilibrium, and the steps that follow from it. Both are computed for each
 * part of the mechanism: K is zero between parts. */
#include "simulate/statics.h"

#include "base/norms.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

/* Computes the eigenpairs of (K + K') / 2 of a part. Returns false if there are none. */
static bool find_eigenpairs(mbs_statics *self, const mbs_statics_part *of) {
  const size_t f = of->freedoms;
  const double *K = self->K + of->square0;
  double *vectors = self->vectors + of->square0;
  for (size_t j = 0; j < f; j++)
    for (size_t i = 0; i < f; i++) vectors[j * f + i] = 0.5 * (K[j * f + i] + K[i * f + j]);
  return isfinite(mbs_largest(vectors, f * f)) &&
         mbs_symmetric_eigen(f, vectors, self->values + of->freedom0, self->workspace);
}

mbs_status mbs_statics_find_stiffness(mbs_statics *self) {
  const size_t n = self->n;
  double *difference = self->F_trial, *forces = self->plain, *projected = self->dq;
  /* one degree of freedom of each part at a time */
  for (size_t g = 0; g < self->groups; g++) {
    memset(self->z, 0, self->freedoms * sizeof *self->z);
    for (size_t p = 0; p < self->parts.count; p++)
      if (g < self->of[p].freedoms) self->z[self->of[p].freedom0 + g] = 1;
    memset(difference, 0, n * sizeof *difference);
    for (int sign = -1; sign <= 1; sign += 2) {
      mbs_statics_expand(self, self->z, sign * mbs_difference_step, self->dq);
      mbs_statics_displace(self, self->dq);
      mbs_statics_forces_at(self, self->q);
      mbs_statics_balance_with(self, self->lambda, forces);
      /* -dF / d(N_j) */
      for (size_t k = 0; k < n; k++) difference[k] -= sign * forces[k] / (2 * mbs_difference_step);
    }
    /* K_j = N' difference */
    mbs_statics_project(self, difference, projected);
    for (size_t p = 0; p < self->parts.count; p++) {
      const mbs_statics_part *of = &self->of[p];
      for (size_t i = 0; i < of->freedoms && g < of->freedoms; i++)
        self->K[of->square0 + g * of->freedoms + i] = projected[of->freedom0 + i];
    }
  }
  for (size_t p = 0; p < self->parts.count; p++)
    if (!find_eigenpairs(self, &self->of[p])) return MBS_NOT_FINITE;
  return MBS_OK;
}

void mbs_statics_softest(const mbs_statics *self, double length, double *z) {
  const double smallest = mbs_statics_smallest(self);
  memset(z, 0, self->freedoms * sizeof *z);
  for (size_t p = 0; p < self->parts.count; p++) {
    const mbs_statics_part *of = &self->of[p];
    if (of->freedoms == 0 || self->values[of->freedom0] > smallest) continue;
    for (size_t j = 0; j < of->freedoms; j++) z[of->freedom0 + j] = length * self->vectors[of->square0 + j];
    return;
  }
}

double mbs_statics_smallest(const mbs_statics *self) {
  double smallest = INFINITY;
  for (size_t j = 0; j < self->freedoms; j++) smallest = fmin(smallest, self->values[j]);
  return smallest;
}

bool mbs_statics_is_stiff(const mbs_statics *self) {
  return mbs_statics_smallest(self) > mbs_zero_share * mbs_largest(self->values, self->freedoms);
}

/* Computes Newton's step z for the force g. Returns false if mbs_statics_component_step() must compute the step. theory
 * (15.3) */
static bool newton_step(mbs_statics *self) {
  if (!mbs_statics_is_stiff(self)) return false;
  memcpy(self->z, self->g, self->freedoms * sizeof *self->z);
  for (size_t p = 0; p < self->parts.count; p++) {
    const mbs_statics_part *of = &self->of[p];
    memcpy(self->A, self->K + of->square0, mbs_square(of->freedoms) * sizeof *self->A);
    if (!mbs_linear_solve(of->freedoms, self->A, self->z + of->freedom0, self->workspace)) return false;
  }
  return true;
}

/* Adds to z the components of a step of a part along its eigenvectors. */
static void add_components(mbs_statics *self, const mbs_statics_part *of, double softest, double radius) {
  const size_t f = of->freedoms;
  const double *g = self->g + of->freedom0;
  double *z = self->z + of->freedom0;
  for (size_t e = 0; e < f; e++) {
    const double *vector = self->vectors + of->square0 + e * f;
    double force = 0, stiffness = fmax(fabs(self->values[of->freedom0 + e]), softest);
    /* xi.g */
    for (size_t i = 0; i < f; i++) force += vector[i] * g[i];
    if (fabs(force) <= mbs_force_goal * self->scale) continue;
    /* sign(xi.g) min(|xi.g| / |kappa|, rho) */
    double length = fabs(force) < radius * stiffness ? force / stiffness : copysign(radius, force);
    for (size_t i = 0; i < f; i++) z[i] += length * vector[i];
  }
}

void mbs_statics_component_step(mbs_statics *self, double radius) {
  size_t f = self->freedoms;
  double largest = mbs_largest(self->values, f);
  memset(self->z, 0, f * sizeof *self->z);
  /* in free fall all vectors are eigenvectors: along the force, to the touch below */
  if (self->touches && largest <= mbs_force_accepted * self->scale) {
    const double strongest = mbs_largest(self->g, f);
    for (size_t i = 0; i < f && strongest > 0; i++) self->z[i] = radius * self->g[i] / strongest;
    return;
  }
  for (size_t p = 0; p < self->parts.count; p++) add_components(self, &self->of[p], mbs_zero_share * largest, radius);
}

void mbs_statics_whole_step(mbs_statics *self, double radius) {
  double largest = 0;
  for (size_t p = 0; p < self->parts.count; p++)
    largest = fmax(largest, mbs_largest(self->K + self->of[p].square0, mbs_square(self->of[p].freedoms)));
  memset(self->z, 0, self->freedoms * sizeof *self->z);
  for (size_t p = 0; p < self->parts.count; p++) {
    const mbs_statics_part *of = &self->of[p];
    const double own = mbs_largest(self->K + of->square0, mbs_square(of->freedoms));
    double *z = self->z + of->freedom0;
    if (!(own > mbs_zero_share * largest)) continue;
    memcpy(self->A, self->K + of->square0, mbs_square(of->freedoms) * sizeof *self->A);
    const double share = mbs_zero_share * (largest / own);
    if (mbs_least_squares(of->freedoms, of->freedoms, self->A, self->g + of->freedom0, share, z, self->workspace) < 0)
      memset(z, 0, of->freedoms * sizeof *z);
  }
  double length = mbs_largest(self->z, self->freedoms), share = length > radius ? radius / length : 1;
  for (size_t i = 0; i < self->freedoms; i++) self->z[i] *= share;
}

double mbs_statics_find_step(mbs_statics *self, double radius) {
  if (!self->downhill)
    mbs_statics_whole_step(self, radius);
  else if (!newton_step(self) || mbs_largest(self->z, self->freedoms) > radius)
    mbs_statics_component_step(self, radius);
  /* predicted: z.(g + (g - K z)) / 2, or the decrease of g.g */
  double work = 0, *left = self->dq;
  for (size_t p = 0; p < self->parts.count; p++) {
    const size_t f = self->of[p].freedoms, first = self->of[p].freedom0;
    const double *K = self->K + self->of[p].square0;
    for (size_t i = 0; i < f; i++) {
      left[first + i] = self->g[first + i];
      for (size_t j = 0; j < f; j++) left[first + i] -= K[j * f + i] * self->z[first + j];
      work += 0.5 * self->z[first + i] * (self->g[first + i] + left[first + i]);
    }
  }
  self->promised =
      self->downhill ? work : mbs_sum_of_squares(self->g, self->freedoms) - mbs_sum_of_squares(left, self->freedoms);
  return mbs_largest(self->z, self->freedoms);
}
