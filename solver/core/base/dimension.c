/* dimension.c - see dimension.h. */
#include "base/dimension.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Quantities in mechanics have no higher powers. */
enum { POWER_MAX = 12 };

static mbs_dimension powers(int m, int kg, int s, int rad) {
  if (abs(m) > POWER_MAX || abs(kg) > POWER_MAX || abs(s) > POWER_MAX || abs(rad) > POWER_MAX)
    return (mbs_dimension)MBS_DIMENSION_UNKNOWN;
  return (mbs_dimension){true, (signed char)m, (signed char)kg, (signed char)s, (signed char)rad};
}

mbs_dimension mbs_dimension_rate(mbs_dimension a, int order) {
  return mbs_dimension_product(a, (mbs_dimension)MBS_DIMENSION_TIME, -order);
}

mbs_dimension mbs_dimension_product(mbs_dimension a, mbs_dimension b, int power) {
  if (!a.known || !b.known || abs(power) > POWER_MAX) return (mbs_dimension)MBS_DIMENSION_UNKNOWN;
  return powers(a.m + power * b.m, a.kg + power * b.kg, a.s + power * b.s, a.rad + power * b.rad);
}

mbs_dimension mbs_dimension_root(mbs_dimension a) {
  if (!a.known || a.m % 2 || a.kg % 2 || a.s % 2 || a.rad % 2) return (mbs_dimension)MBS_DIMENSION_UNKNOWN;
  return powers(a.m / 2, a.kg / 2, a.s / 2, a.rad / 2);
}

mbs_dimension mbs_dimension_sum(mbs_dimension a, mbs_dimension b) {
  bool angles_count = a.m == 0 && a.kg == 0;
  bool same = a.known && b.known && a.m == b.m && a.kg == b.kg && a.s == b.s && (!angles_count || a.rad == b.rad);
  return same ? a : (mbs_dimension)MBS_DIMENSION_UNKNOWN;
}

/* Returns the name of a unit that has its own, otherwise NULL. */
static const char *name_of(mbs_dimension a) {
  static const struct {
    int m, kg, s;
    const char *name;
  } names[] = {{1, 1, -2, "N"}, {2, 1, -2, "J"}, {2, 1, -3, "W"}, {0, 1, -2, "N/m"}, {0, 1, -1, "N s/m"}};
  if (a.m == 2 && a.kg == 1 && a.s == -2 && a.rad < 0) return "N m";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (a.m == names[i].m && a.kg == names[i].kg && a.s == names[i].s) return names[i].name;
  return NULL;
}

/* Copies text to `at` and returns its end. Does not use printf because a short run formats hundreds of units. */
static char *put(char *at, const char *text) {
  size_t length = strlen(text);
  memcpy(at, text, length + 1);
  return at + length;
}

/* Writes the units whose exponents have this sign, such as "kg m^2"; returns their number. */
static int write_units(const mbs_dimension *a, int sign, char text[64]) {
  const char *const units[] = {"kg", "m", "rad", "s"};
  const int exponents[] = {a->kg, a->m, a->kg || a->m ? 0 : a->rad, a->s};
  int count = 0;
  char *end = put(text, "");
  for (int k = 0; k < 4; k++) {
    int power = sign * exponents[k];
    if (power <= 0) continue;
    end = put(put(end, count++ ? " " : ""), units[k]);
    if (power > 1) end += snprintf(end, (size_t)(text + 64 - end), "^%d", power);
  }
  return count;
}

const char *mbs_dimension_text(mbs_dimension a, mbs_arena *arena) {
  char over[64], under[64];
  if (!a.known) return "";
  const char *name = name_of(a);
  if (name) return name;
  int above = write_units(&a, 1, over), below = write_units(&a, -1, under);
  if (above + below == 0) return "";
  char text[sizeof over + sizeof under + 4], *end = put(text, above ? over : "1");
  if (below > 0) end = put(put(end, below == 1 ? "/" : "/("), under);
  if (below > 1) put(end, ")");
  return mbs_arena_text(arena, text);
}
