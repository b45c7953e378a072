/* closed_forms.h - functions that occur in exact solutions of motions. */
#ifndef TESTS_REFERENCE_CLOSED_FORMS_H
#define TESTS_REFERENCE_CLOSED_FORMS_H

/* Returns the arithmetic-geometric mean of two positive numbers: a simple pendulum released at theta0 swings with the
 * period 2 pi sqrt(l/g) / agm(1, cos(theta0/2)). */
double agm(double a, double b);

#endif
