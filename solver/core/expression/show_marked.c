/* show_marked.c - a formula in LaTeX or MathML, with a common traversal and separate marks.
 *
 *     a*b/c*d       a fraction a b over c, then d
 *     sin(x)^2      sin^2 (x)
 *     if(c, a, b)   cases; an if in the last branch adds cases
 *     2.5e-3        2.5 10^-3 */
#include "expression/show.h"

#include <stdlib.h>
#include <string.h>

/* Text before, between and after the parts of a construction. */
typedef struct marks {
  const char *fraction[3], *power[3], *root[2], *magnitude[2], *floor[2], *fence[2], *tall_fence[2], *group[2];
  const char *cases[2], *row[4], *apply, *thin, *dot, *minus, *plus, *comma, *not, *digits[2], *euler, *otherwise;
} marks;

static const marks latex = {
    .fraction = {"\\frac{", "}{", "}"},
    .power = {"", "^{", "}"},
    .root = {"\\sqrt{", "}"},
    .magnitude = {"\\left|", "\\right|"},
    .floor = {"\\left\\lfloor ", "\\right\\rfloor "},
    .fence = {"(", ")"},
    .tall_fence = {"\\left(", "\\right)"},
    .group = {"", ""},
    .cases = {"\\begin{cases}", "\\end{cases}"},
    .row = {"", " & \\text{if } ", " & ", " \\\\ "},
    .apply = "",
    .thin = "\\,",
    .dot = " \\cdot ",
    .minus = "-",
    .plus = " + ",
    .comma = ", ",
    .not = "\\lnot ",
    .digits = {"", ""},
    .euler = "\\mathrm{e}",
    .otherwise = "\\text{otherwise}",
};

static const marks mathml = {
    .fraction = {"<mfrac><mrow>", "</mrow><mrow>", "</mrow></mfrac>"},
    .power = {"<msup><mrow>", "</mrow><mrow>", "</mrow></msup>"},
    .root = {"<msqrt>", "</msqrt>"},
    .magnitude = {"<mrow><mo>|</mo>", "<mo>|</mo></mrow>"},
    .floor = {"<mrow><mo>\u230A</mo>", "<mo>\u230B</mo></mrow>"},
    .fence = {"<mrow><mo>(</mo>", "<mo>)</mo></mrow>"},
    .tall_fence = {"<mrow><mo>(</mo>", "<mo>)</mo></mrow>"},
    .group = {"<mrow>", "</mrow>"},
    .cases = {"<mrow><mo>{</mo><mtable>", "</mtable></mrow>"},
    .row = {"<mtr><mtd>", "</mtd><mtd><mtext>if\u00A0</mtext>", "</mtd><mtd>", "</mtd></mtr>"},
    .apply = "<mo>\u2061</mo>",
    .thin = "<mo rspace=\"0.167em\">\u2062</mo>",
    .dot = "<mo>\u22C5</mo>",
    .minus = "<mo>\u2212</mo>",
    .plus = "<mo>+</mo>",
    .comma = "<mo>,</mo>",
    .not = "<mo>\u00AC</mo>",
    .digits = {"<mn>", "</mn>"},
    .euler = "<mi mathvariant=\"normal\">e</mi>",
    .otherwise = "<mtext>otherwise</mtext>",
};

/* Functions with another name in mathematics, or known to LaTeX. */
static const struct {
  const char *name, *latex, *mathml;
} functions[] = {{"sin", "\\sin", "sin"},        {"cos", "\\cos", "cos"},        {"tan", "\\tan", "tan"},
                 {"asin", "\\arcsin", "arcsin"}, {"acos", "\\arccos", "arccos"}, {"atan", "\\arctan", "arctan"},
                 {"sinh", "\\sinh", "sinh"},     {"cosh", "\\cosh", "cosh"},     {"tanh", "\\tanh", "tanh"},
                 {"log", "\\ln", "ln"},          {"min", "\\min", "min"},        {"max", "\\max", "max"}};

static const struct {
  const char *text, *latex, *mathml;
} operators[] = {{"||", " \\lor ", "\u2228"}, {"&&", " \\land ", "\u2227"}, {"<=", " \\le ", "\u2264"},
                 {">=", " \\ge ", "\u2265"},  {"==", " = ", "="},           {"!=", " \\ne ", "\u2260"},
                 {"<", " < ", "&lt;"},        {">", " > ", "&gt;"}};

static const marks *marks_of(const mbs_writing *writing) {
  return writing->notation == MBS_NOTATION_LATEX ? &latex : &mathml;
}

static bool calls(const mbs_formula *formula, const char *function) {
  return formula->kind == MBS_FORMULA_CALL && strcmp(formula->call->name, function) == 0;
}

/* Returns true for a power; pow(a, b) is a^b. */
static bool is_power(const mbs_formula *formula) { return formula->kind == MBS_FORMULA_POWER || calls(formula, "pow"); }

static bool has_power_of_ten(const mbs_formula *number) { return strpbrk(number->text, "eE") != NULL; }

/* Returns true if it is higher than a line. */
static bool is_tall(const mbs_formula *formula) {
  if (calls(formula, "if") || calls(formula, "sqrt")) return true;
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) {
    if (formula->kind == MBS_FORMULA_PRODUCT && part->inverse) return true;
    if (is_tall(part->formula)) return true;
  }
  return false;
}

/* Returns true if it starts with a digit, which must not follow another digit. */
static bool begins_with_digit(const mbs_formula *formula) {
  while (formula->kind == MBS_FORMULA_PRODUCT || is_power(formula)) formula = formula->first->formula;
  return formula->kind == MBS_FORMULA_NUMBER;
}

static bool begins_with_sign(const mbs_formula *formula) {
  while (formula->kind == MBS_FORMULA_PRODUCT || formula->kind == MBS_FORMULA_SUM) formula = formula->first->formula;
  return formula->kind == MBS_FORMULA_NEGATE;
}

static void show_between(mbs_writing *writing, const char *const *around, const mbs_formula *inside) {
  mbs_write(writing, around[0]);
  mbs_show_marked(writing, inside);
  mbs_write(writing, around[1]);
}

static void show_fenced(mbs_writing *writing, const mbs_formula *formula, bool fenced) {
  const marks *m = marks_of(writing);
  if (fenced)
    show_between(writing, is_tall(formula) ? m->tall_fence : m->fence, formula);
  else
    mbs_show_marked(writing, formula);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static void show_digits(mbs_writing *writing, const char *digits, size_t length) {
  const marks *m = marks_of(writing);
  mbs_write(writing, m->digits[0]);
  if (length > 0 && digits[0] == '.') mbs_write(writing, "0");
  if (length > 1 && digits[length - 1] == '.') length--;
  mbs_write_bytes(writing, digits, length);
  mbs_write(writing, m->digits[1]);
}

static void show_number(mbs_writing *writing, const char *text) {
  const marks *m = marks_of(writing);
  const size_t mantissa = strcspn(text, "eE");
  if (text[mantissa] == '\0') {
    show_digits(writing, text, mantissa);
    return;
  }
  mbs_write(writing, m->group[0]);
  if (mantissa != 1 || text[0] != '1') {
    show_digits(writing, text, mantissa);
    mbs_write(writing, m->dot);
  }
  const char *exponent = text + mantissa + 1;
  const bool negative = *exponent == '-';
  exponent += negative || *exponent == '+';
  while (*exponent == '0' && exponent[1] != '\0') exponent++;
  mbs_write(writing, m->power[0]);
  show_digits(writing, "10", 2);
  mbs_write(writing, m->power[1]);
  if (negative) mbs_write(writing, m->minus);
  show_digits(writing, exponent, strlen(exponent));
  mbs_write(writing, m->power[2]);
  mbs_write(writing, m->group[1]);
}

/* ---- sums and products ------------------------------------------------------------------------------------------- */

static bool is_loose(const mbs_formula *formula) {
  return formula->kind == MBS_FORMULA_INFIX || formula->kind == MBS_FORMULA_NOT || calls(formula, "if");
}

static void show_sum(mbs_writing *writing, const mbs_formula *formula) {
  const marks *m = marks_of(writing);
  const bool in_latex = writing->notation == MBS_NOTATION_LATEX;
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) {
    const bool first = part == formula->first;
    if (!first) mbs_write(writing, !part->inverse ? m->plus : in_latex ? " - " : m->minus);
    const bool whole = part->inverse && part->formula->kind == MBS_FORMULA_SUM;
    show_fenced(writing, part->formula,
                whole || is_loose(part->formula) || (!first && begins_with_sign(part->formula)));
  }
}

/* Writes one of several factors. */
static void show_factor(mbs_writing *writing, const mbs_formula *factor) {
  const bool fenced = factor->kind == MBS_FORMULA_SUM || is_loose(factor) || begins_with_sign(factor);
  show_fenced(writing, factor, fenced);
}

/* Writes the sign between a factor and the next. */
static void show_times(mbs_writing *writing, const mbs_formula *next) {
  mbs_write(writing, begins_with_digit(next) ? marks_of(writing)->dot : marks_of(writing)->thin);
}

/* Writes the factors from `part` to before `end`; a single factor of a fraction needs no parentheses. */
static void show_factors(mbs_writing *writing, const mbs_formula_part *part, const mbs_formula_part *end, bool apart) {
  if (apart && part->next == end) {
    mbs_show_marked(writing, part->formula);
    return;
  }
  for (const mbs_formula_part *each = part; each != end; each = each->next) {
    if (each != part) show_times(writing, each->formula);
    show_factor(writing, each->formula);
  }
}

/* Writes the parts of a product, from `part` on. */
static void show_product(mbs_writing *writing, const mbs_formula_part *part) {
  const marks *m = marks_of(writing);
  for (const mbs_formula_part *begin = part; part != NULL; begin = part) {
    while (part != NULL && !part->inverse) part = part->next;
    const mbs_formula_part *divisors = part;
    while (part != NULL && part->inverse) part = part->next;
    if (divisors == part) {
      show_factors(writing, begin, divisors, false);
    } else {
      mbs_write(writing, m->fraction[0]);
      show_factors(writing, begin, divisors, true);
      mbs_write(writing, m->fraction[1]);
      show_factors(writing, divisors, part, true);
      mbs_write(writing, m->fraction[2]);
    }
    if (part != NULL) show_times(writing, part->formula);
  }
}

/* Writes a product; the sign of its first factor is that of the product. */
static void show_signed_product(mbs_writing *writing, const mbs_formula *formula) {
  mbs_formula_part first = *formula->first;
  if (first.formula->kind == MBS_FORMULA_NEGATE) {
    mbs_write(writing, marks_of(writing)->minus);
    first.formula = mbs_formula_operand(first.formula, 0);
  }
  show_product(writing, &first);
}

static void show_negative(mbs_writing *writing, const mbs_formula *inside) {
  mbs_write(writing, marks_of(writing)->minus);
  show_fenced(writing, inside, inside->kind == MBS_FORMULA_SUM || is_loose(inside) || begins_with_sign(inside));
}

/* ---- powers and calls -------------------------------------------------------------------------------------------- */

static void show_function_name(mbs_writing *writing, const char *name) {
  const bool in_latex = writing->notation == MBS_NOTATION_LATEX;
  const char *shown = name;
  bool known = false;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !known; i++) {
    known = strcmp(functions[i].name, name) == 0;
    if (known) shown = in_latex ? functions[i].latex : functions[i].mathml;
  }
  mbs_write(writing, !in_latex ? "<mi mathvariant=\"normal\">" : known ? "" : "\\operatorname{");
  mbs_write(writing, shown);
  mbs_write(writing, !in_latex ? "</mi>" : known ? "" : "}");
}

/* Writes the name of a function of the document, or of a derivative of a table: F'. */
static void show_document_function(mbs_writing *writing, const char *name) {
  const bool in_latex = writing->notation == MBS_NOTATION_LATEX;
  char *base = mbs_arena_text(writing->arena, name);
  if (base == NULL) {
    writing->why = "out of memory";
    return;
  }
  const size_t length = strcspn(name, "'"), primes = strlen(name) - length;
  base[length] = '\0';
  if (primes > 0 && !in_latex) mbs_write(writing, "<msup>");
  mbs_write_name(writing, base);
  if (primes > 0 && !in_latex) mbs_write(writing, "<mo>");
  for (size_t i = 0; i < primes; i++) mbs_write(writing, in_latex ? "'" : "\u2032");
  if (primes > 0 && !in_latex) mbs_write(writing, "</mo></msup>");
}

static void show_arguments(mbs_writing *writing, const mbs_formula *call) {
  const marks *m = marks_of(writing);
  const char *const *fence = is_tall(call) ? m->tall_fence : m->fence;
  mbs_write(writing, m->apply);
  mbs_write(writing, fence[0]);
  for (const mbs_formula_part *part = call->first; part != NULL; part = part->next) {
    if (part != call->first) mbs_write(writing, m->comma);
    mbs_show_marked(writing, part->formula);
  }
  mbs_write(writing, fence[1]);
}

/* Returns true if it consists of digits only. */
static bool is_whole(const mbs_formula *formula) {
  return formula->kind == MBS_FORMULA_NUMBER && formula->text[strspn(formula->text, "0123456789")] == '\0';
}

/* Returns true if the power of a function is written at its name, sin^2(x). */
static bool takes_power(const mbs_formula *base, const mbs_formula *exponent) {
  static const char *const names[] = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calls(base, names[i])) return is_whole(exponent);
  return false;
}

static bool stands_alone(const mbs_formula *base) {
  return (base->kind == MBS_FORMULA_NUMBER && !has_power_of_ten(base)) || base->kind == MBS_FORMULA_NAME ||
         calls(base, "abs") || calls(base, "floor") || calls(base, "sqrt") || calls(base, "min") || calls(base, "max");
}

static void show_power(mbs_writing *writing, const mbs_formula *base, const mbs_formula *exponent) {
  const marks *m = marks_of(writing);
  const bool function = takes_power(base, exponent);
  mbs_write(writing, m->power[0]);
  if (function)
    show_function_name(writing, base->call->name);
  else
    show_fenced(writing, base, !stands_alone(base));
  mbs_write(writing, m->power[1]);
  mbs_show_marked(writing, exponent);
  mbs_write(writing, m->power[2]);
  if (function) show_arguments(writing, base);
}

static void show_case(mbs_writing *writing, const mbs_formula *value, const mbs_formula *condition) {
  const marks *m = marks_of(writing);
  mbs_write(writing, m->row[0]);
  mbs_show_marked(writing, value);
  mbs_write(writing, condition != NULL ? m->row[1] : m->row[2]);
  if (condition != NULL)
    mbs_show_marked(writing, condition);
  else
    mbs_write(writing, m->otherwise);
  if (condition != NULL || writing->notation == MBS_NOTATION_MATHML) mbs_write(writing, m->row[3]);
}

static void show_cases(mbs_writing *writing, const mbs_formula *formula) {
  const marks *m = marks_of(writing);
  mbs_write(writing, m->cases[0]);
  for (; calls(formula, "if"); formula = mbs_formula_operand(formula, 2))
    show_case(writing, mbs_formula_operand(formula, 1), mbs_formula_operand(formula, 0));
  show_case(writing, formula, NULL);
  mbs_write(writing, m->cases[1]);
}

static void show_call(mbs_writing *writing, const mbs_formula *formula) {
  const marks *m = marks_of(writing);
  const mbs_formula *argument = mbs_formula_operand(formula, 0);
  if (calls(formula, "if")) {
    show_cases(writing, formula);
  } else if (calls(formula, "sqrt")) {
    show_between(writing, m->root, argument);
  } else if (calls(formula, "abs")) {
    show_between(writing, m->magnitude, argument);
  } else if (calls(formula, "floor")) {
    show_between(writing, m->floor, argument);
  } else if (calls(formula, "exp")) {
    mbs_write(writing, m->power[0]);
    mbs_write(writing, m->euler);
    mbs_write(writing, m->power[1]);
    mbs_show_marked(writing, argument);
    mbs_write(writing, m->power[2]);
  } else {
    if (formula->call->function != NULL)
      show_document_function(writing, formula->call->name);
    else
      show_function_name(writing, formula->call->name);
    show_arguments(writing, formula);
  }
}

static void show_infix(mbs_writing *writing, const mbs_formula *formula) {
  const bool in_latex = writing->notation == MBS_NOTATION_LATEX;
  size_t i = 0;
  while (strcmp(operators[i].text, formula->infix->text) != 0) i++;
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) {
    if (part != formula->first) {
      mbs_write(writing, in_latex ? operators[i].latex : "<mo>");
      mbs_write(writing, in_latex ? "" : operators[i].mathml);
      mbs_write(writing, in_latex ? "" : "</mo>");
    }
    const bool infix = part->formula->kind == MBS_FORMULA_INFIX;
    const bool loose = infix && part->formula->infix->precedence <= formula->infix->precedence;
    show_fenced(writing, part->formula, loose || calls(part->formula, "if"));
  }
}

void mbs_show_marked(mbs_writing *writing, const mbs_formula *formula) {
  const marks *m = marks_of(writing);
  if (writing->why != NULL) return;
  switch (formula->kind) {
  case MBS_FORMULA_NUMBER: show_number(writing, formula->text); return;
  case MBS_FORMULA_NAME: mbs_write_name(writing, formula->text); return;
  case MBS_FORMULA_POWER: show_power(writing, mbs_formula_operand(formula, 0), mbs_formula_operand(formula, 1)); return;
  case MBS_FORMULA_CALL:
    if (is_power(formula))
      show_power(writing, mbs_formula_operand(formula, 0), mbs_formula_operand(formula, 1));
    else
      show_call(writing, formula);
    return;
  default: break;
  }
  mbs_write(writing, m->group[0]);
  if (formula->kind == MBS_FORMULA_SUM) show_sum(writing, formula);
  if (formula->kind == MBS_FORMULA_PRODUCT) show_signed_product(writing, formula);
  if (formula->kind == MBS_FORMULA_INFIX) show_infix(writing, formula);
  if (formula->kind == MBS_FORMULA_NEGATE) show_negative(writing, mbs_formula_operand(formula, 0));
  if (formula->kind == MBS_FORMULA_NOT) {
    const mbs_formula *inside = mbs_formula_operand(formula, 0);
    mbs_write(writing, m->not );
    show_fenced(writing, inside, inside->kind != MBS_FORMULA_NAME && inside->kind != MBS_FORMULA_CALL);
  }
  mbs_write(writing, m->group[1]);
}
