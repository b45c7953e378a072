/* expression.h - expressions compiled once and evaluated often, with exact derivatives.
 *
 * An expression is compiled against a scope, which says what a name means: a constant (parameters, pi) or an input
 * (time, a state quantity), numbered by the scope. The program is a flat list of three-address instructions in static
 * single assignment form: evaluation is one loop forward; the gradient one loop backward (reverse mode); the first and
 * second time derivatives one loop forward over triples (Taylor arithmetic). Nothing is allocated in an evaluation; the
 * caller hands in the slots. */
#ifndef MBS_EXPRESSION_H
#define MBS_EXPRESSION_H

#include "mbs/arena.h"

#include <stdbool.h>

/* What the names of an expression mean. A path is a dotted name as written, "bob.B.x"; a call with names as
 * arguments, such as distance(bob.B, ground.O), reaches `measure`. */
typedef struct mbs_scope {
  void *context;
  /* A constant named `path`: true and its value. */
  bool (*constant)(void *context, const char *path, double *value);
  /* The parameter that this constant is, a number >= 0; -1: it is one that never changes, as pi. NULL: all are. */
  int (*parameter)(void *context, const char *path);
  /* The input for `path`, a number >= 0; or -1 and, in `why`, what is wrong ("no body 'bbo'; did you mean 'bob'?").
   * NULL where an expression must be constant. */
  int (*input)(void *context, const char *path, char why[256]);
  /* True for functions whose arguments are names (distance, distance_rate). */
  bool (*is_measure)(void *context, const char *function);
  int (*measure)(void *context, const char *function, const char *const *paths, size_t count, char why[256]);
} mbs_scope;

typedef struct mbs_expression mbs_expression;

/* Compiles `text` into `arena`. On an error returns NULL and fills `message` with the position and what was expected:
 * "at column 7: expected a number, a name or '(' but found ')'" (columns are bytes, from 1). Depth and length are
 * bounded (MBS_EXPRESSION_DEPTH, MBS_EXPRESSION_LENGTH). Subexpressions of constants are folded; one that is not finite
 * (1/0, sqrt(-1)) is an error, unless a constant condition of an if, && or || decides that it does not count.
 *
 * The language, from loose to tight: ||, &&, comparisons (not chained), + -, * /, signs and !, ^ (from the right;
 * -2^2 is -4). Numbers, dotted names, pi, calls of the functions in functions.def, and of the scope's measures.
 * A truth value is the number 1 or 0; a number used as one is true where it is not 0, without a guard. mod(a, b) is
 * a - b floor(a/b), so has the sign of b. smoothstep(x, x0, f0, x1, f1) is the quintic from f0 to f1. */
enum { MBS_EXPRESSION_DEPTH = 200, MBS_EXPRESSION_LENGTH = 65536 };
mbs_expression *mbs_expression_compile(mbs_arena *arena, const char *text, const mbs_scope *scope, char message[512]);
/* Bytes of the number that a text begins with: digits [ . digits ] [ e [sign] digits ]; 0 where there is none. */
size_t mbs_number_length(const char *text);
/* The expression that is always `value`. */
mbs_expression *mbs_expression_constant(mbs_arena *arena, double value);

bool mbs_expression_is_constant(const mbs_expression *expression, double *value);
/* The input whose value is that of the expression; -1: it is more than that. */
int mbs_expression_is_input(const mbs_expression *expression);

/* Parameters. What is folded is folded for the values that parameters have when the expression is compiled. For other
 * values the program stays and its constants change, to the bits that compiling anew would give them. Where a parameter
 * decides the form of the expression (a condition that is constant, a whole exponent), only values that decide alike
 * will do. */
bool mbs_expression_depends(const mbs_expression *expression);
/* The same program with constants of its own; NULL when there is no memory. */
mbs_expression *mbs_expression_copy(const mbs_expression *expression, mbs_arena *arena);
typedef enum mbs_bind_outcome { MBS_BIND_OK, MBS_BIND_OTHER_FORM, MBS_BIND_NOT_FINITE } mbs_bind_outcome;
/* Constants of a copy for these values of the parameters; `slots`: workspace [mbs_expression_bind_slots()]. */
mbs_bind_outcome mbs_expression_bind(mbs_expression *copy, const double *parameters, double *slots);
/* The value of an expression that is a constant. */
mbs_bind_outcome mbs_expression_bind_value(const mbs_expression *constant, const double *parameters, double *slots,
                                           double *value);
/* Whether the constants of two copies are the same. */
bool mbs_expression_same(const mbs_expression *one, const mbs_expression *other);
size_t mbs_expression_bind_slots(const mbs_expression *expression);
/* Its parameters: `count` distinct numbers of the scope; NULL: none. */
const int *mbs_expression_parameters(const mbs_expression *expression, size_t *count);

/* The inputs it reads: `count` distinct numbers of the scope, in the order in which `in[]` is indexed below. */
const int *mbs_expression_inputs(const mbs_expression *expression, size_t *count);
/* Doubles of workspace that any evaluation of this expression needs. */
size_t mbs_expression_slots(const mbs_expression *expression);

/* Switches: places where the expression has a kink or a jump (abs, sign, min, max, floor, mod and the inequalities).
 * Each has a guard, a function that changes sign there. In live evaluation (`mode` NULL) the branch follows the
 * guards; with `mode` [switches] the branch is held as mode says, so that an integrator meets a smooth function within
 * a step and can locate the sign change of the guard. Where a held evaluation is not finite, the live one counts.
 * mode[k] is 0 or 1, and guards[k] >= 0 belongs to mode 1; for floor and mod it is the integer part, and guards[k]
 * becomes negative when the argument leaves [mode[k], mode[k] + 1] on either side.
 * No switches: == and !=, true at an instant only or following other switches; smoothstep, whose first two derivatives
 * are continuous. A guard in a branch that is not taken may be undefined; it then keeps the sign of its mode. */
size_t mbs_expression_switches(const mbs_expression *expression);
void mbs_expression_guards(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                           double *guards);
/* The guards with their signs turned so that each is non-negative while its held mode is right. */
void mbs_expression_margins(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                            double *margins);
/* Value, first and second rate of the guard of a switch with modes 0 and 1 into out[3], for inputs as in
 * mbs_expression_jet(). What an input does not know (NaN) stays unknown where the guard depends on it. */
void mbs_expression_guard_jet(const mbs_expression *expression, size_t index, const double *jets, const double *mode,
                              double *slots, double out[3]);
/* Whether switch `index` has modes 0 and 1 only; otherwise its mode is an integer part (floor, mod). */
bool mbs_expression_switch_is_binary(const mbs_expression *expression, size_t index);
/* Returns true if switch `index` is a sign(), which is 0 where its guard is. */
bool mbs_expression_switch_is_sign(const mbs_expression *expression, size_t index);
/* The mode that belongs to the inputs as they are. At a guard of exactly 0 it is that of guard_rate >= 0, where given:
 * [switches], the rates of the guards with the mode that this function gives without rates. */
void mbs_expression_mode(const mbs_expression *expression, const double *in, const double *guard_rate, double *slots,
                         double *mode);

/* Returns true if the expression has a function that may be localized within its inputs, such as exp, a quotient or a
 * sine; sums and products are not. */
bool mbs_expression_may_be_localized(const mbs_expression *expression);
/* Inputs from low[inputs] to high[inputs], branches after their guards: returns how far an argument of its functions
 * moves at most, in lengths on which the function changes its course: a radian of a sine, a factor e of an exponential,
 * the distance of a divisor to zero. Infinite where an argument may come to a pole, or, if `roots` count, to the root
 * of a root. */
double mbs_expression_moves(const mbs_expression *expression, const double *low, const double *high, bool roots,
                            double *slots);
/* Returns true if a divisor becomes zero that goes on, from its value at in[inputs], by `times` its change to that at
 * beside[inputs]. */
bool mbs_expression_divisor_vanishes(const mbs_expression *expression, const double *in, const double *beside,
                                     double times, double *slots);
/* Returns true if interval arithmetic shows that for inputs from low[inputs] to high[inputs] nothing but switches
 * breaks the value or a derivative: no pole, no root of 0, no cut of atan2. Branches follow their guards. */
bool mbs_expression_is_smooth(const mbs_expression *expression, const double *low, const double *high, double *slots);

/* Value at in[inputs]. */
double mbs_expression_value(const mbs_expression *expression, const double *in, const double *mode, double *slots);
/* Value, and gradient[k] = d value / d in[k]. At a kink it is the derivative of the branch that counts (live abs, min,
 * max at equality: of guard > 0); at sqrt(0) and the like it is infinite, unless no input moves what stands there. */
double mbs_expression_gradient(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                               double *gradient);
/* Value, first and second derivative in time into out[3], for inputs whose value, rate and second rate are
 * jets[3 k], jets[3 k + 1], jets[3 k + 2]. Derivatives as above; a quantity whose rates are 0 has no influence. */
void mbs_expression_jet(const mbs_expression *expression, const double *jets, const double *mode, double *slots,
                        double out[3]);

#endif
