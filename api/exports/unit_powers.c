/* unit_powers.c - see unit_powers.h. */
#include "api/exports/unit_powers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit_word {
  const char *word;
  int powers[API_UNIT_BASE_COUNT];
} unit_word;

/* Units with a factor of 1: all columns and bound parameters are in SI units. */
static const unit_word words[] = {
    {"1", {0, 0, 0, 0}},  {"kg", {1, 0, 0, 0}}, {"m", {0, 1, 0, 0}},  {"s", {0, 0, 1, 0}},   {"rad", {0, 0, 0, 1}},
    {"N", {1, 1, -2, 0}}, {"J", {1, 2, -2, 0}}, {"W", {1, 2, -3, 0}}, {"Hz", {0, 0, -1, 0}}, {"Pa", {1, -1, -2, 0}}};

static const unit_word *find_word(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(words[i].word, text, length) == 0 && words[i].word[length] == '\0') return &words[i];
  return NULL;
}

bool api_unit_powers(const char *unit, int powers[API_UNIT_BASE_COUNT]) {
  const char *at = unit;
  int sign = 1;
  bool grouped = false;
  memset(powers, 0, API_UNIT_BASE_COUNT * sizeof *powers);
  do {
    const size_t length = strcspn(at, "*/ ^()");
    const unit_word *found = find_word(at, length);
    if (!found) return false;
    long power = 1;
    at += length;
    if (*at == '^') power = strtol(at + 1, (char **)&at, 10);
    for (int k = 0; k < API_UNIT_BASE_COUNT; k++) powers[k] += sign * (int)power * found->powers[k];
    if (*at == ')' && grouped) {
      grouped = false;
      at++;
    }
    if (*at == '\0') return !grouped;
    if (!strchr("*/ ", *at)) return false;
    if (!grouped) sign = *at == '/' ? -1 : 1;
    at++;
    if (*at == '(' && sign < 0 && !grouped) {
      grouped = true;
      at++;
    }
  } while (*at);
  return false;
}
