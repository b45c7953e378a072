/* function.h - functions of time C(t): each computes f, f', f''. */
#ifndef MBS_FUNCTIONS_FUNCTION_H
#define MBS_FUNCTIONS_FUNCTION_H

#include "builder/builder.h"
#include "equations/system.h"

#include <math.h>

/* Computes the quintic smoothstep S(x) = 10 x^3 - 15 x^4 + 6 x^5 on 0 <= x <= 1, constant outside: S, S', S'' into
 * out[3]. */
void mbs_quintic(double x, double out[3]);
/* Returns the integral of S from 0: 5/2 x^4 - 3 x^5 + x^6 on 0 <= x <= 1, x - 1/2 beyond. */
double mbs_quintic_integral(double x);

/* Units of fields that are values of a function, or rates. The driver determines which of the two applies. */
#define MBS_VALUE_UNIT "m or rad"
#define MBS_RATE_UNIT "m/s or rad/s"

/* Returns a field of the function's class, with the unit that applies for its driver. */
mbs_field mbs_function_field(const mbs_function *function, const char *name);
/* Reads `count` named numbers of the function's node into its data. Returns false if one of them is invalid, which is
 * reported. */
bool mbs_function_numbers(mbs_binder *binder, const mbs_function *function, const char *const *names, size_t count,
                          mbs_function_constants *out);
/* Checks that data[1] > data[0], the times named t0 and t1, and adds both to the breaks. */
void mbs_function_interval(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out);

/* Adds times at which integration must restart: at most function->break_most. */
void mbs_function_breaks(const double *times, size_t count, mbs_function_constants *out);
/* Returns the numbers of a function in a run. */
static inline const mbs_function_constants *mbs_function_of(const mbs_system *system, const mbs_function *function) {
  return &system->constants->functions[function->number];
}

#endif
