/* A row of results does not depend on other rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models.h"

/* Compares rows at every eighth of a second with those of a run with 31 more rows between each pair. */
static void test_other_rows(void **state) {
  static const char *const names[] = {"FourBar", "SC", "RSSR_ball", "TP"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]);
    mbs_result *few = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.125,"
                                       " \"integrator\": {\"method\": \"dopri5\", \"rtol\": 1e-8}}");
    mbs_result *many = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.00390625,"
                                        " \"integrator\": {\"method\": \"dopri5\", \"rtol\": 1e-8}}");
    static const char *const arrays[] = {"uT", "theta_dd", "rPdd", "Lam", "reactions", "energy"};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
      for (size_t row = 0; row < models_rows(few); row++)
        if (memcmp(models_row(few, arrays[a], row), models_row(many, arrays[a], 32 * row),
                   models_columns(few, arrays[a]) * sizeof(double)) != 0)
          fail_msg("%s: row %zu of '%s' depends on other rows", names[i], row, arrays[a]);
    mbs_result_free(few);
    mbs_result_free(many);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
