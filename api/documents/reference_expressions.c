#include "api/documents/reference_expressions.h"

#include "api/documents/markdown.h"
#include "mbs.h"

#include <stdio.h>

/* Appends "min(a, b, ...)". */
static void add_call(api_buffer *out, const char *name, int least, int most) {
  char call[100];
  int used = snprintf(call, sizeof call, "%s(a", name);
  for (int i = 1; i < least; i++) used += snprintf(call + used, sizeof call - (size_t)used, ", %c", 'a' + i);
  snprintf(call + used, sizeof call - (size_t)used, most > least ? ", ...)" : ")");
  api_markdown_code(out, call);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Appends "q, q1, q2, ...", "lambda1, ...", "x". */
static void add_word(api_buffer *out, const mbs_quantity_entry *entry) {
  char words[100];
  if (entry->numbered)
    snprintf(words, sizeof words, "%s%s%s1, %s2, ...", entry->plain ? entry->word : "", entry->plain ? ", " : "",
             entry->word, entry->word);
  else
    snprintf(words, sizeof words, "%s", entry->word);
  api_markdown_code(out, words);
}

static const char *use_text(const mbs_quantity_entry *entry) {
  switch (entry->use) {
  case MBS_USE_CONSTRAINTS: return "constraints, laws, sensors";
  case MBS_USE_LAWS: return "laws, sensors";
  case MBS_USE_REACTIONS:
    return entry->needs_forces ? "forces, rates, sensors; not in kinematics" : "forces, rates, sensors";
  case MBS_USE_SENSORS: break;
  }
  return entry->needs_forces ? "sensors only; not in kinematics" : "sensors only";
}

static void add_quantities(api_buffer *out) {
  mbs_arena *arena = mbs_arena_new(0);
  mbs_quantity_entry entry;
  api_buffer_text(out,
                  "\n## Names\n\n"
                  "A quantity is written as the name of its owner, a dot and a word: `crank.phi`, `crank.B.vx` of "
                  "point B, `hinge.q`, `motor.effort`, `energy.kinetic`. The table lists the words of each owner and "
                  "where you can use them:\n\n"
                  "* *constraints*: joints of type [expression](joint-expression.md);\n"
                  "* *laws*: values of force elements, also a [friction](force-friction.md) load or a belt speed;\n"
                  "* *sensors*, and the conditions and outputs of a [study](study.md).\n\n"
                  "Functions of time of drivers can use only `t` and parameters. The coordinate of a joint is `q`, or "
                  "`q1`, `q2`, ... if it has several: translations first, then rotations.\n\n"
                  "| owner | word | meaning | unit | use in | space |\n| --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; arena && mbs_quantity_described(i, arena, &entry); i++) {
    api_buffer_print(out, "| %s%s%s%s | ", entry.owner, *entry.types ? " (" : "", entry.types, *entry.types ? ")" : "");
    add_word(out, &entry);
    api_buffer_text(out, " | ");
    api_markdown_text(out, entry.doc);
    api_buffer_print(out, " | %s | %s | %s |\n", *entry.unit ? entry.unit : "-", use_text(&entry),
                     entry.spaces == MBS_PLANAR    ? "plane"
                     : entry.spaces == MBS_SPATIAL ? "space"
                                                   : "both");
  }
  mbs_arena_free(arena);
  api_buffer_text(
      out,
      "\nOther names: `t`, the time, everywhere except in constants; `pi` and parameters everywhere; "
      "`distance(body.P, other.Q)` in constraints, laws and sensors, `distance_rate(body.P, other.Q)` in laws and "
      "sensors; "
      "`l` and `ld`, the length and its rate, only in the laws of that [spring-damper](force-spring-damper.md); `q` "
      "and "
      "`qd` only in those of that [rotational-spring-damper](force-rotational-spring-damper.md); `alpha` in curves.\n");
}

void api_reference_expressions(api_buffer *out) {
  api_buffer_text(
      out,
      "# expressions\n\n"
      "An expression is a string in place of a number. It may use parameters and `pi`; in functions of time also `t`, "
      "in curves `alpha`, in forces and sensors the state. Numbers are written `12`, `0.5` or `1e-3`.\n\n"
      "## Operators\n\n"
      "| operator (lowest precedence first) | value |\n| --- | --- |\n"
      "| <code>a &#124;&#124; b</code> | 1 if `a` or `b` is not 0, else 0 |\n"
      "| `a && b` | 1 if `a` and `b` are not 0, else 0 |\n"
      "| `a < b`, `<=`, `>`, `>=`, `==`, `!=` | 1 if the comparison is true, else 0; comparisons cannot be chained |\n"
      "| `a + b`, `a - b` | |\n"
      "| `a*b`, `a/b` | |\n"
      "| `-a`, `!a` | `!a` is 1 if `a` is 0, else 0 |\n"
      "| `a^b` | right-associative: `2^3^2` is `2^9`; `-2^2` is -4 |\n\n"
      "## Functions\n\n"
      "Derivatives are exact; `da` is the derivative of `a`, 0 for a constant argument. Angles are in radians, `log` "
      "is the natural logarithm.\n\n"
      "| function | derivative |\n| --- | --- |\n");
  const char *name = NULL, *derivative = NULL;
  int least = 0, most = 0;
  for (size_t i = 0; mbs_function_described(i, &name, &least, &most, &derivative); i++) {
    api_buffer_text(out, "| ");
    add_call(out, name, least, most);
    api_buffer_text(out, " | ");
    api_markdown_code(out, derivative);
    api_buffer_text(out, " |\n");
  }
  api_buffer_text(out, "\nAt a kink or jump of a function, the derivative is a one-sided derivative. `mod(a, b)` has "
                       "the sign of b. `if(a, b, c)` is b if a is not 0, else c. `smoothstep(a, b, c, d, e)` rises "
                       "from c at a = b to e at a = d, with two continuous derivatives, and is constant outside.\n");
  add_quantities(out);
}
