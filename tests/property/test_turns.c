/* test_turns.c - angles over full turns in random mechanisms in space, with a spring in each joint that turns and a
 * sensor of each angle: the sign of Euler parameters changes nothing, and both formulations count alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

enum { SIGNS = 60, MOTIONS = 12 };

static const char *const formulations[] = {"joint", "body"};

/* Coordinates of a joint's type that are angles: from the first to the last; none where the last is 0. */
static const struct {
  const char *type;
  int first, last, count;
} turning[] = {{"revolute", 1, 1, 1}, {"cylindrical", 2, 2, 2}, {"universal", 1, 2, 2}, {"planar", 3, 3, 3}};

typedef void (*for_joint)(FILE *out, const char *name, size_t kind, bool first);

/* Calls `write` for every joint of a document that turns. Returns how many. */
static size_t each_turning(const char *document, FILE *out, for_joint write) {
  size_t found = 0;
  const char *at = strstr(document, "\"joints\"");
  while (at && (at = strstr(at, "{\"name\": \"j")) != NULL) {
    char name[24] = "", type[32] = "";
    if (sscanf(at, "{\"name\": \"%23[^\"]\", \"type\": \"%31[^\"]\"", name, type) != 2) abort();
    for (size_t k = 0; k < sizeof turning / sizeof *turning; k++)
      if (strcmp(type, turning[k].type) == 0) write(out, name, k, found++ == 0);
    at++;
  }
  return found;
}

static void write_spring(FILE *out, const char *name, size_t kind, bool first) {
  (void)kind;
  (void)first;
  fprintf(out,
          "{\"name\": \"t%s\", \"type\": \"rotational-spring-damper\", \"joint\": \"%s\", \"stiffness\": 0.1, "
          "\"damping\": 0.02, \"actuator\": 4},\n",
          name, name);
}

static void write_sensors(FILE *out, const char *name, size_t kind, bool first) {
  for (int k = turning[kind].first; k <= turning[kind].last; k++) {
    char number[12] = "";
    if (turning[kind].count > 1) snprintf(number, sizeof number, "%d", k);
    fprintf(out, "%s{\"name\": \"angle_%s_%d\", \"value\": \"%s.q%s\"}",
            first && k == turning[kind].first ? ", \"sensors\": [" : ",\n", name, k, name, number);
  }
}

/* A random mechanism with its springs and sensors. Its laws read entries of rotation matrices, not Euler parameters,
 * whose sign is the document's. */
static char *random_turning(uint64_t seed, size_t bodies, size_t loops) {
  static const char forces[] = "\"forces\": [";
  char *document = models_random_spatial(seed, bodies, loops), *text = NULL, *law, *begin = document;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  char *split = strstr(document, forces);
  if (!out || !split) abort();
  fwrite(document, 1, (size_t)(split - document) + strlen(forces), out);
  each_turning(document, out, write_spring);
  for (begin = split + strlen(forces); (law = strstr(begin, "b1.e2")) != NULL; begin = law + strlen("b1.e2")) {
    fwrite(begin, 1, (size_t)(law - begin), out);
    fputs("b1.A23", out);
  }
  fwrite(begin, 1, strlen(begin) - 1, out); /* all but the last brace */
  if (each_turning(document, out, write_sensors)) fputs("]", out);
  fputs("}", out);
  fclose(out);
  free(document);
  return text;
}

/* The document with the other sign of the Euler parameters of some bodies. */
static char *with_signs(const char *document, uint64_t bodies) {
  static const char key[] = "\"euler_parameters\": [";
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  const char *at;
  for (size_t b = 0; (at = strstr(document, key)) != NULL; b++) {
    double p[4], sign = bodies >> b & 1 ? -1 : 1;
    char *end = NULL;
    fwrite(document, 1, (size_t)(at - document) + strlen(key), out);
    document = at + strlen(key);
    for (int k = 0; k < 4; k++) {
      p[k] = strtod(document, &end);
      document = end + (k < 3);
    }
    fprintf(out, "%.17g, %.17g, %.17g, %.17g", sign * p[0], sign * p[1], sign * p[2], sign * p[3]);
  }
  fputs(document, out);
  fclose(out);
  return text;
}

static void expect_same(const char *what, const mbs_result *one, const mbs_result *two, const char *array,
                        double tolerance) {
  for (size_t row = 0; row < models_rows(one); row++) {
    double difference = models_difference(one, two, array, row);
    if (!(difference <= tolerance))
      fail_msg("%s: %s differs by %.3g at t = %g", what, array, difference, *models_row(one, "T", row));
  }
}

/* Of angles the one in `sensors`; the other arrays are the same, too. */
static void expect_all_same(const char *what, const mbs_result *one, const mbs_result *two, const char *const *arrays,
                            double tolerance) {
  assert_int_equal(models_rows(one), models_rows(two));
  for (size_t a = 0; arrays[a]; a++) expect_same(what, one, two, arrays[a], tolerance);
  for (size_t a = 0; a < one->array_count; a++)
    if (strncmp(one->arrays[a].name, "angle_", 6) == 0) expect_same(what, one, two, one->arrays[a].name, tolerance);
}

/* q and -q are one orientation: nothing but the reported Euler parameters may tell them apart. */
static void test_signs_of_euler_parameters(void **unused) {
  (void)unused;
  static const char *const arrays[] = {"r",   "rd",  "rdd",    "omega",  "omega_d", "rP",
                                       "rPd", "Lam", "energy", "forces", NULL};
  for (uint64_t seed = 1; seed <= SIGNS; seed++) {
    char what[64], analysis[200], *document = random_turning(seed, 1 + seed % 6, seed % 3);
    char *other = with_signs(document, seed * 0x9E3779B97F4A7C15u >> 7 | 1);
    for (int f = 0; f < 2; f++) {
      snprintf(what, sizeof what, "random mechanism %llu, %s", (unsigned long long)seed, formulations[f]);
      snprintf(analysis, sizeof analysis, "{\"formulation\": \"%s\", \"t_end\": 0.2, \"dt\": 0.05}", formulations[f]);
      mbs_result *one = models_run(document, analysis), *two = models_run(other, analysis);
      expect_all_same(what, one, two, arrays, 1e-9);
      mbs_result_free(one);
      mbs_result_free(two);
    }
    free(document);
    free(other);
  }
}

/* From one state both formulations start with the same angles, and count the same turns. */
static void test_formulations(void **unused) {
  (void)unused;
  static const char *const arrays[] = {"r", "rd", "omega", "energy", NULL};
  double farthest = 0;
  for (uint64_t seed = 1; seed <= MOTIONS; seed++) {
    char what[64], analysis[200], *document = random_turning(seed, 2 + seed % 4, 1 + seed % 2);
    mbs_result *start = models_run(document, "{\"type\": \"assembly\"}"), *results[2];
    char *again = models_with_state(document, start, 0);
    for (int f = 0; f < 2; f++) {
      snprintf(analysis, sizeof analysis,
               "{\"formulation\": \"%s\", \"t_end\": 4, \"dt\": 1, \"integrator\": {\"method\": \"dop853\", \"rtol\": "
               "1e-12, \"atol\": 1e-12}}",
               formulations[f]);
      results[f] = models_run(again, analysis);
    }
    snprintf(what, sizeof what, "random mechanism %llu", (unsigned long long)seed);
    expect_all_same(what, results[0], results[1], arrays, 1e-5);
    for (size_t a = 0; a < results[0]->array_count; a++)
      if (strncmp(results[0]->arrays[a].name, "angle_", 6) == 0)
        farthest = fmax(farthest, fabs(*models_row(results[0], results[0]->arrays[a].name, 4)));
    mbs_result_free(start);
    mbs_result_free(results[0]);
    mbs_result_free(results[1]);
    free(document);
    free(again);
  }
  print_message("angles of up to %.3g rad\n", farthest);
  assert_true(farthest > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signs_of_euler_parameters),
      cmocka_unit_test(test_formulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
