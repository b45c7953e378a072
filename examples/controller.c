/* controller.c - a motion step by step, with an input that the host computes before each step.
 *
 * A cart on a level rail starts 1 m from where a controller wants it. The force on the cart is the parameter `u` of the
 * model. Before each step of h = 10 ms the host reads position x and velocity v and sets
 *
 *   u = -stiffness x - damping v,
 *
 * which the model keeps until the next step: x' = x + h v + h^2 u / (2 mass), v' = v + h u / mass. */
#include "nodes.h"

static const double mass = 2, stiffness = 50, damping = 20, step = 0.01;
enum { STEPS = 200 };

/* Writes the document. */
static void describe(mbs_arena *arena, mbs_node *document) {
  begin_node(arena, document, mbs_class_model(), "");
  set_text(arena, document, "space", "planar");
  set_entry(arena, document, "parameters", "u", 1, (double[]){0});
  mbs_node *ground = add_node(arena, document, "ground", NULL);
  set_entry(arena, ground, "points", "O", 2, (double[]){0, 0});
  set_entry(arena, ground, "vectors", "rail", 2, (double[]){1, 0});

  mbs_node *cart = add_node(arena, document, "bodies", NULL);
  set_text(arena, cart, "name", "cart");
  set_number(arena, cart, "mass", mass);
  set_number(arena, cart, "inertia", 1);
  set_entry(arena, cart, "points", "C", 2, (double[]){0, 0});
  set_entry(arena, cart, "vectors", "along", 2, (double[]){1, 0});
  set_numbers(arena, add_node(arena, cart, "initial", NULL), "position", 2, (double[]){1, 0});

  mbs_node *slide = add_node(arena, document, "joints", mbs_class_find(MBS_FAMILY_JOINT, "translational"));
  set_text(arena, slide, "name", "slide");
  set_texts(arena, slide, "points", 2, (const char *[]){"ground.O", "cart.C"});
  set_texts(arena, slide, "vectors", 2, (const char *[]){"ground.rail", "cart.along"});

  mbs_node *push = add_node(arena, document, "forces", mbs_class_find(MBS_FAMILY_FORCE, "force"));
  set_text(arena, push, "name", "push");
  set_text(arena, push, "body", "cart");
  set_texts(arena, push, "value", 2, (const char *[]){"u", "0"});

  mbs_node *analysis = add_node(arena, document, "analysis", NULL);
  set_text(arena, analysis, "type", "dynamics");
  set_number(arena, analysis, "t_end", STEPS * step);
  set_number(arena, analysis, "dt", step);
}

/* Steps the motion under control, and prints time, position and velocity. */
static mbs_status control(mbs_session *session) {
  puts("# t [s]  x [m]  v [m/s]");
  for (int i = 0;; i++) {
    double x, v;
    if (!mbs_session_coordinates(session, 1, &x, 1, &v)) return MBS_INVALID;
    printf("%.17g %.17g %.17g\n", mbs_session_time(session), x, v);
    if (i == STEPS) return MBS_OK;
    mbs_status status = mbs_session_set(session, "u", -stiffness * x - damping * v);
    if (status == MBS_OK) status = mbs_session_step(session, step, NULL);
    if (status != MBS_OK) return status;
  }
}

int main(void) {
  mbs_arena *arena = needed(mbs_arena_new(0));
  mbs_node document;
  describe(arena, &document);
  mbs_model *model = build(&document);
  mbs_arena_free(arena);
  if (!model) return 1;

  mbs_error error = {0};
  mbs_session *session = mbs_session_new(model, NULL, &error);
  const mbs_status status = session ? control(session) : error.status;
  if (status != MBS_OK)
    fprintf(stderr, "%s: %s\n", mbs_status_code(status), session ? mbs_session_error(session)->message : error.message);
  mbs_session_free(session);
  mbs_model_free(model);
  return status != MBS_OK;
}
