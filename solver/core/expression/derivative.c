/* derivative.c - derivatives of formulas: conversion to terms, their slopes, and conversion back, within size
 * limits. */
#include "base/message.h"
#include "expression/expression.h"
#include "expression/show.h"
#include "expression/terms.h"

#include <stdio.h>
#include <string.h>

/* Limit of entries of terms; far more than the longest derivative that is shown. */
enum { ROOM = 1 << 18, TIMES_LONGER = 100 };

static const mbs_formula *refuse(char message[512], const char *why) {
  mbs_message(message, 512, "the derivative is not shown: %s", why);
  return NULL;
}

/* Returns a derivative of readable size, or NULL with the reason. */
static const mbs_formula *bounded(mbs_arena *arena, const mbs_formula *origin, const mbs_formula *derivative,
                                  char message[512]) {
  char why[100];
  if (derivative == NULL) return refuse(message, "out of memory");
  if (derivative->depth > MBS_FORMULA_DEPTH) {
    snprintf(why, sizeof why, "it is nested too deeply (the limit is %d levels)", MBS_FORMULA_DEPTH);
    return refuse(message, why);
  }
  mbs_writing before = {.arena = arena, .limit = MBS_EXPRESSION_LENGTH}, writing = before;
  mbs_show_text(&before, origin);
  if (TIMES_LONGER * before.used < writing.limit) writing.limit = TIMES_LONGER * before.used;
  mbs_show_text(&writing, derivative);
  if (before.why != NULL) return refuse(message, before.why);
  if (writing.why == NULL) return derivative;
  if (strcmp(writing.why, "out of memory") == 0) return refuse(message, writing.why);
  snprintf(why, sizeof why, "it is longer than %d times its expression or %d characters", TIMES_LONGER,
           MBS_EXPRESSION_LENGTH);
  return refuse(message, why);
}

const mbs_formula *mbs_formula_rate(mbs_arena *arena, const mbs_formula *formula, const mbs_rates *rates,
                                    char message[512]) {
  mbs_simples *terms = mbs_arena_alloc(arena, 1, sizeof *terms);
  if (terms == NULL) return refuse(message, "out of memory");
  *terms = (mbs_simples){.room = ROOM, .context = rates->context, .rate = rates->rate};
  if (!mbs_simples_begin(terms, arena)) return refuse(message, "out of memory");
  mbs_simple *slope = mbs_simple_slope(terms, mbs_simple_from(terms, formula, NULL));
  const mbs_formula *derivative = mbs_simple_formula(terms, slope);
  return terms->trouble != NULL ? refuse(message, terms->trouble) : bounded(arena, formula, derivative, message);
}

static const char *rate_of_variable(void *context, const char *name) { return strcmp(context, name) == 0 ? "1" : NULL; }

const mbs_formula *mbs_formula_derivative(mbs_arena *arena, const mbs_formula *formula, const char *name,
                                          char message[512]) {
  char *own = mbs_arena_text(arena, name);
  if (own == NULL) return refuse(message, "out of memory");
  const mbs_rates rates = {own, rate_of_variable};
  return mbs_formula_rate(arena, formula, &rates, message);
}

bool mbs_function_described(size_t i, const char **name, int *least, int *most, const char **derivative) {
  const mbs_call *call = mbs_call_at(i);
  if (call == NULL) return false;
  *name = call->name;
  *least = call->least;
  *most = call->most;
  *derivative = call->derivative;
  return true;
}
