/* text_position.c - see text_position.h. The text was parsed before, so that the scanner can rely on matching quotes
 * and brackets. */
#include "text_position.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_scanner {
  const char *at, *end;
} text_scanner;

static void skip_space(text_scanner *scanner) {
  while (scanner->at < scanner->end && strchr(" \t\r\n", *scanner->at) && *scanner->at) scanner->at++;
}

/* Skips a string, beginning at its opening quote. */
static void skip_string(text_scanner *scanner) {
  for (scanner->at++; scanner->at < scanner->end && *scanner->at != '"'; scanner->at++)
    if (*scanner->at == '\\') scanner->at++;
  scanner->at++;
}

/* Skips a value with everything inside its brackets. */
static void skip_value(text_scanner *scanner) {
  size_t depth = 0;
  skip_space(scanner);
  do {
    const char c = *scanner->at;
    if (c == '"') {
      skip_string(scanner);
    } else if (c && strchr("{}[]", c)) {
      depth += c == '{' || c == '[' ? 1 : (size_t)-1;
      scanner->at++;
    } else {
      scanner->at += strcspn(scanner->at, depth > 0 ? "{}[]\"" : ",]} \t\r\n");
    }
  } while (depth > 0 && scanner->at < scanner->end);
}

/* Moves to the next item or member after a value. Returns false at the end of the array or object. */
static bool skip_comma(text_scanner *scanner) {
  skip_space(scanner);
  if (scanner->at >= scanner->end || *scanner->at != ',') return false;
  scanner->at++;
  skip_space(scanner);
  return true;
}

/* Returns true if the string from `from` to `to`, with its quotes, is `name`. */
static bool is_name(const char *from, const char *to, const char *name) {
  json_t *string = json_loadb(from, (size_t)(to - from), JSON_DECODE_ANY, NULL);
  const bool same = string && strcmp(json_string_value(string), name) == 0;
  json_decref(string);
  return same;
}

/* Moves from the opening brace of an object to the value of a member; sets `start` to its name. */
static bool enter_member(text_scanner *scanner, const char *name, const char **start) {
  scanner->at++;
  skip_space(scanner);
  if (scanner->at >= scanner->end || *scanner->at != '"') return false;
  do {
    const char *from = scanner->at;
    skip_string(scanner);
    if (scanner->at >= scanner->end) return false;
    const bool found = is_name(from, scanner->at, name);
    skip_space(scanner);
    scanner->at++; /* the colon */
    skip_space(scanner);
    *start = from;
    if (found) return true;
    skip_value(scanner);
  } while (skip_comma(scanner));
  return false;
}

/* Moves from the opening bracket of an array to the item of that number. */
static bool enter_item(text_scanner *scanner, const char *number, const char **start) {
  char *end;
  size_t left = strtoul(number, &end, 10);
  scanner->at++;
  skip_space(scanner);
  if (*end || end == number || scanner->at >= scanner->end || *scanner->at == ']') return false;
  for (; left > 0; left--) {
    skip_value(scanner);
    if (!skip_comma(scanner)) return false;
  }
  *start = scanner->at;
  return true;
}

/* Copies the next step of a pointer, which begins at its slash, to `out`. Returns the remainder of the pointer. */
static const char *next_step(const char *pointer, char *out) {
  for (pointer++; *pointer && *pointer != '/'; pointer++) {
    const bool escape = pointer[0] == '~' && (pointer[1] == '0' || pointer[1] == '1');
    *out++ = escape ? (pointer[1] == '1' ? '/' : '~') : *pointer;
    pointer += escape;
  }
  *out = '\0';
  return pointer;
}

static cli_text_position count_place(const char *text, const char *at) {
  cli_text_position place = {1, 1};
  for (; text < at; text++) {
    if (*text == '\n')
      place = (cli_text_position){place.line + 1, 1};
    else
      place.column += ((unsigned char)*text & 0xc0) != 0x80;
  }
  return place;
}

bool cli_text_position_find(const char *text, size_t size, const char *pointer, cli_text_position *place) {
  char *step = malloc(strlen(pointer) + 1);
  if (!step) return false;
  text_scanner scanner = {text, text + size};
  skip_space(&scanner);
  const char *start = scanner.at;
  bool found = true, first = true;
  while (found && *pointer == '/') {
    pointer = next_step(pointer, step);
    const char kind = scanner.at < scanner.end ? *scanner.at : '\0';
    found = kind == '{'   ? enter_member(&scanner, step, &start)
            : kind == '[' ? enter_item(&scanner, step, &start)
                          : false;
    if (!found && first) break;
    first = false;
  }
  free(step);
  *place = count_place(text, start);
  return found || !first;
}
