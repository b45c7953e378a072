/* A tyre on the plane of the drawing, seen from above, at a point of a body. With the velocity v of the point, the
 * heading u and p = perp(u):
 *
 *     v_x = u.v, v_y = p.v     a = atan(v_y / |v_x|)                 slip angle
 *                              kappa = (R spin - v_x) / |v_x|        slip, 0 without a spin
 *     linear          F_y = -C_a a                                   F_x = C_k kappa
 *     magic formula   F_y = -N m(a)                                  F_x = N m(kappa)
 *                     m(s) = D sin(C atan(B s - E (B s - atan(B s))))
 *
 * F_x R spin is work of the drive; F_x (R spin - v_x) - F_y v_y is dissipated. |v_x| has a kink at v_x = 0, which a
 * switch locates. (Pacejka, Tire and Vehicle Dynamics, 3rd ed., 4.3.) */
#include "elements/forces/force.h"

#define FACTOR(NAME, LOW, REQUIRED, DOC)                                                                      \
  {                                                                                                           \
    .name = NAME, .kind = MBS_KIND_NUMBER, .required = REQUIRED, .fallback = 0, .low = LOW, .high = INFINITY, \
    .doc = DOC                                                                                                \
  }
static const mbs_field formula_fields[] = {
    FACTOR("B", 0, true, "stiffness factor"), FACTOR("C", 0, true, "shape factor"),
    FACTOR("D", 0, true, "peak factor: the largest force as a share of the load"),
    FACTOR("E", -INFINITY, false, "curvature factor"), MBS_FORCE_END};
static const mbs_class formula_class = {.name = "magic-formula",
                                        .doc = "Factors of the magic formula for one direction.",
                                        .equation = "F = D N sin(C atan(B s - E (B s - atan(B s))))",
                                        .fields = formula_fields};

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "point", .kind = MBS_KIND_POINT, .required = true, .doc = "point of the body where the tyre touches"},
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 1,
     .max_count = 1,
     .or_single = true,
     .required = true,
     .doc = "heading of the wheel, a vector of the same body"},
    {.name = "load", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "N", .doc = "N, for magic-formula"},
    {.name = "spin",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .unit = "rad/s",
     .doc = "angular velocity of the wheel, positive forward; default: the wheel rolls freely, without slip"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "R of the wheel, with spin"},
    {.name = "law",
     .kind = MBS_KIND_CHOICE,
     .choices = "linear|magic-formula",
     .fallback_text = "linear",
     .doc = "law of the forces"},
    {.name = "cornering_stiffness",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "N/rad",
     .doc = "lateral force per slip angle, of linear"},
    {.name = "slip_stiffness",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "N",
     .doc = "longitudinal force per slip, of linear"},
    {.name = "lateral",
     .kind = MBS_KIND_OBJECT,
     .of = &formula_class,
     .doc = "factors of the lateral force, of magic-formula; default: no lateral force"},
    {.name = "longitudinal",
     .kind = MBS_KIND_OBJECT,
     .of = &formula_class,
     .doc = "factors of the longitudinal force, of magic-formula; default: no longitudinal force"},
    MBS_FORCE_END};

enum { LOAD, SPIN, LAWS };
enum { LATERAL, LONGITUDINAL, DIRECTIONS };
static const char *const directions[] = {"lateral", "longitudinal"};

typedef struct tyre_data {
  bool linear;
  double radius;                 /* radius of the wheel; 0: it rolls freely */
  double stiffness[DIRECTIONS];  /* linear */
  double factors[DIRECTIONS][4]; /* B, C, D, E */
} tyre_data;

static bool is_linear(const mbs_node *node) { return mbs_read_choice(node, "law") == 0; }

/* Reports fields that the law does not use, or does not find. */
static void check_law(mbs_builder *builder, const mbs_node *node) {
  static const char *const of_linear[] = {"cornering_stiffness", "slip_stiffness"}, *const of_formula[] = {
                                                                                        "lateral", "longitudinal"};
  const bool linear = is_linear(node);
  for (int k = 0; k < 2; k++) {
    const char *other = linear ? of_formula[k] : of_linear[k];
    if (mbs_read_given(node, other))
      mbs_diagnose(builder->list, MBS_UNKNOWN_FIELD, mbs_read_value(node, other)->pointer, "'%s' belongs to the law %s",
                   other, linear ? "magic-formula" : "linear");
  }
  const char *const *own = linear ? of_linear : of_formula;
  if (!mbs_read_given(node, own[0]) && !mbs_read_given(node, own[1]))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "give '%s', '%s' or both", own[0], own[1]);
  if (!linear && !mbs_read_given(node, "load"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "'load' is missing; the magic formula needs it");
  const bool spins = mbs_read_given(node, "spin");
  if (spins != mbs_read_given(node, "radius"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "'%s' is missing: spin and radius are needed together",
                 spins ? "radius" : "spin");
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[LAWS] = {"load", "spin"};
  const mbs_value *point = mbs_read_value(node, "point");
  mbs_frames *frames = &force->frames;
  if (point->given)
    mbs_read_place(builder, point->scalars[0].text, false, point->pointer, &frames->body2, &frames->point2);
  if (frames->body2 == 0)
    mbs_diagnose(builder->list, MBS_INVALID, point->pointer,
                 "a tyre needs a point of a body; the ground does not move");
  mbs_force_vectors(builder, node, force, &(int){frames->body2}, 1);
  if (force->structure) frames->vector2 = *(const int *)force->structure;
  if (frames->body2 < 0) *frames = MBS_ON_GROUND;
  frames->body1 = 0;
  check_law(builder, node);
  mbs_force_laws(builder, node, force, names, LAWS, NULL);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  static const char *const factors[] = {"B", "C", "D", "E"};
  tyre_data *data = numbers;
  const mbs_node *node = force->node;
  *data = (tyre_data){.linear = is_linear(node), .radius = mbs_read_number(binder, node, "radius")};
  data->stiffness[LATERAL] = mbs_read_number(binder, node, "cornering_stiffness");
  data->stiffness[LONGITUDINAL] = mbs_read_number(binder, node, "slip_stiffness");
  for (int k = 0; k < DIRECTIONS; k++) {
    const mbs_value *value = mbs_read_value(node, directions[k]);
    for (int i = 0; i < 4 && value->given && value->count; i++)
      data->factors[k][i] = mbs_read_number(binder, &value->nodes[0], factors[i]);
  }
}

/* Returns the force of a slip in one direction. */
static double force_of(const tyre_data *data, int direction, double load, double slip) {
  const double *of = data->factors[direction], B = of[0] * slip;
  if (data->linear) return data->stiffness[direction] * slip;
  return load * of[2] * sin(of[1] * atan(B - of[3] * (B - atan(B))));
}

/* Computes the heading u, perp(u), and the velocity of the point along both. */
static void find_motion(const mbs_system *system, const mbs_force *force, double u[2][3], double v[2]) {
  const mbs_geometry *at = mbs_force_geometry(system, force);
  double r[3], rate[3];
  mbs_point_motion(system, force->frames.body2, at->s2, r, rate);
  mbs_to_global(system, force->frames.body2, at->u2, u[0]);
  u[1][0] = -u[0][1];
  u[1][1] = u[0][0];
  u[1][2] = 0;
  for (int k = 0; k < 2; k++) v[k] = u[k][0] * rate[0] + u[k][1] * rate[1];
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const tyre_data *data = mbs_force_data(system, force);
  const double load = mbs_law_value(system, &force->laws[LOAD]);
  double u[2][3], v[2], f[3], *out = system->outputs + force->first_output;
  find_motion(system, force, u, v);
  /* surface speed of the wheel against that of the road; a wheel that rolls freely has none */
  const double drive = data->radius > 0 ? data->radius * mbs_law_value(system, &force->laws[SPIN]) : v[0];
  const double angle = atan2(v[1], fabs(v[0])), gain = drive - v[0], slip = gain == 0 ? 0 : gain / fabs(v[0]);
  if (!isfinite(slip))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name,
                       "its slip is not defined while the point does not move along the heading");
  const double lateral = -force_of(data, LATERAL, load, angle), along = force_of(data, LONGITUDINAL, load, slip);
  for (int k = 0; k < 3; k++) f[k] = along * u[0][k] + lateral * u[1][k];
  out[0] = lateral;
  out[1] = along;
  out[2] = angle;
  out[3] = slip;
  system->power_work += along * drive;
  system->power_dissipated += along * gain - lateral * v[1];
  mbs_apply_force(system, force->frames.body2, mbs_force_geometry(system, force)->s2, f);
}

/* ---- the sign of v_x ------------------------------------------------------------------------------------------- */

static double *forward_of(const mbs_system *system, const mbs_force *force) { return system->mode_held + force->mode0; }

static const char *settle(mbs_system *system, const mbs_force *force, size_t point) {
  (void)point;
  double u[2][3], v[2];
  find_motion(system, force, u, v);
  *forward_of(system, force) = v[0] < 0 ? -1 : 1;
  return NULL;
}

static void margins(const mbs_system *system, const mbs_force *force, size_t point, double *out) {
  (void)point;
  double u[2][3], v[2];
  find_motion(system, force, u, v);
  out[0] = *forward_of(system, force) * v[0];
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  (void)which;
  *forward_of(system, force) *= -1;
  return NULL;
}

const mbs_force_class mbs_force_tyre = {
    .base = {.name = "tyre",
             .doc = "A tyre on a road; the plane is the road, seen from above.",
             .equation = "a = atan(vy / |vx|), kappa = (R spin - vx) / |vx|\n"
                         "linear: Fy = -Ca a, Fx = Ck kappa; magic-formula: Fy = -F(a), Fx = F(kappa)",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_PLANAR},
    .output_count = 4,
    .outputs = "lateral|longitudinal|slip_angle|slip",
    .ratios = "slip",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(tyre_data),
    .apply = apply,
    .own = {.switches = 1, .settle = settle, .margins = margins, .event = event},
};
