/* listing.c - see listing.h. */
#include "server/store/common/listing.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

bool store_cursor_read(const char *cursor, int64_t *before) {
  *before = INT64_MAX;
  if (!cursor || *cursor == '\0') return true;
  size_t length = strlen(cursor);
  for (size_t i = 0; i < length; i++)
    if (!isdigit((unsigned char)cursor[i])) return false;
  *before = strtoll(cursor, NULL, 10);
  return length <= 18;
}

/* Returns true if one of the tags equals `whole`, or contains `part`. */
static bool has_tag(const char *tags, const char *whole, const char *part) {
  json_t *list = tags ? json_loads(tags, 0, NULL) : NULL;
  bool has = false;
  size_t i;
  json_t *tag;
  json_array_foreach(list, i, tag) {
    const char *text = json_string_value(tag);
    has = has || (text && ((whole && strcmp(text, whole) == 0) || (part && strcasestr(text, part))));
  }
  json_decref(list);
  return has;
}

static bool contains(const char *text, const char *part) { return text && strcasestr(text, part); }

bool store_job_fulfils(const service_job *job, const service_filter *filter) {
  if (filter->since != 0 && job->created < filter->since) return false;
  if (filter->client && strcmp(job->client, filter->client) != 0) return false;
  if (filter->tag && !has_tag(job->tags, filter->tag, NULL)) return false;
  return !filter->text || contains(job->name, filter->text) || contains(job->model_name, filter->text) ||
         has_tag(job->tags, NULL, filter->text);
}
