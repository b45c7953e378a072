/* test_answers.c - student answers with the expected verdicts and typical errors (answers/sample.json); the equations
 * printed in the seeds, and their listings (answers/seeds.json, and as M-files); expressions, numbers, and unreadable
 * texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/documents/answers.h"
#include "api/documents/document.h"
#include "json.h"
#include "models.h"

static json_t *parsed(char *text) {
  json_t *value = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
  assert_non_null(value);
  free(text);
  return value;
}

static json_t *model_named(const char *name) { return parsed(models_named(name)); }

/* Checks {"model", "claim"} with the members of `more`, a JSON text or NULL. Takes ownership of both values. */
static json_t *checked(json_t *model, json_t *claim, const char *more, mbs_diagnostics *list) {
  json_t *root = json_pack("{s:o, s:o}", "model", model, "claim", claim);
  if (more) {
    json_t *others = json_loads(more, JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(others);
    json_object_update(root, others);
    json_decref(others);
  }
  api_document document;
  const mbs_limits limits = {0};
  api_document_adopt(root, &document);
  api_equations_excess excess;
  json_t *answer = api_document_check_answers(&document, &limits, list, &excess);
  api_document_free(&document);
  return answer;
}

static json_t *answered(const char *model, const char *claim, const char *more) {
  mbs_diagnostics list = {0};
  json_t *value = json_loads(claim, JSON_DECODE_INT_AS_REAL, NULL);
  assert_non_null(value);
  json_t *answer = checked(model_named(model), value, more, &list);
  if (!answer) fail_msg("%s: %s", list.items[0].pointer, list.items[0].message);
  return answer;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static const json_t *entry_at(const json_t *answer, const char *matrix, int row, int column) {
  size_t k;
  json_t *entry;
  json_array_foreach(json_object_get(answer, "entries"), k, entry) {
    if (strcmp(text_of(entry, "matrix"), matrix) == 0 && json_integer_value(json_object_get(entry, "row")) == row &&
        json_integer_value(json_object_get(entry, "column")) == column)
      return entry;
  }
  fail_msg("no entry %s[%d, %d]", matrix, row, column);
  return NULL;
}

static size_t count_wrong(const json_t *answer) {
  size_t k, count = 0;
  json_t *entry;
  json_array_foreach(json_object_get(answer, "entries"), k, entry) count +=
      strcmp(text_of(entry, "verdict"), "right") != 0;
  return count;
}

static const char *first_slip(const json_t *entry) {
  return text_of(json_array_get(json_object_get(entry, "slips"), 0), "slip");
}

/* ---- answers with expected verdicts -------------------------------------------------------------------------- */

static void expect_answer(const json_t *sample, const json_t *answer) {
  const json_t *expected = json_object_get(sample, "expect"), *wrong;
  const char *id = text_of(sample, "id");
  size_t k;
  if (json_is_true(json_object_get(answer, "right")) != json_is_true(json_object_get(expected, "right")))
    fail_msg("%s is not judged as it should be", id);
  assert_int_equal(count_wrong(answer), json_array_size(json_object_get(expected, "wrong")));
  json_array_foreach(json_object_get(expected, "wrong"), k, wrong) {
    const json_t *place = json_object_get(wrong, "entry");
    const json_t *entry =
        entry_at(answer, json_string_value(json_array_get(place, 0)), (int)json_number_value(json_array_get(place, 1)),
                 (int)json_number_value(json_array_get(place, 2)));
    assert_string_equal(text_of(entry, "verdict"), text_of(wrong, "verdict"));
    assert_string_equal(text_of(entry, "problem"), text_of(wrong, "problem"));
    assert_string_equal(text_of(entry, "text"), text_of(wrong, "right"));
    if (strcmp(first_slip(entry), text_of(wrong, "slip")) != 0)
      fail_msg("%s: the typical error is %s, not %s", id, text_of(wrong, "slip"), first_slip(entry));
  }
}

static void test_sample(void **state) {
  (void)state;
  json_t *samples = parsed(models_file("tests/reference/answers/sample.json")), *sample;
  mbs_diagnostics list = {0};
  size_t k;
  clock_t started = clock();
  json_array_foreach(samples, k, sample) {
    json_t *answer =
        checked(model_named(text_of(sample, "model")), json_incref(json_object_get(sample, "claim")), NULL, &list);
    assert_non_null(answer);
    expect_answer(sample, answer);
    json_decref(answer);
  }
  printf("%zu answers, %.1f ms each\n", k, 1e3 * (double)(clock() - started) / CLOCKS_PER_SEC / (double)k);
  json_decref(samples);
}

/* ---- equations printed in the seeds -------------------------------------------------------------------------- */

static void test_seeds(void **state) {
  (void)state;
  json_t *seeds = parsed(models_file("tests/reference/answers/seeds.json")), *seed, *blocks;
  mbs_diagnostics list = {0};
  const char *model, *key;
  size_t accidental = 0;
  json_object_foreach(json_object_get(seeds, "seed 000"), model, seed) {
    json_object_foreach(json_object_get(seed, "blocks"), key, blocks) {
      bool listing = strncmp(key, "listing_", 8) == 0;
      json_t *claim = json_pack("{s:O}", listing ? key + 8 : key, blocks);
      json_t *answer = checked(model_named(model), claim, NULL, &list), *entry;
      assert_non_null(answer);
      size_t k;
      if (count_wrong(answer) > 0) fail_msg("%s: %s is not right", model, key);
      json_array_foreach(json_object_get(answer, "entries"), k, entry) {
        bool noted = json_is_true(json_object_get(entry, "accidental"));
        assert_true(listing || !noted);
        accidental += noted;
      }
      json_decref(answer);
    }
  }
  assert_int_equal(accidental, 3); /* ~r_2 in B, ~r_2^{B} in C of SC and of SCd: the pin is the origin */
  json_decref(seeds);
}

static const char slider_crank[] = "if check == 2\n"
                                   "    d11 = -Points(2).sP;\n"
                                   "    d21 = Bodies(2).r;\n"
                                   "    d22 = -Points(4).sP; % from the joint\n"
                                   "    u3 = Uvectors(2).u;\n"
                                   "    z2 = [0; 0];\n"
                                   "    Bmat = [s_rot(d11)    z2          z2\n"
                                   "            1            0            0\n"
                                   "            s_rot(d21)   s_rot(d22)   z2\n"
                                   "            1            1            0\n"
                                   "            z2           z2           u3\n"
                                   "            0            0            0];\n"
                                   "elseif check == 3\n"
                                   "    d11d = -Points(2).sP_d; d21d = Bodies(2).r_d; d22d = -Points(4).sP_d;\n"
                                   "    Bd = [s_rot(d11d)*theta_d(1)\n 0\n"
                                   "          s_rot(d21d*theta_d(1) + d22d*theta_d(2))\n 0\n 0\n 0\n 0];\n"
                                   "end\n"
                                   "dcut1 = Points(5).rP;\ndcut2 = Points(5).rP - Points(4).rP;\n"
                                   "u3 = Uvectors(2).u;\n"
                                   "C = [s_rot(dcut1) s_rot(dcut2) -u3];\n"
                                   "Phi = Points(5).rP - Points(6).rP;\n"
                                   "rhsV = [0 0];\n"
                                   "dcut1d = Points(5).rP_d;\ndcut2d = Points(5).rP_d - Points(4).rP_d;\n"
                                   "rhsA = -s_rot(dcut1d*theta_d(1) + dcut2d*theta_d(2));\n";

/* Returns the listing with a text replaced. */
static json_t *listing(const char *from, const char *to) {
  const char *at = strstr(slider_crank, from);
  assert_non_null(at);
  char *text = models_text("%.*s%s%s", (int)(at - slider_crank), slider_crank, to, at + strlen(from));
  mbs_diagnostics list = {0};
  json_t *answer = checked(model_named("SC"), json_pack("{s:s}", "mfile", text), NULL, &list);
  assert_non_null(answer);
  free(text);
  return answer;
}

static void test_listings(void **state) {
  (void)state;
  json_t *answer = listing("Phi", "Phi");
  assert_true(json_is_true(json_object_get(answer, "right")));
  assert_int_equal(json_array_size(json_object_get(answer, "entries")), 18 + 6 + 3 + 1 + 1);
  json_decref(answer);
  answer = listing("d22 = -P", "d22 = P");
  assert_int_equal(count_wrong(answer), 1);
  assert_string_equal(first_slip(entry_at(answer, "B", 2, 1)), "sign");
  json_decref(answer);
  answer = listing("Points(4).sP; %", "Pints(4).sP; %");
  const json_t *entry = json_array_get(json_object_get(answer, "entries"), 0), *place = json_object_get(entry, "place");
  assert_string_equal(text_of(entry, "verdict"), "unreadable");
  assert_int_equal(json_integer_value(json_object_get(place, "line")), 4);
  assert_int_equal(json_integer_value(json_object_get(place, "column")), 12);
  json_decref(answer);
  answer = listing("C = [s_rot(dcut1) ", "C = [");
  assert_string_equal(text_of(entry_at(answer, "C", 0, 0), "verdict"), "size");
  json_decref(answer);
}

/* ---- numbers, expressions, and unreadable texts -------------------------------------------------------------- */

static void test_numbers(void **state) {
  (void)state;
  const char *at = JSON({
    "at": {"q": {"rail.q": -0.524071, "pin.q": -0.26009}, "v": {"rail.qd": 0.176917, "pin.qd": 0.41568}},
    "tolerance": 1e-5
  });
  const char *claim = JSON({
    "M": [[7, 0.966367], [0.966367, 0.7]],
    "h": [-1.56302, 2.52281],
    "Bdot_thetad": [0, 0, 0, 0.022218, 0.0834893, 0]
  });
  json_t *answer = answered("SP", claim, at);
  assert_true(json_is_true(json_object_get(answer, "right")));
  json_decref(answer);
  answer = answered("SP", JSON({"M": [[7, 0.966367], [0.966367, 0.5]]}), at);
  assert_int_equal(count_wrong(answer), 1);
  assert_string_equal(first_slip(entry_at(answer, "M", 1, 1)), "missing_inertia");
  json_decref(answer);
  answer = answered("SP", JSON({"B": [[1, 0], [0, 0], [0, 0], [1, 0.4], [0, 0.2], [0, 1]]}), NULL);
  assert_string_equal(text_of(json_array_get(json_object_get(answer, "entries"), 0), "verdict"), "size");
  json_decref(answer);
}

/* A factor that is missing in the whole block is identified; an empty answer is not right, which the verdict
 * reports. */
static void test_forgotten(void **state) {
  (void)state;
  json_t *answer =
      answered("SC", JSON({"M": [["m_1 d_{1,1}' d_{1,1} + m_2 d_{2,1}' d_{2,1}", null, null], null, null]}), NULL);
  const json_t *entry = entry_at(answer, "M", 0, 0);
  assert_string_equal(first_slip(entry), "missing_inertia");
  assert_non_null(strstr(text_of(json_array_get(json_object_get(entry, "slips"), 0), "detail"), "all terms with J"));
  json_decref(answer);
  answer = answered("SC", JSON({"M": [["J_1 + J_2", null, null], null, null]}), NULL);
  entry = entry_at(answer, "M", 0, 0);
  assert_non_null(strstr(text_of(json_array_get(json_object_get(entry, "slips"), 0), "detail"), "all terms with m"));
  json_decref(answer);
  /* Slips with other symbols than those of the answer, which cancel, are not reported. */
  answer = answered("SP", JSON({"M": [[null, null], [null, "J_2"]]}), NULL);
  entry = entry_at(answer, "M", 1, 1);
  assert_string_equal(first_slip(entry), "missing_term");
  assert_int_equal(json_array_size(json_object_get(entry, "slips")), 1);
  json_decref(answer);
  answer = answered("SC", "{}", NULL);
  assert_false(json_is_true(json_object_get(answer, "right")));
  assert_int_equal(json_array_size(json_object_get(answer, "entries")), 0);
  json_decref(answer);
}

static void test_expressions(void **state) {
  (void)state;
  json_t *answer =
      answered("SC", JSON({
                 "B": [
                   [[["-(crank.y - ground.O.y)"], ["crank.x - ground.O.x"]], null, null], null,
                   [[["-(rod.y - crank.O.y)"], ["rod.x - crank.O.x"]], [["-(rod.y - rod.A.y)", "1"]], null], null, null,
                   null
                 ],
                 "Bdot_thetad": [["-crank.vy * O.qd + 0", "crank.vx * O.qd"], null, null, null, null, [["pin.q"]]],
                 "rhsV": [[["rod.ax"], ["0"]]]
               }),
               NULL);
  assert_string_equal(text_of(entry_at(answer, "B", 0, 0), "verdict"), "right");
  assert_string_equal(text_of(entry_at(answer, "B", 2, 0), "verdict"), "right");
  assert_string_equal(text_of(entry_at(answer, "B", 2, 1), "verdict"), "size");
  assert_string_equal(text_of(entry_at(answer, "Bdot_thetad", 0, 0), "verdict"), "right");
  assert_string_equal(text_of(entry_at(answer, "Bdot_thetad", 5, 0), "verdict"), "unreadable");
  assert_string_equal(text_of(entry_at(answer, "rhsV", 0, 0), "verdict"), "unreadable");
  json_decref(answer);
}

static void test_unreadable(void **state) {
  (void)state;
  static const struct {
    const char *text, *verdict, *detail;
    int column;
  } cases[] = {{"u_1 +", "unreadable", "expected a factor but found the end", 6},
               {"~d_{2,9}", "unreadable", "there is no body 9", 2},
               {"q_1", "unreadable", "unknown symbol", 1},
               {"m_2*u_1", "unreadable", "write a blank between the factors", 1},
               {"thet_1", "unreadable", "did you mean", 1},
               {"~s_2^{C}", "unreadable", "bob has no point", 2},
               {"u_1 u_1", "size", "2 x 1 factor cannot be multiplied", 5},
               {"u_1 + m_1", "size", "cannot be added", 7},
               {"~~m_1", "size", "~ needs a vector", 3},
               {"u_1 )", "unreadable", "expected +, - or the end", 5},
               {"dot(omega_2)", "unreadable", "this time derivative of", 5},
               {"d_{2,", "unreadable", "expected '}'", 6},
               {"u_1^3", "unreadable", "the only supported power", 5}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *claim = models_text("{\"B\": [[\"%s\", null], null, null, null]}", cases[k].text);
    json_t *answer = answered("SP", claim, NULL);
    const json_t *entry = entry_at(answer, "B", 0, 0);
    if (strcmp(text_of(entry, "verdict"), cases[k].verdict) != 0 ||
        !strstr(text_of(entry, "detail"), cases[k].detail) ||
        json_integer_value(json_object_get(json_object_get(entry, "place"), "column")) != cases[k].column)
      fail_msg("'%s': %s, %s at %d", cases[k].text, text_of(entry, "verdict"), text_of(entry, "detail"),
               (int)json_integer_value(json_object_get(json_object_get(entry, "place"), "column")));
    json_decref(answer);
    free(claim);
  }
}

static void test_names(void **state) {
  (void)state;
  json_t *answer = answered(
      "SC", JSON({
        "r": [
          "A_1 loc(s_1^{A}) - (r_1^{A} - r_1) + r_1", "theta_1", "r_1^{A} - s_2^{A}", "phi_1 + theta_2",
          "r_0 + theta_3 u_0", 0
        ],
        "gamma": ["omega_1^2 0 u_3 + -0 u_3 - dot(omega_1^2 0 s_1^{A}) - (-omega_2^2 s_2^{B})"],
        "Bdot_thetad": ["dot(~d_{1,1}) dot(phi_1)", 0, "-omega_1^2 (r_1^{A} - r_1^{O}) - omega_2^2 d_{2,2}", 0, 0, 0]
      }),
      NULL);
  for (int row = 0; row < 6; row++) assert_string_equal(text_of(entry_at(answer, "r", row, 0), "verdict"), "right");
  for (int row = 0; row < 6; row++)
    assert_string_equal(text_of(entry_at(answer, "Bdot_thetad", row, 0), "verdict"), "right");
  json_decref(answer);
}

static void test_what_is_shown(void **state) {
  (void)state;
  const char *claim = JSON({"B": [["~u_1", 0], [0, 0], ["u_1", "~d_{2,2}"], [0, 1]]});
  json_t *answer = answered("SP", claim, JSON({"show": "slip"}));
  const json_t *entry = entry_at(answer, "B", 0, 0);
  assert_string_equal(first_slip(entry), "extra_rotation");
  assert_null(json_object_get(entry, "text"));
  assert_null(json_object_get(entry, "value"));
  assert_null(strstr(text_of(json_array_get(json_object_get(entry, "slips"), 0), "detail"), "u_1"));
  json_decref(answer);
  answer = answered("SP", claim, JSON({"show": "verdict"}));
  entry = entry_at(answer, "B", 0, 0);
  assert_string_equal(text_of(entry, "verdict"), "wrong");
  assert_null(json_object_get(entry, "slips"));
  json_decref(answer);
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *claim, *more, *pointer;
  } cases[] = {{JSON({"K": []}), NULL, "/claim/K"},
               {JSON({"B": 5}), NULL, "/claim/B"},
               {JSON({"mfile": []}), NULL, "/claim/mfile"},
               {JSON([]), NULL, "/claim"},
               {JSON({}), JSON({"show": "none"}), "/show"},
               {JSON({}), JSON({"tolerance": -1}), "/tolerance"},
               {JSON({}), JSON({"at": {"q": {"rail.p": 1}}}), "/at/q/rail.p"},
               {JSON({}), JSON({"formulation": "other"}), "/formulation"},
               {JSON({}), JSON({"model": {"name": 5}}), "/model/name"},
               {JSON({"B": [[[["crank.x"]]]]}), JSON({"model": {"space": "no"}}), "/model/space"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    mbs_diagnostics list = {0};
    json_t *answer =
        checked(model_named("SP"), json_loads(cases[k].claim, JSON_DECODE_INT_AS_REAL, NULL), cases[k].more, &list);
    assert_null(answer);
    assert_true(list.count > 0);
    assert_string_equal(list.items[0].pointer, cases[k].pointer);
    mbs_diagnostics_free(&list);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample),        cmocka_unit_test(test_seeds),
                                     cmocka_unit_test(test_listings),      cmocka_unit_test(test_numbers),
                                     cmocka_unit_test(test_forgotten),     cmocka_unit_test(test_expressions),
                                     cmocka_unit_test(test_unreadable),    cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_what_is_shown), cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
