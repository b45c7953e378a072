/* symbol.c - default symbols of names.
 *
 *     k, T0, m_rod        italic letters; digits and text after _ are an index; a word is upright: "height"
 *     alpha, omega_x      Greek letters by their names
 *     pin.qd, ld          a rate has a dot over its symbol
 *     bob.B.vx            a quantity of bob.B: its symbol with the components and the owner as an index
 *     distance(a.B, O.P)  a measure: a function of points */
#include "expression/writing.h"

#include <string.h>

static const struct {
  const char *name, *mathml;
} greeks[] = {{"alpha", "\u03B1"}, {"beta", "\u03B2"},  {"gamma", "\u03B3"}, {"delta", "\u03B4"}, {"epsilon", "\u03B5"},
              {"zeta", "\u03B6"},  {"eta", "\u03B7"},   {"theta", "\u03B8"}, {"kappa", "\u03BA"}, {"lambda", "\u03BB"},
              {"mu", "\u03BC"},    {"nu", "\u03BD"},    {"xi", "\u03BE"},    {"pi", "\u03C0"},    {"rho", "\u03C1"},
              {"sigma", "\u03C3"}, {"tau", "\u03C4"},   {"phi", "\u03D5"},   {"chi", "\u03C7"},   {"psi", "\u03C8"},
              {"omega", "\u03C9"}, {"Gamma", "\u0393"}, {"Delta", "\u0394"}, {"Theta", "\u0398"}, {"Lambda", "\u039B"},
              {"Xi", "\u039E"},    {"Pi", "\u03A0"},    {"Sigma", "\u03A3"}, {"Phi", "\u03A6"},   {"Psi", "\u03A8"},
              {"Omega", "\u03A9"}};

typedef struct word {
  const char *text;
  size_t length;
} word;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is(word w, const char *text) { return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0; }
static bool in_latex(const mbs_writing *writing) { return writing->notation == MBS_NOTATION_LATEX; }

/* Writes text with markup characters escaped. */
static void write_escaped(mbs_writing *writing, word w) {
  static const struct {
    char c;
    const char *latex, *mathml;
  } marks[] = {{'_', "\\_", "_"},    {'%', "\\%", "%"},     {'&', "\\&", "&amp;"},
               {'#', "\\#", "#"},    {'$', "\\$", "$"},     {'{', "\\{", "{"},
               {'}', "\\}", "}"},    {'<', "<", "&lt;"},    {'\\', "\\backslash ", "\\"},
               {'~', "\\sim ", "~"}, {'^', "\\wedge ", "^"}};
  for (size_t i = 0; i < w.length; i++) {
    const char *written = NULL;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
      if (marks[k].c == w.text[i]) written = in_latex(writing) ? marks[k].latex : marks[k].mathml;
    if (written != NULL)
      mbs_write(writing, written);
    else
      mbs_write_bytes(writing, w.text + i, 1);
  }
}

static void write_between(mbs_writing *writing, const char *before, word w, const char *behind) {
  mbs_write(writing, before);
  write_escaped(writing, w);
  mbs_write(writing, behind);
}

static void write_upright(mbs_writing *writing, word w) {
  write_between(writing, in_latex(writing) ? "\\mathrm{" : "<mi mathvariant=\"normal\">", w,
                in_latex(writing) ? "}" : "</mi>");
}

/* Writes a word without digits: a letter, a Greek letter, or upright. */
static void write_word(mbs_writing *writing, word w) {
  for (size_t i = 0; i < sizeof greeks / sizeof *greeks; i++) {
    if (!is(w, greeks[i].name)) continue;
    if (in_latex(writing)) {
      write_between(writing, "\\", w, "");
    } else {
      const word letter = {greeks[i].mathml, strlen(greeks[i].mathml)};
      write_between(writing, "<mi>", letter, "</mi>");
    }
    return;
  }
  if (w.length > 0 && is_digit(w.text[0]))
    write_between(writing, in_latex(writing) ? "" : "<mn>", w, in_latex(writing) ? "" : "</mn>");
  else if (w.length == 1)
    write_between(writing, in_latex(writing) ? "" : "<mi>", w, in_latex(writing) ? "" : "</mi>");
  else
    write_upright(writing, w);
}

/* A symbol and its indices. */
typedef struct symbol {
  word stem;
  int dots; /* dots over the symbol */
  word indices[12];
  int count;
  word owner; /* the last index, upright */
} symbol;

static void add_index(symbol *s, word w) {
  if (w.length > 0 && s->count < 12) s->indices[s->count++] = w;
}

/* Returns the bytes of `w` before its final digits. */
static size_t without_digits(word w) {
  while (w.length > 0 && is_digit(w.text[w.length - 1])) w.length--;
  return w.length;
}

/* Splits a segment: "omega_x", "T0", "qd1", "vx". */
static symbol split(word segment) {
  symbol s = {.stem = segment};
  const char *underscore = segment.length > 1 ? memchr(segment.text + 1, '_', segment.length - 1) : NULL;
  if (underscore != NULL) s.stem.length = (size_t)(underscore - segment.text);
  const size_t letters = without_digits(s.stem);
  const word digits = {s.stem.text + letters, s.stem.length - letters};
  if (letters > 0) s.stem.length = letters;
  const bool rate = is(s.stem, "qd") || is(s.stem, "ld"), second = is(s.stem, "qdd");
  const bool component = s.stem.length == 2 && strchr("avf", s.stem.text[0]) && strchr("xyz", s.stem.text[1]);
  s.dots = second ? 2 : rate;
  if (component) add_index(&s, (word){s.stem.text + 1, 1});
  if (component || rate || second) s.stem.length = 1;
  if (letters > 0) add_index(&s, digits);
  while (underscore != NULL) {
    const size_t left = segment.length - (size_t)(underscore + 1 - segment.text);
    const char *next = memchr(underscore + 1, '_', left);
    add_index(&s, (word){underscore + 1, next != NULL ? (size_t)(next - underscore - 1) : left});
    underscore = next;
  }
  return s;
}

static void write_stem(mbs_writing *writing, const symbol *s) {
  static const char *const latex[3][2] = {{"", ""}, {"\\dot{", "}"}, {"\\ddot{", "}"}};
  static const char *const mathml[3][2] = {{"", ""},
                                           {"<mover accent=\"true\">", "<mo>\u02D9</mo></mover>"},
                                           {"<mover accent=\"true\">", "<mo>\u00A8</mo></mover>"}};
  const char *const *around = in_latex(writing) ? latex[s->dots] : mathml[s->dots];
  mbs_write(writing, around[0]);
  write_word(writing, s->stem);
  mbs_write(writing, around[1]);
}

static void write_indexed(mbs_writing *writing, const symbol *s) {
  if (s->count == 0 && s->owner.length == 0) {
    write_stem(writing, s);
    return;
  }
  mbs_write(writing, in_latex(writing) ? "" : "<msub>");
  write_stem(writing, s);
  mbs_write(writing, in_latex(writing) ? "_{" : "<mrow>");
  for (int i = 0; i < s->count; i++) {
    if (i > 0) mbs_write(writing, in_latex(writing) ? "," : "<mo>,</mo>");
    write_word(writing, s->indices[i]);
  }
  if (s->count > 0 && s->owner.length > 0) mbs_write(writing, in_latex(writing) ? "," : "<mo>,</mo>");
  if (s->owner.length > 0) write_upright(writing, s->owner);
  mbs_write(writing, in_latex(writing) ? "}" : "</mrow></msub>");
}

/* Writes a measure; the text between its names is copied. */
static void write_measure(mbs_writing *writing, const char *name) {
  static const char *const latex[] = {"\\mathrm{", "}", "(", ", ", ")"};
  static const char *const mathml[] = {"<mi mathvariant=\"normal\">", "</mi>", "<mo>(</mo>", "<mo>,</mo>",
                                       "<mo>)</mo>"};
  const char *const *marks = in_latex(writing) ? latex : mathml;
  mbs_write(writing, in_latex(writing) ? "" : "<mrow>");
  while (*name != '\0') {
    const word w = {name, strcspn(name, "(,)")};
    if (w.length > 0) write_between(writing, marks[0], w, marks[1]);
    name += w.length;
    mbs_write(writing, *name == '(' ? marks[2] : *name == ',' ? marks[3] : *name == ')' ? marks[4] : "");
    name += *name != '\0';
    name += strspn(name, " ");
  }
  mbs_write(writing, in_latex(writing) ? "" : "</mrow>");
}

void mbs_write_name(mbs_writing *writing, const char *name) {
  const char *own = writing->symbols != NULL ? writing->symbols->symbol(writing->symbols->context, name) : NULL;
  if (own != NULL) {
    mbs_write(writing, own);
  } else if (strchr(name, '(') != NULL) {
    write_measure(writing, name);
  } else {
    const char *dot = strrchr(name, '.'), *last = dot != NULL ? dot + 1 : name;
    symbol s = split((word){last, strlen(last)});
    if (dot != NULL) s.owner = (word){name, (size_t)(dot - name)};
    write_indexed(writing, &s);
  }
}
