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

#include "model/model.h"

/* The contact parameter of a curve, counted without wrapping. */
typedef struct mbs_curve_contact {
  double alpha, rate;     /* at the position in hand; rate of the row evaluated last */
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

typedef struct mbs_system {
  const mbs_model *model;
  mbs_arena *arena;
  double t;
  double t_left;          /* at this time and after it, functions of time are what they are before it: end of a span */
  mbs_fault fault;        /* of the position set last */
  const double *q, *v;    /* [nq], [nv] of the last mbs_set_position, mbs_set_velocity */
  void *kernel_workspace; /* workspace of the kernels */
  double *functions;      /* [function_count x 3] C, C', C'' at t */
  mbs_curve_contact *contacts; /* [curve_count] */
  bool contacts_kept;          /* false: before a start is accepted */
  double contacts_time;        /* of the state kept */

  double *Phi, *rhsV, *rhsA; /* [rows] */
  double *C;                 /* [value_count] packed Jacobian, by block */
  double *D;                 /* [d_count] of the rows that classes compute themselves, at the bodies */
  double *Z;                 /* [value_count] L^-T C' */
  double *lambda;            /* [rows] */
  bool *active;              /* [rows] false: redundant, left out of S */
  bool all_active;
  double projection_goal; /* residual that ends a projection, far from a loss of rank */
  bool history_kept;      /* the integrator keeps a history of states, to which what projections leave is a motion: they
                            * go on to the rounding */
  /* A projection begins with factors of the position that it moves, not with those of what was evaluated before, which
   * would end elsewhere on the constraints: it is a function of its arguments. */
  bool own_directions;
  bool drivers_held;       /* drivers stay where they are at t: rates of functions of time count as zero */
  double alpha, beta;      /* gains of Baumgarte's stabilization; 0: none */
  double *M;               /* [tree.size] packed mass matrix, then its factors */
  double *M_diagonal;      /* [nv] inverse pivots */
  double *h, *vdot;        /* [nv] */
  double *w, *w2, *before; /* [nv] workspace */
  double *S_scale;         /* [rows] scales of the diagonal of S, see mbs_assemble_gram() */
  double *S, *S_pivot;     /* [skyline.size] factors; [rows] inverse pivots */
  double *s2, *s3, *s4;    /* [rows] workspace */
  int *column_of;          /* [nv] workspace of the output */
  double radius;           /* largest coordinate of a point in its body [m] */
  double rounding;         /* mbs_rounding() of the state before: 0 before a start is accepted */
  bool shifted;            /* S needed a diagonal shift: near a singular position */
  bool unequal_masses;     /* S has small pivots although C has its rank: solutions need refinement */
  double pivot_ratio;      /* smallest pivot of S against its diagonal: how far from a loss of rank */
  double usual_ratio;      /* its largest value at accepted states: what it is far from a loss of rank */
  double mass_shift;       /* added to the diagonal of a singular mass matrix, in units; 0: it is regular */
  double *mass_shifts;     /* [nv] the same for each velocity: mass_shift over the square of its unit */
  double *q_units, *v_units, *row_units; /* [nq], [nv], [rows] what their accuracy is counted in: mbs_fill_units() */
  double *v_weights;                     /* [nv] squares of v_units, with which C C' has no units of its own */

  const double *mode;                  /* [switch_count] held branches of switches, NULL: live */
  double *mode_held;                   /* [switch_count] */
  double *margins;                     /* [switch_count] workspace */
  double *memory;                      /* [memory_count] of elements with switches of their own */
  bool settled;                        /* modes and memory of elements are held; otherwise they follow the state */
  struct mbs_sliding *sliding;         /* switches that the motion follows (sliding.h) */
  double *slots, *in;                  /* workspace of expressions */
  double *jets, *gradient;             /* [3 input_max], [input_max] */
  double *outputs;                     /* [output_count] of force elements */
  double power_work, power_dissipated; /* of force elements [W] */
  double potential_forces;             /* [J] */
  double work, dissipated;             /* integrated, as of the state in hand [J] */
  double *reactions;                   /* [joint_count x 6] force, torque on the second body at P2 */

  uint64_t evaluations;
  mbs_error *error; /* where functions below say what went wrong; may be NULL */
} mbs_system;

/* NULL when there is no memory. */
mbs_system *mbs_system_new(const mbs_model *model, mbs_arena *arena);

/* Where the position has a fault (system->fault), the constraints are NaN and mbs_evaluate() returns its status. */
void mbs_set_position(mbs_system *system, double t, const double *q);
void mbs_set_velocity(mbs_system *system, const double *v);
/* The fault of the position being set; the first one counts. */
void mbs_position_fault(mbs_system *system, mbs_status status, const char *element, const char *what);
/* Why a quantity of the position set last is not finite: its fault, else MBS_NOT_FINITE. */
mbs_status mbs_not_finite(const mbs_system *system);
/* Tells that the state in hand is accepted: the search for contact parameters starts from it from now on. */
void mbs_keep_contacts(mbs_system *system);
/* MBS_CONTACT_NOT_UNIQUE where curves touch at another place, too, at the position in hand. */
mbs_status mbs_check_contacts(mbs_system *system);
/* Margins of the joints whose curves may touch at another place, too, at the position in hand: negative where they do.
 * How many there are; MBS_CONTACT_NOT_UNIQUE as the fault of the one number `index`. */
void mbs_read_margins(const mbs_system *system, double *margins);
size_t mbs_count_margins(const mbs_model *model);
mbs_status mbs_fail_margin(mbs_system *system, size_t index);

enum { MBS_WANT_PHI = 1, MBS_WANT_C = 2, MBS_WANT_RHS = 4 };
/* Fills what `want` names; MBS_WANT_RHS needs velocities. */
void mbs_constraints(mbs_system *system, int want);

/* Forces, h, M and its factors, S and its factors, then vdot and lambda; constraints must be there. */
mbs_status mbs_accelerate(mbs_system *system);
/* Forces on the bodies only: wrenches, outputs, powers. */
void mbs_apply_forces(mbs_system *system);
/* Everything for (t, q, v): the right-hand side of the equations of motion. Counts an evaluation. */
mbs_status mbs_evaluate(mbs_system *system, double t, const double *q, const double *v);
/* Power that drivers supply at the state evaluated last [W]. */
double mbs_driver_power(const mbs_system *system);

/* x [rows] := S^-1 x and out [nv] := M^-1 C' x, by the factors of the last mbs_accelerate or mbs_factor. */
void mbs_solve_multipliers(mbs_system *system, double *x);
void mbs_spread_multipliers(mbs_system *system, const double *x, double *out);
/* M, Z and S and their factors from positions and C. */
mbs_status mbs_factor(mbs_system *system);
/* vdot = M^-1 C' S^-1 missing [rows]: the change of the velocities that makes up for what their rates miss. Needs
 * positions and C; spoils h, rhsA, lambda. */
mbs_status mbs_solve_impulse(mbs_system *system, const double *missing);

/* For models with bodies without inertia, at the position in hand. */
void mbs_shift_masses(mbs_system *system);
/* Sets mass_shift and mass_shifts; 0: the mass matrix is taken as it is. */
void mbs_set_mass_shift(mbs_system *system, double shift);
/* After it, with C: whether every freedom without inertia is held. MBS_SINGULAR_MASS, with the body named, where forces
 * on everything find one that is not, even if the model's own forces would leave it at rest. Spoils h, rhsA, vdot,
 * lambda. */
mbs_status mbs_probe_masses(mbs_system *system);
/* S = values' diag(weights) values over the packed rows of C or Z, in skyline form; weights NULL: ones. With S_scale,
 * the largest diagonal of each block, so that a row that vanishes in some position shows. */
void mbs_assemble_gram(mbs_system *system, const double *values, const double *weights);

/* Products with the packed Jacobian: out[rows] = C x[nv]; out[nv] = C' y[rows]. */
void mbs_jacobian_times(const mbs_system *system, const double *x, double *out);
void mbs_jacobian_transposed(const mbs_system *system, const double *y, double *out);
/* Dense copy of C, column-major [rows x nv]. */
void mbs_jacobian_dense(const mbs_system *system, double *out);

/* q advanced by the displacement dv [nv] (a velocity times a time); for planar models q + dv. `out` may be q. */
void mbs_displace(const mbs_model *model, const double *q, const double *dv, double *out);

/* Largest absolute value of n numbers; infinity if one is NaN. */
double mbs_largest(const double *x, size_t n);
/* Whether what a force element exerted last is finite. */
bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force);

/* Fills model->extent, length and time; false: no memory. */
bool mbs_measure_extent(mbs_model *model);
/* Slides among the velocities of what carries a body; they come before its turns. */
int mbs_slide_count(const mbs_model *model, int body);
/* What is of order 1 in this model: its extent for lengths, 1 for angles; of the velocities [nv] and of the constraint
 * rows [rows]. Rows that classes compute themselves may be either: the smaller one. */
void mbs_units(const mbs_system *system, double *velocities, double *rows);
/* What accuracies of lengths are counted in, for a mechanism of this extent: 1 m between 1 cm and 1 km, else the power
 * of 1000 m of which it has between 0.01 and 10. */
double mbs_length_unit(double extent);
/* What accuracies of times are counted in: 1 s where `shorter` <= 10000 s and `longer` >= 1 ms, else the one of the two
 * nearer to that. */
double mbs_time_unit(double shorter, double longer);
/* `length` for lengths, 1 for angles and pure numbers: of the coordinates [nq] (may be NULL), velocities (times a time)
 * [nv] and constraint rows [rows]. Where rows of expressions may be either: the smaller one. */
void mbs_fill_units(const mbs_model *model, double length, double *coordinates, double *velocities, double *rows);
/* The units of the rows of expressions: by how much they change at q where velocities are one unit long. */
void mbs_measure_row_units(mbs_system *system, double t, const double *q);
/* Largest absolute value of n numbers, each in its unit; infinity if one is NaN. */
double mbs_largest_in_units(const double *x, const double *units, size_t n);
/* What absolute errors of the coordinates and velocities count in, units [nq + nv]: the units of accuracy, those of
 * velocities over the unit of time that the span of the run and its motion at the start (t_start, q, v) agree on. */
void mbs_fill_error_units(mbs_system *system, const double *q, const double *v, double *units);
/* The speed, in units, of which rounding leaves a share: one unit in the unit of time, or where that is slow the
 * largest of v [nv], up to 1. */
double mbs_least_speed(const mbs_system *system, const double *v);
/* The unit of a primitive's value. */
double mbs_primitive_unit(const mbs_model *model, mbs_primitive primitive);
/* The unit of what an input of an expression is read from: a position, a rate or an acceleration. */
double mbs_input_unit(const mbs_model *model, const mbs_input *input);
/* The unit of the row that follows a function of time. */
double mbs_function_unit(const mbs_system *system, size_t function);
/* Rounding, in units, of the positions, points and functions of time that residuals at the position in hand are
 * differences of: less cannot be asked of a residual (of velocities: times the largest of them). Iterations
 * that may go astray must take it from where they began, as system->rounding, for far away everything is rounding. */
double mbs_rounding(const mbs_system *system);
/* Whether S was near a loss of rank at the last factorization, for what is usual in the model. */
bool mbs_near_singular(const mbs_system *system);
/* Name and element of a constraint row: joint or driver. */
const char *mbs_row_element(const mbs_model *model, size_t row);

/* A law's value now; `mode` of the system is used for its switches. */
double mbs_law_value(const mbs_system *system, const mbs_law *law);
/* Margins of its switches into margins[mode0 ..]: negative where a held mode is no longer right; and the modes that
 * belong to the state into mode[mode0 ..]. */
void mbs_law_margins(const mbs_system *system, const mbs_law *law, double *margins);
void mbs_law_mode(const mbs_system *system, const mbs_law *law, double *mode);
double mbs_input_value(const mbs_system *system, const mbs_input *input);
/* An input's value, first and second rate by the accelerations of the bodies; NaN where a rate is not known, as of
 * what force elements exert. */
void mbs_input_jet(const mbs_system *system, const mbs_input *input, double jet[3]);
/* The row that a joint's class computes itself, into Phi, rhsV and rhsA as `want` says. Returns its D [body_count x
 * velocities of a body], in system->D. A position at fault gives a row of NaN. */
const double *mbs_compute_custom_row(mbs_system *system, const mbs_block *block, int want);
/* The row of a law of positions and time: value, partial derivative in time, second derivative in time for V' = beta;
 * D at the joint's bodies. */
void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_custom_row *out);

/* ---- for force elements ---- */
/* Position and velocity of point s (body axes) of a body, global axes. */
void mbs_point_motion(const mbs_system *system, int body, const double s[3], double r[3], double v[3]);
/* The generalized force Q along primitive number `coordinate` of model->coordinates, on both its bodies. */
void mbs_push_along(mbs_system *system, int coordinate, double Q);
/* A force f at point s (body axes) of a body; a torque. Global axes. */
void mbs_push(mbs_system *system, int body, const double s[3], const double f[3]);
void mbs_twist(mbs_system *system, int body, const double n[3]);
/* Body axes to global axes. */
void mbs_to_global(const mbs_system *system, int body, const double u[3], double out[3]);
/* Angular velocity, global axes. */
void mbs_angular_velocity(const mbs_system *system, int body, double omega[3]);

#endif
