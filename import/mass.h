/* mass.h - mass, mass centre and inertia of solids of density 1, and their sums. */
#ifndef IMPORT_MASS_H
#define IMPORT_MASS_H

#include "import/rotation.h"

/* Mass, mass centre and inertia tensor in one frame; the tensor is about the mass centre [xx, yy, zz, xy, xz, yz]. */
typedef struct import_mass {
  double mass, com[3], inertia[6];
} import_mass;

/* Solids about the origin; radii and half lengths, the axis is z. */
void import_mass_of_ellipsoid(double a, double b, double c, import_mass *out);
void import_mass_of_box(double a, double b, double c, import_mass *out);
void import_mass_of_cylinder(double radius, double half, import_mass *out);
/* A cylinder with a half sphere at both ends; `half` is that of the cylinder. */
void import_mass_of_capsule(double radius, double half, import_mass *out);

void import_mass_scale(import_mass *mass, double factor);
/* Expresses a mass in the outer frame of a pose. */
void import_mass_move(import_mass *mass, const import_pose *pose);
void import_mass_add(import_mass *sum, const import_mass *mass);
/* Adds the tensor of a point of mass m at `d` from the reference point of J. */
void import_mass_add_point(double J[6], double m, const double d[3]);

/* Computes the principal moments of a symmetric tensor and the rotation from its principal axes, by Jacobi's method. */
void import_principal(const double J[6], double moments[3], double axes[9]);

#endif
