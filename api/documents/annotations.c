/* annotations.c - see annotations.h. */
#include "api/documents/annotations.h"

#include "api/documents/document_reader.h"

#include <stdio.h>
#include <string.h>

/* Counts the characters, not the bytes, of a UTF-8 text. */
static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static bool is_text(const json_t *value, size_t most, const char *pointer, mbs_diagnostics *list) {
  if (!json_is_string(value)) {
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "expected a string, got %s", api_json_type(value));
    return false;
  }
  size_t count = characters(json_string_value(value));
  if (count >= 1 && count <= most) return true;
  mbs_diagnose(list, MBS_OUT_OF_RANGE, pointer, "expected 1 to %zu characters, got %zu", most, count);
  return false;
}

static bool has_before(const json_t *tags, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (json_equal(json_array_get(tags, i), json_array_get(tags, index))) return true;
  return false;
}

static bool check_tags(const json_t *tags, mbs_diagnostics *list) {
  if (!json_is_array(tags)) {
    mbs_diagnose(list, MBS_WRONG_TYPE, "/tags", "expected an array, got %s", api_json_type(tags));
    return false;
  }
  if (json_array_size(tags) > API_TAGS_MAX) {
    mbs_diagnose(list, MBS_OUT_OF_RANGE, "/tags", "expected at most %d tags, got %zu", API_TAGS_MAX,
                 json_array_size(tags));
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < json_array_size(tags); i++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/tags/%zu", i);
    bool text = is_text(json_array_get(tags, i), API_TAG_MAX, pointer, list);
    if (text && has_before(tags, i))
      mbs_diagnose(list, MBS_DUPLICATE_NAME, pointer, "duplicate tag: the same tag appears earlier in the array");
    good = good && text;
  }
  return good;
}

static bool check_boolean(const json_t *value, const char *pointer, mbs_diagnostics *list) {
  if (json_is_boolean(value)) return true;
  mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "expected true or false, got %s", api_json_type(value));
  return false;
}

void api_annotations_read(const json_t *object, api_annotations *out, mbs_diagnostics *list) {
  *out = (api_annotations){.reuse = false};
  const json_t *name = json_object_get(object, "name"), *tags = json_object_get(object, "tags");
  const json_t *keep = json_object_get(object, "keep"), *reuse = json_object_get(object, "reuse");
  if (name && (json_is_null(name) || is_text(name, API_NAME_MAX, "/name", list))) out->name = name;
  if (tags && check_tags(tags, list)) out->tags = tags;
  if (keep && check_boolean(keep, "/keep", list)) out->keep = keep;
  if (reuse && check_boolean(reuse, "/reuse", list)) out->reuse = json_is_true(reuse);
}

char *api_annotations_tags(const api_annotations *annotations) {
  return json_array_size(annotations->tags) > 0 ? json_dumps(annotations->tags, JSON_COMPACT) : NULL;
}
