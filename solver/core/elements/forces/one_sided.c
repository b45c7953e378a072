#include "elements/forces/one_sided.h"

#include <math.h>

/* Returns d^n, continued as an odd function: trial steps go slightly beyond the end of a contact, and differences of a
 * linearization farther than its depth. */
static double power(const mbs_one_sided *law, double depth) {
  return law->exponent == 1 ? depth : copysign(pow(fabs(depth), law->exponent), depth);
}

/* Returns the coefficient of d^n d': chi K / d0' + c_n */
static double damping_of(const mbs_one_sided *law, double approach) {
  return law->share * law->stiffness / approach + law->factor;
}

double mbs_one_sided_force(const mbs_one_sided *law, double depth, double rate, double approach) {
  const double P = power(law, depth);
  /* K d^n + (chi K / d0' + c_n) d^n d' + c d' */
  return law->stiffness * P + damping_of(law, approach) * P * rate + law->viscous * rate;
}

double mbs_one_sided_pressure(const mbs_one_sided *law, double depth, double rate, double approach) {
  if (law->viscous > 0) return mbs_one_sided_force(law, depth, rate, approach) / law->stiffness;
  return 1 + damping_of(law, approach) / law->stiffness * rate;
}

void mbs_one_sided_power(mbs_system *system, const mbs_one_sided *law, double depth, double rate, double N) {
  /* P_diss = N d' - K d^n d', V = K d^(n+1) / (n + 1) */
  const double elastic = law->stiffness * power(law, depth);
  system->potential_forces += elastic * depth / (law->exponent + 1);
  system->power_dissipated += (N - elastic) * rate;
}
