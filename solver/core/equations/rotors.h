/* rotors.h - inertias along coordinates of joints: rotors of motors, and the field `armature`. theory (8.26)
 *
 *     T = I q'^2 / 2,   force -I q'' along q
 *
 * A rotor of a joint in the tree adds I to the diagonal of M. The others are `coupled`: they add J' I J to M, with q' =
 * J v, which would fill M. The equations are solved without them, and then for the moments mu = -I q'' that they add:
 *
 *     (v', lambda) = (v', lambda)_0 + sum mu_i (v', lambda)_i,   mu_i = -I_i (J_i v' + b_i)
 *
 * where solution i is that for the force J_i' alone (Woodbury). */
#ifndef MBS_ROTORS_H
#define MBS_ROTORS_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* Rotors that are coupled, and the solutions for their forces. */
typedef struct mbs_coupled_rotors {
  int *rotors;              /* [count] index in model->rotors */
  size_t count;             /* number of coupled rotors */
  bool known;               /* the solutions are those of the present factors */
  double *bias;             /* [count] b: q'' for v' = 0 */
  double *inertia;          /* [count] I, of the constants at that position */
  double *vdot_of;          /* [count x nv] */
  double *lambda_of, *zero; /* [count x rows]; [rows] right-hand side of these solutions */
  double *A, *factors, *mu; /* [count x count] column-major, 1 + I J v'_i; its copy; [count] */
  double *w, *workspace;    /* [nv]; for the solution of A */
} mbs_coupled_rotors;

/* Allocates system->coupled, NULL if no rotor is coupled. Returns false if memory runs out. */
bool mbs_rotors_open(mbs_system *system);
/* Computes J and b of the coupled rotors at the current position and velocity. */
void mbs_rotors_rows(mbs_system *system);
/* Returns J x for a coupled rotor, x [nv]; adds `factor` J' to out [nv]. */
double mbs_rotor_times(const mbs_system *system, const mbs_rotor *rotor, const double *x);
void mbs_rotor_add(const mbs_system *system, const mbs_rotor *rotor, double factor, double *out);

/* Adds J' I J x of all coupled rotors to out [nv]. */
void mbs_rotors_times(const mbs_system *system, const double *x, double *out);

/* Returns the sum of I q'^2 of all rotors. */
static inline mbs_real mbs_rotors_rate(const mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_real sum = MBS_ALL(0);
  for (size_t i = 0; i < model->rotor_count; i++) {
    const mbs_block *coordinate = &model->coordinates[model->rotors[i].coordinate];
    const mbs_real rate = system->kernels->read_primitive(system, coordinate, 1);
    sum += system->constants->rotors[i] * rate * rate;
  }
  return sum;
}

static inline void mbs_rotors_apply(mbs_system *system, double sign) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->rotor_count; i++)
    system->kernels->push_along(system, &model->coordinates[model->rotors[i].coordinate],
                                sign * system->rotor_forces[i]);
}

/* Adds the forces -I q'' of all rotors to the wrenches of the bodies, for the accelerations of the bodies, until
 * mbs_rotors_release() removes them. */
static inline void mbs_rotors_push(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->rotor_count; i++) {
    const mbs_block *coordinate = &model->coordinates[model->rotors[i].coordinate];
    system->rotor_forces[i] = -system->constants->rotors[i] * system->kernels->read_primitive(system, coordinate, 2);
  }
  mbs_rotors_apply(system, 1);
}

static inline void mbs_rotors_release(mbs_system *system) { mbs_rotors_apply(system, -1); }

#endif
