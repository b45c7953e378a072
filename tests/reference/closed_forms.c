#include "closed_forms.h"

#include <math.h>

double agm(double a, double b) {
  while (fabs(a - b) > 1e-15 * a) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}
