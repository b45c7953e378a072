/* mat_names.c - see mat_names.h. */
#include "api/formats/mat_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_word(const char *name) {
  static const char *const words[] = {"break",      "case",   "catch",    "classdef", "continue", "else",      "elseif",
                                      "end",        "for",    "function", "global",   "if",       "otherwise", "parfor",
                                      "persistent", "return", "spmd",     "switch",   "try",      "while"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], name) == 0) return true;
  return false;
}

static char *make_name(const char *name, size_t longest) {
  char *variable = calloc(longest + 1, 1);
  if (!variable) return NULL;
  size_t length = 0;
  if (!is_letter(*name)) variable[length++] = 'x';
  for (; *name && length < longest; name++) {
    if (((unsigned char)*name & 0xc0) == 0x80) continue; /* rest of a character that was already replaced */
    bool fits = is_letter(*name) || (*name >= '0' && *name <= '9');
    variable[length++] = fits ? *name : '_';
  }
  if (is_word(variable)) variable[length] = '_';
  return variable;
}

const api_name_rule api_mat_names = {make_name, 63, API_MAT_INFO};
