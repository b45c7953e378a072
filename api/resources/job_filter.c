/* job_filter.c - see job_filter.h. */
#include "api/resources/job_filter.h"

#include "api/base/name_list.h"
#include "api/http/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns the value of a parameter; NULL if it is missing or empty. */
static const char *value_of(const api_call *call, const char *name) {
  const char *value = api_target_query(&call->target, name);
  return value && *value ? value : NULL;
}

/* Reads the offset of a time [s]: "Z", "+01:00" (a query may have changed the sign to a space). */
static bool read_offset(const char *text, double *offset) {
  int hours, minutes, length = 0;
  char sign;
  *offset = 0;
  if ((text[0] == 'Z' || text[0] == 'z') && text[1] == '\0') return true;
  if (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &length) != 3 || length != 6 || text[6]) return false;
  if ((sign != '+' && sign != '-' && sign != ' ') || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
    return false;
  *offset = (sign == '-' ? -1 : 1) * (3600.0 * hours + 60.0 * minutes);
  return true;
}

/* Reads the time of day after a date, "T13:00:00.5Z" [s]. */
static bool read_time_of_day(const char *text, double *seconds) {
  struct tm parts = {0};
  const char *rest = *text == 'T' || *text == 't' ? strptime(text + 1, "%H:%M:%S", &parts) : NULL;
  if (!rest) return false;
  double fraction = 0, offset;
  if (*rest == '.') {
    char *end;
    fraction = strtod(rest, &end);
    rest = end;
  }
  if (!read_offset(rest, &offset)) return false;
  *seconds = 3600.0 * parts.tm_hour + 60.0 * parts.tm_min + parts.tm_sec + fraction - offset;
  return true;
}

/* Reads seconds since 1970, a date (midnight in UTC), or a date and time in RFC 3339 format. */
static bool read_time(const char *text, double *seconds) {
  *seconds = strtod(text, NULL);
  if (*text && text[strspn(text, "0123456789.")] == '\0') return isfinite(*seconds);
  struct tm date = {0};
  const char *rest = strptime(text, "%Y-%m-%d", &date);
  if (!rest) return false;
  int day = date.tm_mday;
  double of_day = 0, midnight = (double)timegm(&date);
  if (date.tm_mday != day) return false; /* the month has no such day */
  if (*rest && !read_time_of_day(rest, &of_day)) return false;
  *seconds = midnight + of_day;
  return *seconds >= 0;
}

static bool read_status(const api_call *call, api_response *response, const char **status) {
  *status = api_target_query(&call->target, "status");
  api_name_list states;
  api_name_list_split(&states, "queued|running|succeeded|failed|cancelled");
  if (!*status || api_name_list_has(&states, *status)) return true;
  char hint[256];
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Unknown status '%.60s'; %s", *status,
              api_name_list_hint(&states, *status, hint, sizeof hint));
  return false;
}

bool api_job_filter_read(const api_call *call, api_response *response, service_filter *filter) {
  *filter = (service_filter){.model_name = value_of(call, "model_name"),
                             .client = value_of(call, "owner"),
                             .tag = value_of(call, "tag"),
                             .text = value_of(call, "q")};
  if (!read_status(call, response, &filter->status)) return false;
  const char *since = value_of(call, "since");
  if (!since || read_time(since, &filter->since)) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST,
              "The query parameter since must be a date (2026-11-22), a date with time (2026-11-22T13:00:00Z) or "
              "seconds since 1970; got '%.60s'",
              since);
  return false;
}
