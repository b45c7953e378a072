/* Relay with a lag, an element with a state, a mode and an event of its own: z' = (a - z) / tau, where the aim a is 1
 * while the relay is on and -1 while it is off. It goes off where z rises to `level` and on where z falls to -level.
 * Its force along the first coordinate of a joint is Q = gain z. */
#include "elements/forces/force.h"
#include "equations/input.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint", .kind = MBS_KIND_JOINT, .required = true, .doc = "joint along whose first coordinate it acts"},
    {.name = "start", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "z at the start"},
    {.name = "time", .kind = MBS_KIND_NUMBER, .fallback = 1, .low = 0, .low_open = true, .unit = "s", .doc = "tau"},
    {.name = "level", .kind = MBS_KIND_NUMBER, .fallback = 0.5, .low = 0, .low_open = true, .high = 1, .doc = "level"},
    {.name = "gain", .kind = MBS_KIND_NUMBER, .fallback = 1, .unit = "N", .doc = "gain"},
    MBS_FORCE_END};

typedef struct relay_data {
  double start, time, level, gain;
} relay_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *value = mbs_read_value(node, "joint");
  const int j = value->given ? mbs_read_joint(builder, value->scalars[0].text, value->pointer) : -1;
  force->frames = MBS_ON_GROUND;
  if (j < 0) return;
  const mbs_joint *joint = &builder->model->joints[j];
  force->frames = joint->frames;
  force->coordinate = mbs_builder_add_primitive(builder, &joint->shape->coordinates[0], &force->frames, j);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  *(relay_data *)numbers = (relay_data){.start = mbs_read_number(binder, force->node, "start"),
                                        .time = mbs_read_number(binder, force->node, "time"),
                                        .level = mbs_read_number(binder, force->node, "level"),
                                        .gain = mbs_read_number(binder, force->node, "gain")};
}

static void start(const mbs_system *system, const mbs_force *force, double *z) {
  const relay_data *data = mbs_force_data(system, force);
  z[0] = data->start;
}

static bool is_on(const mbs_system *system, const mbs_force *force) {
  return !system->settled || system->mode_held[force->mode0] != 0;
}

/* z' = (a - z) / tau */
static void rates(const mbs_system *system, const mbs_force *force, double *zdot) {
  const relay_data *data = mbs_force_data(system, force);
  zdot[0] = ((is_on(system, force) ? 1 : -1) - system->z[force->z0]) / data->time;
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const relay_data *data = mbs_force_data(system, force);
  const double Q = data->gain * system->z[force->z0];
  const mbs_input rate = {.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1, .point = -1};
  (void)index;
  system->outputs[force->first_output] = Q;
  system->outputs[force->first_output + 1] = system->z[force->z0];
  mbs_apply_generalized_force(system, force->coordinate, Q);
  system->power_work += Q * mbs_input_value(system, &rate);
}

static const char *settle(mbs_system *system, const mbs_force *force, size_t point) {
  (void)point;
  system->mode_held[force->mode0] = 1;
  return NULL;
}

static void margins(const mbs_system *system, const mbs_force *force, size_t point, double *out) {
  (void)point;
  const relay_data *data = mbs_force_data(system, force);
  const double z = system->z[force->z0];
  out[0] = is_on(system, force) ? data->level - z : data->level + z;
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  return *mode != 0 ? "on" : "off";
}

const mbs_force_class mbs_force_relay = {
    .base = {.name = "relay",
             .doc = "A relay whose force follows with a lag.",
             .equation = "z' = (a - z) / tau, Q = gain z",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 2,
    .outputs = "force|z",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(relay_data),
    .apply = apply,
    .own = {.switches = 1, .settle = settle, .margins = margins, .event = event},
    .states = {.count = 1, .start = start, .rates = rates},
};
