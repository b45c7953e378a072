/* expect.h - assertions about results, failed runs and invalid documents; include after cmocka.h. */
#ifndef TESTS_SUPPORT_EXPECT_H
#define TESTS_SUPPORT_EXPECT_H

#include "models.h"

#include <string.h>

/* Expects that all rows of an array differ by at most the share `tolerance` (see models_difference). */
static inline void expect_same(const char *what, const mbs_result *one, const mbs_result *two, const char *array,
                               double tolerance) {
  assert_int_equal(models_rows(one), models_rows(two));
  for (size_t row = 0; row < models_rows(one); row++) {
    double difference = models_difference(one, two, array, row);
    if (!(difference <= tolerance))
      fail_msg("%s: %s differs by %.3g in row %zu, t = %g", what, array, difference, row, *models_row(one, "T", row));
  }
}

/* Expects that the run ends with this status and element, and that the message contains `words` (NULL: any message).
 * `*result` receives what was computed. */
static inline void expect_failure(const char *document, const char *analysis, mbs_status status, const char *element,
                                  const char *words, mbs_result **result, mbs_error *error) {
  mbs_status ended = models_try_run(document, analysis, result, error);
  if (ended != status)
    fail_msg("ended as %s, not %s: %s", mbs_status_code(ended), mbs_status_code(status), error->message);
  assert_string_equal(error->element, element);
  if (words && !strstr(error->message, words)) fail_msg("'%s' does not say '%s'", error->message, words);
}

/* Expects an error of the document at this JSON pointer whose message contains `words`. */
static inline void expect_error(const char *document, const char *analysis, const char *pointer, const char *words) {
  mbs_diagnostics list = {0};
  assert_null(models_try_build(document, analysis, &list));
  bool found = false;
  for (size_t i = 0; i < list.count; i++)
    found = found || (strcmp(list.items[i].pointer, pointer) == 0 && strstr(list.items[i].message, words));
  for (size_t i = 0; i < list.count && !found; i++)
    print_message("%s: %s\n", list.items[i].pointer, list.items[i].message);
  if (!found) fail_msg("no error '%s' at %s", words, pointer);
  mbs_diagnostics_free(&list);
}

#endif
