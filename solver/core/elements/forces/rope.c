/* Elastic rope, which slides over its pulleys without friction, so that it has one tension. With l the length of its
 * strands and wraps, less the length that drums have wound off:
 *
 *     T = max(0, k (l - length) + c l') */
#include "elements/joints/joint.h"

#include "elements/forces/force.h"
#include "equations/strands.h"

static const mbs_field fields[] = {MBS_FORCE_NAME,
                                   MBS_ROPE_PATH,
                                   {.name = "stiffness",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .unit = "N/m",
                                    .doc = "k"},
                                   {.name = "damping",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = 0,
                                    .low = 0,
                                    .high = INFINITY,
                                    .unit = "N s/m",
                                    .doc = "c"},
                                   MBS_ROPE_LENGTH,
                                   MBS_FORCE_END};

typedef struct rope_data {
  double stiffness, damping;
  double length; /* NaN: that at the start */
} rope_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  mbs_joint ends = {.frames = MBS_ON_GROUND};
  force->path = mbs_read_path(builder, node, "path", MBS_PATH_ELASTIC);
  if (force->path >= 0) mbs_strand_path_bodies(builder, force->path, &ends);
  force->frames = ends.frames;
  force->bodies = ends.bodies;
  force->body_count = (size_t)ends.body_count;
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  rope_data *data = numbers;
  mbs_strand_path_numbers(binder, force->path);
  data->stiffness = mbs_read_number(binder, force->node, "stiffness");
  data->damping = mbs_read_number(binder, force->node, "damping");
  data->length = mbs_read_given(force->node, "length") ? mbs_read_number(binder, force->node, "length") : NAN;
}

/* The stretch x of the rope and its rate; k x + c x'. */
typedef struct rope_state {
  double x, rate, pull;
} rope_state;

static rope_state state_of(const mbs_system *system, const mbs_force *force) {
  const mbs_strand_path *path = &system->model->paths[force->path];
  const rope_data *data = mbs_force_data(system, force);
  rope_state out = {.x = isnan(data->length) ? 0 : system->constants->paths[force->path].length - data->length};
  for (int k = path->strand0; k < path->strand0 + path->strands; k++) {
    mbs_strand_state at;
    mbs_strand_at(system, k, &at);
    out.x += at.value;
    out.rate += at.rate;
  }
  out.pull = data->stiffness * out.x + data->damping * out.rate;
  return out;
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const mbs_strand_path *path = &system->model->paths[force->path];
  const double stiffness = ((const rope_data *)mbs_force_data(system, force))->stiffness;
  const rope_state at = state_of(system, force);
  const bool pulls = system->settled ? system->mode_held[force->mode0] != 0 : at.pull > 0;
  const double T = pulls ? at.pull : 0, elastic = at.x > 0 ? stiffness * at.x : 0;
  (void)index;
  /* V = k x^2 / 2 of a rope that is stretched;  P_diss = T x' - V' */
  system->potential_forces += 0.5 * elastic * fmax(at.x, 0);
  system->power_dissipated += (T - elastic) * at.rate;
  for (int k = path->strand0; k < path->strand0 + path->strands && pulls; k++) {
    mbs_strand_state strand;
    mbs_strand_at(system, k, &strand);
    mbs_strand_pull(system, k, &strand, T);
  }
  system->outputs[force->first_output] = T;
  system->outputs[force->first_output + 1] = mbs_strand_path_length(system, path);
}

static const char *settle(mbs_system *system, const mbs_force *force, size_t point) {
  (void)point;
  system->mode_held[force->mode0] = state_of(system, force).pull > 0;
  return system->mode_held[force->mode0] != 0 ? "taut" : NULL;
}

static void margins(const mbs_system *system, const mbs_force *force, size_t point, double *out) {
  const double pull = state_of(system, force).pull / ((const rope_data *)mbs_force_data(system, force))->stiffness;
  (void)point;
  out[0] = system->mode_held[force->mode0] != 0 ? pull : -pull;
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  return *mode != 0 ? "taut" : "slack";
}

const mbs_force_class mbs_force_rope = {
    .base = {.name = "rope",
             .doc = "An elastic rope over pulleys, over which it slides without friction; it only pulls.",
             .equation = "T = max(0, k (l - length) + c l'), l: strands and wraps, less what drums have wound off",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 2,
    .outputs = "tension|l",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(rope_data),
    .apply = apply,
    .own = {.switches = 1, .settle = settle, .margins = margins, .event = event},
};
