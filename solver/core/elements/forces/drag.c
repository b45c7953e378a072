/* Drag of a fluid on a body or a point, with the velocity w of the point relative to the fluid:
 *
 *     F = -(rho C_d A / 2 |w| + c) w,   w = v - wind;   -F.w is dissipated, F.wind is work of the wind
 *
 * Along a line the second derivative of |w| w jumps where w = 0. The integrator's error control is sufficient there: an
 * oscillator with such a drag has errors of 2 to 4 times the relative tolerance at 1e-6, 1e-8 and 1e-10 (measured). */
#include "base/rotation.h"
#include "elements/forces/force.h"

#include <string.h>

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "body", .kind = MBS_KIND_BODY, .doc = "body at whose mass centre the drag acts; alternatively give point"},
    {.name = "point", .kind = MBS_KIND_POINT, .doc = "point at which the drag acts; alternatively give body"},
    {.name = "density",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "kg/m^3",
     .doc = "rho of the fluid; with area and coefficient"},
    {.name = "area", .kind = MBS_KIND_NUMBER, .fallback = 0, .low = 0, .high = INFINITY, .unit = "m^2", .doc = "A"},
    {.name = "coefficient", .kind = MBS_KIND_NUMBER, .fallback = 0, .low = 0, .high = INFINITY, .doc = "Cd"},
    {.name = "linear",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "N s/m",
     .doc = "c of a drag proportional to the velocity"},
    {.name = "wind",
     .kind = MBS_KIND_LAW,
     .min_count = MBS_DIM,
     .max_count = MBS_DIM,
     .fallback = 0,
     .unit = "m/s",
     .doc = "velocity of the fluid, global axes; default: at rest"},
    MBS_FORCE_END};

typedef struct drag_data {
  double square, linear; /* rho Cd A / 2 [kg/m], c [N s/m] */
} drag_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const factors[] = {"density", "area", "coefficient"};
  int given = 0;
  mbs_force_place(builder, node, force);
  for (int k = 0; k < 3; k++) given += mbs_read_given(node, factors[k]);
  for (int k = 0; k < 3 && given; k++)
    if (!mbs_read_given(node, factors[k]))
      mbs_diagnose(builder->list, MBS_MISSING, node->pointer,
                   "'%s' is missing: density, area and coefficient are needed together", factors[k]);
  if (!given && !mbs_read_given(node, "linear"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "give density, area and coefficient, or linear");
  if (mbs_read_given(node, "wind")) mbs_force_components(builder, node, "wind", force);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  drag_data *data = numbers;
  data->square = 0.5 * mbs_read_number(binder, force->node, "density") * mbs_read_number(binder, force->node, "area") *
                 mbs_read_number(binder, force->node, "coefficient");
  data->linear = mbs_read_number(binder, force->node, "linear");
}

/* Computes the velocity of the fluid and w. */
static void find_wind(const mbs_system *system, const mbs_force *force, double wind[3], double w[3]) {
  double r[3];
  mbs_point_motion(system, force->frames.body2, mbs_force_geometry(system, force)->s2, r, w);
  for (size_t k = 0; k < 3; k++) {
    wind[k] = k < force->law_count ? mbs_law_value(system, &force->laws[k]) : 0;
    w[k] -= wind[k];
  }
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const drag_data *data = mbs_force_data(system, force);
  double wind[3], w[3], f[3];
  find_wind(system, force, wind, w);
  const double factor = data->square * sqrt(mbs_dot(w, w)) + data->linear;
  for (int k = 0; k < 3; k++) f[k] = -factor * w[k];
  system->power_dissipated -= mbs_dot(f, w);
  system->power_work += mbs_dot(f, wind);
  memcpy(system->outputs + force->first_output, f, (size_t)force->outputs * sizeof *f);
  mbs_apply_force(system, force->frames.body2, mbs_force_geometry(system, force)->s2, f);
}

const mbs_force_class mbs_force_drag = {
    .base = {.name = "drag",
             .doc = "Drag of a fluid.",
             .equation = "f = -(rho Cd A / 2 |w| + c) w,   w = v - wind",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = MBS_DIM,
    .outputs = "fx|fy|fz",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(drag_data),
    .apply = apply,

};
