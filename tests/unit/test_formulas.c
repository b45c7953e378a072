/* Formulas: display of the expressions of models and of their derivatives. */
#include "mbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = MBS_NOTATION_TEXT, LATEX = MBS_NOTATION_LATEX, MATHML = MBS_NOTATION_MATHML };

static const mbs_formula *read_text(mbs_arena *arena, const char *text) {
  char message[512] = "";
  const mbs_formula *formula = mbs_formula_read(arena, text, message);
  if (formula == NULL) fail_msg("'%s': %s", text, message);
  return formula;
}

static void assert_shown(const char *text, int notation, const char *expected) {
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula *formula = read_text(arena, text);
  assert_string_equal(mbs_formula_show(arena, formula, (mbs_notation)notation, NULL, message), expected);
  mbs_arena_free(arena);
}

static void assert_derivative(const char *text, const char *name, int order, const char *expected) {
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula *formula = read_text(arena, text);
  for (int i = 0; i < order && formula != NULL; i++) formula = mbs_formula_derivative(arena, formula, name, message);
  if (formula == NULL) fail_msg("'%s': %s", text, message);
  assert_string_equal(mbs_formula_show(arena, formula, MBS_NOTATION_TEXT, NULL, message), expected);
  mbs_arena_free(arena);
}

/* ---- shown ----------------------------------------------------------------------------------------------------- */

static void texts_have_no_needless_parentheses(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"((a))+(b*c)", "a + b*c"},
      {"a-(b-c)", "a - (b - c)"},
      {"a/(b*c)", "a/(b*c)"},
      {"(a/b)*c", "a/b*c"},
      {"(-a)^2", "(-a)^2"},
      {"-(a^2)", "-a^2"},
      {"2^(3^x)", "2^3^x"},
      {"(2^3)^x", "(2^3)^x"},
      {"x^(-2)", "x^-2"},
      {"a*(-b)", "a*(-b)"},
      {"a + -b*c", "a + (-b*c)"},
      {"+a", "a"},
      {"!(a<b)&&(c||d)", "!(a < b) && (c || d)"},
      {"( 1E-3 )*distance( bob.B,ground.O )", "1E-3*distance(bob.B, ground.O)"},
      {"(a<b)==(c<d)", "(a < b) == (c < d)"},
      {"!!a", "!(!a)"},
      {"- -a", "-(-a)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_shown(cases[i][0], TEXT, cases[i][1]);
}

static void expressions_of_models_in_latex(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"w*t", "w\\,t"},
      {"(5 + 15*t)*pi/180", "\\frac{(5 + 15\\,t)\\,\\pi}{180}"},
      {"2 + 0.4*sin(2*pi*t)", "2 + 0.4\\,\\sin(2\\,\\pi\\,t)"},
      {"-r1/r2", "-\\frac{r_{1}}{r_{2}}"},
      {"1*a^2/12", "\\frac{1\\,a^{2}}{12}"},
      {"asin(strut.A13)*180/pi", "\\frac{\\arcsin(A_{13,\\mathrm{strut}}) \\cdot 180}{\\pi}"},
      {"acos(0.3/sqrt(0.38))", "\\arccos\\left(\\frac{0.3}{\\sqrt{0.38}}\\right)"},
      {"bob.y - L/2*cos(bob.phi)", "y_{\\mathrm{bob}} - \\frac{L}{2}\\,\\cos(\\phi_{\\mathrm{bob}})"},
      {"(0.5*m_rod + m_ball)/m_arm", "\\frac{0.5\\,m_{\\mathrm{rod}} + m_{\\mathrm{ball}}}{m_{\\mathrm{arm}}}"},
      {"sqrt(O.fx^2 + O.fy^2)", "\\sqrt{f_{x,\\mathrm{O}}^{2} + f_{y,\\mathrm{O}}^{2}}"},
      {"0.1 - block.vx", "0.1 - v_{x,\\mathrm{block}}"},
      {"if(mod(alpha, 2*pi) < 2*pi/3, 5/4 - cos(3*alpha)/4, 1)",
       "\\begin{cases}\\frac{5}{4} - \\frac{\\cos(3\\,\\alpha)}{4} & \\text{if } \\operatorname{mod}(\\alpha, "
       "2\\,\\pi) < "
       "\\frac{2\\,\\pi}{3} \\\\ 1 & \\text{otherwise}\\end{cases}"},
      {"-min(T0, T0*(1 - abs(rear.omega)/(4*pi)))",
       "-\\min\\left(T_{0}, T_{0}\\,\\left(1 - "
       "\\frac{\\left|\\omega_{\\mathrm{rear}}\\right|}{4\\,\\pi}\\right)\\right)"},
      {"distance(coupler.edge, rocker.edge)", "\\mathrm{distance}(\\mathrm{coupler.edge}, \\mathrm{rocker.edge})"},
      {"1e-3*pin.qd + 2.5e3*ld", "10^{-3}\\,\\dot{q}_{\\mathrm{pin}} + 2.5 \\cdot 10^{3}\\,\\dot{l}"},
      {"sin(x)^2*exp(-k*t)", "\\sin^{2}(x)\\,\\mathrm{e}^{-k\\,t}"},
      {"a_b_c.phi", "\\phi_{\\mathrm{a\\_b\\_c}}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_shown(cases[i][0], LATEX, cases[i][1]);
}

static void elements_of_mathml(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"a/b", "<mrow><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac></mrow>"},
      {"x^2", "<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>"},
      {"sqrt(omega)", "<msqrt><mi>\u03C9</mi></msqrt>"},
      {"a < b && c", "<mrow><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow><mo>\u2227</mo><mi>c</mi></mrow>"},
      {"cos(t)", "<mi mathvariant=\"normal\">cos</mi><mo>\u2061</mo><mrow><mo>(</mo><mi>t</mi><mo>)</mo></mrow>"},
      {"pin.q", "<msub><mi>q</mi><mrow><mi mathvariant=\"normal\">pin</mi></mrow></msub>"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_shown(cases[i][0], MATHML, cases[i][1]);
}

static const char *own_symbol(void *context, const char *name) {
  return strcmp(name, "crank.phi") == 0 ? context : NULL;
}

static void symbols_may_be_ones_own(void **state) {
  (void)state;
  char message[512], symbol[] = "\\phi_2";
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula_symbols symbols = {symbol, own_symbol};
  const mbs_formula *formula = read_text(arena, "sin(crank.phi) + rod.phi");
  assert_string_equal(mbs_formula_show(arena, formula, MBS_NOTATION_LATEX, &symbols, message),
                      "\\sin(\\phi_2) + \\phi_{\\mathrm{rod}}");
  assert_string_equal(mbs_name_symbol(arena, "O.qdd1", MBS_NOTATION_LATEX), "\\ddot{q}_{1,\\mathrm{O}}");
  assert_string_equal(mbs_name_symbol(arena, "r%&_x", MBS_NOTATION_LATEX), "\\mathrm{r\\%\\&}_{x}");
  assert_string_equal(mbs_name_symbol(arena, "a<&", MBS_NOTATION_MATHML), "<mi mathvariant=\"normal\">a&lt;&amp;</mi>");
  mbs_arena_free(arena);
}

static void names_are_listed_once(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  size_t count = 0;
  const char *const *names =
      mbs_formula_names(read_text(arena, "k*bob.x + pi*distance(a.B, c.D) + k*bob.x^2"), arena, &count);
  assert_int_equal(count, 3);
  assert_string_equal(names[0], "k");
  assert_string_equal(names[1], "bob.x");
  assert_string_equal(names[2], "distance(a.B, c.D)");
  mbs_arena_free(arena);
}

/* ---- derived --------------------------------------------------------------------------------------------------- */

static void derivatives_as_a_teacher_writes_them(void **state) {
  (void)state;
  static const struct {
    const char *text, *name;
    int order;
    const char *derivative;
  } cases[] = {
      {"sin(w*t)", "t", 1, "w*cos(w*t)"},
      {"sin(w*t)", "t", 2, "-w^2*sin(w*t)"},
      {"5.87 + 4*t", "t", 1, "4"},
      {"5.87 + 4*t", "t", 2, "0"},
      {"(5 + 15*t)*pi/180", "t", 1, "pi/12"},
      {"2 + 0.4*sin(2*pi*t)", "t", 1, "0.8*pi*cos(2*pi*t)"},
      {"2 + 0.4*sin(2*pi*t)", "t", 2, "-1.6*pi^2*sin(2*pi*t)"},
      {"1.04 - 0.04*cos(3*alpha)", "alpha", 1, "0.12*sin(3*alpha)"},
      {"5/4 - cos(3*alpha)/4", "alpha", 1, "3*sin(3*alpha)/4"},
      {"(1.5*sin(t) + 3*t^2)^2", "t", 1, "2*(1.5*sin(t) + 3*t^2)*(1.5*cos(t) + 6*t)"},
      {"bob.y - L/2*cos(bob.phi)", "bob.phi", 1, "L*sin(bob.phi)/2"},
      {"sledge.z - height*cos(2*pi*sledge.x/wave)", "sledge.x", 1, "2*pi*height*sin(2*pi*sledge.x/wave)/wave"},
      {"min(T0, T0*(1 - abs(rear.omega)/(4*pi)))", "rear.omega", 1,
       "if(T0 <= T0*(1 - abs(rear.omega)/(4*pi)), 0, -T0*sign(rear.omega)/(4*pi))"},
      {"if(pinion.omega == 0, -r1/r2, wheel.omega/pinion.omega)", "pinion.omega", 1,
       "if(pinion.omega == 0, 0, -wheel.omega/pinion.omega^2)"},
      {"sqrt(O.fx^2 + O.fy^2)", "O.fx", 1, "O.fx/sqrt(O.fx^2 + O.fy^2)"},
      {"-c*v*abs(v)", "v", 1, "-2*c*abs(v)"},
      {"exp(-k*t)*sin(w*t)", "t", 1, "(w*cos(w*t) - k*sin(w*t))*exp(-k*t)"},
      {"x/(1 + x^2)", "x", 1, "(1 - x^2)/(1 + x^2)^2"},
      {"smoothstep(t, 0, 0, T, 1)", "t", 2, "if(t*(T - t) > 0, 60*t*(T - t)*(T - 2*t)/T^5, 0)"},
      {"x^n", "x", 1, "n*x^(n - 1)"},
      {"a^x", "x", 1, "a^x*log(a)"},
      {"0.1*x*3", "x", 1, "0.3"},
      {"2*x/8", "x", 1, "1/4"},
      {"0.1*x/3", "x", 1, "0.1/3"},
      {"1e-3*x^2", "x", 1, "0.002*x"},
      {"distance(a.B, c.D)^2", "distance(a.B, c.D)", 1, "2*distance(a.B, c.D)"},
      {"floor(x) + sign(x) + (x > 2)", "x", 1, "0"},
      {"tanh(v/v0)", "v", 1, "(1 - tanh(v/v0)^2)/v0"},
      {"x - x", "x", 1, "0"},
      {"y^3", "x", 1, "0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_derivative(cases[i].text, cases[i].name, cases[i].order, cases[i].derivative);
}

static const char *rate_of(void *context, const char *name) {
  (void)context;
  static const char *const rates[][2] = {
      {"t", "1"}, {"crank.phi", "crank.omega"}, {"crank.omega", "crank.alpha"}, {"l", "ld"}};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (strcmp(rates[i][0], name) == 0) return rates[i][1];
  return NULL;
}

static void rates_along_a_motion(void **state) {
  (void)state;
  char message[512] = "";
  const mbs_rates rates = {NULL, rate_of};
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula *formula = read_text(arena, "L*sin(crank.phi) + k*t^2*l");
  const mbs_formula *first = mbs_formula_rate(arena, formula, &rates, message);
  assert_string_equal(mbs_formula_show(arena, first, MBS_NOTATION_TEXT, NULL, message),
                      "L*crank.omega*cos(crank.phi) + k*t*(2*l + ld*t)");
  first = mbs_formula_rate(arena, read_text(arena, "sin(crank.phi)"), &rates, message);
  const mbs_formula *second = mbs_formula_rate(arena, first, &rates, message);
  assert_string_equal(mbs_formula_show(arena, second, MBS_NOTATION_TEXT, NULL, message),
                      "crank.alpha*cos(crank.phi) - crank.omega^2*sin(crank.phi)");
  mbs_arena_free(arena);
}

/* ---- refused --------------------------------------------------------------------------------------------------- */

/* Returns `times` times `before`, then `middle`, then `times` times `after`. */
static char *nested(const char *before, const char *middle, const char *after, int times) {
  const size_t size = (strlen(before) + strlen(after)) * (size_t)times + strlen(middle) + 1;
  char *text = calloc(size, 1);
  for (int i = 0; i < times; i++) strcat(text, before);
  strcat(text, middle);
  for (int i = 0; i < times; i++) strcat(text, after);
  return text;
}

/* A table F(a) with F', one of two arguments with F_x and F_y, and expressions, which are written out. */
static void functions_of_a_document(void **state) {
  (void)state;
  static const char *const v[] = {"v"};
  static const mbs_formula_function functions[] = {{.name = "F", .arguments = 1},
                                                   {.name = "map", .arguments = 2},
                                                   {"drag", 1, v, "c*v^2 + F(v)"},
                                                   {"endless", 1, v, "endless(v)"}};
  static const struct {
    const char *text, *by, *derivative;
  } cases[] = {{"F(2*t)", "t", "2*F'(2*t)"},
               {"F(t)^2 + F(t)^2", "t", "4*F(t)*F'(t)"},
               {"map(t, 3*t)", "t", "map_x(t, 3*t) + 3*map_y(t, 3*t)"},
               {"drag(a.x)", "a.x", "2*c*a.x + F'(a.x)"},
               {"F(a)", "t", "0"}};
  char message[512];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mbs_arena *arena = mbs_arena_new(0);
    const mbs_formula *formula = mbs_formula_read_with(arena, cases[i].text, functions, 4, message);
    assert_non_null(formula);
    assert_string_equal(mbs_formula_show(arena, formula, MBS_NOTATION_TEXT, NULL, message), cases[i].text);
    const mbs_formula *derivative = mbs_formula_derivative(arena, formula, cases[i].by, message);
    assert_non_null(derivative);
    assert_string_equal(mbs_formula_show(arena, derivative, MBS_NOTATION_TEXT, NULL, message), cases[i].derivative);
    mbs_arena_free(arena);
  }
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula *formula = mbs_formula_read_with(arena, "F(x)", functions, 4, message);
  const mbs_formula *once = mbs_formula_derivative(arena, formula, "x", message);
  const mbs_formula *twice = mbs_formula_derivative(arena, once, "x", message);
  assert_string_equal(mbs_formula_show(arena, twice, MBS_NOTATION_TEXT, NULL, message), "F''(x)");
  assert_string_equal(mbs_formula_show(arena, twice, MBS_NOTATION_LATEX, NULL, message), "F''(x)");
  assert_non_null(
      strstr(mbs_formula_show(arena, twice, MBS_NOTATION_MATHML, NULL, message), "<mo>\u2032\u2032</mo></msup>"));
  assert_null(mbs_formula_read_with(arena, "F(1, 2)", functions, 4, message));
  assert_string_equal(message, "at column 1: F takes 1 argument, not 2");
  formula = mbs_formula_read_with(arena, "endless(x)", functions, 4, message);
  assert_null(mbs_formula_derivative(arena, formula, "x", message));
  assert_string_equal(message, "the derivative is not shown: functions are nested too deeply");
  mbs_arena_free(arena);
}

static void unread_data_is_refused(void **state) {
  (void)state;
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(0);
  assert_null(mbs_formula_read(arena, "1 +", message));
  assert_string_equal(message, "at column 4: expected a number, a name or '(' but found the end");
  char *text = nested("sin(", "x", ")", 100);
  assert_null(mbs_formula_read(arena, text, message));
  assert_string_equal(message, "nested too deeply to be shown (the limit is 60 levels)");
  free(text);
  text = nested("", "x", "*(x+1)", 1000); /* a chain is one product: a thousand factors */
  assert_non_null(mbs_formula_read(arena, text, message));
  free(text);
  text = calloc(20000, 1);
  strcat(text, "x");
  for (int i = 1; i < 700; i++) snprintf(text + strlen(text), 30, "*sin(%d*x)", i);
  assert_null(mbs_formula_derivative(arena, read_text(arena, text), "x", message));
  assert_string_equal(message, "the derivative is not shown: too long");
  free(text);
  text = calloc(20000, 1);
  strcat(text, "x");
  for (int i = 1; i < 150; i++) snprintf(text + strlen(text), 30, "*sin(%d*x)", i);
  assert_null(mbs_formula_derivative(arena, read_text(arena, text), "x", message));
  assert_string_equal(message,
                      "the derivative is not shown: it is longer than 100 times its expression or 65536 characters");
  free(text);
  assert_null(mbs_formula_derivative(arena, read_text(arena, "x + 1/(1 - 1)*x"), "x", message));
  assert_string_equal(message, "the derivative is not shown: a division by zero");
  mbs_arena_free(arena);
}

static void without_memory(void **state) {
  (void)state;
  int refused = 0;
  for (size_t limit = 100; limit < 200000; limit += 100 + limit / 50) {
    char message[512] = "";
    mbs_arena *arena = mbs_arena_new(limit);
    const mbs_formula *formula = mbs_formula_read(arena, "sqrt(x^2 + y^2)*if(x < 1, sin(x), max(x, y, 2))", message);
    const mbs_formula *derivative = formula != NULL ? mbs_formula_derivative(arena, formula, "x", message) : NULL;
    const char *shown =
        derivative != NULL ? mbs_formula_show(arena, derivative, MBS_NOTATION_MATHML, NULL, message) : NULL;
    if (shown == NULL) {
      if (strstr(message, "out of memory") == NULL) fail_msg("%zu: %s", limit, message);
      refused++;
    }
    mbs_arena_free(arena);
  }
  assert_true(refused > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_have_no_needless_parentheses),
      cmocka_unit_test(expressions_of_models_in_latex),
      cmocka_unit_test(elements_of_mathml),
      cmocka_unit_test(symbols_may_be_ones_own),
      cmocka_unit_test(names_are_listed_once),
      cmocka_unit_test(derivatives_as_a_teacher_writes_them),
      cmocka_unit_test(rates_along_a_motion),
      cmocka_unit_test(functions_of_a_document),
      cmocka_unit_test(unread_data_is_refused),
      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
