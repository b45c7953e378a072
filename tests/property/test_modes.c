/* test_modes.c - the modes of every model with an equilibrium: linearized in joint and in body coordinates, whose
 * independent velocities, factors and corrections have little in common; they agree to the documented digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static const double digits = 1e-12;
/* Models without an equilibrium: a permanent load, a ball that rolls down a plane or is thrown back, two falling
 * rods. */
static const char *const restless[] = {"BouncingBall.json",     "CountedBounces.json", "Differential.json",
                                       "PlanetaryGearbox.json", "TyreCar.json",        "Cart_C.json",
                                       "Cart_C_bc.json",        "Cart_D_bc.json",      "Rod2.json",
                                       "StickSlip.json"};
static const char in_body[] = "{\"type\": \"linearization\", \"formulation\": \"body\"}";

/* Returns the largest relative distance of an eigenvalue of `one` from the nearest one of `other`. */
static double distance(const mbs_array *one, const mbs_array *other) {
  double farthest = 0;
  for (size_t i = 0; i < one->shape[0]; i++) {
    const double *a = one->data + 2 * i;
    double nearest = INFINITY;
    for (size_t j = 0; j < other->shape[0]; j++) {
      const double *b = other->data + 2 * j;
      nearest = fmin(nearest, hypot(a[0] - b[0], a[1] - b[1]));
    }
    if (nearest > 0) farthest = fmax(farthest, nearest / hypot(a[0], a[1]));
  }
  return farthest;
}

/* Compares both formulations. Returns false if the model has no equilibrium. */
static bool compare(const char *path, bool *right) {
  char *document = models_file(path);
  mbs_result *one = NULL, *other = NULL;
  mbs_error error = {0};
  bool found = models_try_run(document, "{\"type\": \"linearization\"}", &one, &error) == MBS_OK;
  found &= models_try_run(document, in_body, &other, &error) == MBS_OK;
  if (found) {
    const mbs_array *a = mbs_result_array(one, "eigenvalues"), *b = mbs_result_array(other, "eigenvalues");
    const double far = fmax(distance(a, b), distance(b, a));
    *right = a->shape[0] == b->shape[0] && far <= digits && one->report.stable == other->report.stable;
    print_message("%-34s %2zu eigenvalues, apart by %.1e%s\n", strrchr(path, '/') + 1, a->shape[0], far,
                  *right ? "" : "  WRONG");
  }
  mbs_result_free(one);
  mbs_result_free(other);
  free(document);
  return found;
}

static bool is_restless(const char *path) {
  for (size_t i = 0; i < sizeof restless / sizeof *restless; i++)
    if (strcmp(strrchr(path, '/') + 1, restless[i]) == 0) return true;
  return false;
}

static void test_formulations_have_the_same_modes(void **state) {
  (void)state;
  glob_t found;
  size_t wrong = 0;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    bool right = true;
    /* balls that touch without load: whether they stay closed is decided by rounding */
    if (strstr(found.gl_pathv[i], "NewtonsCradle")) continue;
    if (compare(found.gl_pathv[i], &right) == is_restless(found.gl_pathv[i]))
      fail_msg("%s: its stability cannot be determined this way", found.gl_pathv[i]);
    wrong += !right;
  }
  globfree(&found);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulations_have_the_same_modes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
