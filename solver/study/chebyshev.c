#include "study/chebyshev.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FINEST = 64 };

/* cos(k pi / FINEST), k = 0 ... FINEST / 2. */
static const double cosines[] = {1,
                                 0.998795456205172392715,
                                 0.995184726672196886245,
                                 0.989176509964780973452,
                                 0.980785280403230449126,
                                 0.970031253194543992604,
                                 0.956940335732208864936,
                                 0.941544065183020778413,
                                 0.923879532511286756128,
                                 0.903989293123443331586,
                                 0.881921264348355029713,
                                 0.857728610000272069902,
                                 0.831469612302545237079,
                                 0.803207531480644909807,
                                 0.773010453362736960811,
                                 0.740951125354959091176,
                                 0.707106781186547524401,
                                 0.671558954847018400625,
                                 0.634393284163645498215,
                                 0.595699304492433343467,
                                 0.555570233019602224743,
                                 0.514102744193221726594,
                                 0.471396736825997648556,
                                 0.427555093430282094321,
                                 0.382683432365089771728,
                                 0.336889853392220050689,
                                 0.290284677254462367636,
                                 0.242980179903263889948,
                                 0.195090322016128267848,
                                 0.146730474455361751659,
                                 0.0980171403295606019942,
                                 0.049067674327418014255,
                                 0};

/* Returns cos(k pi / n), 0 <= k <= n, where n divides FINEST. */
static double cosine(int n, int k) {
  assert(n > 0 && FINEST % n == 0 && k >= 0 && k <= n);
  const int place = k * (FINEST / n);
  return 2 * place <= FINEST ? cosines[place] : -cosines[FINEST - place];
}

double mbs_chebyshev_node(int n, int k) { return -cosine(n, k); }

enum { USUAL = 8 };

/* cos(j k pi / 8) */
#define C1 0.923879532511286756128
#define C2 0.707106781186547524401
#define C3 0.382683432365089771728
static const double usual_weights[USUAL + 1][USUAL + 1] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1},           {1, C1, C2, C3, 0, -C3, -C2, -C1, -1}, {1, C2, 0, -C2, -1, -C2, 0, C2, 1},
    {1, C3, -C2, -C1, 0, C1, C2, -C3, -1}, {1, 0, -1, 0, 1, 0, -1, 0, 1},         {1, -C3, -C2, C1, 0, -C1, C2, C3, -1},
    {1, -C2, 0, C2, -1, C2, 0, -C2, 1},    {1, -C1, C2, -C3, 0, C3, -C2, C1, -1}, {1, -1, 1, -1, 1, -1, 1, -1, 1}};

/* Computes the sums of mbs_chebyshev_fit() for degree 8, for all coefficients in one loop. */
static void fit_usual(const double *values, double *c) {
  double sum[USUAL + 1];
  for (int k = 0; k <= USUAL; k++) sum[k] = 0.5 * values[USUAL];
  for (int j = 1; j < USUAL; j++)
    for (int k = 0; k <= USUAL; k++) sum[k] += values[USUAL - j] * usual_weights[j][k];
  for (int k = 0; k <= USUAL; k++) sum[k] += 0.5 * values[0] * usual_weights[USUAL][k];
  c[0] = sum[0] / USUAL;
  for (int k = 1; k < USUAL; k++) c[k] = 2 * sum[k] / USUAL;
  c[USUAL] = sum[USUAL] / USUAL;
}

/* theory (19.4) */
void mbs_chebyshev_fit(int n, const double *values, double *c) {
  assert(n > 0 && n <= MBS_CHEBYSHEV_MAX);
  if (n == USUAL) {
    fit_usual(values, c);
    return;
  }
  double around[2 * MBS_CHEBYSHEV_MAX]; /* cos(m pi / n), by the smallest angle */
  for (int m = 0; m < 2 * n; m++) around[m] = cosine(n, m <= n ? m : 2 * n - m);
  /* c_k = 2/n sum'' f_j cos(j k pi / n), with the first and the last term halved; f_j from x = 1 to -1 */
  for (int k = 0; k <= n; k++) {
    double sum = 0.5 * values[n];
    int angle = k;
    for (int j = 1; j < n; j++) {
      sum += values[n - j] * around[angle];
      angle += angle + k < 2 * n ? k : k - 2 * n;
    }
    sum += 0.5 * values[0] * around[angle];
    c[k] = (k == 0 || k == n ? 1 : 2) * sum / n;
  }
}

double mbs_chebyshev_value(int n, const double *c, double x) {
  double next = 0, after = 0; /* Clenshaw's recurrence */
  for (int k = n; k > 0; k--) {
    const double sum = c[k] + 2 * x * next - after;
    after = next;
    next = sum;
  }
  return c[0] + x * next - after;
}

void mbs_chebyshev_derivative(int n, const double *c, double *d) {
  assert(n > 0);
  /* d_(k-1) = d_(k+1) + 2 k c_k */
  for (int k = n; k > 0; k--) d[k - 1] = (k + 1 < n ? d[k + 1] : 0) + 2 * k * c[k];
  d[0] *= 0.5;
}

/* theory (19.5) */
double mbs_chebyshev_integral(int n, const double *c) {
  double sum = 0;
  for (int k = n - n % 2; k >= 0; k -= 2) sum += 2 * c[k] / (1.0 - (double)k * k);
  return sum;
}

double mbs_chebyshev_square_integral(int n, const double *c) {
  assert(n >= 0 && n <= MBS_CHEBYSHEV_MAX);
  /* halves of the integrals of T_0, T_2 ... T_2n */
#define HALF(k) (1 / (1 - 4.0 * (k) * (k)))
  static const double integrals[MBS_CHEBYSHEV_MAX + 1] = {HALF(0),  HALF(1),  HALF(2),  HALF(3),  HALF(4),  HALF(5),
                                                          HALF(6),  HALF(7),  HALF(8),  HALF(9),  HALF(10), HALF(11),
                                                          HALF(12), HALF(13), HALF(14), HALF(15), HALF(16)};
  double sum = 0;
  /* 2 T_i T_j = T_(i+j) + T_|i-j| */
  for (int i = 0; i <= n; i++)
    for (int j = i % 2; j <= n; j += 2) sum += c[i] * c[j] * (integrals[(i + j) / 2] + integrals[abs(i - j) / 2]);
  return sum;
}

/* Returns the zero between a and b, where p has values of different sign: regula falsi with halved weights (Dowell,
 * Jarratt, BIT 11, 1971), with a bisection where it leaves the interval. */
static double root_between(int n, const double *c, double a, double fa, double b, double fb) {
  enum { STEPS = 100 };
  for (int step = 0; step < STEPS && fabs(b - a) > 2e-16; step++) {
    double x = b - fb * (b - a) / (fb - fa);
    if (!(x > fmin(a, b) && x < fmax(a, b))) x = 0.5 * (a + b);
    const double fx = mbs_chebyshev_value(n, c, x);
    if (fx == 0 || x == b) return x;
    if ((fx < 0) == (fb < 0)) {
      fa *= 0.5;
    } else {
      a = b;
      fa = fb;
    }
    b = x;
    fb = fx;
  }
  return b;
}

/* Returns the extreme of p between a and b, where p has the same sign and comes near zero. */
static double extreme_between(int n, const double *c, double a, double b) {
  assert(n > 1 && n <= MBS_CHEBYSHEV_MAX);
  double rate[MBS_CHEBYSHEV_MAX];
  mbs_chebyshev_derivative(n, c, rate);
  const double at_a = mbs_chebyshev_value(n - 1, rate, a), at_b = mbs_chebyshev_value(n - 1, rate, b);
  return (at_a < 0) == (at_b < 0) ? 0.5 * (a + b) : root_between(n - 1, rate, a, at_a, b, at_b);
}

static bool passes(double f, double g) { return (f < 0 && g > 0) || (f > 0 && g < 0); }

int mbs_chebyshev_roots(int n, const double *c, int most, double *roots) {
  assert(n > 0 && n <= MBS_CHEBYSHEV_MAX);
  const int pieces = n <= MBS_CHEBYSHEV_MAX / 2 ? FINEST / 2 : FINEST;
  int count = 0;
  double first = -1, before = -1, f_first = mbs_chebyshev_value(n, c, before), f_before = f_first;
  for (int k = 1; k <= pieces && count < most; k++) {
    const double x = mbs_chebyshev_node(pieces, k), f = mbs_chebyshev_value(n, c, x);
    if (f == 0 && k < pieces) continue;
    if (passes(f, f_before)) {
      roots[count++] = root_between(n, c, before, f_before, x, f);
    } else if (n > 1 && f != 0 && !passes(f_first, f_before) && fabs(f_before) < fabs(f_first) &&
               fabs(f_before) <= fabs(f)) { /* a local minimum of |p| */
      const double extreme = extreme_between(n, c, first, x), f_extreme = mbs_chebyshev_value(n, c, extreme);
      if (passes(f, f_extreme) && count + 1 < most) {
        roots[count++] = root_between(n, c, first, f_first, extreme, f_extreme);
        roots[count++] = root_between(n, c, extreme, f_extreme, x, f);
      }
    }
    first = before;
    f_first = f_before;
    if (f != 0) {
      before = x;
      f_before = f;
    }
  }
  return count;
}
