#include "study/quantile.h"

#include <math.h>

/* Returns a ratio of two polynomials of degree 7; the second is 1 at 0. */
static double ratio(const double *above, const double *below, double x) {
  double numerator = 0, denominator = 0;
  for (int k = 7; k >= 0; k--) numerator = numerator * x + above[k];
  for (int k = 6; k >= 0; k--) denominator = denominator * x + below[k];
  return numerator / (denominator * x + 1);
}

double mbs_normal_quantile(double p) {
  static const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                             1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                             3.3430575583588128105e4, 2.5090809287301226727e3};
  static const double b[] = {4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                             2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                             5.2264952788528545610e3};
  static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[] = {2.05319162663775882187e0,  1.67638483018380384940e0,  6.89767334985100004550e-1,
                             1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
  static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[] = {5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                             7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
  const double away = p - 0.5;
  if (fabs(away) <= 0.425) return away * ratio(a, b, 0.180625 - away * away);
  const double r = sqrt(-log(away < 0 ? p : 1 - p)), x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return away < 0 ? -x : x;
}
