/* term_format.c - prints terms as text, as LaTeX and as presentation MathML, with one traversal for the three
 * notations. A sum in a product is put in parentheses, as is every operand of a tilde, a transpose or a square that is
 * not a symbol. */
#include "symbolic/symbol.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A growing text in the scratch memory of the algebra. */
typedef struct ink {
  mbs_algebra *algebra;
  size_t length;
  bool failed;
} ink;

static bool make_room(ink *out, size_t more) {
  mbs_algebra *algebra = out->algebra;
  size_t room = algebra->scratch_room ? algebra->scratch_room : 1024;
  while (room < out->length + more + 1) room *= 2;
  if (room <= algebra->scratch_room) return true;
  char *larger = mbs_arena_alloc(algebra->arena, room, 1);
  if (!larger) {
    out->failed = true;
    return false;
  }
  if (out->length) memcpy(larger, algebra->scratch, out->length);
  algebra->scratch = larger;
  algebra->scratch_room = room;
  return true;
}

static void put(ink *out, const char *text) {
  size_t length = strlen(text);
  if (out->failed || !make_room(out, length)) return;
  memcpy(out->algebra->scratch + out->length, text, length + 1);
  out->length += length;
}

static void put_format(ink *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(ink *out, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put(out, text);
}

typedef struct notation {
  const char *open, *close;                    /* parentheses */
  const char *row, *row_end;                   /* around sums and products */
  const char *times, *plus, *minus, *negative; /* between factors, between parts, before the first */
  const char *tilde, *tilde_end, *turned, *turned_end, *square, *square_end;
  const char *over, *over_mid, *over_end; /* quotient */
  const char *identity, *number, *number_end;
  void (*symbol)(ink *out, const mbs_variable *symbol, bool tilde, int dim);
} notation;

/* ---- text ---------------------------------------------------------------------------------------------------- */

static void text_symbol(ink *out, const mbs_variable *symbol, bool tilde, int dim) {
  (void)dim;
  put_format(out, "%s%s", tilde ? "~" : "", symbol->name);
}

static const notation as_text = {.open = "(",
                                 .close = ")",
                                 .row = "",
                                 .row_end = "",
                                 .times = " ",
                                 .plus = " + ",
                                 .minus = " - ",
                                 .negative = "-",
                                 .tilde = "~(",
                                 .tilde_end = ")",
                                 .turned = "",
                                 .turned_end = "'",
                                 .square = "",
                                 .square_end = "^2",
                                 .over = "",
                                 .over_mid = "/",
                                 .over_end = "",
                                 .identity = "I",
                                 .number = "",
                                 .number_end = "",
                                 .symbol = text_symbol};

/* ---- Greek and bold letters ---------------------------------------------------------------------------------- */

typedef struct greek {
  const char *name, *latex, *character, *bold;
} greek;

static const greek greeks[] = {{"theta", "\\theta", "\u03b8", "\U0001d6c9"},
                               {"phi", "\\phi", "\u03c6", "\U0001d6d7"},
                               {"omega", "\\omega", "\u03c9", "\U0001d6da"},
                               {"gamma", "\\gamma", "\u03b3", "\U0001d6c4"},
                               {"lambda", "\\lambda", "\u03bb", "\U0001d6cc"}};

static const greek *greek_letter(const char *name) {
  for (size_t k = 0; k < sizeof greeks / sizeof *greeks; k++)
    if (strcmp(greeks[k].name, name) == 0) return &greeks[k];
  return NULL;
}

/* Returns true if a symbol is bold: vectors, and matrices except J, as in the seeds. */
static bool is_bold(const mbs_variable *symbol) {
  return symbol->rows * symbol->columns > 1 && strcmp(symbol->letter, "J") != 0;
}

/* ---- LaTeX --------------------------------------------------------------------------------------------------- */

static void latex_escaped(ink *out, const char *text) {
  for (; *text; text++) {
    if (strchr("_%&#${}", *text))
      put_format(out, "\\%c", *text);
    else if (*text == '\\')
      put(out, "\\backslash{}");
    else if (*text == '~' || *text == '^')
      put_format(out, "\\%c{}", *text);
    else if (*text == ' ')
      put(out, "\\ ");
    else
      put_format(out, "%c", *text);
  }
}

static void latex_letter(ink *out, const mbs_variable *symbol) {
  const greek *letter = greek_letter(symbol->letter);
  if (letter)
    put_format(out, is_bold(symbol) ? "\\boldsymbol{%s}" : "%s", letter->latex);
  else if (symbol->letter[1])
    put_format(out, "\\mathrm{%s}", symbol->letter);
  else
    put_format(out, is_bold(symbol) ? "\\mathbf{%s}" : "%s", symbol->letter);
}

static void latex_symbol(ink *out, const mbs_variable *symbol, bool tilde, int dim) {
  static const char *const rates[] = {"", "\\dot{", "\\ddot{"};
  put(out, rates[symbol->rate]);
  if (tilde) put(out, dim == 2 ? "\\breve{" : "\\tilde{");
  if (symbol->local) put(out, "\\bar{");
  latex_letter(out, symbol);
  for (int k = (symbol->rate > 0) + tilde + symbol->local; k > 0; k--) put_format(out, "%c", '}');
  if (*symbol->index) {
    put(out, "_{");
    latex_escaped(out, symbol->index);
    put_format(out, "%c", '}');
  }
  if (*symbol->over) {
    put(out, "^{");
    latex_escaped(out, symbol->over);
    put_format(out, "%c", '}');
  }
}

static const notation as_latex = {.open = "(",
                                  .close = ")",
                                  .row = "",
                                  .row_end = "",
                                  .times = "\\,",
                                  .plus = " +",
                                  .minus = " -",
                                  .negative = "-",
                                  .tilde = "\\widetilde{(",
                                  .tilde_end = ")}",
                                  .turned = "",
                                  .turned_end = "^{T}",
                                  .square = "",
                                  .square_end = "^2",
                                  .over = "",
                                  .over_mid = "/",
                                  .over_end = "",
                                  .identity = "\\mathbf{I}",
                                  .number = "",
                                  .number_end = "",
                                  .symbol = latex_symbol};

/* ---- MathML -------------------------------------------------------------------------------------------------- */

static void escaped(ink *out, const char *text) {
  for (; *text; text++) {
    if (*text == '&')
      put(out, "&amp;");
    else if (*text == '<')
      put(out, "&lt;");
    else if (*text == '>')
      put(out, "&gt;");
    else if (*text == '"')
      put(out, "&quot;");
    else
      put_format(out, "%c", *text);
  }
}

/* Appends a letter as bold mathematical letter, in UTF-8. */
static void bold_letter(ink *out, char letter) {
  unsigned code =
      islower((unsigned char)letter) ? 0x1d41au + (unsigned)(letter - 'a') : 0x1d400u + (unsigned)(letter - 'A');
  const unsigned char bytes[4] = {(unsigned char)(0xf0 | code >> 18), (unsigned char)(0x80 | (code >> 12 & 63)),
                                  (unsigned char)(0x80 | (code >> 6 & 63)), (unsigned char)(0x80 | (code & 63))};
  put_format(out, "%.4s", (const char *)bytes);
}

static void mathml_letter(ink *out, const mbs_variable *symbol) {
  const greek *letter = greek_letter(symbol->letter);
  put(out, "<mi>");
  if (letter)
    put(out, is_bold(symbol) ? letter->bold : letter->character);
  else if (is_bold(symbol) && !symbol->letter[1] && isalpha((unsigned char)*symbol->letter))
    bold_letter(out, *symbol->letter);
  else
    escaped(out, symbol->letter);
  put(out, "</mi>");
}

static void mathml_symbol(ink *out, const mbs_variable *symbol, bool tilde, int dim) {
  const char *index = *symbol->index ? "sub" : "", *over = *symbol->over ? "sup" : "";
  put_format(out, "<m%s%s data-symbol=\"", *index || *over ? index : "row", over);
  escaped(out, symbol->name);
  put(out, "\">");
  int accents = (symbol->rate > 0) + tilde + symbol->local;
  for (int k = 0; k < accents; k++) put(out, "<mover accent=\"true\">");
  mathml_letter(out, symbol);
  if (symbol->local) put(out, "<mo>\u00af</mo></mover>");
  if (tilde) put_format(out, "<mo>%s</mo></mover>", dim == 2 ? "\u02d8" : "~");
  if (symbol->rate > 0) put_format(out, "<mo>%s</mo></mover>", symbol->rate == 1 ? "\u02d9" : "\u00a8");
  if (*index) {
    put(out, "<mtext>");
    escaped(out, symbol->index);
    put(out, "</mtext>");
  }
  if (*over) {
    put(out, "<mtext>");
    escaped(out, symbol->over);
    put(out, "</mtext>");
  }
  put_format(out, "</m%s%s>", *index || *over ? index : "row", over);
}

static const notation as_mathml = {.open = "<mrow><mo>(</mo>",
                                   .close = "<mo>)</mo></mrow>",
                                   .row = "<mrow>",
                                   .row_end = "</mrow>",
                                   .times = "<mspace width=\"0.15em\"/>",
                                   .plus = "<mo>+</mo>",
                                   .minus = "<mo>\u2212</mo>",
                                   .negative = "<mo form=\"prefix\">\u2212</mo>",
                                   .tilde = "<mover accent=\"true\"><mrow><mo>(</mo>",
                                   .tilde_end = "<mo>)</mo></mrow><mo>~</mo></mover>",
                                   .turned = "<msup>",
                                   .turned_end = "<mi mathvariant=\"normal\">T</mi></msup>",
                                   .square = "<msup>",
                                   .square_end = "<mn>2</mn></msup>",
                                   .over = "<mfrac>",
                                   .over_mid = "",
                                   .over_end = "</mfrac>",
                                   .identity = "<mi>\U0001d408</mi>",
                                   .number = "<mn>",
                                   .number_end = "</mn>",
                                   .symbol = mathml_symbol};

/* ---- the walk ------------------------------------------------------------------------------------------------ */

typedef struct pen {
  ink *out;
  const notation *how;
  int dim;
} pen;

static void write_term(const pen *at, const mbs_term *x);

/* Returns true if a term needs no parentheses as an operand. */
static bool is_simple(const mbs_term *x) {
  return !x->negative && (x->kind == MBS_TERM_SYMBOL || x->kind == MBS_TERM_NUMBER || x->kind == MBS_TERM_IDENTITY ||
                          x->kind == MBS_TERM_TILDE);
}

static bool is_factor(const mbs_term *x) {
  return is_simple(x) || (!x->negative && (x->kind == MBS_TERM_TRANSPOSE || x->kind == MBS_TERM_SQUARE));
}

static void write_in(const pen *at, const mbs_term *x, bool bare) {
  if (!bare) put(at->out, at->how->open);
  write_term(at, x);
  if (!bare) put(at->out, at->how->close);
}

static void write_tilde(const pen *at, const mbs_term *x) {
  const mbs_term *of = x->parts[0];
  if (of->kind == MBS_TERM_SYMBOL && !of->negative) {
    at->how->symbol(at->out, of->symbol, true, at->dim);
    return;
  }
  put(at->out, at->how->tilde);
  write_term(at, of);
  put(at->out, at->how->tilde_end);
}

/* Returns true if the symbol already has a superscript; LaTeX then needs braces before another one. */
static bool carries_superscript(const mbs_term *x) {
  if (x->kind == MBS_TERM_TILDE) x = x->parts[0];
  return x->kind == MBS_TERM_SYMBOL && *x->symbol->over;
}

static void write_upon(const pen *at, const mbs_term *x, const char *before, const char *after) {
  bool braces = at->how == &as_latex && carries_superscript(x->parts[0]);
  put(at->out, before);
  if (braces) put_format(at->out, "%c", '{');
  write_in(at, x->parts[0], is_simple(x->parts[0]));
  if (braces) put_format(at->out, "%c", '}');
  put(at->out, after);
}

static void write_product(const pen *at, const mbs_term *x) {
  put(at->out, at->how->row);
  for (size_t k = 0; k < x->count; k++) {
    if (k > 0) put(at->out, at->how->times);
    write_in(at, x->parts[k], is_factor(x->parts[k]));
  }
  put(at->out, at->how->row_end);
}

static void write_quotient(const pen *at, const mbs_term *x) {
  bool fraction = *at->how->over != 0;
  put(at->out, at->how->over);
  write_in(at, x->parts[0], fraction || is_factor(x->parts[0]));
  put(at->out, at->how->over_mid);
  write_in(at, x->parts[1], fraction || is_factor(x->parts[1]));
  put(at->out, at->how->over_end);
}

static void write_sum(const pen *at, const mbs_term *x) {
  put(at->out, at->how->row);
  for (size_t k = 0; k < x->count; k++) {
    mbs_term part = *x->parts[k];
    if (k > 0) put(at->out, part.negative ? at->how->minus : at->how->plus);
    if (k > 0) part.negative = false;
    write_in(at, &part, part.kind != MBS_TERM_SUM);
  }
  put(at->out, at->how->row_end);
}

static void write_term(const pen *at, const mbs_term *x) {
  const notation *how = at->how;
  if (x->negative) put_format(at->out, "%s%s", how->row, how->negative);
  switch (x->kind) {
  case MBS_TERM_NUMBER: put_format(at->out, "%s%.15g%s", how->number, x->number, how->number_end); break;
  case MBS_TERM_IDENTITY: put(at->out, how->identity); break;
  case MBS_TERM_SYMBOL: how->symbol(at->out, x->symbol, false, at->dim); break;
  case MBS_TERM_TILDE: write_tilde(at, x); break;
  case MBS_TERM_TRANSPOSE: write_upon(at, x, how->turned, how->turned_end); break;
  case MBS_TERM_SQUARE: write_upon(at, x, how->square, how->square_end); break;
  case MBS_TERM_PRODUCT: write_product(at, x); break;
  case MBS_TERM_QUOTIENT: write_quotient(at, x); break;
  case MBS_TERM_SUM: write_sum(at, x); break;
  }
  if (x->negative) put(at->out, how->row_end);
}

static const char *written(mbs_algebra *algebra, const mbs_term *x, const notation *how) {
  ink out = {.algebra = algebra};
  write_term(&(pen){.out = &out, .how = how, .dim = algebra->dim}, x);
  const char *kept = out.failed ? NULL : mbs_arena_text(algebra->arena, algebra->scratch);
  if (!kept) algebra->failed = true;
  return kept ? kept : "";
}

const char *mbs_term_text(mbs_algebra *algebra, const mbs_term *x) { return written(algebra, x, &as_text); }
const char *mbs_term_latex(mbs_algebra *algebra, const mbs_term *x) { return written(algebra, x, &as_latex); }
const char *mbs_term_mathml(mbs_algebra *algebra, const mbs_term *x) { return written(algebra, x, &as_mathml); }
