/* unit_words.c - see unit_words.h. */
#include "expression/unit_words.h"

#include "base/dimension.h"
#include "base/message.h"
#include "expression/expression.h"
#include "mbs/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- numbers of twice the bits of a double --------------------------------------------------------------------- */

/* A number of twice the precision: high + low, where high is the nearest double. Each operation is exact to about
 * 2^-104. */
typedef struct wide {
  double high, low;
} wide;

static const wide pi = {3.14159265358979323846, 1.2246467991473532e-16};

/* Joins two parts; |low| must be at most |high|. */
static wide joined(double high, double low) {
  double sum = high + low;
  return (wide){sum, low - (sum - high)};
}

static wide plus(wide a, double b) {
  double sum = a.high + b, taken = sum - a.high;
  return joined(sum, (a.high - (sum - taken)) + (b - taken) + a.low);
}

static wide times(wide a, wide b) {
  double product = a.high * b.high;
  return joined(product, fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
}

static wide over(wide a, wide b) {
  double quotient = a.high / b.high;
  double rest = fma(-quotient, b.high, a.high) + a.low - quotient * b.low;
  return joined(quotient, rest / b.high);
}

/* Returns a b^power. */
static wide scaled(wide a, wide b, int power) {
  for (; power > 0; power--) a = times(a, b);
  for (; power < 0; power++) a = over(a, b);
  return a;
}

/* ---- units ----------------------------------------------------------------------------------------------------- */

typedef struct unit {
  wide factor;
  int tens; /* powers of ten in addition to the factor */
  mbs_dimension dimension;
} unit;

enum { TEXT_MAX = 100, WHY = 240, EXPECTED = 110, POWER_MAX = 12 };

static const struct {
  const char *word;
  double times, over;
  int tens, pis;
  mbs_dimension dimension;
} units[] = {
#define MBS_UNIT(word, times, over, tens, pis, dimension) {word, times, over, tens, pis, MBS_DIMENSION_##dimension},
#include "expression/unit_words.def"
};
enum { UNITS = sizeof units / sizeof *units };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80; }
static size_t blanks(const char *text) { return strspn(text, " \t\r\n"); }

static size_t word_length(const char *text) {
  size_t length = *text == '1';
  while (is_letter(text[length]) && !(length == 1 && *text == '1')) length++;
  return length;
}

static const char *measure_of(const char *field_unit) {
  static const struct {
    const char *unit, *text;
  } measures[] = {
#define MBS_MEASURE(unit, text) {unit, text},
#include "expression/unit_words.def"
  };
  for (size_t i = 0; field_unit && i < sizeof measures / sizeof *measures; i++)
    if (strcmp(measures[i].unit, field_unit) == 0) return measures[i].text;
  return NULL;
}

/* Lists the words of the table that are possible if the field's unit is one of them: kg, g, mg, lb. Lists all words if
 * the field's unit is composed of several, or is not known. Returns their number. */
static size_t words_of(const char *field_unit, const char *words[UNITS]) {
  size_t count = 0;
  int own = -1;
  for (int i = 0; field_unit && i < UNITS; i++)
    if (strcmp(units[i].word, field_unit) == 0) own = i;
  for (int i = 0; i < UNITS; i++)
    if (own < 0 || memcmp(&units[i].dimension, &units[own].dimension, sizeof units[own].dimension) == 0)
      words[count++] = units[i].word;
  return count;
}

/* Writes "; expected a mass, in kg, g, mg, lb" for the field; empty if its unit is not known. */
static void write_expected(const char *field_unit, char text[EXPECTED]) {
  const char *measure = measure_of(field_unit), *words[UNITS];
  size_t count = words_of(field_unit, words);
  text[0] = '\0';
  if (!field_unit || !*field_unit) return;
  if (!measure || count == UNITS) {
    snprintf(text, EXPECTED, "; expected %s%s", measure ? measure : "a value in ", measure ? "" : field_unit);
    return;
  }
  int used = snprintf(text, EXPECTED, "; expected %.*s in", (int)(strcspn(measure, ",") + 1), measure);
  for (size_t i = 0; i < count && used < EXPECTED; i++)
    if ((unsigned char)words[i][0] < 0x80) /* the other spelling of an ASCII word */
      used += snprintf(text + used, EXPECTED - (size_t)used, "%s %s", i ? "," : "", words[i]);
}

/* Returns the unit of `known` that another word means, such as "sec", or "Grad" (German); NULL: none. */
static const char *unit_meant(const char *word, const char *const *known, size_t count) {
  static const char *const meant[][2] = {
      {"degree", "deg"}, {"degrees", "deg"}, {"grad", "deg"}, {"grade", "deg"}, {"grades", "deg"}, {"gradi", "deg"},
      {"radian", "rad"}, {"radians", "rad"}, {"sec", "s"},    {"secs", "s"},    {"second", "s"},   {"seconds", "s"},
      {"minute", "min"}, {"minutes", "min"}, {"hour", "h"},   {"hours", "h"},   {"meter", "m"},    {"meters", "m"},
      {"metre", "m"},    {"metres", "m"},    {"inch", "in"},  {"inches", "in"}, {"foot", "ft"},    {"feet", "ft"},
      {"pound", "lb"},   {"pounds", "lb"},   {"newton", "N"}, {"newtons", "N"}};
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
    for (size_t k = 0; k < count && strcasecmp(meant[i][0], word) == 0; k++)
      if (strcmp(known[k], meant[i][1]) == 0) return known[k];
  return NULL;
}

/* Finds the unit in the table at the start of `at`. Returns -1 with the error if there is none. */
static int find_word(const char *at, size_t length, const char *field_unit, char why[WHY]) {
  char word[TEXT_MAX + 1], expected[EXPECTED] = "";
  const char *known[UNITS];
  const bool call = at[length] == '(';
  snprintf(word, sizeof word, "%.*s", (int)length, at);
  for (int i = 0; i < UNITS; i++)
    if (strcmp(units[i].word, word) == 0) return i;
  const size_t count = words_of(field_unit, known);
  const char *nearest = call ? NULL : unit_meant(word, known, count);
  if (!nearest && !call) nearest = mbs_nearest(word, known, count);
  if (!call) write_expected(field_unit, expected);
  if (length == 0)
    snprintf(why, WHY, "expected a unit but found %s%.1s%s", *at ? "'" : "the end", at, *at ? "'" : "");
  else if (nearest)
    snprintf(why, WHY, "unknown unit '%.30s'%s; did you mean '%s'?", word, expected, nearest);
  else
    snprintf(why, WHY, "unknown unit '%.30s'%s; if '%.30s' is a name, write '*' before it", word, expected, word);
  return -1;
}

/* Reads [ ^ [-] digits ] after a word: its power, 1 if none is written; *at moves past it. Returns 0 with the error if
 * it is invalid. */
static int read_power(const char **at, char why[WHY]) {
  const char *next = *at + blanks(*at);
  if (*next != '^') return 1;
  next += 1 + blanks(next + 1);
  bool negative = *next == '-';
  next += negative;
  int power = 0;
  for (; is_digit(*next) && power <= POWER_MAX; next++) power = 10 * power + (*next - '0');
  *at = next;
  if (power == 0 || power > POWER_MAX)
    snprintf(why, WHY, "the power of a unit must be a whole number from 1 to %d", POWER_MAX);
  return power > POWER_MAX ? 0 : negative ? -power : power;
}

/* Reads one more power of a word, in the denominator if `sign` is -1. */
static bool read_word(const char **at, int sign, const char *field_unit, unit *out, char why[WHY]) {
  size_t length = word_length(*at);
  int i = find_word(*at, length, field_unit, why);
  if (i < 0) return false;
  *at += length;
  int power = sign * read_power(at, why);
  if (power == 0) return false;
  out->factor = scaled(out->factor, (wide){units[i].times, 0}, power);
  out->factor = scaled(out->factor, (wide){units[i].over, 0}, -power);
  out->factor = scaled(out->factor, pi, power * units[i].pis);
  out->tens += power * units[i].tens;
  out->dimension = mbs_dimension_product(out->dimension, units[i].dimension, power);
  return true;
}

/* Reads a unit up to the end of the text; *end is the position reached. `field_unit` (or NULL): unit of its field, for
 * messages. */
static bool read_unit(const char *text, const char *field_unit, unit *out, const char **end, char why[WHY]) {
  *out = (unit){.factor = {1, 0}, .dimension = MBS_DIMENSION_NUMBER};
  *end = text + blanks(text);
  int sign = 1;
  while (read_word(end, sign, field_unit, out, why)) {
    *end += blanks(*end);
    if (**end == '\0') return true;
    sign = **end == '/' ? -1 : 1;
    if (**end == '*' || **end == '/') {
      *end += 1 + blanks(*end + 1);
    } else if (!is_letter(**end)) {
      snprintf(why, WHY,
               "found '%.1s', but a unit is allowed only after a number that stands alone; in a formula write "
               "SI values, such as pi/2 + 2*pi*t",
               *end);
      return false;
    }
  }
  return false;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Returns the bytes of the sign and the number at the start of a text; 0: none. */
static size_t signed_length(const char *text) {
  size_t sign = blanks(text);
  if (text[sign] == '-' || text[sign] == '+') sign += 1 + blanks(text + sign + 1);
  size_t length = mbs_number_length(text + sign);
  return length ? sign + length : 0;
}

bool mbs_has_unit(const char *text) {
  size_t length = signed_length(text);
  const char *next = text + length + blanks(text + length);
  return length > 0 && (is_letter(*next) || (next[0] == '1' && next[1] == '/'));
}

/* Reads the number in `length` bytes as digits and a power of ten, which is added to *tens. */
static wide read_digits(const char *text, size_t length, int *tens) {
  enum { EXPONENT_MAX = 2000 }; /* limit beyond all doubles, for any digits */
  wide value = {0, 0};
  bool fraction = false, negative = false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == 'e' || text[i] == 'E') {
      long exponent = strtol(text + i + 1, NULL, 10);
      *tens += (int)(exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent);
      break;
    }
    negative = negative || text[i] == '-';
    fraction = fraction || text[i] == '.';
    if (!is_digit(text[i])) continue;
    bool counts = value.high < 1e30; /* later digits have no effect */
    if (counts) value = plus(times(value, (wide){10, 0}), text[i] - '0');
    *tens += (counts ? 0 : 1) - (fraction ? 1 : 0);
  }
  return negative ? (wide){-value.high, -value.low} : value;
}

/* Writes the fewest digits that represent the same number. */
static void write_number(double value, char text[32]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return;
  }
}

/* Returns true if a value of one dimension is possible for a field with another. */
static bool fits(mbs_dimension one, mbs_dimension other) { return mbs_dimension_sum(one, other).known; }

/* Reads a number with a unit. `field_unit`: the unit of its field, for a message; or NULL. */
static bool read_measured(const char *text, const char *field_unit, mbs_measured *out, char message[512]) {
  size_t length = signed_length(text);
  unit given;
  const char *end;
  char why[WHY];
  *out = (mbs_measured){.value = NAN, .unit = text + length + blanks(text + length)};
  if (strlen(text) > TEXT_MAX) {
    mbs_message(message, 512, "a number with a unit must not be longer than %d bytes", TEXT_MAX);
    return false;
  }
  if (!read_unit(text + length, field_unit, &given, &end, why)) {
    mbs_message(message, 512, "in '%.200s' at column %d: %s", text, (int)(end - text) + 1, why);
    return false;
  }
  wide digits = read_digits(text, length, &given.tens);
  wide value = scaled(times(digits, given.factor), (wide){10, 0}, given.tens);
  if (!isfinite(value.high)) {
    mbs_message(message, 512, "in '%.200s' the number is too large", text);
    return false;
  }
  out->value = value.high;
  out->dimension = given.dimension;
  return true;
}

bool mbs_unit_read(const char *text, mbs_measured *out, char message[512]) {
  return read_measured(text, NULL, out, message);
}

mbs_dimension mbs_unit_dimension(const char *text) {
  unit read;
  const char *end;
  char why[WHY];
  bool known = text && text[0] && read_unit(text, NULL, &read, &end, why);
  return known ? read.dimension : (mbs_dimension)MBS_DIMENSION_UNKNOWN;
}

double mbs_unit_value(const char *text, const char *field_unit, char message[512]) {
  mbs_measured given;
  char number[32];
  if (!read_measured(text, field_unit, &given, message)) return NAN;
  bool known = field_unit && field_unit[0];
  mbs_dimension wanted = mbs_unit_dimension(field_unit);
  write_number(given.value, number);
  if (!known)
    mbs_message(message, 512, "the unit of '%.200s' cannot be checked here; write the number in SI units, %s", text,
                number);
  else if (!wanted.known)
    mbs_message(message, 512,
                "the unit here is %s, and '%.200s' cannot be checked against it; write the number in SI units, %s",
                field_unit, text, number);
  else if (fits(given.dimension, wanted))
    return given.value;
  else if (measure_of(field_unit))
    mbs_message(message, 512, "expected %s, got '%.200s'", measure_of(field_unit), text);
  else
    mbs_message(message, 512, "expected a value in %s, got '%.200s'", field_unit, text);
  return NAN;
}
