/* function.h - functions of time C(t): each fills f, f', f''. */
#ifndef MBS_FUNCTIONS_FUNCTION_H
#define MBS_FUNCTIONS_FUNCTION_H

#include "builder/builder.h"
#include "equations/system.h"

#include <math.h>

/* The quintic smoothstep S(x) = 10 x^3 - 15 x^4 + 6 x^5 on 0 <= x <= 1, constant outside: S, S', S'' into out[3]. */
void mbs_quintic(double x, double out[3]);
/* Its integral from 0, 5/2 x^4 - 3 x^5 + x^6 on 0 <= x <= 1, x - 1/2 beyond. */
double mbs_quintic_integral(double x);

/* Units of fields that are values of a function, or rates: which of the two, its driver says. */
#define MBS_VALUE_UNIT "m or rad"
#define MBS_RATE_UNIT "m/s or rad/s"

/* A field of the function's class, with the one unit that it has for this driver. */
mbs_field mbs_function_field(const mbs_function *function, const char *name);
/* Reads `count` named numbers of the function's node into its data; false where one of them is reported as wrong. */
bool mbs_function_numbers(mbs_binder *binder, const mbs_function *function, const char *const *names, size_t count,
                          mbs_function_constants *out);
/* Requires data[1] > data[0], the times named t0 and t1; both become breaks. */
void mbs_function_interval(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out);

/* Times where integration must restart: at most function->break_most. */
void mbs_function_breaks(const double *times, size_t count, mbs_function_constants *out);
/* The numbers of a function in a run. */
static inline const mbs_function_constants *mbs_function_of(const mbs_system *system, const mbs_function *function) {
  return &system->constants->functions[function->number];
}

#endif
