/* inspect_text.c - prints an inspection as text. */
#include "inspect.h"

#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static double percent(size_t part, double whole) { return whole > 0 ? 100 * (double)part / whole : 0; }

/* Prints how many items of a list were left out. */
static void print_rest(size_t count, const cli_extent *most, FILE *out) {
  if (count > most->entries) fprintf(out, "  ... %zu more; use --all to print them\n", count - most->entries);
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void add_heads(cli_columns *table, const char *const *heads) {
  for (size_t i = 0; i < table->columns; i++) cli_columns_text(table, heads[i]);
}

/* ---- counts ---------------------------------------------------------------------------------------------------- */

static void print_cost(const cli_cost *cost, FILE *out) {
  if (!isnan(cost->microseconds))
    fprintf(out, "%.3g us", cost->microseconds);
  else
    fputs(cost->status == MBS_OK ? "not measured" : mbs_status_code(cost->status), out);
}

/* Prints "9 coordinates, 9 velocities, 8 rows (8 of joints, 0 of drivers)". */
static void print_counts(const mbs_report *report, FILE *out) {
  size_t driven = 0;
  for (size_t r = 0; r < report->rows; r++) driven += report->constraints[r].driver;
  fprintf(out, "%zu coordinates, %zu velocities, %zu rows (%zu of joints, %zu of drivers)", report->coordinates,
          report->velocities, report->rows, report->rows - driven, driven);
}

static void print_freedoms(const cli_inspected *inspected, FILE *out) {
  const mbs_report *report = inspected->inspection->report;
  fprintf(out, "  degrees of freedom: %td by count", (ptrdiff_t)report->velocities - (ptrdiff_t)report->rows);
  if (!inspected->started)
    fputs(" (rank not computed for so many rows; use mbs validate)\n", out);
  else if (inspected->status != MBS_OK)
    fputs(" (rank unknown: no initial state was found)\n", out);
  else if (report->velocity_freedoms == report->degrees_of_freedom)
    fprintf(out, ", %d by rank (%zu rows redundant)\n", report->degrees_of_freedom, report->redundant_count);
  else
    fprintf(out, ", by rank %d of positions and %d of velocities (%zu rows redundant)\n", report->degrees_of_freedom,
            report->velocity_freedoms, report->redundant_count);
}

static void print_model(const cli_inspected *inspected, const cli_inspected *other, FILE *out) {
  const mbs_report *report = inspected->inspection->report;
  fprintf(out, "%s: %s, %s, %s coordinates (mbs %s)\n", *report->model_name ? report->model_name : "Model",
          report->analysis, report->space, report->formulation, MBS_VERSION);
  fprintf(out, "  %zu bod%s, ", report->bodies, report->bodies == 1 ? "y" : "ies");
  print_counts(report, out);
  fputs("\n", out);
  print_freedoms(inspected, out);
  fprintf(out, "  in %s coordinates: ", cli_other_formulation(inspected->inspection));
  if (other->inspection) {
    print_counts(other->inspection->report, out);
    fputs("; one evaluation takes ", out);
    print_cost(&other->costs[MBS_PART_EVALUATION], out);
    fputs(", here ", out);
    print_cost(&inspected->costs[MBS_PART_EVALUATION], out);
    fputs("\n", out);
  } else {
    fputs("the model cannot be built\n", out);
  }
}

/* ---- tree and rows --------------------------------------------------------------------------------------------- */

enum { INDENT_MOST = 24 }; /* levels; deeper bodies are printed without further indentation */

/* Returns the bodies in depth-first order of the tree: each after its parent. Returns NULL if memory runs out. */
static size_t *walk_tree(const mbs_inspection *inspection) {
  size_t n = inspection->report->bodies, count = 0;
  size_t *order = calloc(n + 1, sizeof *order);
  int *child = malloc((n + 1) * sizeof *child), *sibling = malloc((n + 1) * sizeof *sibling);
  for (size_t b = 0; order && child && sibling && b <= n; b++) child[b] = sibling[b] = -1;
  if (order && child && sibling) {
    for (size_t b = n; b-- > 0;) { /* children of body p are at p + 1, those of the ground at 0 */
      int *first = &child[inspection->tree[b].parent + 1];
      sibling[b] = *first;
      *first = (int)b;
    }
    for (int at = child[0]; at >= 0;) {
      order[count++] = (size_t)at;
      int next = child[at + 1];
      for (; next < 0 && at >= 0; at = inspection->tree[at].parent) next = sibling[at];
      at = next;
    }
  }
  free(child);
  free(sibling);
  return order;
}

static void add_body(cli_columns *table, const mbs_inspection *inspection, size_t b) {
  const mbs_tree_entry *entry = &inspection->report->tree[b];
  const mbs_inspected_body *body = &inspection->tree[b];
  char labels[200] = "";
  for (size_t k = 0; k < body->coordinates; k++) {
    size_t used = strlen(labels);
    snprintf(labels + used, sizeof labels - used, "%s%s", k ? " " : "",
             inspection->report->coordinate_labels[body->first_coordinate + k]);
  }
  int indent = 2 * (int)least(body->level - 1, INDENT_MOST);
  cli_columns_add(table, "%*s%s", indent, "", entry->body);
  cli_columns_add(table, "%zu", body->level);
  cli_columns_text(table, *entry->joint ? entry->joint : "-");
  cli_columns_text(table, entry->type);
  cli_columns_add(table, "%d", entry->freedoms);
  cli_columns_text(table, labels);
}

static void print_tree(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  static const char *const heads[] = {"body", "level", "joint", "type", "velocities", "coordinates"};
  size_t n = inspection->report->bodies, *order = walk_tree(inspection);
  cli_columns table = {.columns = 6};
  fputs("\nTree\n", out);
  add_heads(&table, heads);
  for (size_t k = 0; order && k < least(n, most->entries); k++) add_body(&table, inspection, order[k]);
  cli_columns_print(&table, out);
  print_rest(n, most, out);
  free(order);
}

/* Adds the length of a loop, or the path of a driver; nothing if all bodies are `floating`. */
static void add_loop(cli_columns *table, const mbs_inspected_element *element, bool floating) {
  size_t path = element->path[0] + element->path[1];
  if (floating && element->bodies == 1)
    cli_columns_text(table, "between a body and the ground");
  else if (floating || element->bodies > 2)
    cli_columns_add(table, "between %zu bodies", element->bodies);
  else if (element->driver)
    cli_columns_add(table, "along %zu joint%s", path, plural(path));
  else
    cli_columns_add(table, "loop of %zu joints: %zu + %zu + 1", path + 1, element->path[0], element->path[1]);
}

static void print_elements(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  static const char *const heads[] = {"name", "type", "rows", "velocities", "paths"};
  size_t n = inspection->element_count;
  bool floating = strcmp(inspection->report->formulation, "body") == 0;
  cli_columns table = {.columns = 5};
  fprintf(out, "\nCut joints and drivers: %zu\n", n);
  if (n) add_heads(&table, heads);
  for (size_t e = 0; e < least(n, most->entries); e++) {
    const mbs_inspected_element *element = &inspection->elements[e];
    cli_columns_add(&table, "%s%s", element->name, element->driver ? " (driver)" : "");
    cli_columns_text(&table, element->type);
    cli_columns_add(&table, "%zu", element->rows);
    cli_columns_add(&table, "%zu", element->velocities);
    add_loop(&table, element, floating);
  }
  cli_columns_print(&table, out);
  print_rest(n, most, out);
}

/* ---- patterns -------------------------------------------------------------------------------------------------- */

static void print_jacobian(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  const mbs_report *report = inspection->report;
  fprintf(out, "\nC: %zu rows x %zu velocities, %zu numbers stored (%.3g %%) in %zu block%s\n", report->rows,
          report->velocities, inspection->jacobian_size,
          percent(inspection->jacobian_size, (double)report->rows * (double)report->velocities),
          inspection->block_count, plural(inspection->block_count));
  cli_picture_jacobian(inspection, most, out);
}

static void print_masses(const mbs_inspection *inspection, FILE *out) {
  const mbs_inspected_masses *masses = &inspection->masses;
  double n = (double)inspection->report->velocities;
  fprintf(out, "\nM: %zu velocities, longest branch %zu; ", inspection->report->velocities, masses->longest);
  if (masses->recursive)
    fprintf(out,
            "recursive method, M is not formed:\n  the last velocity of the longest branch has %zu before it (the "
            "method is "
            "used from %zu on)\n",
            masses->longest - 1, masses->recursive_from);
  else
    fprintf(out,
            "packed matrix:\n  %zu numbers (%.3g %% of the lower triangle); the recursive method is used if a "
            "velocity has at least %zu before it on its branch\n",
            masses->size, percent(masses->size, n * (n + 1) / 2), masses->recursive_from);
}

static void print_skyline(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  const mbs_inspected_skyline *skyline = &inspection->skyline;
  double n = (double)inspection->report->rows;
  size_t shared = 0, coupled = 0;
  for (size_t p = 0; p < skyline->pair_count; p++) {
    const mbs_inspected_pair *pair = &skyline->pairs[p];
    size_t rows1 = inspection->blocks[pair->block1].rows, rows2 = inspection->blocks[pair->block2].rows;
    coupled += pair->block1 == pair->block2 ? rows1 * (rows1 + 1) / 2 : rows1 * rows2;
    shared += pair->velocities;
  }
  fprintf(out, "\nS: %zu rows, skyline of %zu numbers (%.3g %% of the lower triangle)\n", inspection->report->rows,
          skyline->size, percent(skyline->size, n * (n + 1) / 2));
  fprintf(out,
          "  %zu coupled pair%s of blocks (x, %zu numbers) with %zu common velocities; o: fill-in; rows in elimination "
          "order\n",
          skyline->pair_count, plural(skyline->pair_count), coupled, shared);
  cli_picture_skyline(inspection, most, out);
}

/* ---- evaluation ------------------------------------------------------------------------------------------------ */

/* Adds a law's text, cut to a line at a whole character. */
static void add_law_text(cli_columns *table, const char *text) {
  static const size_t room = 48;
  size_t length = strlen(text);
  bool cut = length > room;
  if (cut)
    for (length = room; length && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
  cli_columns_add(table, "%.*s%s", (int)length, text, cut ? "..." : "");
}

static void add_stage(cli_columns *table, const mbs_inspection *inspection, const mbs_inspected_stage *stage) {
  for (size_t l = 0; l < stage->laws || l == 0; l++) {
    const mbs_inspected_law *law = stage->laws ? &inspection->laws[stage->first_law + l] : NULL;
    cli_columns_text(table, l ? "" : cli_part_name(stage->part));
    cli_columns_text(table, l ? "" : stage->element);
    cli_columns_text(table, l ? "" : stage->type);
    if (law) {
      cli_columns_add(table, "%zu", law->instructions);
      cli_columns_add(table, "%zu", law->inputs);
      cli_columns_add(table, "%zu", law->switches);
      cli_columns_text(table, law->structural ? "structural" : law->depends ? "parameters" : "");
      add_law_text(table, law->text);
    } else {
      for (size_t k = 0; k < 5; k++) cli_columns_text(table, "");
    }
  }
}

static void print_order(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  static const char *const heads[] = {"part",   "element",  "type",       "instructions",
                                      "inputs", "switches", "depends on", "law"};
  size_t n = inspection->stage_count;
  cli_columns table = {.columns = 8};
  fputs("\nOrder of evaluation: positions, velocities, constraints, accelerations; sensors at reporting times\n", out);
  if (n) add_heads(&table, heads);
  for (size_t s = 0; s < least(n, most->entries); s++) add_stage(&table, inspection, &inspection->stages[s]);
  cli_columns_print(&table, out);
  print_rest(n, most, out);
}

/* Prints the parameters, first those that determine the structure. */
static void print_parameters(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  size_t structural = 0, shown = 0, n = inspection->number_count;
  for (size_t i = 0; i < n; i++) structural += inspection->numbers[i].structural;
  fprintf(out, "\nParameters: %zu; %zu numbers of the document depend on them%s\n", inspection->parameters, n,
          structural ? "; some determine the structure of the model" : "");
  for (size_t i = 0; i < 2 * n && shown < most->entries; i++) {
    const mbs_inspected_number *number = &inspection->numbers[i % n];
    if (number->structural != (i < n)) continue;
    fprintf(out, "  %s%s\n", number->pointer,
            number->structural ? " (structural: another value requires that the model is rebuilt)" : "");
    shown++;
  }
  print_rest(n, most, out);
}

/* ---- memory and time ------------------------------------------------------------------------------------------- */

static void print_memory(const mbs_inspection *inspection, FILE *out) {
  fprintf(out, "\nMemory: model %.1f KiB, constants of one parameter set %.1f KiB, work space of a run %.1f KiB\n",
          (double)inspection->model_bytes / 1024, (double)inspection->constants_bytes / 1024,
          (double)inspection->system_bytes / 1024);
}

static void add_cost(cli_columns *table, const cli_inspected *inspected, mbs_part part) {
  const cli_cost *cost = &inspected->costs[part];
  double evaluation = inspected->costs[MBS_PART_EVALUATION].microseconds;
  cli_columns_text(table, cli_part_name(part));
  if (isnan(cost->microseconds))
    cli_columns_text(table, cost->status == MBS_OK ? "not measured" : mbs_status_code(cost->status));
  else
    cli_columns_add(table, "%10.3f us", cost->microseconds);
  if (part < MBS_PART_EVALUATION && evaluation > 0)
    cli_columns_add(table, "%3.0f %% of an evaluation", 100 * cost->microseconds / evaluation);
  else
    cli_columns_text(table, "");
}

static void print_costs(const cli_inspected *inspected, FILE *out) {
  cli_columns table = {.columns = 3};
  fprintf(out, "\nProcessor time at the initial state%s, medians\n", inspected->started ? "" : " of the document");
  for (int part = 0; part < MBS_PART_COUNT; part++) add_cost(&table, inspected, (mbs_part)part);
  cli_columns_print(&table, out);
}

void cli_inspect_print(const cli_inspected *inspected, const cli_inspected *other, const cli_extent *most, FILE *out) {
  const mbs_inspection *inspection = inspected->inspection;
  print_model(inspected, other, out);
  print_tree(inspection, most, out);
  print_elements(inspection, most, out);
  if (inspection->report->rows) print_jacobian(inspection, most, out);
  print_masses(inspection, out);
  if (inspection->report->rows) print_skyline(inspection, most, out);
  print_order(inspection, most, out);
  print_parameters(inspection, most, out);
  print_memory(inspection, out);
  print_costs(inspected, out);
}
