/* pendulum.c - builds a model without a file, runs it and reads its arrays.
 *
 * A rod of length 1 m hangs on a pin at its end A and is released from rest, level. By the balance of energy its angle
 * phi and its angular velocity omega satisfy
 *
 *   omega^2 = -3 g sin(phi) / length. */
#include "nodes.h"

static const double length = 1, mass = 2, gravity = 9.81;

/* Writes the document. */
static void describe(mbs_arena *arena, mbs_node *document) {
  begin_node(arena, document, mbs_class_model(), "");
  set_text(arena, document, "name", "Pendulum");
  set_text(arena, document, "space", "planar");
  set_numbers(arena, document, "gravity", 2, (double[]){0, -gravity});
  set_entry(arena, add_node(arena, document, "ground", NULL), "points", "O", 2, (double[]){0, 0});

  mbs_node *rod = add_node(arena, document, "bodies", NULL);
  set_text(arena, rod, "name", "rod");
  set_number(arena, rod, "mass", mass);
  set_number(arena, rod, "inertia", mass * length * length / 12); /* about the mass centre */
  set_entry(arena, rod, "points", "A", 2, (double[]){-length / 2, 0});

  mbs_node *pin = add_node(arena, document, "joints", mbs_class_find(MBS_FAMILY_JOINT, "revolute"));
  set_text(arena, pin, "name", "pin");
  set_texts(arena, pin, "points", 2, (const char *[]){"ground.O", "rod.A"});

  mbs_node *analysis = add_node(arena, document, "analysis", NULL);
  set_text(arena, analysis, "type", "dynamics");
  set_number(arena, analysis, "t_end", 1);
  set_number(arena, analysis, "dt", 0.1);
  mbs_node *integrator = add_node(arena, analysis, "integrator", NULL);
  set_number(arena, integrator, "rtol", 1e-10);
  set_number(arena, integrator, "atol", 1e-10);
}

/* Prints time, angle and angular velocity of each row of results. */
static void print_motion(const mbs_result *result) {
  const mbs_array *time = mbs_result_array(result, "T");
  const mbs_array *angle = mbs_result_array(result, "theta"), *rate = mbs_result_array(result, "theta_d");
  printf("# t [%s]  %s [%s]  %s [%s]\n", time->unit, angle->labels[0], angle->units[0], rate->labels[0],
         rate->units[0]);
  for (size_t i = 0; i < time->shape[0]; i++)
    printf("%.17g %.17g %.17g\n", time->data[i], angle->data[i], rate->data[i]);
}

int main(void) {
  mbs_arena *arena = needed(mbs_arena_new(0));
  mbs_node document;
  describe(arena, &document);
  mbs_model *model = build(&document);
  mbs_arena_free(arena); /* the model has copies */
  if (!model) return 1;

  mbs_result *result = NULL;
  mbs_error error = {0};
  const mbs_status status = mbs_run(model, NULL, &result, &error);
  if (status == MBS_OK)
    print_motion(result);
  else
    fprintf(stderr, "%s: %s\n", mbs_status_code(status), error.message);
  mbs_result_free(result);
  mbs_model_free(model);
  return status != MBS_OK;
}
