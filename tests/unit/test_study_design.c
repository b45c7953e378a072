/* The points of a study: generators against published numbers, designs against their properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/design.h"
#include "study/quantile.h"
#include "study/random.h"
#include "study/sobol.h"

/* Known answers of Random123 for philox4x32-10. */
static void test_philox(void **state) {
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
               {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                {0xffffffff, 0xffffffff},
                {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
               {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                {0xa4093822, 0x299f31d0},
                {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    uint32_t out[4];
    mbs_philox(known[i].counter, known[i].key, out);
    assert_memory_equal(out, known[i].out, sizeof out);
  }
}

static void test_shares_are_between(void **state) {
  (void)state;
  assert_true(mbs_random_uniform(0) > 0);
  assert_true(mbs_random_uniform(UINT64_MAX) < 1);
}

/* Compares with the normal distribution itself for probabilities from 1e-300 to 0.5. */
static void test_quantile(void **state) {
  (void)state;
  for (double p = 1e-300; p < 0.5; p *= 1.7) {
    double x = mbs_normal_quantile(p);
    double below = 0.5 * erfc(-x / sqrt(2));
    assert_true(fabs(below / p - 1) < 1e-13 * fmax(1, x * x));
    if (p > 1e-12) assert_true(fabs(mbs_normal_quantile(1 - p) + x) < 2e-16 / p + 1e-12);
  }
  assert_true(mbs_normal_quantile(0.5) == 0);
}

static void test_places_are_a_permutation(void **state) {
  (void)state;
  for (uint64_t count = 1; count < 200; count += 7) {
    bool seen[200] = {false};
    size_t moved = 0;
    for (uint64_t i = 0; i < count; i++) {
      uint64_t place = mbs_random_permutation(5, 2, count, i);
      assert_true(place < count);
      assert_false(seen[place]);
      seen[place] = true;
      moved += place != i;
    }
    assert_true(count < 8 || moved > count / 2);
  }
}

static struct mbs_plan plan_of(mbs_design_kind design, mbs_vary *vary, size_t count, size_t runs) {
  return (struct mbs_plan){.design = design, .vary = vary, .vary_count = count, .runs = runs, .seed = 1};
}

enum { DRAWN = 4 };

static void draw_all(mbs_vary vary[DRAWN]) {
  for (int k = 0; k < DRAWN; k++) vary[k] = (mbs_vary){.kind = MBS_VARY_UNIFORM, .count = 1, .high = 1};
}

static void test_grid(void **state) {
  mbs_vary vary[3] = {{.kind = MBS_VARY_RANGE, .count = 3, .low = 0.1, .high = 0.3},
                      {.kind = MBS_VARY_NOMINAL, .count = 1, .low = 7},
                      {.kind = MBS_VARY_VALUES, .count = 2, .values = (double[]){5, -1}}};
  const struct mbs_plan plan = plan_of(MBS_DESIGN_GRID, vary, 3, 6);
  static const double first[] = {0.1, 0.1, 0.2, 0.2, 0.3, 0.3}, last[] = {5, -1, 5, -1, 5, -1};
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    double values[3];
    mbs_design_point(&plan, i, values);
    assert_true(fabs(values[0] - first[i]) < 1e-16);
    assert_true(values[1] == 7 && values[2] == last[i]);
  }
}

static void test_ends_are_exact(void **state) {
  mbs_vary vary = {.kind = MBS_VARY_RANGE, .count = 11, .low = 1.0 / 3, .high = 100.0 / 7, .logarithmic = true};
  const struct mbs_plan plan = plan_of(MBS_DESIGN_LIST, &vary, 1, 11);
  double first, middle, last;
  (void)state;
  mbs_design_point(&plan, 0, &first);
  mbs_design_point(&plan, 5, &middle);
  mbs_design_point(&plan, 10, &last);
  assert_true(first == vary.low && last == vary.high);
  assert_true(fabs(middle / sqrt(vary.low * vary.high) - 1) < 1e-14);
}

static void test_latin_hypercube(void **state) {
  enum { RUNS = 50 };
  mbs_vary vary[DRAWN];
  draw_all(vary);
  const struct mbs_plan plan = plan_of(MBS_DESIGN_LATIN_HYPERCUBE, vary, DRAWN, RUNS);
  bool seen[DRAWN][RUNS] = {{false}};
  (void)state;
  for (size_t i = 0; i < RUNS; i++) {
    double values[DRAWN];
    mbs_design_point(&plan, i, values);
    for (int k = 0; k < DRAWN; k++) {
      size_t cell = (size_t)(values[k] * RUNS);
      assert_false(seen[k][cell]);
      seen[k][cell] = true;
    }
  }
}

/* Each box of 2^-a times 2^-(m - a) contains one of the first 2^m points in the first two dimensions. */
static void assert_net(const struct mbs_plan *plan, int m) {
  for (int a = 0; a <= m; a++) {
    bool *seen = calloc((size_t)1 << m, sizeof *seen);
    for (size_t i = 0; i < (size_t)1 << m; i++) {
      double values[DRAWN];
      mbs_design_point(plan, i, values);
      for (int k = 0; k < DRAWN; k++) assert_true(values[k] > 0 && values[k] < 1);
      size_t box = (size_t)ldexp(values[0], a) << (m - a) | (size_t)ldexp(values[1], m - a);
      assert_false(seen[box]);
      seen[box] = true;
    }
    free(seen);
  }
}

static void test_sobol(void **state) {
  mbs_vary vary[DRAWN];
  draw_all(vary);
  (void)state;
  for (uint64_t seed = 0; seed < 3; seed++) {
    struct mbs_plan plan = plan_of(MBS_DESIGN_SOBOL, vary, DRAWN, 1024);
    plan.seed = seed;
    for (int m = 1; m <= 10; m++) assert_net(&plan, m);
  }
}

/* Each dimension alone fills the 2^-m intervals, and the first points are those published by Joe and Kuo. */
static void test_sobol_dimensions(void **state) {
  enum { M = 10 };
  static const double printed[4][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.25}};
  (void)state;
  for (size_t d = 0; d < MBS_SOBOL_DIMENSIONS; d++) {
    bool seen[1 << M] = {false};
    for (uint64_t i = 0; i < 1 << M; i++) {
      uint64_t interval = mbs_sobol_bits(d, i) >> (MBS_SOBOL_BITS - M);
      assert_false(seen[interval]);
      seen[interval] = true;
    }
  }
  for (uint64_t i = 0; i < 4; i++)
    for (size_t d = 0; d < 2; d++) assert_true(ldexp((double)mbs_sobol_bits(d, i), -MBS_SOBOL_BITS) == printed[i][d]);
}

/* A longer design begins with the points of a shorter one. */
static void test_more_runs_append(void **state) {
  static const mbs_design_kind designs[] = {MBS_DESIGN_RANDOM, MBS_DESIGN_SOBOL};
  mbs_vary vary[DRAWN];
  draw_all(vary);
  vary[1] = (mbs_vary){.kind = MBS_VARY_NORMAL, .count = 1, .mean = 10, .deviation = 2};
  (void)state;
  for (int d = 0; d < 2; d++)
    for (size_t i = 0; i < 20; i++) {
      const struct mbs_plan few = plan_of(designs[d], vary, DRAWN, 20), many = plan_of(designs[d], vary, DRAWN, 2000);
      double one[DRAWN], other[DRAWN];
      mbs_design_point(&few, i, one);
      mbs_design_point(&many, i, other);
      assert_memory_equal(one, other, sizeof one);
    }
}

/* Mean and standard deviation of random values, within five standard errors. */
static void test_moments(void **state) {
  enum { RUNS = 20000 };
  static const mbs_design_kind designs[] = {MBS_DESIGN_RANDOM, MBS_DESIGN_LATIN_HYPERCUBE, MBS_DESIGN_SOBOL};
  mbs_vary vary = {.kind = MBS_VARY_NORMAL, .count = 1, .mean = 10, .deviation = 2};
  (void)state;
  for (int d = 0; d < 3; d++) {
    const struct mbs_plan plan = plan_of(designs[d], &vary, 1, RUNS);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < RUNS; i++) {
      double value;
      mbs_design_point(&plan, i, &value);
      sum += value;
      squares += (value - 10) * (value - 10);
    }
    assert_true(fabs(sum / RUNS - 10) < 5 * 2 / sqrt(RUNS));
    assert_true(fabs(squares / RUNS - 4) < 5 * 4 * sqrt(2.0 / RUNS));
  }
}

/* A range wider than the largest number still has its ends, its middle, and equal steps. */
static void test_widest_range(void **state) {
  const double far = 1.7e308;
  mbs_vary vary = {.kind = MBS_VARY_RANGE, .count = 5, .low = -far, .high = far};
  const double expected[] = {-far, -far / 2, 0, far / 2, far};
  struct mbs_plan plan = plan_of(MBS_DESIGN_GRID, &vary, 1, 5);
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    double value;
    mbs_design_point(&plan, i, &value);
    assert_true(fabs(value - expected[i]) <= 1e-15 * far);
  }
  vary.kind = MBS_VARY_UNIFORM;
  vary.count = 1;
  plan = plan_of(MBS_DESIGN_SOBOL, &vary, 1, 64);
  for (size_t i = 0; i < 64; i++) {
    double value;
    mbs_design_point(&plan, i, &value);
    assert_true(value >= -far && value <= far);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_philox),
                                     cmocka_unit_test(test_shares_are_between),
                                     cmocka_unit_test(test_quantile),
                                     cmocka_unit_test(test_places_are_a_permutation),
                                     cmocka_unit_test(test_grid),
                                     cmocka_unit_test(test_ends_are_exact),
                                     cmocka_unit_test(test_widest_range),
                                     cmocka_unit_test(test_latin_hypercube),
                                     cmocka_unit_test(test_sobol),
                                     cmocka_unit_test(test_sobol_dimensions),
                                     cmocka_unit_test(test_more_runs_append),
                                     cmocka_unit_test(test_moments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
