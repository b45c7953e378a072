/* import.c - see import.h. */
#include "import/import.h"

#include "import/formats.h"
#include "import/xml.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Memory of one conversion, besides libxml2's trees and the document. */
static const size_t memory_limit = (size_t)512 << 20;

static const import_format *const formats[] = {&import_adm,      &import_dap, &import_mjcf,
                                               &import_robotran, &import_sdf, &import_urdf};

/* ---- the format and the main file ------------------------------------------------------------------------------- */

static const import_format *find_format(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i]->name, name) == 0) return formats[i];
  return NULL;
}

static bool ends_with(const char *path, const char *end) {
  const size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcasecmp(path + length - tail, end) == 0;
}

/* Returns true if the first element of an XML text has this name. */
static bool text_has_root(const char *at, size_t size, const char *root) {
  const char *end = at + size;
  while (at < end) {
    const char *tag = memchr(at, '<', (size_t)(end - at));
    if (!tag) return false;
    if (strncmp(tag, "<!--", 4) == 0) {
      const char *close = strstr(tag, "-->");
      if (!close) return false;
      at = close + 3;
    } else if (tag[1] == '?' || tag[1] == '!') {
      at = tag + 2;
    } else {
      const size_t length = strlen(root);
      return strncmp(tag + 1, root, length) == 0 && strchr(" \t\r\n/>", tag[1 + length]);
    }
  }
  return false;
}

/* Returns true if a text begins with the byte order mark or the "<" of UTF-16. */
static bool is_wide(const import_file *file) {
  static const char starts[][2] = {{'\xFF', '\xFE'}, {'\xFE', '\xFF'}, {'<', 0}, {0, '<'}};
  for (size_t i = 0; file->size > 2 && i < sizeof starts / sizeof *starts; i++)
    if (memcmp(file->data, starts[i], 2) == 0) return true;
  return false;
}

static bool has_root(const import_file *file, const char *root) {
  char narrow[8192] = ""; /* UTF-16: the ASCII characters at the start */
  size_t length = 0;
  if (!is_wide(file)) return text_has_root(file->data, file->size, root);
  for (size_t i = 0; i < file->size && length + 1 < sizeof narrow; i++)
    if (file->data[i] != 0) narrow[length++] = file->data[i];
  return text_has_root(narrow, length, root);
}

/* Returns true if a file is the main file of a source of this format. */
static bool is_main(const import_format *format, const import_file *file) {
  const char *name = file->path + import_folder_length(file->path);
  if (format->root) return has_root(file, format->root);
  return format->main_name ? strcmp(name, format->main_name) == 0 : ends_with(name, format->ending);
}

static bool is_empty(const import_tree *tree) {
  size_t bytes = 0;
  for (size_t i = 0; i < import_tree_count(tree); i++) bytes += import_tree_at(tree, i)->size;
  return bytes == 0;
}

/* Finds the only main file of that format. Leaves the conversion if there are several. */
static const import_file *find_main(import_context *context, const import_format *format) {
  const import_file *found = NULL;
  for (size_t i = 0; i < import_tree_count(context->tree); i++) {
    const import_file *file = import_tree_at(context->tree, i);
    if (!is_main(format, file)) continue;
    if (found)
      import_leave(context, 422, "several_files", NULL,
                   "'%.150s' and '%.150s' may both be the model; choose one as main", found->path, file->path);
    found = file;
  }
  return found;
}

static void choose(import_context *context, const import_format **format, const import_file **main) {
  const import_options *options = &context->options;
  const char *wanted = options->main_file;
  *format = options->format ? find_format(options->format) : NULL;
  *main = wanted ? import_tree_find(context->tree, wanted) : NULL;
  if (wanted && !import_path_is_inside(wanted))
    import_leave(context, 422, "path_refused", NULL, "the path '%.200s' leaves the source", wanted);
  if (wanted && !*main) import_leave(context, 422, "not_found", NULL, "there is no file '%.200s'", wanted);
  if (options->format && !*format)
    import_leave(context, 422, "unknown_format", NULL,
                 "there is no format '%.80s'; formats are adm, dap, mjcf, robotran, "
                 "sdf and urdf",
                 options->format);
  if (*main && *format) return;
  for (size_t i = 0; !*format && i < sizeof formats / sizeof *formats; i++) {
    if (*main ? is_main(formats[i], *main) : find_main(context, formats[i]) != NULL) *format = formats[i];
  }
  if (!*format && is_empty(context->tree)) import_leave(context, 422, "unknown_format", NULL, "the source is empty");
  if (!*format)
    import_leave(context, 422, "unknown_format", NULL,
                 "the format cannot be found from the files; choose adm, dap, mjcf, robotran, sdf or urdf with %s",
                 options->format_option ? options->format_option : "the option format");
  if (!*main) *main = find_main(context, *format);
  if (!*main && import_tree_count(context->tree) == 1) *main = import_tree_at(context->tree, 0);
  if (!*main) import_leave(context, 422, "not_found", NULL, "the source has no file of the format %s", (*format)->name);
}

/* ---- the conversion --------------------------------------------------------------------------------------------- */

static void open_context(import_context *context) {
  context->document = import_need(context, json_object());
  context->answer->notes = import_need(context, json_array());
  context->answer->places = import_need(context, json_object());
  context->sources = import_need(context, json_array());
  for (size_t i = 0; i < sizeof context->names / sizeof *context->names; i++)
    context->names[i] = import_need(context, json_object());
}

static void close_context(import_context *context) {
  import_xml_close_all(context);
  for (size_t i = 0; i < sizeof context->names / sizeof *context->names; i++) json_decref(context->names[i]);
  json_decref(context->document);
  json_decref(context->sources);
  mbs_arena_free(context->arena);
}

/* Leaves out lists without elements. */
static void drop_empty(json_t *document) {
  static const char *const lists[] = {"drivers", "forces"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (json_array_size(json_object_get(document, lists[i])) == 0) json_object_del(document, lists[i]);
  if (json_object_size(json_object_get(document, "ground")) == 0) json_object_del(document, "ground");
}

/* Runs the conversion; returns after import_leave(), too. */
static void run(import_context *context) {
  if (setjmp(context->exit) != 0) return;
  if (!context->arena) import_leave(context, 500, "no_memory", NULL, "out of memory");
  open_context(context);
  const import_format *format;
  const import_file *main;
  choose(context, &format, &main);
  context->answer->format = format->name;
  format->convert(context, main);
  if (context->answer->errors) return;
  const import_location place = {.file = main->path};
  if (json_array_size(context->bodies) == 0) import_leave(context, 422, "not_mapped", &place, "the source has no body");
  drop_empty(context->document);
  context->answer->model = json_incref(context->document);
}

void import_convert(import_tree *tree, const import_options *options, import_answer *answer) {
  *answer = (import_answer){0};
  import_context context = {.tree = tree, .options = *options, .answer = answer, .arena = mbs_arena_new(memory_limit)};
  run(&context);
  close_context(&context);
}

void import_answer_free(import_answer *answer) {
  json_decref(answer->model);
  json_decref(answer->notes);
  json_decref(answer->errors);
  json_decref(answer->places);
  *answer = (import_answer){0};
}

void import_answer_locate(const import_answer *answer, json_t *error) {
  char pointer[512] = "";
  const char *whole = json_string_value(json_object_get(error, "pointer"));
  if (whole) snprintf(pointer, sizeof pointer, "%s", whole);
  json_t *place = json_object_get(answer->places, pointer);
  for (char *slash = pointer; !place && (slash = strrchr(pointer, '/'));) {
    *slash = 0;
    place = json_object_get(answer->places, pointer);
  }
  if (place) json_object_update_missing(error, place);
}
