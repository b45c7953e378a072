/* mjcf_source.c - the parts of a MuJoCo file that concern all its elements: included files, default classes, frames. */
#include "import/mjcf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { INCLUDE_DEPTH = 30 };

/* ---- included files --------------------------------------------------------------------------------------------- */

typedef struct node_list {
  xmlNode **nodes;
  size_t count, capacity;
} node_list;

static void add_node(import_context *context, node_list *list, xmlNode *node) {
  if (list->count == list->capacity) {
    const size_t more = list->capacity ? 2 * list->capacity : 16;
    xmlNode **nodes = import_alloc(context, more, sizeof *nodes);
    if (list->count) memcpy(nodes, list->nodes, list->count * sizeof *nodes);
    list->nodes = nodes;
    list->capacity = more;
  }
  list->nodes[list->count++] = node;
}

static void add_children(mjcf_model *model, xmlNode *node, int depth, node_list *list);

static void include(mjcf_model *model, xmlNode *node, int depth, node_list *list) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, node);
  import_xml_take(node);
  const char *name = import_xml_attribute(context, node, "file");
  if (!name || !import_path_is_inside(name))
    import_leave(context, 422, "path_refused", &place, "the path '%.200s' leaves the source", name ? name : "");
  const import_file *file = import_tree_find(context->tree, import_text(context, "%s%s", model->folder, name));
  if (!file) {
    import_not_mapped(context, &place, "the included file '%.200s' is not in the source", name);
    return;
  }
  if (depth > INCLUDE_DEPTH)
    import_leave(context, 422, "not_mapped", &place, "files are included more than %d deep", INCLUDE_DEPTH);
  xmlNode *root = import_xml_open_once(context, file);
  add_children(model, root, depth + 1, list);
}

static void add_children(mjcf_model *model, xmlNode *node, int depth, node_list *list) {
  for (xmlNode *child = import_xml_step(node, NULL); child; child = import_xml_step(node, child)) {
    if (import_xml_is(child, "include"))
      include(model, child, depth, list);
    else
      add_node(model->context, list, child);
  }
}

xmlNode **mjcf_children(mjcf_model *model, xmlNode *node, size_t *count) {
  node_list list = {0};
  add_children(model, node, 0, &list);
  *count = list.count;
  return list.nodes;
}

/* ---- classes ---------------------------------------------------------------------------------------------------- */

mjcf_class *mjcf_find_class(mjcf_model *model, const char *name) {
  for (mjcf_class *each = model->classes; each; each = each->next)
    if (strcmp(each->name, name) == 0) return each;
  return NULL;
}

static void read_class(mjcf_model *model, xmlNode *node, mjcf_class *parent) {
  import_context *context = model->context;
  const char *name = import_xml_attribute(context, node, "class");
  if (!name) name = parent ? "" : "main";
  import_xml_take(node);
  mjcf_class *own = parent || strcmp(name, "main") == 0 ? mjcf_find_class(model, name) : NULL;
  if (!parent && !own) own = model->top;
  if (!own) {
    own = import_alloc(context, 1, sizeof *own);
    *own = (mjcf_class){.name = name, .parent = parent, .next = model->classes};
    model->classes = own;
  }
  size_t count;
  xmlNode **children = mjcf_children(model, node, &count);
  for (size_t i = 0; i < count; i++) {
    if (import_xml_is(children[i], "default")) {
      read_class(model, children[i], own);
      continue;
    }
    mjcf_setting *setting = import_alloc(context, 1, sizeof *setting);
    *setting = (mjcf_setting){.node = children[i], .next = own->settings};
    own->settings = setting;
    static const char *const read[] = {"joint", "geom", "site", "mesh", "equality"};
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
      if (import_xml_is(children[i], read[k])) import_xml_take(children[i]);
  }
}

void mjcf_read_classes(mjcf_model *model) {
  static const mjcf_class top = {.name = "main"};
  model->top = import_alloc(model->context, 1, sizeof *model->top);
  *model->top = top;
  model->classes = model->top;
  size_t count;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; i < count; i++)
    if (import_xml_is(sections[i], "default")) read_class(model, sections[i], NULL);
}

/* Returns the class of an element: its own, that of the nearest body or frame with a childclass, or that of all. */
static mjcf_class *class_of(mjcf_model *model, const mjcf_item *item) {
  import_context *context = model->context;
  const char *name = import_xml_attribute(context, item->node, "class");
  mjcf_class *found = name ? mjcf_find_class(model, name) : item->childclass;
  if (name && !found) {
    const import_location place = import_xml_location(context, item->node);
    import_invalid(context, &place, "there is no class '%.80s'", name);
  }
  return found ? found : model->top;
}

const char *mjcf_attribute(mjcf_model *model, const mjcf_item *item, const char *name) {
  import_context *context = model->context;
  const char *value = import_xml_attribute(context, item->node, name), *kind = (const char *)item->node->name;
  static const char *const equalities[] = {"connect", "weld", "joint"};
  const bool equality = item->node->parent && import_xml_is(item->node->parent, "equality");
  for (size_t k = 0; equality && k < sizeof equalities / sizeof *equalities; k++)
    if (strcmp(kind, equalities[k]) == 0) kind = "equality";
  for (mjcf_class *each = value ? NULL : class_of(model, item); each; each = each->parent)
    for (mjcf_setting *setting = each->settings; setting; setting = setting->next) {
      value = strcmp((const char *)setting->node->name, kind) == 0 ? import_xml_attribute(context, setting->node, name)
                                                                   : NULL;
      if (value) return value;
    }
  return value;
}

bool mjcf_numbers(mjcf_model *model, const mjcf_item *item, const char *name, size_t count, double *out) {
  const char *text = mjcf_attribute(model, item, name);
  return text && import_xml_numbers(model->context, item->node, text, count, out);
}

bool mjcf_flag(mjcf_model *model, const mjcf_item *item, const char *name) {
  const char *word = mjcf_attribute(model, item, name);
  const import_location place = import_xml_location(model->context, item->node);
  if (word && strcmp(word, "true") != 0 && strcmp(word, "false") != 0)
    import_invalid(model->context, &place, "%s of <%s> is true or false, not '%.40s'", name,
                   (const char *)item->node->name, word);
  return word && strcmp(word, "true") == 0;
}

size_t mjcf_some_numbers(mjcf_model *model, const mjcf_item *item, const char *name, size_t most, double *out) {
  const char *text = mjcf_attribute(model, item, name), *at = text ? text : "";
  size_t count = 0;
  for (char *end; count < most; at = end) {
    const double value = strtod(at, &end);
    if (end == at || !isfinite(value)) break;
    out[count++] = value;
  }
  at += strspn(at, " \t\r\n");
  if (!*at) return count;
  const import_location place = import_xml_location(model->context, item->node);
  import_invalid(model->context, &place, "%s of <%s> expects at most %zu numbers, not '%.80s'", name,
                 (const char *)item->node->name, most, text);
  return 0;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

double mjcf_angle(const mjcf_model *model) { return model->radians ? 1 : acos(-1.0) / 180; }

bool mjcf_normalize(double *v, size_t count) {
  double square = 0;
  for (size_t k = 0; k < count; k++) square += v[k] * v[k];
  for (size_t k = 0; k < count && square > 0; k++) v[k] /= sqrt(square);
  return square > 0;
}

/* Small letters turn about axes that move with the frame, capital ones about fixed axes. */
static void of_euler(const mjcf_model *model, const double angles[3], double R[9]) {
  memcpy(R, import_no_pose.R, sizeof import_no_pose.R);
  for (int k = 0; k < 3; k++) {
    const char letter = model->sequence[k];
    double axis[3] = {0, 0, 0}, turn[9], product[9];
    axis[tolower((unsigned char)letter) - 'x'] = 1;
    import_rotation_about(axis, angles[k] * mjcf_angle(model), turn);
    if (islower((unsigned char)letter))
      import_multiply(R, turn, product);
    else
      import_multiply(turn, R, product);
    memcpy(R, product, sizeof product);
  }
}

static bool of_axes(double axes[6], double R[9]) {
  double *x = axes, *y = axes + 3, z[3];
  bool good = mjcf_normalize(x, 3);
  const double along = import_dot(x, y);
  for (int k = 0; k < 3; k++) y[k] -= along * x[k];
  good = good && mjcf_normalize(y, 3);
  import_cross(x, y, z);
  for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
  return good;
}

import_pose mjcf_pose(mjcf_model *model, const mjcf_item *item) {
  static const double up[3] = {0, 0, 1};
  import_pose pose = import_no_pose;
  double v[6];
  bool good = true;
  mjcf_numbers(model, item, "pos", 3, pose.p);
  if (mjcf_numbers(model, item, "quat", 4, v)) {
    if ((good = mjcf_normalize(v, 4))) import_of_quaternion(v, pose.R);
  } else if (mjcf_numbers(model, item, "axisangle", 4, v)) {
    if ((good = mjcf_normalize(v, 3))) import_rotation_about(v, v[3] * mjcf_angle(model), pose.R);
  } else if (mjcf_numbers(model, item, "xyaxes", 6, v)) {
    good = of_axes(v, pose.R);
  } else if (mjcf_numbers(model, item, "zaxis", 3, v)) {
    if ((good = mjcf_normalize(v, 3))) import_smallest_rotation(up, v, pose.R);
  } else if (mjcf_numbers(model, item, "euler", 3, v)) {
    of_euler(model, v, pose.R);
  }
  if (good) return pose;
  const import_location place = import_xml_location(model->context, item->node);
  import_invalid(model->context, &place, "the orientation of <%s> has length 0", (const char *)item->node->name);
  return import_no_pose;
}
