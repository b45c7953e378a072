/* system.h - all workspace of a run of a model, for one thread. An evaluation allocates no memory.
 *
 * An evaluation has four parts; each uses the results of those before it:
 *
 *     mbs_set_position  poses of the bodies, columns of B, functions of time, contact parameters of curves
 *     mbs_set_velocity  velocities of the bodies, V = B v, and their accelerations without v', beta
 *     mbs_constraints   Phi, C = D B, rhsV, rhsA = gamma - D beta           (any of them)
 *     mbs_accelerate    h, M, and v', lambda of   M v' - C' lambda = h,  C v' = rhsA */
#ifndef MBS_SYSTEM_H
#define MBS_SYSTEM_H

#include "equations/independent_rows.h"
#include "model/constants.h"

/* The contact parameter of a curve, counted without wrapping. */
typedef struct mbs_curve_contact {
  mbs_real alpha, rate; /* parameter at the current position; rate of the last evaluated row */
  double accepted,
      accepted_rate; /* values at the state accepted by mbs_accept_contacts(), at which the search starts */
  int side;          /* 1 or -1, set by the joint's class; 0: determined at the start */
} mbs_curve_contact;

/* A fault of a position: the reason why its constraints have no value. */
typedef struct mbs_fault {
  mbs_status status;   /* MBS_OK: no fault */
  const char *element; /* joint or driver */
  const char *what;
  double time;
} mbs_fault;

/* A break of a function of time: a span ends at `end`, before the break, and the next one begins at `next`, after it.
 * They are one instant if the function gives it, else adjacent numbers. */
typedef struct mbs_break {
  double end, next;
  bool samples; /* values are sampled there */
} mbs_break;

typedef struct mbs_system {
  const mbs_model *model;
  const mbs_constants *constants;
  const struct mbs_kernels *kernels; /* kernels of the model, for scalars or vectors */
  mbs_arena *arena;
  mbs_real t;
  double span_end;             /* end of a span: from this time on functions of time have the branches before it */
  double span_start;           /* start of a span: expressions have the branches after this time */
  mbs_fault fault;             /* fault of the last position set */
  const mbs_real *q, *v;       /* [nq], [nv] arguments of the last mbs_set_position, mbs_set_velocity */
  void *kernel_workspace;      /* workspace of the kernels */
  mbs_real *functions;         /* [function_count x 3] f, f', f'' at t */
  mbs_curve_contact *contacts; /* [curve_count] */
  bool contacts_accepted;      /* false before a start is accepted */
  double contacts_time;        /* time of the accepted state */

  mbs_real *Phi, *rhsV, *rhsA;        /* [rows] */
  mbs_real *C;                        /* [value_count] packed Jacobian, by block */
  mbs_real *rotor_forces;             /* [rotor_count] -I q'' while these forces act (rotors.h) */
  struct mbs_coupled_rotors *coupled; /* rotors that are not on the diagonal of M (rotors.h); NULL: none */
  double *D;        /* [d_count] rows that classes compute themselves, as derivatives in the bodies' velocities */
  mbs_real *Z;      /* [value_count] L^-T C' */
  mbs_real *lambda; /* [rows] */
  /* [rows] multipliers with the loads of tooth forces (teeth.h), of which results and reactions consist; without tooth
   * forces the array `lambda` itself */
  mbs_real *borne;
  struct mbs_teeth *teeth; /* tooth forces (teeth.h); NULL: none */
  bool *active;            /* [rows] false: redundant, omitted from S */
  bool all_active;
  mbs_independent_row_set schur_rows; /* rows of S, for the present factors */
  double redundant_residual;          /* largest residual of a redundant row so far, in scales of accuracy */
  double projection_goal;             /* residual that ends a projection far from a loss of rank */
  /* The integrator uses a history of states, in which residuals of projections appear as motion. Projections then
   * iterate down to rounding. */
  bool history_kept;
  /* A projection starts with factors of the position that it moves, not with those of an earlier evaluation, which
   * would lead to another point of the constraints. Its result is then a function of its arguments. */
  bool fresh_factors;
  double *offsets;       /* [function_count] offsets of functions of time, after drivers were moved interactively */
  double *rate_offsets;  /* [function_count][2] offsets of their derivatives */
  bool drivers_released; /* rows of drivers have residual zero at any position; they must not be active */
  /* Drivers stay at their values at t: rates of functions of time count as zero, except those of steady coordinates. */
  bool drivers_held;
  double drivers_behind;     /* [s] functions of time are evaluated so long before t; 0 */
  double alpha, beta;        /* gains of Baumgarte's stabilization; 0: none */
  mbs_real *M;               /* [tree.size] packed mass matrix, then its factors */
  mbs_real *M_diagonal;      /* [nv] inverse pivots */
  mbs_real *h, *vdot;        /* [nv] */
  mbs_real *w;               /* [nv] L^-T h, the common start of vdot and lambda */
  mbs_real *spread, *motion; /* [nv] workspace: velocities due to multipliers, or to a single one */
  double *vdot_before;       /* [nv] value before a step of an iteration */
  mbs_real *S_scale;         /* [rows] scales of the diagonal of S, see mbs_assemble_schur() */
  size_t S_room;             /* capacity of S in numbers, with touches */
  mbs_real *S, *S_pivot;     /* [kept.skyline.size] factors; [kept.rows] inverse pivots */
  mbs_real *S_factors;       /* L [size], with mbs_fill; S then has the entries of the fill */
  mbs_real *S_row;           /* [rows] workspace with mbs_fill, zero */
  int *S_next;               /* [rows] workspace */
  /* [rows] workspace: multipliers in the order of elimination; right-hand side of S x in a refinement, and its
   * residual; C times velocities or displacements; argument of a product with C'; lengths of rows. */
  mbs_real *permuted, *target, *residual, *rates, *combination, *lengths;
  int *row_list;       /* [rows] workspace of the choice of rows */
  int *column_of;      /* [nv] workspace of outputs */
  double radius;       /* largest coordinate of a point in its body [m] */
  double rounding;     /* mbs_residual_rounding() of the previous state; 0 before a start is accepted */
  bool shifted;        /* S needed a diagonal shift, near a singular position */
  bool unequal_masses; /* S has small pivots although C has full rank, so solutions need refinement */
  double pivot_ratio;  /* smallest ratio of a pivot of S to its diagonal: distance from a loss of rank */
  double usual_ratio;  /* largest value of that ratio at accepted states: its usual value far from a loss of rank */
  double mass_shift;   /* addition to the diagonal of a singular mass matrix, in scales; 0: the matrix is regular */
  double *mass_shifts; /* [nv] addition for each velocity: mass_shift over the square of its scale */
  double *q_units, *v_units, *row_units; /* [nq], [nv], [rows] scales of accuracy: mbs_fill_units() */
  double *v_weights;                     /* [nv] squares of v_units, which make C C' dimensionless */

  double *strand_angles, *strand_rates; /* [strand_turns] angles near which those of strands are, and their rates */
  double strands_time;                  /* time of these rates */

  const double *mode;            /* [switch_count] held branches of switches; NULL: branches follow the state */
  double *mode_held;             /* [switch_count] */
  double *margins;               /* [switch_count] workspace */
  double *memory;                /* [memory_count] memory of elements with switches */
  double *z;                     /* [nz] states of elements */
  double *discrete;              /* [discrete_count] variables, then sampled values */
  double *externals;             /* [external_count] inputs without a table; NULL: those of the start (externals.h) */
  double externals_time;         /* time at which they were set [s] */
  bool settled;                  /* modes and memory of elements are held; otherwise they follow the state */
  struct mbs_near *near;         /* points of contact that are near (near.h); NULL: the model has no surfaces */
  struct mbs_touches *touches;   /* unilateral constraints and dry friction (touches.h); NULL: none */
  struct mbs_feedback *feedback; /* laws that read accelerations or reactions (feedback.h); NULL: none */
  struct mbs_sliding *sliding;   /* switches along which the motion slides (sliding.h) */
  mbs_real *slots, *in;          /* workspace of expressions */
  double *jets, *gradient;       /* [3 input_max], [input_max] */
  double *rate_jets;             /* [3 input_max] of inputs that are time derivatives */
  mbs_real *kept_in;             /* [input_max] `in` of a law that such an input belongs to */
  mbs_real *outputs;             /* [output_count] outputs of force elements */
  mbs_real power_work, power_dissipated; /* powers of force elements [W] */
  mbs_real potential_forces;             /* [J] */
  mbs_real work, dissipated;             /* integrals up to the current state [J] */
  mbs_real *reactions;                   /* [joint_count x 6] force, torque on the second body at P2 */

  uint64_t evaluations, factorizations;
  mbs_error *error; /* error of the functions below; may be NULL */
} mbs_system;

/* Creates a system with the numbers of the document. Returns NULL if memory runs out. */
mbs_system *mbs_system_new(const mbs_model *model, mbs_arena *arena);
/* Creates a system with other numbers. */
mbs_system *mbs_system_bound(const mbs_constants *constants, mbs_arena *arena);
/* Changes the numbers of an open system and their scales of accuracy; counted revolutions are preserved. */
void mbs_system_rebind(mbs_system *system, const mbs_constants *constants);

/* Returns a system with only the members that functions of time need. */
static inline mbs_system mbs_probe_of_time(const mbs_constants *constants) {
  return (mbs_system){.model = constants->model,
                      .constants = constants,
                      .span_end = INFINITY,
                      .span_start = INFINITY,
                      .slots = constants->slots,
                      .jets = constants->jets};
}

static inline const mbs_block_constants *mbs_block_numbers(const mbs_system *system, const mbs_block *block) {
  return &system->constants->blocks[block->numbers];
}
/* Returns the point of an input, in its body's axes. */
static inline const mbs_real *mbs_input_point(const mbs_system *system, const mbs_input *input) {
  static const mbs_real centre[3];
  return input->point < 0 ? centre : system->constants->points[input->point];
}
/* Returns the expression of a law; it must not be a constant. */
static inline const mbs_expression *mbs_law_expression(const mbs_system *system, const mbs_law *law) {
  return system->constants->laws[law->number].expression;
}

/* Sets the fault of the position being set, unless it has one already. */
void mbs_position_fault(mbs_system *system, mbs_status status, const char *element, const char *what);

/* Returns why a quantity of the last position is not finite: the status of its fault, else MBS_NOT_FINITE. */
mbs_status mbs_not_finite(const mbs_system *system);

#endif
