/* expression.h - expressions that are compiled once and evaluated often, with exact derivatives.
 *
 * An expression is compiled with a scope, which defines the meaning of names: a constant (parameters, pi) or an input
 * (time, a state quantity), numbered by the scope. The program is a flat list of three-address instructions in static
 * single assignment form. Evaluation is one forward loop, the gradient one backward loop (reverse mode), and the first
 * and second time derivatives one forward loop over triples (Taylor arithmetic). An evaluation allocates no memory; the
 * caller provides the slots. */
#ifndef MBS_EXPRESSION_H
#define MBS_EXPRESSION_H

#include "mbs/arena.h"

#include <stdbool.h>

/* The meaning of names in an expression. A path is a dotted name as written, "bob.B.x". A call with names as arguments,
 * such as distance(bob.B, ground.O), is passed to `measure`. */
typedef struct mbs_scope mbs_scope;
struct mbs_scope {
  void *context;
  /* Returns true and the value of a constant named `path`. */
  bool (*constant)(void *context, const char *path, double *value);
  /* Returns the number, >= 0, of the parameter that this constant is; -1 if it never changes, as pi. NULL: all
   * constants are parameters. */
  int (*parameter)(void *context, const char *path);
  /* Returns the number, >= 0, of the input for `path`; or -1 and, in `why`, the error ("no body 'bbo'; did you mean
   * 'bob'?"). NULL if an expression must be constant. */
  int (*input)(void *context, const char *path, char why[256]);
  /* Returns true for functions whose arguments are names (distance, distance_rate). */
  bool (*is_measure)(void *context, const char *function);
  int (*measure)(void *context, const char *function, const char *const *paths, size_t count, char why[256]);
  /* Returns true for a name that denotes an expression, with its text, the same pointer at every call, and the scope
   * of the names in it, which may be this one. NULL: there are none. */
  bool (*definition)(void *context, const char *path, const char **text, const mbs_scope **scope);
  /* Returns the function of the document of that name, or NULL. NULL: there are none. */
  const struct mbs_named_function *(*function)(void *context, const char *name);
};

typedef struct mbs_expression mbs_expression;

/* Compiles `text` into `arena`. On an error returns NULL and fills `message` with the position and the expected text:
 * "at column 7: expected a number, a name or '(' but found ')'" (columns are bytes, from 1). Depth and length are
 * limited (MBS_EXPRESSION_DEPTH, MBS_EXPRESSION_LENGTH). Subexpressions of constants are folded. A non-finite one (1/0,
 * sqrt(-1)) is an error, unless a constant condition of an if, && or || selects another branch.
 *
 * The language, from loose to tight: ||, &&, comparisons (not chained), + -, * /, signs and !, ^ (from the right; -2^2
 * is -4). Numbers, dotted names, pi, calls of the functions in functions.def, and of the scope's measures. A truth
 * value is the number 1 or 0; a number used as one is true if it is not 0, without a guard. mod(a, b) is a - b
 * floor(a/b), so it has the sign of b. smoothstep(x, x0, f0, x1, f1) is the quintic from f0 to f1. A name that stands
 * for an expression (`definition`) is replaced by it; such names may be nested MBS_DEFINITION_DEPTH deep. */
enum { MBS_EXPRESSION_DEPTH = 200, MBS_EXPRESSION_LENGTH = 65536, MBS_DEFINITION_DEPTH = 100 };
mbs_expression *mbs_expression_compile(mbs_arena *arena, const char *text, const mbs_scope *scope, char message[512]);
/* Returns the bytes of the number at the start of a text: digits [ . digits ] [ e [sign] digits ]; 0 if there is
 * none. */
size_t mbs_number_length(const char *text);
/* Creates the expression with the constant value `value`. */
mbs_expression *mbs_expression_constant(mbs_arena *arena, double value);

bool mbs_expression_is_constant(const mbs_expression *expression, double *value);
/* Returns the input whose value is that of the expression; -1 if it is more than an input. */
int mbs_expression_is_input(const mbs_expression *expression);

/* Returns true if the value is true or false: a comparison, or several with &&, || and !. */
bool mbs_expression_is_condition(const mbs_expression *expression);

/* Returns true if the expression depends on parameters. Constants are folded with the values of the parameters at
 * compilation. For other values the program does not change; its constants change, bit for bit as a new compilation
 * would compute them. If a parameter determines the form of the expression (a constant condition, an integer exponent),
 * only values with the same form are possible. */
bool mbs_expression_depends(const mbs_expression *expression);
/* Copies the program, with separate constants. Returns NULL if memory runs out. */
mbs_expression *mbs_expression_copy(const mbs_expression *expression, mbs_arena *arena);
typedef enum mbs_bind_outcome { MBS_BIND_OK, MBS_BIND_OTHER_FORM, MBS_BIND_NOT_FINITE } mbs_bind_outcome;
/* Computes the constants of a copy for these values of the parameters; `slots`: workspace
 * [mbs_expression_bind_slots()]. */
mbs_bind_outcome mbs_expression_bind(mbs_expression *copy, const double *parameters, double *slots);
/* Computes the value of an expression that is a constant. */
mbs_bind_outcome mbs_expression_bind_value(const mbs_expression *constant, const double *parameters, double *slots,
                                           double *value);
/* Returns true if the constants of two copies are equal. */
bool mbs_expression_same(const mbs_expression *one, const mbs_expression *other);
size_t mbs_expression_bind_slots(const mbs_expression *expression);
/* Returns its parameters: `count` distinct numbers of the scope; NULL: none. */
const int *mbs_expression_parameters(const mbs_expression *expression, size_t *count);

/* Returns the inputs it reads: `count` distinct numbers of the scope, in the order of `in[]` below. */
const int *mbs_expression_inputs(const mbs_expression *expression, size_t *count);
/* Returns the doubles of workspace that any evaluation of this expression needs. */
size_t mbs_expression_slots(const mbs_expression *expression);

/* Returns true if the value is affine in the marked inputs. inputs [inputs] is in the order of mbs_expression_inputs().
 * Allocates from `arena`; returns false if memory runs out. */
bool mbs_expression_is_affine(const mbs_expression *expression, const bool *inputs, mbs_arena *arena);

/* Returns the number of switches: points where the expression has a kink or a jump (abs, sign, min, max, floor, mod and
 * the inequalities). Each has a guard, a function that changes sign there. Without `mode` (NULL) the branches follow
 * the guards. With `mode` [switches] the branches are held, so that an integrator has a smooth function within a step
 * and can locate the sign change of the guard. If a held evaluation is not finite, the evaluation without held modes is
 * used.
 *
 * mode[k] is 0 or 1, and guards[k] >= 0 belongs to mode 1. For floor and mod it is the integer part, for a table the
 * piece, and guards[k] is negative if the argument is outside [mode[k], mode[k] + 1], or outside of the piece.
 *
 * Not switches: == and !=, which are true at an instant only or follow other switches; smoothstep, whose first two
 * derivatives are continuous. A guard in a branch that is not selected may be undefined; it then has the sign of its
 * mode. */
size_t mbs_expression_switches(const mbs_expression *expression);
void mbs_expression_guards(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                           double *guards);
/* Computes the guards with their signs chosen so that each is non-negative while its held mode is valid. */
void mbs_expression_margins(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                            double *margins);
/* Computes value, first and second rate of the guard of a switch with modes 0 and 1 into out[3], for inputs as in
 * mbs_expression_jet(). An unknown input (NaN) makes the guard unknown if it depends on that input. */
void mbs_expression_guard_jet(const mbs_expression *expression, size_t index, const double *jets, const double *mode,
                              double *slots, double out[3]);
/* Returns true if switch `index` has modes 0 and 1 only; otherwise its mode is an integer: the integer part
 * (floor, mod) or the piece of a table. */
bool mbs_expression_switch_is_binary(const mbs_expression *expression, size_t index);
/* Returns true if switch `index` is a sign(), which is 0 if its guard is 0. */
bool mbs_expression_switch_is_sign(const mbs_expression *expression, size_t index);
/* Returns true if the value does not jump at any switch: all of them are abs(), min() and max(). */
bool mbs_expression_joins_branches(const mbs_expression *expression);
/* Returns the name of a table that has no value at these inputs, and in out[2] its argument and the end of the table
 * at or beyond which the argument is; NULL: all have one. */
const char *mbs_expression_outside(const mbs_expression *expression, const double *in, double *slots, double out[2]);
/* Computes the modes for the given inputs. At a guard of exactly 0 the mode is that of guard_rate >= 0, if given:
 * [switches], the rates of the guards with the mode that this function computes without rates. */
void mbs_expression_mode(const mbs_expression *expression, const double *in, const double *guard_rate, double *slots,
                         double *mode);

/* Returns true if the expression has a function that may be localized within its inputs, such as exp, a quotient or a
 * sine; sums and products are not. */
bool mbs_expression_may_be_localized(const mbs_expression *expression);
/* Returns the largest travel of an argument of its functions for inputs from low[inputs] to high[inputs], with branches
 * following their guards. Travel is measured in lengths over which the function changes: a radian of a sine, a factor e
 * of an exponential, the distance of a divisor to zero. It is infinite if an argument may reach a pole or, with
 * `roots`, the zero of a root. */
double mbs_expression_argument_travel(const mbs_expression *expression, const double *low, const double *high,
                                      bool roots, double *slots);
/* Returns true if a divisor becomes zero when it continues, from its value at in[inputs], by `times` its change to that
 * at beside[inputs]. */
bool mbs_expression_divisor_vanishes(const mbs_expression *expression, const double *in, const double *beside,
                                     double times, double *slots);
/* Returns true if interval arithmetic shows that for inputs from low[inputs] to high[inputs] only switches break the
 * value or a derivative: no pole, no root of 0, no cut of atan2. Branches follow their guards. */
bool mbs_expression_is_smooth(const mbs_expression *expression, const double *low, const double *high, double *slots);

/* Returns the value at in[inputs]. */
double mbs_expression_value(const mbs_expression *expression, const double *in, const double *mode, double *slots);
/* Computes the value, and gradient[k] = d value / d in[k]. At a kink it is the derivative of the selected branch (abs,
 * min, max at equality without held modes: of guard > 0). At sqrt(0) and the like it is infinite, unless no input
 * changes the argument. */
double mbs_expression_gradient(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                               double *gradient);
/* Computes value, first and second time derivative into out[3], for inputs whose value, rate and second rate are jets[3
 * k], jets[3 k + 1], jets[3 k + 2]. Derivatives as above; a quantity whose rates are 0 has no influence. */
void mbs_expression_jet(const mbs_expression *expression, const double *jets, const double *mode, double *slots,
                        double out[3]);

#endif
