/* A direct-current motor with a gear in a joint, along the coordinate q:
 *
 *   L i' = V - R i - k N q',   Q = N (k i - b N q') - N^2 J q''.
 *
 * Without inductance the current is algebraic, i = (V - k N q') / R. The work of the torque N k i counts as work, the
 * loss b (N q')^2 as dissipated. The inertia J of the rotor is one along q (rotors.h). */
#include "elements/forces/force.h"
#include "equations/input.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint",
     .kind = MBS_KIND_JOINT,
     .required = true,
     .doc = "joint with one coordinate q, along which the motor acts on the second body"},
    {.name = "voltage", .kind = MBS_KIND_LAW, .required = true, .fallback = NAN, .doc = "voltage V, in volts"},
    {.name = "resistance",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .doc = "resistance R of the armature, in ohms"},
    {.name = "inductance",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .doc = "inductance L of the armature, in henries; 0: the current follows the voltage at once"},
    {.name = "torque_constant",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .doc = "torque constant k in N m/A, equal to the voltage constant in V s/rad"},
    {.name = "gear_ratio",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .doc = "gear ratio N: the rotor turns N times as fast as the joint"},
    {.name = "rotor_inertia",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "kg m^2",
     .doc = "moment of inertia J of the rotor about its axis"},
    {.name = "damping",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "N m s/rad",
     .doc = "viscous damping b of the rotor"},
    MBS_FORCE_END};

typedef struct motor_data {
  double R, L, k, N, b;
} motor_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"voltage"};
  const mbs_value *value = mbs_read_value(node, "joint");
  const int j = value->given ? mbs_read_joint(builder, value->scalars[0].text, value->pointer) : -1;
  force->frames = MBS_ON_GROUND;
  mbs_force_laws(builder, node, force, names, 1, NULL);
  if (!(mbs_read_number(mbs_numbers_of(builder), node, "inductance") > 0)) force->z_count = 0;
  if (j < 0) return;
  const mbs_joint *joint = &builder->model->joints[j];
  if (joint->shape->coordinate_count != 1) {
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer,
                 "a motor needs a joint with one coordinate; '%s' (%s) has %zu", joint->name, joint->cls->base.name,
                 joint->shape->coordinate_count);
    return;
  }
  force->frames = joint->frames;
  force->coordinate = mbs_builder_add_primitive(builder, &joint->shape->coordinates[0], &force->frames, j);
  force->late = mbs_read_given(node, "rotor_inertia");
  if (force->late) force->rotor = mbs_add_rotor(builder, node, "rotor_inertia", 0, "gear_ratio", force->coordinate);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  motor_data *data = numbers;
  *data = (motor_data){.R = mbs_read_number(binder, force->node, "resistance"),
                       .L = mbs_read_number(binder, force->node, "inductance"),
                       .k = mbs_read_number(binder, force->node, "torque_constant"),
                       .N = mbs_read_number(binder, force->node, "gear_ratio"),
                       .b = mbs_read_number(binder, force->node, "damping")};
  if (binder->builder) mbs_read_number(binder, force->node, "rotor_inertia"); /* reports errors; see builder/rotors.c */
  if (!binder->builder && data->L >= 0 && (data->L > 0) != (force->z_count > 0))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(force->node, "inductance")->pointer,
                 "the inductance cannot change between zero and other values with a parameter; build the model again");
}

static double rate_of(const mbs_system *system, const mbs_force *force) {
  if (force->coordinate < 0) return 0;
  const mbs_input rate = {.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1, .point = -1};
  return mbs_input_value(system, &rate);
}

/* V - R i - k N q' for the current i. */
static double inductive_voltage(const mbs_system *system, const mbs_force *force, const motor_data *data, double i) {
  return mbs_law_value(system, &force->laws[0]) - data->R * i - data->k * data->N * rate_of(system, force);
}

static void rates(const mbs_system *system, const mbs_force *force, double *zdot) {
  const motor_data *data = mbs_force_data(system, force);
  zdot[0] = inductive_voltage(system, force, data, system->z[force->z0]) / data->L;
}

/* The current, the rate of the joint, and the torque N k i - b N^2 q' in two parts. */
typedef struct motor_torque {
  double i, qd, driving, lost;
} motor_torque;

static motor_torque torque_of(const mbs_system *system, const mbs_force *force) {
  const motor_data *data = mbs_force_data(system, force);
  motor_torque out = {.qd = rate_of(system, force)};
  out.i = force->z_count ? system->z[force->z0] : inductive_voltage(system, force, data, 0) / data->R;
  out.driving = data->N * data->k * out.i;
  out.lost = data->b * data->N * data->N * out.qd;
  return out;
}

/* Subtracts the inertia of the rotor from the torque. */
static void show(mbs_system *system, const mbs_force *force) {
  if (force->rotor < 0) return;
  const mbs_input second = {.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 2, .point = -1};
  const motor_torque torque = torque_of(system, force);
  system->outputs[force->first_output + 1] =
      torque.driving - torque.lost - system->constants->rotors[force->rotor] * mbs_input_value(system, &second);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const motor_torque torque = torque_of(system, force);
  system->outputs[force->first_output] = torque.i;
  system->outputs[force->first_output + 1] = torque.driving - torque.lost;
  mbs_apply_generalized_force(system, force->coordinate, torque.driving - torque.lost);
  system->power_work += torque.driving * torque.qd;
  system->power_dissipated += torque.lost * torque.qd;
}

const mbs_force_class mbs_force_dc_motor = {
    .base = {.name = "dc-motor",
             .doc = "A direct-current motor with a gear in a joint. Its current starts at 0.",
             .equation = "L i' = V - R i - k N q'\nQ = N (k i - b N q') - N^2 J q''",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 2,
    .outputs = "current|torque",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(motor_data),
    .apply = apply,
    .show = show,
    .states = {.count = 1, .rates = rates},
};
