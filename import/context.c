/* context.c - see context.h. */
#include "import/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Notes and errors of one conversion; more are counted in the last one. */
enum { NOTES_MAX = 5000, ERRORS_MAX = 200, DETAIL = 512 };

void *import_alloc(import_context *context, size_t count, size_t size) {
  void *memory = mbs_arena_alloc(context->arena, count ? count : 1, size);
  if (!memory) import_leave(context, 500, "no_memory", NULL, "out of memory");
  return memory;
}

char *import_text(import_context *context, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *text = import_alloc(context, (size_t)length + 1, 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

void import_leave(import_context *context, int status, const char *code, const import_location *place,
                  const char *format, ...) {
  import_fault *fault = &context->answer->fault;
  *fault = (import_fault){
      .status = status, .code = code, .line = place ? place->line : 0, .column = place ? place->column : 0};
  if (place && place->file) snprintf(fault->file, sizeof fault->file, "%s", place->file);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
  va_end(arguments);
  longjmp(context->exit, 1);
}

json_t *import_need(import_context *context, json_t *value) {
  if (!value) import_leave(context, 500, "no_memory", NULL, "out of memory");
  return value;
}

static void set_text(import_context *context, json_t *object, const char *key, const char *text) {
  json_t *value = !text ? json_null() : json_string(text);
  if (!value) value = json_string("(text that is not UTF-8)");
  if (json_object_set_new(object, key, value) != 0) import_leave(context, 500, "no_memory", NULL, "out of memory");
}

/* Sets the members of an object that name a position. */
static void set_place(import_context *context, json_t *entry, const import_location *place) {
  set_text(context, entry, "file", place->file);
  if (place->pointer)
    set_text(context, entry, "source", place->pointer);
  else
    json_object_set_new(entry, "line", place->line ? json_integer(place->line) : json_null());
  set_text(context, entry, "element", place->element);
}

void import_at(import_context *context, const import_location *place) { context->place = *place; }

void import_locate(import_context *context, const char *pointer, const import_location *place) {
  json_t *entry = import_need(context, json_object());
  set_place(context, entry, place);
  json_object_set_new(context->answer->places, pointer, entry);
}

static json_t *entry_of(import_context *context, const char *code, const import_location *place, const char *detail) {
  static const import_location nowhere = {0};
  json_t *entry = import_need(context, json_object());
  if (!place) place = &nowhere;
  set_text(context, entry, "code", code);
  set_place(context, entry, place);
  set_text(context, entry, "detail", detail);
  return entry;
}

/* Counts an entry that equals an earlier one. Returns false if there is none. Only the last entries are compared, as
 * equal ones follow one another. */
static bool count_equal(json_t *list, const json_t *entry) {
  const size_t size = json_array_size(list);
  for (size_t i = size; i-- > 0 && i + 8 > size;) {
    json_t *other = json_array_get(list, i), *count = json_object_get(other, "count");
    json_t *bare = count ? json_copy(other) : json_incref(other);
    if (bare && count) json_object_del(bare, "count");
    const bool equal = bare && json_equal(bare, entry);
    json_decref(bare);
    if (!equal) continue;
    json_object_set_new(other, "count", json_integer(count ? json_integer_value(count) + 1 : 2));
    return true;
  }
  return false;
}

static void append(import_context *context, json_t *list, json_t *entry, size_t most) {
  if (count_equal(list, entry) || json_array_size(list) >= most) {
    json_decref(entry);
    return;
  }
  if (json_array_append_new(list, entry) != 0) import_leave(context, 500, "no_memory", NULL, "out of memory");
}

void import_note(import_context *context, import_level level, const char *code, const import_location *place,
                 const char *pointer, const char *format, ...) {
  static const char *const words[] = {"mapped", "changed", "dropped"};
  char detail[DETAIL];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  json_t *entry = entry_of(context, code, place, detail);
  set_text(context, entry, "level", words[level]);
  set_text(context, entry, "pointer", pointer);
  append(context, context->answer->notes, entry, NOTES_MAX);
}

static void add_error(import_context *context, const char *code, const import_location *place, const char *detail) {
  if (!context->answer->errors) context->answer->errors = import_need(context, json_array());
  json_t *entry = entry_of(context, code, place, detail);
  set_text(context, entry, "pointer", ""); /* there is no document */
  append(context, context->answer->errors, entry, ERRORS_MAX);
}

void import_invalid(import_context *context, const import_location *place, const char *format, ...) {
  char detail[DETAIL];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  add_error(context, "invalid", place, detail);
}

void import_not_mapped(import_context *context, const import_location *place, const char *format, ...) {
  char detail[DETAIL];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  if (context->options.partial)
    import_note(context, IMPORT_DROPPED, "not_mapped", place, NULL, "%s", detail);
  else
    add_error(context, "not_mapped", place, detail);
}
