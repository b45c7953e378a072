/* reference.c - see reference.h. */
#include "api/documents/reference.h"

#include "api/base/name_list.h"
#include "api/documents/document_reader.h"
#include "api/documents/markdown.h"
#include "api/documents/reference_example.h"
#include "api/documents/reference_expressions.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char expressions[] = "expressions";

static bool is_of_expressions(const api_page *page) { return strcmp(page->name, expressions) == 0; }

/* ---- which pages there are --------------------------------------------------------------------------------------- */

static void add_page(api_pages *pages, const mbs_class *cls, mbs_family family, const char *name) {
  assert(pages->count < API_PAGES_MAX);
  api_page *page = &pages->items[pages->count++];
  *page = (api_page){.cls = cls, .family = family};
  snprintf(page->name, sizeof page->name, "%s", name);
}

static void add_class(api_pages *pages, const mbs_class *cls) {
  char name[API_MANUAL_LINK_SIZE];
  api_manual_link_of_class(cls, name);
  add_page(pages, cls, cls->family, name);
}

static bool has_class(const api_pages *pages, const mbs_class *cls) {
  for (size_t i = 0; i < pages->count; i++)
    if (pages->items[i].cls == cls) return true;
  return false;
}

static bool is_object(const mbs_field *field) { return field->kind == MBS_KIND_OBJECT || field->kind == MBS_KIND_MAP; }

/* Returns true if the page of a class would describe another class, which has no page of its own. */
static bool tells_of(const api_pages *pages, const mbs_class *cls, const mbs_class *other) {
  for (const mbs_field *field = cls->fields; field->name; field++) {
    if (!is_object(field) || has_class(pages, field->of)) continue;
    if (field->of == other || tells_of(pages, field->of, other)) return true;
  }
  return false;
}

/* Adds pages for classes of objects that the pages of several classes would describe. */
static void add_shared(api_pages *pages, size_t classes, const mbs_class *cls) {
  for (const mbs_field *field = cls->fields; field->name; field++) {
    if (!is_object(field) || has_class(pages, field->of)) continue;
    size_t users = 0;
    for (size_t i = 0; i < classes; i++)
      users += pages->items[i].cls && tells_of(pages, pages->items[i].cls, field->of);
    if (users > 1) add_class(pages, field->of);
    add_shared(pages, classes, field->of);
  }
}

void api_reference_pages(api_pages *pages) {
  pages->count = 0;
  add_class(pages, mbs_class_model());
  add_class(pages, mbs_class_analysis());
  add_class(pages, mbs_class_study());
  add_page(pages, NULL, MBS_FAMILY_NONE, "arrays");
  add_page(pages, NULL, MBS_FAMILY_NONE, expressions);
  for (mbs_family family = MBS_FAMILY_NONE + 1; family < MBS_FAMILY_COUNT; family++) {
    const mbs_class *cls;
    char name[API_MANUAL_LINK_SIZE];
    snprintf(name, sizeof name, "%ss", api_family_name(family));
    add_page(pages, NULL, family, name);
    for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) add_class(pages, cls);
  }
  size_t classes = pages->count;
  for (size_t i = 0; i < classes; i++)
    if (pages->items[i].cls) add_shared(pages, classes, pages->items[i].cls);
}

const api_page *api_reference_find(const api_pages *pages, const char *name) {
  for (size_t i = 0; i < pages->count; i++)
    if (strcmp(pages->items[i].name, name) == 0) return &pages->items[i];
  return NULL;
}

const char *api_page_summary(const api_page *page) {
  if (page->cls) return page->cls->doc;
  switch (page->family) {
  case MBS_FAMILY_JOINT: return "Joints connect two bodies and allow certain relative motions.";
  case MBS_FAMILY_DRIVER: return "Drivers prescribe a coordinate as a function of time.";
  case MBS_FAMILY_FORCE: return "Forces and torques on bodies.";
  case MBS_FAMILY_SHAPE: return "Shapes define how a body is drawn and where it can touch others; they have no mass.";
  case MBS_FAMILY_SIGNAL: return "Signals are named expressions, some with states of their own, as controllers.";
  case MBS_FAMILY_FUNCTION: return "Functions of time, for drivers.";
  case MBS_FAMILY_NONE:
  case MBS_FAMILY_COUNT: break;
  }
  return is_of_expressions(page) ? "Operators, functions and the readable quantities." : "Arrays that a run records.";
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void add_link(api_buffer *out, const char *text, const char *name) {
  api_buffer_print(out, "[%s](%s.md)", text, name);
}

static void add_choices(api_buffer *out, const char *list) {
  api_name_list choices;
  api_name_list_split(&choices, list);
  for (size_t i = 0; i < choices.count; i++) {
    api_buffer_text(out, i == 0 ? "" : i + 1 < choices.count ? ", " : " or ");
    api_markdown_code(out, choices.items[i]);
  }
}

/* Appends a link to the page of an object's class, or to the section of this page. */
static void add_class_link(api_buffer *out, const api_pages *pages, const mbs_class *cls) {
  char name[API_MANUAL_LINK_SIZE];
  api_manual_link_of_class(cls, name);
  if (has_class(pages, cls))
    add_link(out, cls->name, name);
  else
    api_buffer_print(out, "[%s](#%s)", cls->name, cls->name);
}

/* Appends the description of one value of a field. */
static void add_kind(api_buffer *out, const api_pages *pages, const mbs_field *field) {
  char name[API_MANUAL_LINK_SIZE];
  switch (field->kind) {
  case MBS_KIND_TEXT: api_buffer_text(out, "text"); break;
  case MBS_KIND_BOOL: api_buffer_text(out, "`true` or `false`"); break;
  case MBS_KIND_CHOICE: add_choices(out, field->choices); break;
  case MBS_KIND_COLOR: api_buffer_text(out, "colour"); break;
  case MBS_KIND_NUMBER: api_buffer_text(out, "number"); break;
  case MBS_KIND_LAW: api_buffer_text(out, "number or law"); break;
  case MBS_KIND_BODY: api_buffer_text(out, "body"); break;
  case MBS_KIND_POINT: api_buffer_text(out, "`body.point`"); break;
  case MBS_KIND_VECTOR: api_buffer_text(out, "`body.vector`"); break;
  case MBS_KIND_JOINT: api_buffer_text(out, "joint"); break;
  case MBS_KIND_LINE: api_buffer_text(out, "`[body.point, body.vector]`"); break;
  case MBS_KIND_ROW: api_buffer_text(out, "array of numbers"); break;
  case MBS_KIND_OBJECT: add_class_link(out, pages, field->of); break;
  case MBS_KIND_MAP:
    api_buffer_text(out, "object of object of names, each with a ");
    add_class_link(out, pages, field->of);
    break;
  case MBS_KIND_ELEMENT:
    snprintf(name, sizeof name, "%ss", api_family_name(field->family));
    add_link(out, api_family_name(field->family), name);
    break;
  }
}

static void add_bounds(api_buffer *out, const mbs_field *field) {
  if (!(field->low < field->high)) return;
  if (!isfinite(field->high))
    api_buffer_print(out, ", %s %g", field->low_open ? "above" : "at least", field->low);
  else
    api_buffer_print(out, ", %s %g to %g", field->low_open ? "above" : "from", field->low, field->high);
}

/* Appends the number of values: "2 of", "2, in space 3 of", "1 to 6 of", "a list of". */
static void add_count(api_buffer *out, const mbs_field *field) {
  enum { LONG = 1000 };
  int low = field->min_count, high = field->max_count;
  if (high == 0) return;
  if (low < 0)
    api_buffer_print(out, "%d (spatial models: %d) of: ", mbs_count_in(low, true), mbs_count_in(low, false));
  else if (high < 0)
    api_buffer_print(out, "%d (spatial models: up to %d) of: ", low, mbs_count_in(high, false));
  else if (low == high)
    api_buffer_print(out, "%d of: ", low);
  else if (high < LONG)
    api_buffer_print(out, "%d to %d of: ", low, high);
  else
    api_buffer_text(out, "list of: ");
}

static void add_default(api_buffer *out, const mbs_field *field) {
  bool number = (field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW) && field->max_count == 0;
  if (field->required)
    api_buffer_text(out, "*required*");
  else if (field->fallback_text)
    api_markdown_code(out, field->fallback_text);
  else if (number && isfinite(field->fallback))
    api_buffer_print(out, "%.6g", field->fallback);
  else if (field->kind == MBS_KIND_BOOL && field->fallback == 1)
    api_buffer_text(out, "`true`");
}

static void add_field(api_buffer *out, const api_pages *pages, const mbs_field *field) {
  api_buffer_text(out, "| ");
  api_markdown_code(out, field->name);
  api_buffer_text(out, " | ");
  add_count(out, field);
  add_kind(out, pages, field);
  if (field->or_first) {
    api_buffer_text(out, " or ");
    add_kind(out, pages, &field->of->fields[0]);
  }
  add_bounds(out, field);
  if (field->nullable) api_buffer_text(out, " or `null`");
  if (field->or_single) api_buffer_text(out, "; a single one needs no brackets");
  if (field->or_first) {
    api_buffer_text(out, ", or its ");
    api_markdown_code(out, field->of->fields[0].name);
    api_buffer_text(out, " alone");
  }
  api_buffer_text(out, " | ");
  if (field->unit) api_markdown_text(out, field->unit);
  api_buffer_text(out, " | ");
  add_default(out, field);
  api_buffer_text(out, " | ");
  api_markdown_text(out, field->doc ? field->doc : "");
  if (field->spaces == MBS_PLANAR) api_buffer_text(out, " (planar models)");
  if (field->spaces == MBS_SPATIAL) api_buffer_text(out, " (spatial models)");
  api_buffer_text(out, " |\n");
}

static void add_fields(api_buffer *out, const api_pages *pages, const mbs_class *cls) {
  if (!cls->fields->name) return;
  api_buffer_text(out, "| field | value | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n");
  for (const mbs_field *field = cls->fields; field->name; field++) add_field(out, pages, field);
  api_buffer_text(out, "\n");
}

/* Classes that a page has described. */
typedef struct told {
  const mbs_class *items[64];
  size_t count;
} told;

static bool tell_first(told *list, const mbs_class *cls) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i] == cls) return false;
  assert(list->count < sizeof list->items / sizeof *list->items);
  list->items[list->count++] = cls;
  return true;
}

/* Appends sections about the objects in fields of a class that have no page of their own. */
static void add_objects(api_buffer *out, const api_pages *pages, const mbs_class *cls, told *list) {
  for (const mbs_field *field = cls->fields; field->name; field++) {
    if (!is_object(field) || has_class(pages, field->of) || !tell_first(list, field->of)) continue;
    api_buffer_print(out, "## %s\n\n", field->of->name);
    api_markdown_text(out, field->of->doc);
    api_buffer_text(out, "\n\n");
    if (field->kind == MBS_KIND_MAP && api_map_has_objects(field))
      api_buffer_text(out, "Written as `\"NAME\": {FIELDS}`.\n\n");
    else if (field->kind == MBS_KIND_MAP)
      api_buffer_print(out, "Written as `\"NAME\": VALUE`, where VALUE is the field `%s`.\n\n",
                       field->of->fields->name);
    add_fields(out, pages, field->of);
    add_objects(out, pages, field->of, list);
  }
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static const char *spaces_text(mbs_space spaces) {
  return spaces == MBS_PLANAR ? "planar" : spaces == MBS_SPATIAL ? "spatial" : "planar and spatial";
}

static void print_family(const api_page *page, api_buffer *out) {
  const mbs_class *cls;
  api_buffer_print(out, "# %ss\n\n%s\n\n| %s | models | |\n| --- | --- | --- |\n", api_family_name(page->family),
                   api_page_summary(page), api_family_name(page->family));
  for (size_t i = 0; (cls = mbs_class_at(page->family, i)) != NULL; i++) {
    char name[API_MANUAL_LINK_SIZE];
    api_manual_link_of_class(cls, name);
    api_buffer_text(out, "| ");
    add_link(out, cls->name, name);
    api_buffer_print(out, " | %s | ", spaces_text(cls->spaces));
    api_markdown_text(out, cls->doc);
    api_buffer_text(out, " |\n");
  }
  api_buffer_text(out, "\n");
}

/* Appends how an element of this class is written. */
static void add_how_to_write(const mbs_class *cls, api_buffer *out) {
  if (cls->family == MBS_FAMILY_NONE) return;
  api_buffer_print(out, "*%s, %s models.* ", api_family_name(cls->family), spaces_text(cls->spaces));
  if (cls->family != MBS_FAMILY_FUNCTION)
    api_buffer_print(out, "Set `\"type\": \"%s\"`.", cls->name);
  else if (strcmp(cls->name, cls->fields->name) == 0)
    api_buffer_text(out, "Written as a number or a string.");
  else if (api_function_has_shorthand(cls))
    api_buffer_print(out, "Written as `{\"%s\": VALUE}`, where VALUE is the field `%s`.", cls->name, cls->fields->name);
  else
    api_buffer_print(out, "Written as `{\"%s\": {...}}` with the fields below.", cls->name);
  api_buffer_text(out, "\n\n");
}

static void print_class(const api_pages *pages, const mbs_class *cls, api_buffer *out) {
  api_buffer_print(out, "# %s\n\n", cls->name);
  api_markdown_text(out, cls->doc);
  api_buffer_text(out, "\n\n");
  add_how_to_write(cls, out);
  if (cls->equation) api_buffer_print(out, "```text\n%s\n```\n\n[Symbols](symbols.md)\n\n", cls->equation);
  api_buffer_text(out, "## Fields\n\n");
  add_fields(out, pages, cls);
  told list = {0};
  add_objects(out, pages, cls, &list);
  api_reference_example(cls, out);
}

void api_reference_print(const api_pages *pages, const api_page *page, api_buffer *out) {
  if (page->cls)
    print_class(pages, page->cls, out);
  else if (page->family != MBS_FAMILY_NONE)
    print_family(page, out);
  else if (is_of_expressions(page))
    api_reference_expressions(out);
  else
    api_reference_arrays(out);
}
