/* system.h - one run of a model: all its workspace, for one thread. Nothing is allocated in an evaluation.
 *
 * An evaluation has four parts, each of which uses what the ones before left in the system:
 *
 *   mbs_set_position  poses of the bodies, columns of B, functions of time, contact parameters of curves
 *   mbs_set_velocity  velocities of the bodies, V = B v, and their accelerations without v', beta
 *   mbs_constraints   Phi, C = D B, rhsV, rhsA = gamma - D beta           (any of them)
 *   mbs_accelerate    h, M, and v', lambda of   M v' - C' lambda = h,  C v' = rhsA  */
#ifndef MBS_SYSTEM_H
#define MBS_SYSTEM_H

#include "equations/independent_rows.h"
#include "model/constants.h"

/* The contact parameter of a curve, counted without wrapping. */
typedef struct mbs_curve_contact {
  mbs_real alpha, rate;   /* at the position in hand; rate of the row evaluated last */
  double kept, kept_rate; /* in the state that mbs_keep_contacts() was told of, from which the search starts */
  int side;               /* 1 or -1, what the joint's class makes of it; 0: the start decides */
} mbs_curve_contact;

/* What is wrong with a position: why its constraints have no value. */
typedef struct mbs_fault {
  mbs_status status;   /* MBS_OK: nothing */
  const char *element; /* joint or driver */
  const char *what;
  double time;
} mbs_fault;

/* A break of a function of time: a span ends at `end`, before it, and the next one begins at `next`, after it. They are
 * one instant where the function names it, else doubles beside it. */
typedef struct mbs_break {
  double end, next;
} mbs_break;

typedef struct mbs_system {
  const mbs_model *model;
  const mbs_constants *constants;
  const struct mbs_kernels *kernels; /* the model's, over the numbers in hand */
  mbs_arena *arena;
  mbs_real t;
  double t_left;          /* at this time and after it, functions of time are what they are before it: end of a span */
  double t_right;         /* expressions in the time only before this: where the next span begins */
  mbs_fault fault;        /* of the position set last */
  const mbs_real *q, *v;  /* [nq], [nv] of the last mbs_set_position, mbs_set_velocity */
  void *kernel_workspace; /* workspace of the kernels */
  mbs_real *functions;    /* [function_count x 3] C, C', C'' at t */
  mbs_curve_contact *contacts; /* [curve_count] */
  bool contacts_kept;          /* false: before a start is accepted */
  double contacts_time;        /* of the state kept */

  mbs_real *Phi, *rhsV, *rhsA; /* [rows] */
  mbs_real *C;                 /* [value_count] packed Jacobian, by block */
  double *D;                   /* [d_count] of the rows that classes compute themselves, at the bodies */
  mbs_real *Z;                 /* [value_count] L^-T C' */
  mbs_real *lambda;            /* [rows] */
  bool *active;                /* [rows] false: redundant, left out of S */
  bool all_active;
  mbs_independent_row_set kept; /* the rows that S has, as of its factors */
  double strayed;               /* the largest residual of a redundant row so far, in units of accuracy */
  double projection_goal;       /* residual that ends a projection, far from a loss of rank */
  bool history_kept; /* the integrator keeps a history of states, to which what projections leave is a motion: they
                            * go on to the rounding */
  /* A projection begins with factors of the position that it moves, not with those of what was evaluated before, which
   * would end elsewhere on the constraints: it is a function of its arguments. */
  bool own_directions;
  double *offsets;           /* [function_count] what is added to functions of time: how far drivers were led by hand */
  bool drivers_released;     /* rows of drivers miss nothing, wherever the position is; they are not to be active */
  bool drivers_held;         /* drivers stay where they are at t: rates of functions of time count as zero */
  double alpha, beta;        /* gains of Baumgarte's stabilization; 0: none */
  mbs_real *M;               /* [tree.size] packed mass matrix, then its factors */
  mbs_real *M_diagonal;      /* [nv] inverse pivots */
  mbs_real *h, *vdot;        /* [nv] */
  mbs_real *w;               /* [nv] L^-T h, where vdot and lambda begin */
  mbs_real *spread, *motion; /* [nv] workspace: velocities that multipliers make, or a single one makes */
  double *vdot_before;       /* [nv] in an iteration */
  mbs_real *S_scale;         /* [rows] scales of the diagonal of S, see mbs_assemble_schur() */
  mbs_real *S, *S_pivot;     /* [kept.skyline.size] factors; [kept.rows] inverse pivots */
  mbs_real *S_factors;       /* with mbs_fill: L [size], and S has its entries */
  mbs_real *S_row;           /* with it: [rows] workspace, zero */
  int *S_next;               /* [rows] workspace */
  /* [rows] workspace: multipliers in the order of elimination; what refinement wants S x to be, and what is left; C
   * times velocities or displacements; what C' is multiplied by; lengths of rows. */
  mbs_real *permuted, *target, *residual, *rates, *combination, *lengths;
  int *column_of;      /* [nv] workspace of the output */
  double radius;       /* largest coordinate of a point in its body [m] */
  double rounding;     /* mbs_residual_rounding() of the state before: 0 before a start is accepted */
  bool shifted;        /* S needed a diagonal shift: near a singular position */
  bool unequal_masses; /* S has small pivots although C has its rank: solutions need refinement */
  double pivot_ratio;  /* smallest pivot of S against its diagonal: how far from a loss of rank */
  double usual_ratio;  /* its largest value at accepted states: what it is far from a loss of rank */
  double mass_shift;   /* added to the diagonal of a singular mass matrix, in units; 0: it is regular */
  double *mass_shifts; /* [nv] the same for each velocity: mass_shift over the square of its unit */
  double *q_units, *v_units, *row_units; /* [nq], [nv], [rows] what their accuracy is counted in: mbs_fill_units() */
  double *v_weights;                     /* [nv] squares of v_units, with which C C' has no units of its own */

  const double *mode;                    /* [switch_count] held branches of switches, NULL: live */
  double *mode_held;                     /* [switch_count] */
  double *margins;                       /* [switch_count] workspace */
  double *memory;                        /* [memory_count] of elements with switches of their own */
  double *z;                             /* [nz] states of elements */
  bool settled;                          /* modes and memory of elements are held; otherwise they follow the state */
  struct mbs_sliding *sliding;           /* switches that the motion follows (sliding.h) */
  mbs_real *slots, *in;                  /* workspace of expressions */
  double *jets, *gradient;               /* [3 input_max], [input_max] */
  mbs_real *outputs;                     /* [output_count] of force elements */
  mbs_real power_work, power_dissipated; /* of force elements [W] */
  mbs_real potential_forces;             /* [J] */
  mbs_real work, dissipated;             /* integrated, as of the state in hand [J] */
  mbs_real *reactions;                   /* [joint_count x 6] force, torque on the second body at P2 */

  uint64_t evaluations, factorizations;
  mbs_error *error; /* where functions below say what went wrong; may be NULL */
} mbs_system;

/* With the numbers that the document gives; NULL when there is no memory. */
mbs_system *mbs_system_new(const mbs_model *model, mbs_arena *arena);
/* With others. */
mbs_system *mbs_system_bound(const mbs_constants *constants, mbs_arena *arena);
/* Lets an open system read other numbers of its model, with their units of accuracy; counted turns go on. */
void mbs_system_rebind(mbs_system *system, const mbs_constants *constants);

/* A system for functions of time alone: all that they ask for. */
static inline mbs_system mbs_probe_of_time(const mbs_constants *constants) {
  return (mbs_system){.model = constants->model,
                      .constants = constants,
                      .t_left = INFINITY,
                      .t_right = INFINITY,
                      .slots = constants->slots};
}

static inline const mbs_block_constants *mbs_block_numbers(const mbs_system *system, const mbs_block *block) {
  return &system->constants->blocks[block->numbers];
}
/* Where an input's point is, in its body's axes. */
static inline const mbs_real *mbs_input_point(const mbs_system *system, const mbs_input *input) {
  static const mbs_real centre[3];
  return input->point < 0 ? centre : system->constants->points[input->point];
}
/* The expression of a law that is none of the constants. */
static inline const mbs_expression *mbs_law_expression(const mbs_system *system, const mbs_law *law) {
  return system->constants->laws[law->number].expression;
}

/* The fault of the position being set; the first one counts. */
void mbs_position_fault(mbs_system *system, mbs_status status, const char *element, const char *what);

/* Why a quantity of the position set last is not finite: its fault, else MBS_NOT_FINITE. */
mbs_status mbs_not_finite(const mbs_system *system);

#endif
