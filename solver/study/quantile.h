/* quantile.h - inverse of the normal distribution. */
#ifndef MBS_QUANTILE_H
#define MBS_QUANTILE_H

/* Returns the number below which a standard normal variable lies with probability p, 0 < p < 1, to about 1e-16
 * (Wichura, Algorithm AS 241, Applied Statistics 37, 1988). */
double mbs_normal_quantile(double p);

#endif
