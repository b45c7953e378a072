#include "mbs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void codes_of_statuses(void **state) {
  (void)state;
  assert_string_equal(mbs_status_code(MBS_OK), "ok");
  assert_string_equal(mbs_status_code(MBS_SINGULAR_POSITION), "singular_position");
  assert_string_equal(mbs_status_code(MBS_NO_MEMORY), "no_memory");
  assert_string_equal(mbs_status_code(MBS_STATUS_COUNT), "unknown");
}

static void mistakes_are_listed(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  assert_int_equal(mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/bodies/0/mass", "%g is negative", -2.0), MBS_OUT_OF_RANGE);
  assert_int_equal(mbs_diagnose(&list, MBS_MISSING, "", "'%s' is missing", "bodies"), MBS_MISSING);
  assert_int_equal(list.count, 2);
  assert_int_equal(list.dropped, 0);
  assert_int_equal(list.items[0].status, MBS_OUT_OF_RANGE);
  assert_string_equal(list.items[0].pointer, "/bodies/0/mass");
  assert_string_equal(list.items[0].message, "-2 is negative");
  assert_string_equal(list.items[0].element, "");
  assert_true(isnan(list.items[0].time));
  assert_string_equal(list.items[1].pointer, "");
  assert_string_equal(list.items[1].message, "'bodies' is missing");
  mbs_diagnostics_free(&list);
  assert_null(list.items);
  assert_int_equal(list.count, 0);
}

static void the_list_is_bounded(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  for (int i = 0; i < MBS_DIAGNOSTICS_MAX + 50; i++) {
    mbs_diagnose(&list, MBS_INVALID, "/x", "number %d", i);
  }
  assert_int_equal(list.count, MBS_DIAGNOSTICS_MAX);
  assert_int_equal(list.dropped, 50);
  assert_string_equal(list.items[MBS_DIAGNOSTICS_MAX - 1].message, "number 199");
  mbs_diagnostics_free(&list);
}

static void long_texts_are_cut_between_characters(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  char text[2000] = "";
  for (size_t i = 0; i + 1 < sizeof text; i++) {
    text[i] = "\xE2\x82\xAC"[i % 3]; /* the euro sign; byte 1999 is the first byte of one */
  }
  for (int shift = 0; shift < 3; shift++) {
    mbs_diagnose(&list, MBS_INVALID, text + 3, "%.*s%s", shift, "ab", text);
    const mbs_error *item = &list.items[shift];
    assert_int_equal(strlen(item->pointer), 255);
    size_t room = sizeof item->message - 1;
    assert_true(strlen(item->message) <= room && strlen(item->message) > room - 3);
    assert_int_equal((strlen(item->message) - shift) % 3, 0);
  }
  /* Text that is not UTF-8 must do no harm. */
  memset(text, 0x80, sizeof text - 1);
  mbs_diagnose(&list, MBS_INVALID, text, "%s", text);
  memset(text, 0xFF, sizeof text - 1);
  mbs_diagnose(&list, MBS_INVALID, text, "%s", text);
  assert_int_equal(list.count, 5);
  mbs_diagnostics_free(&list);
}

static void nearest_names(void **state) {
  (void)state;
  const char *const names[] = {"bob", "slider", "ground", "crank_pin", "", "rail"};
  const size_t count = sizeof names / sizeof names[0];
  assert_string_equal(mbs_nearest("bob", names, count), "bob");
  assert_string_equal(mbs_nearest("bbo", names, count), "bob");
  assert_string_equal(mbs_nearest("slidr", names, count), "slider");
  assert_string_equal(mbs_nearest("sldier", names, count), "slider");
  assert_string_equal(mbs_nearest("crankpni", names, count), "crank_pin");
  assert_string_equal(mbs_nearest("rails", names, count), "rail");
  assert_null(mbs_nearest("bxx", names, count));
  assert_null(mbs_nearest("zzzzzz", names, count));
  assert_null(mbs_nearest("b", names, count));
  assert_null(mbs_nearest("bob", names, 0));
  assert_string_equal(mbs_nearest("", names, count), "");

  const char *const close[] = {"stiffnesses", "stiffness"};
  assert_string_equal(mbs_nearest("stifness", close, 2), "stiffness");
}

static void long_words_have_no_nearest(void **state) {
  (void)state;
  char word[200], same[200];
  memset(word, 'a', sizeof word);
  word[sizeof word - 1] = '\0';
  memcpy(same, word, sizeof word);
  const char *const names[] = {same};
  assert_null(mbs_nearest(word, names, 1));
  word[63] = '\0';
  assert_null(mbs_nearest(word, names, 1));
  same[60] = '\0';
  assert_ptr_equal(mbs_nearest(word, names, 1), same);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_of_statuses),   cmocka_unit_test(mistakes_are_listed),
      cmocka_unit_test(the_list_is_bounded), cmocka_unit_test(long_texts_are_cut_between_characters),
      cmocka_unit_test(nearest_names),       cmocka_unit_test(long_words_have_no_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
