/* log.c - see log.h. */
#include "server/base/log.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = {"debug", "info", "warning", "error"};

static struct {
  srv_log_level level;
  bool json;
} settings = {SRV_INFO, false};

srv_field srv_text(const char *name, const char *text) { return (srv_field){name, text ? text : "", 0}; }

srv_field srv_number(const char *name, double number) { return (srv_field){name, NULL, number}; }

void srv_log_setup(const char *level, bool json) {
  settings.json = json;
  for (int i = SRV_DEBUG; i <= SRV_ERROR; i++)
    if (strcmp(level, level_names[i]) == 0) settings.level = (srv_log_level)i;
}

/* Writes the text as a JSON string. Bytes outside ASCII are shown as U+0080 to U+00FF, so that every line is valid JSON
 * whatever a client sent. */
static void write_quoted(FILE *line, const char *text) {
  putc('"', line);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') {
      fprintf(line, "\\%c", *c);
    } else if (*c < 0x20 || *c >= 0x7f) {
      fprintf(line, "\\u%04x", *c);
    } else {
      putc(*c, line);
    }
  }
  putc('"', line);
}

static bool is_plain(const char *text) {
  if (*text == '\0') return false;
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c <= 0x20 || *c >= 0x7f || *c == '"' || *c == '\\' || *c == '=') return false;
  return true;
}

static void write_field(FILE *line, const srv_field *field) {
  fprintf(line, settings.json ? ",\"%s\":" : " %s=", field->name);
  if (!field->text) {
    if (isfinite(field->number)) {
      fprintf(line, "%.10g", field->number);
    } else {
      fputs("null", line);
    }
  } else if (settings.json || !is_plain(field->text)) {
    write_quoted(line, field->text);
  } else {
    fputs(field->text, line);
  }
}

static void write_head(FILE *line, srv_log_level level, const char *event) {
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &parts);
  char time[64];
  size_t length = strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(time + length, sizeof time - length, ".%03ldZ", now.tv_nsec / 1000000);
  fprintf(line, settings.json ? "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\"" : "%s %s %s", time,
          level_names[level], event);
}

void srv_log(srv_log_level level, const char *event, const srv_field *fields) {
  assert(level <= SRV_ERROR && event && fields);
  if (level < settings.level) return;
  int saved = errno;
  char text[8192];
  /* Reserves a byte for the end of the line: a long line is cut, never joined to the next. */
  FILE *line = fmemopen(text, sizeof text - 2, "w");
  if (!line) return;
  write_head(line, level, event);
  for (const srv_field *field = fields; field->name; field++) write_field(line, field);
  if (settings.json) putc('}', line);
  fflush(line);
  long size = ftell(line);
  fclose(line);
  if (size > 0) {
    text[size++] = '\n';
    /* Writes each line by one call, which keeps the lines of several threads separate. */
    if (write(STDERR_FILENO, text, (size_t)size) < 0) errno = 0;
  }
  errno = saved;
}
