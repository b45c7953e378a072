/* Belt: closed, it runs over n pulleys without slip. With l the length of the belt and l0 that at the start,
 *
 *     Phi_k = L_k + c_(k+1) (phi_(k+1) - b_k) - c_k (phi_k - b_k) - start of strand k - (l - l0) / n,   k = 1 .. n - 1
 *
 * All n rows add up to 0, so the last one is left out. The last term is 0 while the centres keep the belt's length;
 * with it the multipliers change the tensions of the strands but not their mean. theory (22.6) */
#include "elements/joints/joint.h"

#include "base/norms.h"
#include "elements/forces/force.h"
#include "equations/strands.h"

static const mbs_field pulley_fields[] = {
    {.name = "point", .kind = MBS_KIND_POINT, .required = true, .doc = "centre, on the body that turns with the belt"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "radius of the pulley, or pitch radius of a sprocket"},
    {.name = "sense",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .doc = "1: the belt runs counterclockwise about the pulley, -1: clockwise, as about an idler outside or if it is "
            "crossed"},
    {.name = NULL}};
static const mbs_class pulley_class = {.name = "pulley", .doc = "A pulley of a belt.", .fields = pulley_fields};

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "pulleys",
                                    .kind = MBS_KIND_OBJECT,
                                    .of = &pulley_class,
                                    .min_count = 2,
                                    .max_count = 1000,
                                    .required = true,
                                    .doc = "the pulleys, in the order in which the belt runs over them"},
                                   {.name = "tension",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = 0,
                                    .low = 0,
                                    .high = INFINITY,
                                    .unit = "N",
                                    .doc = "mean tension of the strands"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static const mbs_strand_path *path_of(const mbs_system *system, const mbs_joint *joint) {
  return &system->model->paths[joint->path];
}

static void check(mbs_builder *builder, size_t index) {
  mbs_joint *joint = &builder->model->joints[index];
  joint->frames.body1 = joint->frames.body2 = 0;
  joint->path = mbs_read_path(builder, joint->node, "pulleys", MBS_PATH_BELT);
  if (joint->path < 0) return;
  mbs_strand_path_bodies(builder, joint->path, joint);
  joint->copies = builder->model->paths[joint->path].strands - 1;
}

static void locate(mbs_system *system, const mbs_joint *joint) {
  mbs_strand_path_locate(system, path_of(system, joint));
}

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_strand_path *path = path_of(system, joint);
  for (int k = 0; k < path->strands; k++)
    mbs_add_strand_row(system, joint, path->strand0 + k, (k == out->number) - 1.0 / path->strands, out);
}

/* ---- the mean tension, outputs --------------------------------------------------------------------------------- */

typedef struct belt_data {
  double tension;
} belt_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  (void)builder;
  (void)node;
  force->conservative = true;
}

static void bind_force(mbs_binder *binder, const mbs_force *force, void *data) {
  ((belt_data *)data)->tension = mbs_read_number(binder, force->node, "tension");
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const mbs_strand_path *path = &system->model->paths[force->path];
  const double tension = ((const belt_data *)mbs_force_data(system, force))->tension;
  (void)index;
  if (tension == 0) return;
  for (int k = path->strand0; k < path->strand0 + path->strands; k++) {
    mbs_strand_state at;
    mbs_strand_at(system, k, &at);
    system->potential_forces += tension * at.value; /* V = T (l - l0) */
    mbs_strand_pull(system, k, &at, tension);
  }
}

/* T_k = T - lambda_k + sum of lambda / n, lambda_n = 0. theory (22.7) */
static void show(mbs_system *system, const mbs_force *force) {
  const mbs_joint *joint = &system->model->joints[force->of_joint];
  const mbs_strand_path *path = path_of(system, joint);
  const double *lambda = system->borne + joint->first_row;
  double mean = ((const belt_data *)mbs_force_data(system, force))->tension;
  for (int k = 0; k + 1 < path->strands; k++) mean += lambda[k] / path->strands;
  for (int k = 0; k < path->strands; k++)
    system->outputs[force->first_output + k] = mean - (k + 1 < path->strands ? lambda[k] : 0);
  system->outputs[force->first_output + path->strands] = mbs_strand_path_length(system, path);
}

/* A belt cannot push. */
static const char *warn(const mbs_system *system, const mbs_force *force) {
  /* tensions below this share of the largest force are rounding; chosen: a thousand times what was seen */
  static const double rounding = 1e-10;
  const mbs_strand_path *path = &system->model->paths[force->path];
  const double largest =
      fmax(mbs_largest(system->lambda, system->model->rows), mbs_largest(system->h, system->model->nv));
  for (int k = 0; k < path->strands; k++)
    if (system->outputs[force->first_output + k] < -rounding * largest)
      return "the tension of a strand is negative, but a belt cannot push; increase 'tension'";
  return NULL;
}

static const mbs_force_class belt_tension = {.base = {.name = "belt", .family = MBS_FAMILY_FORCE, .spaces = MBS_PLANAR},
                                             .output_count = MBS_RUNS,
                                             .build = build_force,
                                             .bind = bind_force,
                                             .data_size = sizeof(belt_data),
                                             .apply = apply,
                                             .show = show,
                                             .warn = warn};

const mbs_joint_class mbs_joint_belt = {
    .base = {.name = "belt",
             .doc =
                 "A closed belt or chain that runs over pulleys without slip. Outputs: `tension1`, .. of its strands, "
                 "strand k from pulley k to the next, and `l`, its length.",
             .equation = "Phi_k = L_k + c_(k+1) (phi_(k+1) - b_k) - c_k (phi_k - b_k) - start - (l - l0)/n\n"
                         "k = 1 .. n - 1 (a row each); L_k, b_k: length and angle of strand k, c = sense radius, l: "
                         "length of the belt, which is l0 while the centres keep it",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1,
               .rows = {{.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .length = true, .labels = "strand"}}},
    .companion = &belt_tension,
    .check = check,
    .locate = locate,
    .row = row,
};
