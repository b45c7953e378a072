/* sdf.c - SDFormat 1.4 to 1.11. Frames of models, links, joints and <frame> have poses relative to one another
 * (relative_to, expressed_in, attached_to); names in nested models are "A::b". Links without a parent are free, unless
 * their model is static; a second parent becomes a cut. */
#include "import/formats.h"
#include "import/spatial.h"
#include "import/xml.h"

#include <stdlib.h>
#include <string.h>

typedef enum sdf_kind { SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME, SDF_ANY } sdf_kind;

typedef struct sdf_frame sdf_frame;
struct sdf_frame {
  sdf_kind kind;
  const char *name, *scope; /* full name, and the names of the models around it with "::" at the end, or "" */
  xmlNode *node;
  const sdf_frame *model; /* the model that contains it; NULL: the world */
  import_pose pose;       /* pose in the world */
  int state;              /* state of the pose: 0 not known, 1 being resolved, 2 known */
  bool fixed;             /* the frame belongs to a static model */
  import_link *link;
  sdf_frame *next;
};

typedef struct sdf_model {
  import_spatial spatial;
  import_context *context;
  sdf_frame *frames, **last;
  int version; /* n of version 1.n */
  size_t joint_count;
} sdf_model;

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Returns true if a text is "true" or "1". */
static bool is_true(const char *text) { return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0); }

/* Reads the numbers of <pose>: roll, pitch, yaw, or a quaternion. */
static import_pose read_pose(import_context *context, xmlNode *node) {
  import_pose pose = import_no_pose;
  if (!node) return pose;
  double v[7] = {0};
  const char *text = import_xml_text(context, node), *format = import_xml_attribute(context, node, "rotation_format"),
             *degrees = import_xml_attribute(context, node, "degrees");
  const bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
  if (!*text || !import_xml_numbers(context, node, text, quaternion ? 7 : 6, v)) return pose;
  memcpy(pose.p, v, sizeof pose.p);
  if (quaternion) {
    const double size = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    const double q[4] = {v[6] / size, v[3] / size, v[4] / size, v[5] / size};
    if (size > 0) import_of_quaternion(q, pose.R);
    return pose;
  }
  for (int k = 3; k < 6; k++) v[k] *= degrees && strcmp(degrees, "true") == 0 ? acos(-1.0) / 180 : 1;
  import_of_rpy(v + 3, pose.R);
  return pose;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* Finds what has a name within a scope; of a kind, or SDF_ANY. "__model__" is the model `own`, "A::__model__" is A. */
static sdf_frame *find_frame(sdf_model *model, const char *scope, const sdf_frame *own, const char *name,
                             sdf_kind kind) {
  static const char word[] = "__model__";
  const size_t length = strlen(name), tail = sizeof word - 1;
  if (strcmp(name, word) == 0) return (sdf_frame *)own;
  const char *full = import_text(model->context, "%s%s", scope, name);
  for (sdf_frame *frame = model->frames; frame; frame = frame->next)
    if ((kind == SDF_ANY || frame->kind == kind) && strcmp(frame->name, full) == 0) return frame;
  if (length < tail + 3 || strcmp(name + length - tail, word) != 0 || kind != SDF_ANY) return NULL;
  return find_frame(model, scope, own, import_text(model->context, "%.*s", (int)(length - tail - 2), name), SDF_MODEL);
}

static void collect(sdf_model *model, xmlNode *node, const sdf_frame *parent, const char *scope, bool fixed,
                    int depth) {
  static const char *const words[] = {"model", "link", "joint", "frame"};
  import_context *context = model->context;
  for (xmlNode *child = import_xml_step(node, NULL); child; child = import_xml_step(node, child)) {
    const import_location place = import_xml_location(context, child);
    if (import_xml_is(child, "include")) {
      import_not_mapped(context, &place, "<include> of another model is not supported");
      import_xml_take_all(child);
    }
    for (int kind = 0; kind < 4; kind++) {
      if (!import_xml_is(child, words[kind])) continue;
      sdf_frame *frame = import_alloc(context, 1, sizeof *frame);
      const char *name = import_xml_attribute(context, child, "name");
      import_xml_take(child);
      *frame = (sdf_frame){.kind = (sdf_kind)kind, .scope = scope, .node = child, .model = parent, .fixed = fixed};
      frame->name = import_text(context, "%s%s", scope, name ? name : "");
      if (!name || !*name) import_invalid(context, &place, "this <%s> has no name", words[kind]);
      /* Until version 1.6 a link and a joint may have the same name. */
      const sdf_kind other = model->version < 7 ? frame->kind : SDF_ANY;
      if (find_frame(model, "", NULL, frame->name, other))
        import_invalid(context, &place, "there is already a link, joint or frame '%.80s'", frame->name);
      *model->last = frame;
      model->last = &frame->next;
      if (kind != SDF_MODEL || depth > 100) continue;
      const char *is_static = import_xml_text_in(context, child, "static");
      const bool still = fixed || is_true(is_static);
      import_xml_attribute(context, child, "canonical_link");
      if (import_xml_attribute(context, child, "placement_frame"))
        import_not_mapped(context, &place, "a model with a placement_frame is not supported");
      collect(model, child, frame, import_text(context, "%s::", frame->name), still, depth + 1);
    }
  }
}

static const import_pose *pose_of(sdf_model *model, sdf_frame *frame);

/* Returns the pose of a named frame in the world; NULL after an error. */
static const import_pose *pose_named(sdf_model *model, const char *scope, const sdf_frame *own, const char *name,
                                     const xmlNode *node) {
  const import_location place = import_xml_location(model->context, node);
  if (strcmp(name, "world") == 0) return &import_no_pose;
  sdf_frame *frame = find_frame(model, scope, own, name, SDF_ANY);
  if (!frame) import_invalid(model->context, &place, "there is no frame '%.80s'", name);
  return frame ? pose_of(model, frame) : NULL;
}

static const import_pose *pose_of(sdf_model *model, sdf_frame *frame) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, frame->node);
  if (frame->state == 2) return &frame->pose;
  if (frame->state == 1) {
    import_invalid(context, &place, "the pose of '%.80s' depends on itself", frame->name);
    return &import_no_pose;
  }
  frame->state = 1;
  xmlNode *node = import_xml_child(frame->node, "pose");
  const char *to = node ? import_xml_attribute(context, node, "relative_to") : NULL;
  if (!to && node && model->version < 7) to = import_xml_attribute(context, node, "frame");
  const char *attached = frame->kind == SDF_FRAME ? import_xml_attribute(context, frame->node, "attached_to") : NULL;
  if ((!to || !*to) && frame->kind == SDF_JOINT) to = import_xml_text_in(context, frame->node, "child");
  if ((!to || !*to) && attached) to = attached;
  const import_pose own = read_pose(context, node);
  const import_pose *base = to && *to      ? pose_named(model, frame->scope, frame->model, to, frame->node)
                            : frame->model ? pose_of(model, (sdf_frame *)frame->model)
                                           : &import_no_pose;
  frame->pose = import_compose(base ? base : &import_no_pose, &own);
  frame->state = 2;
  return &frame->pose;
}

/* Returns the name in the document: without the outermost model, if it is the only one. */
static const char *short_name(const sdf_model *model, const sdf_frame *frame) {
  const sdf_frame *first = model->frames;
  size_t tops = 0;
  for (const sdf_frame *each = model->frames; each; each = each->next) tops += each->model == NULL;
  const size_t length = strlen(first->name);
  const bool inside =
      tops == 1 && strncmp(frame->name, first->name, length) == 0 && strncmp(frame->name + length, "::", 2) == 0;
  return inside ? frame->name + length + 2 : frame->name;
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

static void add_link(sdf_model *model, sdf_frame *frame, size_t number) {
  static const char *const entries[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  import_context *context = model->context;
  import_link own = {.place = import_xml_location(context, frame->node), .pose = *pose_of(model, frame)};
  xmlNode *inertial = import_xml_child(frame->node, "inertial"), *inertia = import_xml_child(inertial, "inertia");
  double J[6] = {1, 1, 1, 0, 0, 0};
  own.name = import_name(context, IMPORT_NAME_BODY, short_name(model, frame), "link", number, &own.place);
  if (is_true(import_xml_attribute(context, inertial, "auto")))
    import_not_mapped(context, &own.place, "the inertia of '%s' is that of its shapes (auto), which is not supported",
                      own.name);
  const import_pose pose = read_pose(context, import_xml_child(inertial, "pose"));
  own.mass = import_xml_number_in(context, inertial, "mass", 1);
  const char *lacking = !inertial ? "inertial" : !inertia ? "inertia" : NULL;
  for (int k = 0; k < 6; k++) {
    if (!lacking && k < 3 && !import_xml_child(inertia, entries[k])) lacking = entries[k];
    J[k] = import_xml_number_in(context, inertia, entries[k], J[k]);
  }
  if (inertial && !import_xml_child(inertial, "mass"))
    import_note(context, IMPORT_CHANGED, "mass", &own.place, NULL,
                "'%s' has no <mass>: it gets SDFormat's default, 1 kg", own.name);
  if (lacking)
    import_note(context, IMPORT_CHANGED, "inertia", &own.place, NULL,
                "'%s' has no <%s>: it gets SDFormat's default, %s", own.name, lacking,
                inertial ? "1 kg m^2" : "1 kg and 1 kg m^2");
  import_rotate_tensor(pose.R, J, own.inertia);
  memcpy(own.com, pose.p, sizeof own.com);
  if (!(own.mass >= 0)) import_invalid(context, &own.place, "the mass %g is negative", own.mass);
  frame->link = import_spatial_link(&model->spatial, &own);
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

static sdf_frame *link_below(sdf_model *model, sdf_frame *frame, int depth);

/* Returns the link to which a name leads; NULL if there is none, or with `world` set if it is the world. */
static sdf_frame *link_at(sdf_model *model, const char *scope, const sdf_frame *own, const char *name, int depth,
                          bool *world) {
  *world = strcmp(name, "world") == 0;
  if (*world || depth > 100) return NULL;
  sdf_frame *frame = find_frame(model, scope, own, name, SDF_LINK);
  if (!frame) frame = find_frame(model, scope, own, name, SDF_ANY);
  if (!frame || frame->kind == SDF_LINK) return frame;
  if (frame->kind == SDF_MODEL) return link_below(model, frame, depth + 1);
  const char *next = frame->kind == SDF_FRAME ? import_xml_attribute(model->context, frame->node, "attached_to")
                                              : import_xml_text_in(model->context, frame->node, "child");
  if (next && *next) return link_at(model, frame->scope, frame->model, next, depth + 1, world);
  *world = !frame->model;
  return frame->model ? link_below(model, (sdf_frame *)frame->model, depth + 1) : NULL;
}

/* Returns the canonical link of a model: that of the attribute, or the first one; NULL if there is none. */
static sdf_frame *link_below(sdf_model *model, sdf_frame *frame, int depth) {
  bool world;
  const char *name = import_xml_attribute(model->context, frame->node, "canonical_link");
  if (name && *name)
    return link_at(model, import_text(model->context, "%s::", frame->name), frame, name, depth, &world);
  for (sdf_frame *each = model->frames; each; each = each->next)
    if (each->kind == SDF_LINK && each->model == frame) return each;
  for (sdf_frame *each = model->frames; each && depth < 100; each = each->next)
    if (each->kind == SDF_MODEL && each->model == frame) return link_below(model, each, depth + 1);
  return NULL;
}

/* Returns the link that the <parent> or <child> of a joint names, or to which the named frame is attached; NULL after
 * an error. */
static import_link *link_named(sdf_model *model, const sdf_frame *joint, const char *role, const import_location *place,
                               import_pose *pose) {
  import_context *context = model->context;
  const char *name = import_xml_text_in(context, joint->node, role);
  bool world;
  *pose = import_no_pose;
  if (!name || !*name) {
    import_invalid(context, place, "joint '%.80s' has no <%s>", short_name(model, joint), role);
    return NULL;
  }
  sdf_frame *frame = link_at(model, joint->scope, joint->model, name, 0, &world);
  if (world) return &model->spatial.ground;
  if (!frame || !frame->link) {
    import_invalid(context, place, "there is no link '%.80s'", name);
    return NULL;
  }
  *pose = *pose_of(model, frame);
  return frame->link;
}

/* Reads an axis in the frame of the second link. Returns false after an error. */
static bool read_axis(sdf_model *model, const sdf_frame *joint, xmlNode *axis, const import_pose *second, double out[3],
                      import_damping *law) {
  import_context *context = model->context;
  double v[3] = {0, 0, 1}, world[3];
  xmlNode *xyz = import_xml_child(axis, "xyz"), *dynamics = import_xml_child(axis, "dynamics");
  const char *in = xyz ? import_xml_attribute(context, xyz, "expressed_in") : NULL,
             *text = import_xml_text(context, xyz);
  const char *parent_frame = import_xml_text_in(context, axis, "use_parent_model_frame");
  xmlNode *mimic = import_xml_child(axis, "mimic");
  if (mimic) {
    const import_location at = import_xml_location(context, mimic);
    import_not_mapped(context, &at, "<mimic> of a joint is not supported");
    import_xml_take_all(mimic);
  }
  if (text && *text && !import_xml_numbers(context, xyz, text, 3, v)) return false;
  const bool of_model = (!in || !*in) && (model->version < 5 || is_true(parent_frame));
  const import_pose *base = in && *in  ? pose_named(model, joint->scope, joint->model, in, axis)
                            : of_model ? pose_of(model, (sdf_frame *)joint->model)
                                       : pose_of(model, (sdf_frame *)joint);
  const import_location place = import_xml_location(context, joint->node);
  if (!base || !import_spatial_unit(context, &place, v)) return false;
  import_rotate(base->R, v, world);
  import_rotate_back(second->R, world, out);
  *law = (import_damping){.stiffness = import_xml_number_in(context, dynamics, "spring_stiffness", 0),
                          .free_position = import_xml_number_in(context, dynamics, "spring_reference", 0),
                          .damping = import_xml_number_in(context, dynamics, "damping", 0),
                          .friction = import_xml_number_in(context, dynamics, "friction", 0)};
  return true;
}

/* Two hinges, one after another, with a massless body between them. */
static void add_hinges(sdf_model *model, const import_joint *both, const import_damping laws[2],
                       const import_location *place) {
  import_context *context = model->context;
  import_link between = {.place = *place, .pose = import_no_pose};
  between.name = import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_cross", both->name), "body", 1, NULL);
  import_joint first = *both, second = *both;
  first.type = second.type = "revolute";
  first.second = second.first = import_spatial_link(&model->spatial, &between);
  second.relative = import_no_pose;
  memcpy(second.axis, both->axis2, sizeof second.axis);
  second.name = import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_2", both->name), "joint", 1, NULL);
  import_spatial_joint(&model->spatial, &first);
  import_spatial_damping(&model->spatial, &first, &laws[0], place);
  import_spatial_joint(&model->spatial, &second);
  import_spatial_damping(&model->spatial, &second, &laws[1], place);
  import_note(context, IMPORT_MAPPED, "chain", place, NULL, "the joint '%s' is two hinges, '%s' and '%s'", both->name,
              first.name, second.name);
}

static bool acts(const import_damping *law) { return law->stiffness != 0 || law->damping != 0 || law->friction != 0; }

static const char *type_of(const char *word) {
  static const char *const types[][2] = {
      {"revolute", "revolute"}, {"continuous", "revolute"}, {"prismatic", "prismatic"}, {"ball", "spherical"},
      {"fixed", "fixed"},       {"screw", "screw"},         {"universal", "universal"}, {"revolute2", "universal"}};
  for (size_t k = 0; word && k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k][0], word) == 0) return types[k][1];
  return NULL;
}

static void set_pitch(sdf_model *model, xmlNode *node, json_t *object, const import_location *place) {
  import_context *context = model->context;
  const double per_turn = import_xml_number_in(context, node, "screw_thread_pitch", 0),
               thread = import_xml_number_in(context, node, "thread_pitch", 0);
  const double pitch = per_turn != 0 ? per_turn : thread != 0 ? -2 * acos(-1.0) / thread : 1;
  import_set_number(context, object, "pitch", pitch);
  if (per_turn == 0)
    import_note(context, IMPORT_CHANGED, "pitch", place, import_last(context, "joints"),
                "the thread_pitch %g is an advance of %g m per turn", thread, pitch);
}

static void add_joint(sdf_model *model, sdf_frame *frame) {
  import_context *context = model->context;
  xmlNode *node = frame->node;
  const import_location place = import_xml_location(context, node);
  const char *word = import_xml_attribute(context, node, "type"), *type = type_of(word);
  import_pose first, second;
  import_damping laws[2] = {{.damping = 0}, {.damping = 0}};
  import_joint own = {.type = type, .axis = {0, 0, 1}};
  import_at(context, &place);
  own.first = link_named(model, frame, "parent", &place, &first);
  own.second = link_named(model, frame, "child", &place, &second);
  own.name = import_name(context, IMPORT_NAME_BODY, short_name(model, frame), "joint", ++model->joint_count, &place);
  if (!type) {
    import_not_mapped(context, &place, "the joint type '%.80s' is not supported", word ? word : "");
    return;
  }
  if (!own.first || !own.second) return;
  if (own.second == &model->spatial.ground) {
    import_not_mapped(context, &place, "the child of a joint cannot be the world");
    return;
  }
  const import_pose *at = pose_of(model, frame);
  own.relative = import_between(&first, &second);
  const import_pose in_second = import_between(&second, at);
  memcpy(own.anchor, in_second.p, sizeof own.anchor);
  xmlNode *axis = import_xml_child(node, "axis"), *axis2 = import_xml_child(node, "axis2");
  const bool has_axis = strcmp(type, "fixed") != 0 && strcmp(type, "spherical") != 0,
             two = strcmp(type, "universal") == 0;
  if (has_axis && axis && !read_axis(model, frame, axis, &second, own.axis, &laws[0])) return;
  if (two && axis2 && !read_axis(model, frame, axis2, &second, own.axis2, &laws[1])) return;
  own.cut = own.second->parent || own.second->moves;
  const bool crossed = two && fabs(import_dot(own.axis, own.axis2)) < 1e-9;
  if (two && !axis2) {
    import_invalid(context, &place, "a %s joint needs axis2", word);
  } else if (two && !own.cut && (!crossed || acts(&laws[0]) || acts(&laws[1]))) {
    add_hinges(model, &own, laws, &place);
  } else {
    json_t *object = import_spatial_joint(&model->spatial, &own);
    if (own.cut)
      import_note(context, IMPORT_MAPPED, "loop", &place, import_last(context, "joints"),
                  "'%s' has a second parent: '%s' is a cut", own.second->name, own.name);
    if (strcmp(type, "screw") == 0) set_pitch(model, node, object, &place);
    if (!two && acts(&laws[0])) import_spatial_damping(&model->spatial, &own, &laws[0], &place);
  }
}

/* Joins links without a parent to the ground: free, or fixed in a static model. */
static void mount(sdf_model *model, sdf_frame *frame) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, frame->node);
  import_link *link = frame->link;
  if (link->parent || link->moves) return;
  const char *name =
      import_name(context, IMPORT_NAME_BODY,
                  import_text(context, "%s_%s", link->name, frame->fixed ? "fixed" : "floating"), "joint", 1, NULL);
  if (frame->fixed) {
    const import_joint fixed = {.type = "fixed",
                                .name = name,
                                .first = &model->spatial.ground,
                                .second = link,
                                .relative = *pose_of(model, frame),
                                .axis = {0, 0, 1}};
    import_spatial_joint(&model->spatial, &fixed);
  } else {
    import_spatial_floating(&model->spatial, link, name);
  }
  import_note(context, IMPORT_CHANGED, "root", &place, import_last(context, "joints"), "'%s' is %s, by the joint '%s'",
              link->name, frame->fixed ? "fixed to the ground" : "free", name);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Returns the number after "1." in the version; the newest one that is known after an error, or if there is none. */
static int read_version(import_context *context, const char *version, const import_location *place) {
  enum { OLDEST = 4, NEWEST = 11 };
  char *end = NULL;
  const long minor = version && strncmp(version, "1.", 2) == 0 ? strtol(version + 2, &end, 10) : 0;
  if (!version)
    import_note(context, IMPORT_CHANGED, "version", place, NULL, "<sdf> has no version; it is read as 1.%d", NEWEST);
  else if (minor < OLDEST || minor > NEWEST || !end || *end)
    import_not_mapped(context, place, "the version '%.40s' of SDFormat is not one of 1.%d to 1.%d", version, OLDEST,
                      NEWEST);
  return minor >= OLDEST && minor <= NEWEST ? (int)minor : NEWEST;
}

static void convert(import_context *context, const import_file *main) {
  sdf_model *model = import_alloc(context, 1, sizeof *model);
  xmlNode *root = import_xml_open(context, main), *world = import_xml_child(root, "world");
  const char *version = import_xml_attribute(context, root, "version");
  const import_location place = import_xml_location(context, root);
  *model = (sdf_model){.context = context, .version = read_version(context, version, &place)};
  model->last = &model->frames;
  collect(model, world ? world : root, NULL, "", false, 0);
  import_document_open(context,
                       world           ? import_xml_attribute(context, world, "name")
                       : model->frames ? model->frames->name
                                       : NULL,
                       "spatial");
  import_spatial_open(&model->spatial, context);
  double g[3] = {0, 0, -9.8};
  xmlNode *gravity = import_xml_child(world, "gravity");
  if (gravity)
    import_xml_numbers(context, gravity, import_xml_text(context, gravity), 3, g);
  else
    import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.8 m/s^2 along -z, the default");
  import_spatial_gravity(&model->spatial, g);
  if (!model->frames) import_invalid(context, &place, "the file has no model");
  size_t number = 0;
  for (sdf_frame *frame = model->frames; frame; frame = frame->next)
    if (frame->kind == SDF_LINK || frame->kind == SDF_JOINT)
      import_reserve(context, IMPORT_NAME_BODY, short_name(model, frame));
  for (sdf_frame *frame = model->frames; frame; frame = frame->next)
    if (frame->kind == SDF_LINK) add_link(model, frame, ++number);
  for (sdf_frame *frame = model->frames; frame; frame = frame->next)
    if (frame->kind == SDF_JOINT) add_joint(model, frame);
  for (sdf_frame *frame = model->frames; frame; frame = frame->next)
    if (frame->kind == SDF_LINK && frame->link) mount(model, frame);
  for (sdf_frame *frame = model->frames; frame; frame = frame->next) pose_of(model, frame); /* reports wrong names */
  import_spatial_check_masses(&model->spatial);
  import_xml_report_unread(context);
}

const import_format import_sdf = {.name = "sdf", .root = "sdf", .convert = convert};
