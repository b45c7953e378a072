#include "elements/forces/friction_law.h"

/* v_s of anderson unless it is given [m/s] */
static const double anderson_stribeck = 1e-2;

bool mbs_friction_is_dry(const mbs_node *node) {
  const char *word = mbs_read_text(node, "law");
  return word && word[0] == 'c' && !mbs_read_given(node, "transition_velocity");
}

const char *mbs_friction_note(const mbs_node *node) {
  const char *word = node ? mbs_read_text(node, "law") : NULL;
  if (!word || word[0] != 'c' || !mbs_read_given(node, "transition_velocity")) return NULL;
  return "transition_velocity makes the law 'coulomb' smooth, as the law 'tanh'; for dry friction that sticks, remove "
         "transition_velocity";
}

void mbs_friction_check_belt(mbs_builder *builder, const mbs_force *force, size_t law, const char *field) {
  bool other = false;
  for (size_t i = 0; law < force->law_count && i < force->laws[law].input_count; i++)
    other |= builder->model->inputs[force->laws[law].inputs[i]].kind != MBS_INPUT_TIME;
  if (!other) return;
  mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(force->node, field)->pointer,
               "only t and parameters are allowed in '%s', a function of time", field);
}

void mbs_friction_subtract_belt(mbs_system *system, const mbs_law *belt, double scale, mbs_custom_row *out) {
  mbs_custom_row speed = {.partial = 0};
  if (mbs_law_numbers(system->constants, belt)->expression)
    mbs_law_velocity_row(system, belt, NULL, 0, &speed); /* without inputs it does not use D */
  else
    speed.partial = mbs_law_value(system, belt);
  out->partial -= scale * speed.partial;
  out->bias -= scale * speed.bias;
}

void mbs_dry_friction_read(mbs_binder *binder, const mbs_node *node, mbs_dry_friction *law) {
  law->mu_dynamic = mbs_read_number(binder, node, "mu_dynamic");
  law->mu_static = mbs_read_given(node, "mu_static") ? mbs_read_number(binder, node, "mu_static") : law->mu_dynamic;
  law->stribeck = mbs_read_given(node, "stribeck_velocity") ? mbs_read_number(binder, node, "stribeck_velocity") : 0;
  law->exponent = mbs_read_number(binder, node, "stribeck_exponent");
  law->viscous = mbs_read_number(binder, node, "viscous");
  if (law->mu_static < law->mu_dynamic && law->mu_static >= 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "mu_static")->pointer,
                 "mu_static (%g) must not be below mu_dynamic (%g)", law->mu_static, law->mu_dynamic);
}

void mbs_friction_read(mbs_binder *binder, const mbs_node *node, mbs_friction_law *law) {
  const char *word = mbs_read_text(node, "law");
  law->kind = !word || word[0] == 'b' ? MBS_FRICTION_BROWN_MCPHEE
              : word[0] == 'a'        ? MBS_FRICTION_ANDERSON
                                      : MBS_FRICTION_TANH;
  law->mu_dynamic = mbs_read_number(binder, node, "mu_dynamic");
  law->mu_static = mbs_read_given(node, "mu_static") ? mbs_read_number(binder, node, "mu_static") : law->mu_dynamic;
  law->transition = mbs_read_number(binder, node, "transition_velocity");
  law->stribeck = mbs_read_given(node, "stribeck_velocity") ? mbs_read_number(binder, node, "stribeck_velocity")
                                                            : anderson_stribeck;
  if (law->kind == MBS_FRICTION_ANDERSON && law->stribeck == 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "stribeck_velocity")->pointer,
                 "stribeck_velocity must be above 0 for anderson");
  law->exponent = mbs_read_number(binder, node, "stribeck_exponent");
  law->viscous = mbs_read_number(binder, node, "viscous");
  static const char *const unused[][2] = {[MBS_FRICTION_TANH] = {"mu_static", "stribeck_velocity"},
                                          [MBS_FRICTION_BROWN_MCPHEE] = {"stribeck_velocity", "stribeck_exponent"}};
  const bool smooth = mbs_friction_note(node) != NULL; /* coulomb with a transition_velocity */
  for (int k = 0; k < 2 && law->kind != MBS_FRICTION_ANDERSON; k++)
    if (mbs_read_given(node, unused[law->kind][k]))
      mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, unused[law->kind][k])->pointer,
                   "'%s' does not apply to the law '%s'%s", unused[law->kind][k],
                   smooth ? "tanh"
                   : word ? word
                          : "brown-mcphee",
                   smooth ? ", which transition_velocity selects; remove it, or transition_velocity for dry friction"
                          : "; remove it");
}

/* A slip below this share of the transition velocity counts as no motion. */
static const double resting_share = 1e-3;

/* Value of u at which tanh(u) of the other laws is as near to its limit as tanh(4 u) of brown-mcphee at u = 1. */
static const double built_up = 4;

/* Returns true if dry friction could hold the force of the law at a slip of v > 0: the coefficient is below its limit
 * and rises. Beyond the peak of anderson it falls, as for a sliding surface. */
static bool builds_up(const mbs_friction_law *law, double v) {
  const double u = v / law->transition;
  if (law->kind == MBS_FRICTION_BROWN_MCPHEE) return u < 1;
  if (law->kind == MBS_FRICTION_TANH) return u < built_up;
  /* d/dv (mu_d + more e) tanh(u), e = exp(-(v / v_s)^p) */
  const double power = pow(v / law->stribeck, law->exponent);
  const double more = (law->mu_static - law->mu_dynamic) * exp(-power), tangent = tanh(u);
  const double rise = (law->mu_dynamic + more) * (1 - tangent * tangent) / law->transition;
  return u < built_up && rise > more * law->exponent * power / v * tangent;
}

double mbs_friction_creep(const mbs_friction_law *law, double v, double *transition) {
  *transition = law->transition;
  return fabs(v) > resting_share * law->transition && builds_up(law, fabs(v)) ? fabs(v) : 0;
}

/* theory (7.11), (7.12), (7.13) */
double mbs_friction_coefficient(const mbs_friction_law *law, double v) {
  const double mu_d = law->mu_dynamic, more = law->mu_static - mu_d, u = v / law->transition;
  switch (law->kind) {
  case MBS_FRICTION_TANH: return mu_d * tanh(u) + law->viscous * v;
  case MBS_FRICTION_ANDERSON:
    return (mu_d + more * exp(-pow(fabs(v) / law->stribeck, law->exponent))) * tanh(u) + law->viscous * v;
  case MBS_FRICTION_BROWN_MCPHEE: break;
  }
  /* u / (u^2 / 4 + 3/4)^2, u = v / v_t */
  const double hill = 0.25 * u * u + 0.75;
  return mu_d * tanh(4 * u) + more * u / (hill * hill) + law->viscous * v;
}
