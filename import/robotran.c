/* robotran.c - Robotran's .mbs files (XML, MBsysPad). All frames are parallel at zero. The joints of a body are chained
 * in the order of the file, from an anchor point of its parent; between them are massless bodies. */
#include "import/formats.h"
#include "import/spatial.h"
#include "import/xml.h"

#include <string.h>

enum { BODIES_MAX = 10000, POINTS_MAX = 1000 };

typedef struct robotran_point {
  const char *body, *name;
  double at[3];
  struct robotran_point *next;
} robotran_point;

typedef struct robotran_model {
  import_spatial spatial;
  import_context *context;
  robotran_point *points;
  const char *base_name; /* name of the base in the source; NULL: none */
  struct {
    const char *name; /* name in the source */
    import_link *link;
  } bodies[BODIES_MAX];
  size_t body_count, joint_count;
  json_t *hold;
} robotran_model;

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Reads <coordinates><x/><y/><z/></coordinates>; missing ones are 0. */
static void read_coordinates(import_context *context, xmlNode *node, double out[3]) {
  static const char *const names[] = {"x", "y", "z"};
  xmlNode *coordinates = import_xml_child(node, "coordinates");
  for (int k = 0; k < 3; k++) out[k] = import_xml_number_in(context, coordinates, names[k], 0);
}

static void read_points(robotran_model *model, xmlNode *node, const char *body) {
  for (xmlNode *each = import_xml_child(node, "point"); each; each = import_xml_next(each, "point")) {
    robotran_point *point = import_alloc(model->context, 1, sizeof *point);
    *point = (robotran_point){
        .body = body, .name = import_xml_text_in(model->context, each, "pointname"), .next = model->points};
    read_coordinates(model->context, each, point->at);
    if (point->name) model->points = point;
  }
}

/* Returns the name that a point has in the document. */
static const char *plain(robotran_model *model, const char *name) {
  char *out = import_text(model->context, "%.100s", name);
  for (char *c = out; *c; c++)
    if (*c == '.' || *c == '/') *c = '_';
  return out;
}

static import_link *find_link(robotran_model *model, const char *name) {
  for (size_t i = 0; name && i < model->body_count; i++)
    if (strcmp(model->bodies[i].name, name) == 0) return model->bodies[i].link;
  return NULL;
}

/* Reads the name of the body to which a joint or a cut leads. The ground is "base"; it may have a name of its own. */
static const char *read_body(robotran_model *model, xmlNode *node) {
  const char *name = import_xml_text_in(model->context, node, "bodyname");
  const bool own = name && model->base_name && strcmp(name, model->base_name) == 0 && !find_link(model, name);
  return own ? "base" : name;
}

/* Finds the point of a body; "origin" is that of its frame. Returns false after an error. */
static bool find_point(robotran_model *model, const char *body, const char *name, const import_location *place,
                       double out[3]) {
  memset(out, 0, 3 * sizeof *out);
  for (const robotran_point *point = model->points; name && point; point = point->next)
    if (strcmp(point->body, body) == 0 && strcmp(point->name, name) == 0) {
      memcpy(out, point->at, sizeof point->at);
      return true;
    }
  if (!name || !*name || strcmp(name, "origin") == 0) return true;
  import_invalid(model->context, place, "body '%.80s' has no point '%.80s'", body, name);
  return false;
}

/* Adds the anchor points of a body, in the order of the file. */
static void add_points(robotran_model *model, const char *body, import_link *link) {
  const robotran_point *list[POINTS_MAX];
  size_t count = 0;
  for (const robotran_point *point = model->points; point && count < POINTS_MAX; point = point->next)
    if (strcmp(point->body, body) == 0) list[count++] = point;
  while (count-- > 0) import_spatial_point(&model->spatial, link, plain(model, list[count]->name), list[count]->at);
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

/* Adds what the nature of a joint says: a driver, or that the correction keeps its value. */
static void add_nature(robotran_model *model, xmlNode *node, const import_joint *own, json_t *object) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, node);
  xmlNode *initial = import_xml_child(node, "initialvalue");
  const char *nature = import_xml_text_in(context, node, "nature");
  const double q = import_xml_number_in(context, initial, "q", 0),
               rate = import_xml_number_in(context, initial, "qd", 0);
  const bool driven = nature && strcmp(nature, "driven") == 0, held = nature && strcmp(nature, "independent") == 0;
  if (!driven && !held && nature && *nature && strcmp(nature, "dependent") != 0)
    import_not_mapped(context, &place, "the nature '%.80s' of joint '%s' is not independent, dependent or driven",
                      nature, own->name);
  if (q != 0 || rate != 0) import_spatial_initial(&model->spatial, object, &q, driven ? NULL : &rate, 1);
  if (driven) {
    const char *name =
        import_name(context, IMPORT_NAME_DRIVER, import_text(context, "%s_driver", own->name), "driver", 1, NULL);
    json_t *driver = import_add(context, context->drivers, name, "joint");
    import_set_text(context, driver, "joint", own->name);
    import_set_number(context, driver, "function", q);
    import_note(context, IMPORT_CHANGED, "driven", &place, import_last(context, "drivers"),
                "the driven joint '%s' keeps its initial value %g; Robotran drives it by code", own->name, q);
  } else if (held) {
    json_array_append_new(model->hold, json_string(own->name));
  }
}

/* Returns the joint's type, and its axis in `axis`; NULL after an error. */
static const char *read_type(robotran_model *model, xmlNode *node, double axis[3]) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, node);
  const char *type = import_xml_text_in(context, node, "type");
  const bool known = type && (*type == 'R' || *type == 'T') && type[1] >= '1' && type[1] <= '3' && !type[2];
  if (!known) {
    import_not_mapped(context, &place, "the joint type '%.80s' is not one of R1, R2, R3, T1, T2, T3", type ? type : "");
    return NULL;
  }
  axis[type[1] - '1'] = 1;
  return *type == 'R' ? "revolute" : "prismatic";
}

static void add_joints(robotran_model *model, xmlNode *body, import_link *parent, const char *anchor_name,
                       const double anchor[3], const import_link *own) {
  import_context *context = model->context;
  import_link *first = parent, *last = NULL;
  import_pose at = import_no_pose;
  memcpy(at.p, anchor, sizeof at.p);
  for (xmlNode *node = import_xml_child(body, "joint"), *next; node; node = next) {
    next = import_xml_next(node, "joint");
    import_location place = import_xml_location(context, node);
    place.element = own->name;
    import_at(context, &place);
    import_joint joint = {.first = first, .relative = at, .first_point = first == parent ? anchor_name : NULL};
    joint.type = read_type(model, node, joint.axis);
    joint.name = import_name(context, IMPORT_NAME_BODY, import_xml_text_in(context, node, "jointname"), "joint",
                             ++model->joint_count, &place);
    if (!joint.type) continue;
    import_link between = {.place = place, .pose = import_no_pose};
    if (next) {
      between.name =
          import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_%s", own->name, joint.name), "body", 1, NULL);
      import_note(context, IMPORT_MAPPED, "chain", &place, NULL, "'%s' is a massless body between the joints of '%s'",
                  between.name, own->name);
    }
    joint.second = import_spatial_link(&model->spatial, next ? &between : own);
    add_nature(model, node, &joint, import_spatial_joint(&model->spatial, &joint));
    if (!next) last = joint.second;
    first = joint.second;
    at = import_no_pose;
  }
  if (!last) { /* no joint: the body is fixed to its parent */
    const import_joint fixed = {
        .type = "fixed",
        .name = import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_fixed", own->name), "joint", 1, NULL),
        .first = first,
        .first_point = anchor_name,
        .relative = at,
        .axis = {0, 0, 1},
        .second = last = import_spatial_link(&model->spatial, own)};
    import_spatial_joint(&model->spatial, &fixed);
  }
  model->bodies[model->body_count - 1].link = last;
  add_points(model, model->bodies[model->body_count - 1].name, last);
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

static void add_body(robotran_model *model, xmlNode *node) {
  static const char *const entries[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  import_context *context = model->context;
  import_link own = {.place = import_xml_location(context, node), .pose = import_no_pose};
  const char *name = import_xml_text_in(context, node, "bodyname");
  xmlNode *parent_node = import_xml_child(node, "parent"), *inertia = import_xml_child(node, "inertia");
  const char *parent_name = read_body(model, parent_node),
             *point = import_xml_text_in(context, parent_node, "pointname");
  own.place.element = name;
  own.mass = import_xml_number_in(context, node, "mass", 0);
  read_coordinates(context, import_xml_child(node, "com"), own.com);
  for (int k = 0; k < 6; k++) own.inertia[k] = import_xml_number_in(context, inertia, entries[k], 0);
  if (!(own.mass >= 0)) import_invalid(context, &own.place, "the mass %g is negative", own.mass);
  import_link *parent = find_link(model, parent_name);
  double anchor[3];
  if (!parent)
    import_invalid(context, &own.place, "there is no body '%.80s' before '%.80s'", parent_name ? parent_name : "",
                   name ? name : "");
  if (model->body_count == BODIES_MAX) import_leave(context, 413, "too_large", &own.place, "there are too many bodies");
  own.name = import_name(context, IMPORT_NAME_BODY, name, "body", model->body_count, &own.place);
  model->bodies[model->body_count++].name = name ? name : own.name;
  read_points(model, node, name ? name : own.name);
  if (!parent || !find_point(model, parent_name, point, &own.place, anchor)) return;
  add_joints(model, node, parent, point && *point ? plain(model, point) : NULL, anchor, &own);
}

/* ---- cuts ------------------------------------------------------------------------------------------------------- */

static import_link *read_end(robotran_model *model, xmlNode *node, const char *which, const char **name, double at[3]) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, node);
  xmlNode *end = import_xml_child(node, which);
  const char *body = read_body(model, end), *point = import_xml_text_in(context, end, "pointname");
  import_link *link = find_link(model, body);
  *name = point && *point ? plain(model, point) : "origin";
  if (!link) import_invalid(context, &place, "there is no body '%.80s'", body ? body : "");
  return link && find_point(model, body, point, &place, at) ? link : NULL;
}

static void add_rod(robotran_model *model, xmlNode *node, const char *name, import_link *ends[2], const char *points[2],
                    double at[2][3]) {
  import_context *context = model->context;
  json_t *object = import_add(context, context->joints, name, "rod");
  import_set_pair(context, object, "points", import_spatial_point(&model->spatial, ends[0], points[0], at[0]),
                  import_spatial_point(&model->spatial, ends[1], points[1], at[1]));
  const import_location place = import_xml_location(context, node);
  const double length = import_xml_number_in(context, node, "length", 0);
  if (!(length > 0)) import_invalid(context, &place, "the rod '%s' has no positive <length>", name);
  import_set_number(context, object, "length", length);
  ends[0]->bound = ends[1]->bound = true;
}

static void add_cut(robotran_model *model, xmlNode *node) {
  import_context *context = model->context;
  import_location place = import_xml_location(context, node);
  double at[2][3];
  const char *points[2], *name = import_xml_text_in(context, node, "name");
  name = import_name(context, IMPORT_NAME_BODY, name, (const char *)node->name, json_array_size(context->joints) + 1,
                     &place);
  place.element = name;
  import_at(context, &place);
  import_link *ends[2] = {read_end(model, node, "endpoint1", &points[0], at[0]),
                          read_end(model, node, "endpoint2", &points[1], at[1])};
  xmlNode *ignored = import_xml_child(node, "ignore");
  if (ignored) {
    import_xml_take_all(ignored);
    import_note(context, IMPORT_CHANGED, "ignore", &place, NULL,
                "all rows of the cut '%s' are kept; rows that are redundant are found", name);
  }
  if (!ends[0] || !ends[1]) return;
  if (import_xml_is(node, "rod")) {
    add_rod(model, node, name, ends, points, at);
    return;
  }
  import_joint own = {.type = import_xml_is(node, "ball") ? "spherical" : "fixed",
                      .name = name,
                      .first = ends[0],
                      .second = ends[1],
                      .first_point = points[0],
                      .second_point = points[1],
                      .first_anchor = at[0],
                      .relative = import_no_pose,
                      .axis = {0, 0, 1},
                      .cut = true};
  memcpy(own.anchor, at[1], sizeof own.anchor);
  import_spatial_joint(&model->spatial, &own);
}

/* Keeps the names that the source gives to bodies, joints and cuts. */
static void reserve_names(import_context *context, xmlNode *tree, xmlNode *cuts) {
  for (xmlNode *body = import_xml_child(tree, "body"); body; body = import_xml_next(body, "body")) {
    import_reserve(context, IMPORT_NAME_BODY, import_xml_text_in(context, body, "bodyname"));
    for (xmlNode *joint = import_xml_child(body, "joint"); joint; joint = import_xml_next(joint, "joint"))
      import_reserve(context, IMPORT_NAME_BODY, import_xml_text_in(context, joint, "jointname"));
  }
  for (xmlNode *cut = cuts ? import_xml_step(cuts, NULL) : NULL; cut; cut = import_xml_step(cuts, cut))
    import_reserve(context, IMPORT_NAME_BODY, import_xml_text_in(context, cut, "name"));
}

static void convert(import_context *context, const import_file *main) {
  robotran_model *model = import_alloc(context, 1, sizeof *model);
  xmlNode *root = import_xml_open(context, main), *base = import_xml_child(root, "base");
  *model = (robotran_model){.context = context, .hold = import_need(context, json_array())};
  json_array_append_new(context->sources, model->hold);
  import_document_open(context, import_xml_text_in(context, root, "mbsname"), "spatial");
  import_spatial_open(&model->spatial, context);
  import_xml_text_in(context, root, "mbsyspad_version");
  double g[3] = {0, 0, -9.81};
  xmlNode *gravity = import_xml_child(base, "gravity");
  const import_location place = import_xml_location(context, root);
  if (gravity)
    read_coordinates(context, gravity, g);
  else
    import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.81 m/s^2 along -z, the default");
  import_spatial_gravity(&model->spatial, g);
  model->base_name = import_xml_text_in(context, base, "baseBodyName");
  model->bodies[model->body_count].name = "base";
  model->bodies[model->body_count++].link = &model->spatial.ground;
  read_points(model, base, model->bodies[0].name);
  add_points(model, model->bodies[0].name, &model->spatial.ground);
  xmlNode *tree = import_xml_child(root, "bodytree");
  reserve_names(context, tree, import_xml_child(root, "cuts"));
  for (xmlNode *body = import_xml_child(tree, "body"); body; body = import_xml_next(body, "body"))
    add_body(model, body);
  xmlNode *cuts = import_xml_child(root, "cuts");
  for (xmlNode *cut = cuts ? import_xml_step(cuts, NULL) : NULL; cut; cut = import_xml_step(cuts, cut)) {
    const import_location at = import_xml_location(context, cut);
    if (import_xml_is(cut, "rod") || import_xml_is(cut, "ball") || import_xml_is(cut, "solid")) {
      import_xml_take(cut);
      add_cut(model, cut);
    } else if (!import_xml_is(cut, "graphics")) {
      import_not_mapped(context, &at, "the cut <%s> is not one of rod, ball, solid", (const char *)cut->name);
      import_xml_take_all(cut);
    }
  }
  import_xml_child(root, "links"); /* each link is a note, as is each user model */
  import_xml_child(root, "user_models");
  import_spatial_check_masses(&model->spatial);
  if (json_array_size(model->hold)) {
    json_t *analysis = import_object_in(context, context->document, "analysis");
    import_set_text(context, analysis, "type", "assembly");
    import_set(context, analysis, "hold", json_incref(model->hold));
  }
  import_xml_report_unread(context);
}

const import_format import_robotran = {.name = "robotran", .root = "mbsDescR7", .convert = convert};
