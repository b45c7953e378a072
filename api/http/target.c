/* target.c - see target.h. A segment is decoded after the path is split, so that %2F is a character of a name. */
#include "api/http/target.h"

#include "api/base/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Decodes `text` in place; in a query '+' is a space. */
static bool decode(char *text, bool query, char why[160]) {
  char *out = text;
  for (const char *in = text; *in; in++) {
    if (*in == '+' && query) {
      *out++ = ' ';
    } else if (*in != '%') {
      *out++ = *in;
    } else {
      int high = hex_digit(in[1]);
      int low = high < 0 ? -1 : hex_digit(in[2]);
      if (low < 0) {
        snprintf(why, 160, "The request address contains a '%%' that is not followed by two hexadecimal digits");
        return false;
      }
      if (high == 0 && low == 0) {
        snprintf(why, 160, "The request address contains %%00, which is not allowed");
        return false;
      }
      *out++ = (char)(high * 16 + low);
      in += 2;
    }
  }
  *out = '\0';
  if (api_utf8_valid(text, (size_t)(out - text))) return true;
  snprintf(why, 160, "The request address is not valid UTF-8");
  return false;
}

static bool parse_path(char *path, api_target *target, char why[160]) {
  if (path[0] != '/') {
    snprintf(why, 160, "The request address does not begin with '/'");
    return false;
  }
  if (path[1] == '\0') return true;
  for (char *segment = path + 1; segment;) {
    char *slash = strchr(segment, '/');
    if (slash) *slash = '\0';
    if (target->segment_count == API_SEGMENTS_MAX) {
      snprintf(why, 160, "The path of the request has more than %d segments", API_SEGMENTS_MAX);
      return false;
    }
    if (!decode(segment, false, why)) return false;
    target->segments[target->segment_count++] = segment;
    segment = slash ? slash + 1 : NULL;
  }
  return true;
}

static bool parse_query(char *query, api_target *target, char why[160]) {
  for (char *name = query; name && *name;) {
    char *ampersand = strchr(name, '&');
    if (ampersand) *ampersand = '\0';
    char *next = ampersand ? ampersand + 1 : NULL;
    char *equals = strchr(name, '=');
    char *value = equals ? equals + 1 : name + strlen(name);
    if (equals) *equals = '\0';
    if (!decode(name, true, why) || !decode(value, true, why)) return false;
    if (api_target_query(target, name)) {
      snprintf(why, 160, "Duplicate query parameter '%.60s'", name);
      return false;
    }
    if (target->parameter_count == API_PARAMETERS_MAX) {
      snprintf(why, 160, "The query has more than %d parameters", API_PARAMETERS_MAX);
      return false;
    }
    target->parameters[target->parameter_count++] = (api_parameter){name, value};
    name = next;
  }
  return true;
}

bool api_target_parse(const char *raw, api_target *target, char why[160]) {
  *target = (api_target){.text = strdup(raw)};
  if (!target->text) {
    snprintf(why, 160, "Out of memory");
    return false;
  }
  char *query = strchr(target->text, '?');
  if (query) *query++ = '\0';
  return parse_path(target->text, target, why) && parse_query(query, target, why);
}

void api_target_free(api_target *target) {
  free(target->text);
  *target = (api_target){0};
}

const char *api_target_query(const api_target *target, const char *name) {
  for (size_t i = 0; i < target->parameter_count; i++) {
    if (strcmp(target->parameters[i].name, name) == 0) return target->parameters[i].value;
  }
  return NULL;
}
