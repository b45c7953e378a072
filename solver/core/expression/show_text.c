/* show_text.c - writes a formula as an expression of the language. */
#include "expression/show.h"

#include <stdio.h>
#include <string.h>

/* Precedence of the text of a formula; operators below the sum have those of operators.def. */
enum { SUM = 4, PRODUCT = 5, SIGN = 6, POWER = 7, ALONE = 8 };

static int tightness(const mbs_formula *formula) {
  switch (formula->kind) {
  case MBS_FORMULA_SUM: return SUM;
  case MBS_FORMULA_PRODUCT: return PRODUCT;
  case MBS_FORMULA_NEGATE:
  case MBS_FORMULA_NOT: return SIGN;
  case MBS_FORMULA_POWER: return POWER;
  case MBS_FORMULA_INFIX: return formula->infix->precedence;
  default: return ALONE;
  }
}

/* Returns true if the text starts with a sign. */
static bool is_signed(const mbs_formula *formula) {
  while (formula->kind == MBS_FORMULA_SUM || formula->kind == MBS_FORMULA_PRODUCT) formula = formula->first->formula;
  return formula->kind == MBS_FORMULA_NEGATE;
}

static void write_fenced(mbs_writing *writing, const mbs_formula *formula, bool fenced) {
  if (fenced) mbs_write(writing, "(");
  mbs_show_text(writing, formula);
  if (fenced) mbs_write(writing, ")");
}

/* Writes a chain. Parts after the first one are right operands: those of the same precedence need parentheses. */
static void write_chain(mbs_writing *writing, const mbs_formula *formula, int own, const char *joint,
                        const char *inverse) {
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) {
    const bool first = part == formula->first;
    if (!first) mbs_write(writing, part->inverse ? inverse : joint);
    const bool loose = tightness(part->formula) < own + !first;
    write_fenced(writing, part->formula, loose || (!first && is_signed(part->formula)));
  }
}

static void write_call(mbs_writing *writing, const mbs_formula *formula) {
  mbs_write(writing, formula->call->name);
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) {
    mbs_write(writing, part == formula->first ? "(" : ", ");
    mbs_show_text(writing, part->formula);
  }
  mbs_write(writing, ")");
}

static void write_infix(mbs_writing *writing, const mbs_formula *formula) {
  char joint[8];
  snprintf(joint, sizeof joint, " %s ", formula->infix->text);
  const int own = formula->infix->precedence;
  if (own != MBS_PRECEDENCE_COMPARISON) {
    write_chain(writing, formula, own, joint, joint);
    return;
  }
  write_fenced(writing, mbs_formula_operand(formula, 0), tightness(mbs_formula_operand(formula, 0)) <= own);
  mbs_write(writing, joint);
  write_fenced(writing, mbs_formula_operand(formula, 1), tightness(mbs_formula_operand(formula, 1)) <= own);
}

static void write_power(mbs_writing *writing, const mbs_formula *formula) {
  const mbs_formula *base = mbs_formula_operand(formula, 0), *exponent = mbs_formula_operand(formula, 1);
  write_fenced(writing, base, tightness(base) < ALONE);
  mbs_write(writing, "^");
  const bool negative = exponent->kind == MBS_FORMULA_NEGATE;
  const mbs_formula *size = negative ? mbs_formula_operand(exponent, 0) : exponent;
  write_fenced(writing, exponent, tightness(size) < POWER);
}

void mbs_show_text(mbs_writing *writing, const mbs_formula *formula) {
  const mbs_formula *inside = formula->first != NULL ? formula->first->formula : NULL;
  if (writing->why != NULL) return; /* the text is too long, or memory ran out: the rest is not needed */
  switch (formula->kind) {
  case MBS_FORMULA_NUMBER:
  case MBS_FORMULA_NAME: mbs_write(writing, formula->text); break;
  case MBS_FORMULA_SUM: write_chain(writing, formula, SUM, " + ", " - "); break;
  case MBS_FORMULA_PRODUCT: write_chain(writing, formula, PRODUCT, "*", "/"); break;
  case MBS_FORMULA_POWER: write_power(writing, formula); break;
  case MBS_FORMULA_NEGATE:
    mbs_write(writing, "-");
    write_fenced(writing, inside, tightness(inside) < PRODUCT || is_signed(inside));
    break;
  case MBS_FORMULA_NOT:
    mbs_write(writing, "!");
    write_fenced(writing, inside, tightness(inside) < POWER);
    break;
  case MBS_FORMULA_INFIX: write_infix(writing, formula); break;
  case MBS_FORMULA_CALL: write_call(writing, formula); break;
  }
}
