#include "study/chebyshev.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double mbs_chebyshev_node(int n, int k) { return 2 * k == n ? 0 : -cos(k * pi / n); }

void mbs_chebyshev_fit(int n, const double *values, double *c) {
  /* c_k = 2/n sum'' f_j cos(j k pi / n), of which the first and the last are halved; f_j from x = 1 to -1 */
  for (int k = 0; k <= n; k++) {
    double sum = 0;
    for (int j = 0; j <= n; j++) {
      const int turn = j * k % (2 * n); /* the cosine by the smallest angle */
      const double weight = cos((turn <= n ? turn : 2 * n - turn) * pi / n);
      sum += (j == 0 || j == n ? 0.5 : 1) * values[n - j] * weight;
    }
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
  /* d_(k-1) = d_(k+1) + 2 k c_k */
  for (int k = n; k > 0; k--) d[k - 1] = (k + 1 < n ? d[k + 1] : 0) + 2 * k * c[k];
  d[0] *= 0.5;
}

double mbs_chebyshev_integral(int n, const double *c) {
  double sum = 0;
  for (int k = n - n % 2; k >= 0; k -= 2) sum += 2 * c[k] / (1.0 - (double)k * k);
  return sum;
}

double mbs_chebyshev_square_integral(int n, const double *c) {
  double sum = 0;
  /* 2 T_i T_j = T_(i+j) + T_|i-j| */
  for (int i = 0; i <= n; i++)
    for (int j = i % 2; j <= n; j += 2) {
      const double above = i + j, below = i - j;
      sum += c[i] * c[j] * (1 / (1 - above * above) + 1 / (1 - below * below));
    }
  return sum;
}

/* Between a and b, where p has values of different signs: Brent's idea without its cubic step, regula falsi with
 * halved weights (Dowell, Jarratt, BIT 11, 1971). */
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

int mbs_chebyshev_roots(int n, const double *c, int most, double *roots) {
  int count = 0;
  double before = -1, f_before = mbs_chebyshev_value(n, c, before);
  for (int k = 1; k <= 4 * n && count < most; k++) {
    const double x = mbs_chebyshev_node(4 * n, k), f = mbs_chebyshev_value(n, c, x);
    if (f == 0 && k < 4 * n) continue;
    if ((f < 0 && f_before > 0) || (f > 0 && f_before < 0)) roots[count++] = root_between(n, c, before, f_before, x, f);
    if (f != 0) {
      before = x;
      f_before = f;
    }
  }
  return count;
}
