/* Contacts of many shapes: forces, margins and outputs of near points agree with those of all points along random paths
 * of scattered bodies; bodies that pass others within a step are not missed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/near.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "equations/touches.h"
#include "list.h"
#include "models.h"
#include "probe.h"

enum { BODIES = 24, PATHS = 6, STATES = 40 };

static const char body_dynamics[] = JSON({"type": "dynamics", "formulation": "body", "t_end": 1, "dt": 1}),
                  compliant[] = PART("law": "kelvin-voigt", "stiffness": 100, "damping": 1),
                                     rigid[] = PART("law": "rigid");

/* Scattered bodies, of which all can touch all others and the ground. */
static char *scatter(int dim, const char *law, uint64_t *seed) {
  static const char *const shapes[2][3] = {
      {JSON({"type": "circle", "name": "s", "radius": 0.15, "at": [0.05, 0]}),
       JSON({"type": "rectangle", "name": "s", "width": 0.4, "height": 0.2}),
       JSON({"type": "polygon", "name": "s", "points": [[-0.2, -0.1], [0.2, -0.1], [0, 0.3]]})},
      {JSON({"type": "sphere", "name": "s", "radius": 0.3}),
       JSON({"type": "capsule", "name": "s", "radius": 0.15, "from": [-0.3, 0, 0], "to": [0.2, 0.1, 0]}),
       JSON({"type": "box", "name": "s", "size": [0.5, 0.3, 0.4]})}};
  static const char *const grounds[] = {
      PART({"type": "rectangle", "name": "s", "width": 4, "height": 0.2, "at": [0, -1.5]}),
            PART({"type": "half-space", "name": "s", "at": [0, -1.5, 0], "normal": [0.1, 1, 0]})};
  text_list *bodies = list_open(), *names = list_open(), *ground = list_open(), *laws = list_open();
  list_add(ground, "%s", grounds[dim - 2]);
  list_add(laws, "%s", law);
  for (int i = 0; i < BODIES; i++) {
    const double x = 2 * models_uniform(seed), y = 2 * models_uniform(seed), z = 2 * models_uniform(seed);
    if (dim == 2)
      list_add(bodies, PART({"name": "b%d", "mass": 1, "inertia": 0.1, "shapes": [%s],
                             "initial": {"position": [%.17g, %.17g], "angle": %.17g}}), i,
                             shapes[0][i % 3], x, y, z);
    else
      list_add(bodies,
               PART({"name": "b%d", "mass": 1, "inertia": [0.1, 0.2, 0.15], "shapes": [%s],
                             "initial": {"position": [%.17g, %.17g, %.17g]}}), i,
                                 shapes[1][i % 3], x, y, z);
    list_add(names, PART("b%d.s"), i);
  }
  return list_fill(
      dim == 2
      ? PART({"space": "planar", "gravity": [0, -9.81], "ground": {"shapes": [%s]}, "bodies": [%s],
                               "forces": [{"name": "c", "type": "contact", "shapes": ["ground.s", %s], %s}]})
                                         : PART({"space": "spatial", "gravity": [0, -9.81, 0],
                               "ground": {"shapes": [%s]}, "bodies": [%s],
                               "forces": [{"name": "c", "type": "contact", "shapes": ["ground.s", %s], %s}]}),
                                                                            ground, bodies, names, laws);
}

/* Lists all points of a system as near, for ever. */
static void compute_all(mbs_system *system) {
  mbs_near_forget(system);
  system->near->skin = 0;
  system->near->known = true;
}

/* Two systems at one state: one computes near points, the other all. */
typedef struct pair {
  probe some, all;
  double *margins[2];
  size_t far, near;
} pair;

static pair pair_open(const mbs_model *model) {
  pair p = {.some = probe_open(model), .all = probe_open(model)};
  for (int k = 0; k < 2; k++) p.margins[k] = calloc(model->switch_count + 1, sizeof(double));
  return p;
}

static void pair_close(pair *p) {
  probe_close(&p->some);
  probe_close(&p->all);
  for (int k = 0; k < 2; k++) free(p->margins[k]);
}

/* Moves both systems by h along the path of the first. */
static void pair_at(pair *p, double h) {
  const mbs_model *model = p->some.model;
  probe_at(&p->some, h, 0);
  memcpy(p->all.moved, p->some.moved, model->nq * sizeof(double));
  memcpy(p->all.v, p->some.v, model->nv * sizeof(double));
}

/* Compares the margins at the present state. Those of near points are equal; all others are apart. Open rigid touches
 * choose their faces anew, while near ones keep them to the end of a step. */
static void check_margins(pair *p) {
  const mbs_model *model = p->some.model;
  double *some = p->margins[0], *all = p->margins[1];
  mbs_switches_margins(p->some.system, p->some.t, p->some.moved, p->some.v, some);
  compute_all(p->all.system);
  for (size_t i = 0; i < model->touch_count; i++) mbs_touch_look(p->all.system, &model->touches[i]);
  mbs_switches_margins(p->all.system, p->some.t, p->some.moved, p->some.v, all);
  for (size_t i = 0; i < model->switch_count; i++) {
    p->far += isinf(some[i]) != 0;
    p->near += isinf(some[i]) == 0;
    if (isinf(some[i]))
      assert_true(all[i] > 0);
    else if (model->touch_count == 0)
      assert_true(some[i] == all[i]);
  }
}

/* Compares forces, energies and the gap, as they follow from the state and while modes are held. */
static void check_forces(pair *p) {
  const mbs_model *model = p->some.model;
  double gap = INFINITY;
  for (size_t i = 0; i < model->switch_count; i += 2) {
    const bool touches = p->some.system->mode_held[i] != 0;
    gap = fmin(gap, touches ? -p->margins[1][i] : p->margins[1][i]);
  }
  for (int settled = 0; settled < 2; settled++) {
    p->some.system->settled = p->all.system->settled = settled;
    probe *probes[] = {&p->some, &p->all};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(mbs_evaluate(probes[k]->system, p->some.t, p->some.moved, p->some.v), MBS_OK);
      mbs_forces_show(probes[k]->system);
    }
    for (size_t k = 0; k < model->nv; k++) assert_true(p->some.system->vdot[k] == p->all.system->vdot[k]);
    for (size_t k = 0; k < model->output_count; k++)
      assert_true(p->some.system->outputs[k] == p->all.system->outputs[k]);
    assert_true(p->some.system->potential_forces == p->all.system->potential_forces);
  }
  const double *out = p->some.system->outputs; /* force, friction, penetration, slip, sticking, gap */
  assert_true(out[5] == gap);
  assert_true(out[2] == fmax(-gap, 0));
}

static void check_paths(int dim, bool is_rigid, uint64_t seed) {
  for (int path = 0; path < PATHS; path += MODELS_EVERY) {
    char *document = scatter(dim, is_rigid ? rigid : compliant, &seed);
    mbs_model *model = models_build(document, body_dynamics);
    pair p = pair_open(model);
    probe_randomize(&p.some, 0.1, &seed);
    const size_t moving = path % 2 ? model->nv / BODIES : model->nv; /* one body, or all */
    for (size_t k = 0; k < moving; k++) p.some.along[k] = models_uniform(&seed);
    pair_at(&p, 0);
    if (!is_rigid) {
      mbs_switches_settle(p.some.system, p.some.t, p.some.moved, p.some.v, NULL, NULL);
      mbs_switches_settle(p.all.system, p.some.t, p.some.moved, p.some.v, NULL, NULL);
    }
    double h = 0;
    for (int state = 0; state < STATES; state++) {
      pair_at(&p, h);
      check_margins(&p);
      if (!is_rigid) check_forces(&p);
      if (state % 4 == 0) mbs_near_accepted(p.some.system);
      h += state % 10 == 9 ? 1 : 0.04 + 0.05 * models_uniform(&seed); /* small steps and large ones */
    }
    assert_true(p.near > 0 && p.far > p.near);
    pair_close(&p);
    mbs_model_free(model);
    free(document);
  }
}

static void test_compliant(void **state) {
  (void)state;
  check_paths(2, false, 1);
  check_paths(3, false, 2);
}

static void test_rigid(void **state) {
  (void)state;
  check_paths(2, true, 3);
  check_paths(3, true, 4);
}

/* ---- passages ------------------------------------------------------------------------------------------------ */

/* A fast disc flies along a row of discs, which it does not touch, at a disc or a thin bar, which it hits at t = 0.49.
 * The flight is one step of the integrator, in which it passes from far to far. */
static void check_passage(const char *law, bool thin) {
  static const char disc[] = JSON({"type": "circle", "name": "s", "radius": 0.1}),
                    bar[] = JSON({"type": "line", "name": "s", "from": [-0.1, -1], "to": [-0.1, 0.8]});
  static const char body[] = PART({"name": "%s%d", "mass": 1, "inertia": 1, "shapes": [%s],
                                   "initial": {"position": [%g, %g], "velocity": [%g, 0]}});
  text_list *bodies = list_open(), *shapes = list_open(), *laws = list_open();
  list_add(bodies, body, "b", 0, disc, -5.0, 0.0, 10.0);
  list_add(bodies, body, "t", 0, thin ? bar : disc, 0.1, 0.0, 0.0);
  list_add(shapes, PART("b0.s", "t0.s"));
  list_add(laws, "%s", law);
  for (int i = 0; i < 20; i++) {
    list_add(bodies, body, "o", i, disc, 0.5 * i - 5, 3.0, 0.0);
    list_add(shapes, PART("o%d.s"), i);
  }
  char *document =
      list_fill(PART({"space": "planar", "gravity": [0, 0], "bodies": [%s],
                                   "forces": [{"name": "c", "type": "contact", "shapes": [%s], %s}]}),
                                                                bodies, shapes, laws);
  mbs_result *result = models_run(document, JSON({"type": "dynamics", "t_end": 1, "dt": 1}));
  assert_true(result->report.event_count > 0);
  assert_close(result->report.events[0].t, 0.49, 1e-9);
  mbs_result_free(result);
  free(document);
}

static void test_passages(void **state) {
  (void)state;
  for (int thin = 0; thin < 2; thin++) {
    check_passage(compliant, thin);
    check_passage(PART("law": "rigid", "restitution": 1), thin);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compliant),
      cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_passages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
