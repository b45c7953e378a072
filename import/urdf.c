/* urdf.c - URDF: a tree of links and joints, with loops in three dialects: <loop_joint> (Isaac Sim), <gazebo><joint>
 * (Gazebo), and a file loops.yaml (urdf_loops.c). A joint's frame is that of its child link at zero. */
#include "import/urdf.h"

#include "import/formats.h"

#include <string.h>

/* ---- frames and lookups ----------------------------------------------------------------------------------------- */

import_pose urdf_origin(import_context *context, xmlNode *node) {
  import_pose pose = import_no_pose;
  double rpy[3] = {0, 0, 0};
  import_xml_read(context, node, "xyz", 3, pose.p);
  if (import_xml_read(context, node, "rpy", 3, rpy)) import_of_rpy(rpy, pose.R);
  return pose;
}

urdf_link *urdf_find_link(urdf_robot *robot, const char *name) {
  for (size_t i = 0; i < robot->link_count; i++)
    if (strcmp(robot->links[i].name, name) == 0) return &robot->links[i];
  return NULL;
}

urdf_joint *urdf_find_joint(urdf_robot *robot, const char *name) {
  for (size_t i = 0; i < robot->joint_count; i++)
    if (strcmp(robot->joints[i].name, name) == 0) return &robot->joints[i];
  return NULL;
}

/* Returns the link that an attribute of an element names, or NULL after an error. */
static urdf_link *link_of(urdf_robot *robot, xmlNode *node, const char *attribute, const char *element) {
  import_context *context = robot->spatial.context;
  const char *name = import_xml_attribute(context, node, attribute);
  urdf_link *link = name ? urdf_find_link(robot, name) : NULL;
  const import_location place = import_xml_location(context, node ? node : robot->root);
  if (!name)
    import_invalid(context, &place, "<%s> with the name of a link is missing", element);
  else if (!link)
    import_invalid(context, &place, "there is no link '%.80s'", name);
  return link;
}

bool urdf_unit(import_context *context, const xmlNode *node, double axis[3]) {
  const import_location place = import_xml_location(context, node);
  return import_spatial_unit(context, &place, axis);
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

static void read_inertial(import_context *context, xmlNode *inertial, import_link *out) {
  static const char *const entries[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double J[6] = {0};
  const import_pose origin = urdf_origin(context, import_xml_child(inertial, "origin"));
  xmlNode *mass = import_xml_child(inertial, "mass"), *inertia = import_xml_child(inertial, "inertia");
  if (!import_xml_attribute(context, mass, "value"))
    import_invalid(context, &out->place, "<inertial> of '%.80s' has no <mass> with a value", out->name);
  import_xml_read(context, mass, "value", 1, &out->mass);
  for (int k = 0; k < 6; k++) {
    if (!import_xml_attribute(context, inertia, entries[k]))
      import_note(context, IMPORT_CHANGED, "inertia", &out->place, NULL, "'%s' has no %s, which is 0", out->name,
                  entries[k]);
    import_xml_read(context, inertia, entries[k], 1, &J[k]);
  }
  import_rotate_tensor(origin.R, J, out->inertia);
  memcpy(out->com, origin.p, sizeof out->com);
  if (!(out->mass >= 0)) import_invalid(context, &out->place, "the mass %g is negative", out->mass);
}

static void read_links(urdf_robot *robot) {
  import_context *context = robot->spatial.context;
  for (xmlNode *node = import_xml_child(robot->root, "link"); node; node = import_xml_next(node, "link")) {
    urdf_link *link = &robot->links[robot->link_count];
    *link = (urdf_link){.node = node, .name = import_xml_attribute(context, node, "name"), .pose = import_no_pose};
    const import_location place = import_xml_location(context, node);
    if (!link->name || !*link->name) {
      import_invalid(context, &place, "this link has no name");
      continue;
    }
    if (urdf_find_link(robot, link->name)) {
      import_invalid(context, &place, "there is already a link '%.80s'", link->name);
      continue;
    }
    link->inertial = import_xml_child(node, "inertial");
    robot->link_count++;
  }
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

static const struct {
  const char *urdf, *type;
  bool one; /* the joint has one coordinate */
} types[] = {{"revolute", "revolute", true}, {"continuous", "revolute", true}, {"prismatic", "prismatic", true},
             {"fixed", "fixed", false},      {"floating", "floating", false},  {"planar", "planar", false}};

static void read_type(import_context *context, urdf_joint *joint) {
  const char *word = import_xml_attribute(context, joint->node, "type");
  const import_location place = import_xml_location(context, joint->node);
  for (size_t i = 0; word && i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i].urdf, word) != 0) continue;
    joint->type = types[i].type;
    joint->one_coordinate = types[i].one;
    return;
  }
  import_not_mapped(context, &place, "joint '%.80s' has the unknown type '%.80s'", joint->name, word ? word : "");
}

static void read_joint(urdf_robot *robot, xmlNode *node) {
  import_context *context = robot->spatial.context;
  urdf_joint *joint = &robot->joints[robot->joint_count];
  *joint = (urdf_joint){.node = node, .name = import_xml_attribute(context, node, "name"), .axis = {1, 0, 0}};
  const import_location place = import_xml_location(context, node);
  if (!joint->name || !*joint->name) {
    import_invalid(context, &place, "this joint has no name");
    return;
  }
  if (urdf_find_joint(robot, joint->name)) {
    import_invalid(context, &place, "there is already a joint '%.80s'", joint->name);
    return;
  }
  read_type(context, joint);
  joint->parent = link_of(robot, import_xml_child(node, "parent"), "link", "parent");
  joint->child = link_of(robot, import_xml_child(node, "child"), "link", "child");
  joint->origin = urdf_origin(context, import_xml_child(node, "origin"));
  xmlNode *axis = import_xml_child(node, "axis"), *dynamics = import_xml_child(node, "dynamics");
  double along[3] = {1, 0, 0};
  joint->fixed = joint->type && strcmp(joint->type, "fixed") == 0; /* then the axis has no meaning, and may be 0 */
  if (import_xml_read(context, axis, "xyz", 3, along) && !joint->fixed && urdf_unit(context, axis, along))
    memcpy(joint->axis, along, sizeof along);
  import_xml_read(context, dynamics, "damping", 1, &joint->law.damping);
  import_xml_read(context, dynamics, "friction", 1, &joint->law.friction);
  joint->mimic = import_xml_child(node, "mimic");
  joint->mimicked = import_xml_attribute(context, joint->mimic, "joint");
  robot->joint_count++;
  if (!joint->child || !joint->parent) return;
  if (joint->child->joint)
    import_not_mapped(context, &place,
                      "link '%.80s' has two parents, by the joints '%.80s' and '%.80s'; write the loop "
                      "as <loop_joint>",
                      joint->child->name, joint->child->joint->name, joint->name);
  else
    joint->child->joint = joint;
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

/* Returns the only link without a parent, or NULL after an error. */
static urdf_link *find_root(urdf_robot *robot) {
  import_context *context = robot->spatial.context;
  urdf_link *root = NULL;
  for (size_t i = 0; i < robot->link_count; i++) {
    urdf_link *link = &robot->links[i];
    const import_location place = import_xml_location(context, link->node);
    if (link->joint) continue;
    if (root)
      import_invalid(context, &place, "the links '%.80s' and '%.80s' are both without a parent", root->name,
                     link->name);
    else
      root = link;
  }
  const import_location place = import_xml_location(context, robot->root);
  if (!root) import_invalid(context, &place, robot->link_count ? "the links form a circle" : "there is no link");
  return root;
}

/* Sets the pose of a link at zero. Returns false if its parents form a circle. */
static bool set_pose(urdf_robot *robot, urdf_link *link, size_t depth) {
  if (link->placed) return true;
  if (depth > robot->link_count) return false;
  const urdf_joint *joint = link->joint;
  if (joint && joint->parent) {
    if (!set_pose(robot, joint->parent, depth + 1)) return false;
    link->pose = import_compose(&joint->parent->pose, &joint->origin);
  }
  link->placed = true;
  return true;
}

static void add_links(urdf_robot *robot, urdf_link *root) {
  import_context *context = robot->spatial.context;
  for (size_t i = 0; i < robot->link_count; i++) {
    urdf_link *link = &robot->links[i];
    import_link own = {.place = import_xml_location(context, link->node), .pose = link->pose};
    if (link == root && !link->inertial) {
      link->link = &robot->spatial.ground;
      import_note(context, IMPORT_CHANGED, "ground", &own.place, "/ground", "link '%.80s' is the ground", link->name);
      continue;
    }
    own.name = import_name(context, IMPORT_NAME_BODY, link->name, "link", i + 1, &own.place);
    if (link->inertial) read_inertial(context, link->inertial, &own);
    link->link = import_spatial_link(&robot->spatial, &own);
  }
}

static bool is_mimicked(const urdf_robot *robot, const urdf_joint *joint) {
  for (size_t i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].mimicked && strcmp(robot->joints[i].mimicked, joint->name) == 0) return true;
  return false;
}

/* Adds a joint whose child is free. Its coordinates are those of the child's mass centre in the global frame. */
static void add_floating(urdf_robot *robot, const urdf_joint *joint, const import_location *place, const char *name) {
  import_context *context = robot->spatial.context;
  import_spatial_floating(&robot->spatial, joint->child->link, name);
  import_note(context, IMPORT_CHANGED, "floating", place, import_last(context, "joints"),
              "the coordinates of joint '%s' are those of the mass centre of '%s' in the global frame", name,
              joint->child->link->name);
}

static void add_joints(urdf_robot *robot) {
  import_context *context = robot->spatial.context;
  for (size_t i = 0; i < robot->joint_count; i++) {
    urdf_joint *joint = &robot->joints[i];
    if (!joint->type || !joint->parent || !joint->child || joint->child->joint != joint) continue;
    const import_location place = import_xml_location(context, joint->node);
    import_at(context, &place);
    const bool read = joint->mimicked || is_mimicked(robot, joint);
    joint->out =
        (read ? import_identifier : import_name)(context, IMPORT_NAME_BODY, joint->name, "joint", i + 1, &place);
    if (strcmp(joint->type, "floating") == 0) {
      add_floating(robot, joint, &place, joint->out);
      continue;
    }
    import_joint own = {.type = joint->type,
                        .name = joint->out,
                        .first = joint->parent->link,
                        .second = joint->child->link,
                        .relative = joint->origin};
    memcpy(own.axis, joint->axis, sizeof own.axis);
    import_spatial_joint(&robot->spatial, &own);
    if (joint->law.damping == 0 && joint->law.friction == 0) continue;
    if (joint->one_coordinate)
      import_spatial_damping(&robot->spatial, &own, &joint->law, &place);
    else
      import_note(context, IMPORT_DROPPED, "dynamics", &place, NULL,
                  "the model does not contain: damping %g, friction %g", joint->law.damping, joint->law.friction);
  }
}

/* Puts the root on the ground, or lets it float. */
static void mount_root(urdf_robot *robot, urdf_link *root) {
  import_context *context = robot->spatial.context;
  const import_location place = import_xml_location(context, root->node);
  if (root->link == &robot->spatial.ground) {
    if (context->options.floating)
      import_invalid(context, &place, "the root '%.80s' has no inertia, so it cannot float", root->name);
    return;
  }
  const bool floats = context->options.floating;
  const char *name =
      import_name(context, IMPORT_NAME_BODY,
                  import_text(context, "%s_%s", root->link->name, floats ? "floating" : "fixed"), "joint", 1, NULL);
  if (floats) {
    import_spatial_floating(&robot->spatial, root->link, name);
  } else {
    const import_joint own = {.type = "fixed",
                              .name = name,
                              .first = &robot->spatial.ground,
                              .second = root->link,
                              .relative = import_no_pose,
                              .axis = {0, 0, 1}};
    import_spatial_joint(&robot->spatial, &own);
  }
  import_note(context, IMPORT_CHANGED, "root", &place, import_last(context, "joints"),
              floats ? "the root '%s' is free, by the joint '%s'"
                     : "the root '%s' is fixed to the ground, by the joint "
                       "'%s'",
              root->link->name, name);
}

/* A mimic joint: q - multiplier q_other - offset = 0. */
static void add_mimics(urdf_robot *robot) {
  import_context *context = robot->spatial.context;
  for (size_t i = 0; i < robot->joint_count; i++) {
    urdf_joint *joint = &robot->joints[i];
    if (!joint->mimic) continue;
    const import_location place = import_xml_location(context, joint->node);
    urdf_joint *other = joint->mimicked ? urdf_find_joint(robot, joint->mimicked) : NULL;
    double multiplier = 1, offset = 0;
    import_xml_read(context, joint->mimic, "multiplier", 1, &multiplier);
    import_xml_read(context, joint->mimic, "offset", 1, &offset);
    if (!other) {
      import_invalid(context, &place, "there is no joint '%.80s' to mimic", joint->mimicked ? joint->mimicked : "");
    } else if (joint->fixed) {
      import_note(context, IMPORT_DROPPED, "mimic", &place, NULL,
                  "the model does not contain: <mimic> of the fixed joint '%s'", joint->name);
    } else if (!joint->one_coordinate || !(other->one_coordinate || other->fixed) || !joint->out || !other->out) {
      import_not_mapped(context, &place, "joint '%.80s' mimics '%.80s', which needs joints of one coordinate",
                        joint->name, other->name);
    } else {
      const char *name =
          import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_mimic", joint->out), "joint", 1, NULL);
      import_at(context, &place);
      json_t *object = import_add(context, context->joints, name, "expression");
      const char *led = other->fixed ? "0" : import_text(context, "%s.q", other->out);
      import_set_text(context, object, "value",
                      import_text(context, "%s.q - %s*%s - %s", joint->out, import_digits(context, multiplier), led,
                                  import_digits(context, offset)));
      joint->child->link->bound = other->child->link->bound = true;
      import_note(context, IMPORT_MAPPED, "mimic", &place, import_last(context, "joints"),
                  "<mimic> is the constraint '%s'", name);
    }
  }
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static size_t count_children(xmlNode *node, const char *name) {
  size_t count = 0;
  for (xmlNode *child = import_xml_step(node, NULL); child; child = import_xml_step(node, child))
    count += import_xml_is(child, name);
  return count;
}

/* Leaves the conversion if the file still needs the macro processor xacro. */
static void refuse_xacro(import_context *context, xmlNode *node) {
  if (node->ns && node->ns->prefix && strcmp((const char *)node->ns->prefix, "xacro") == 0) {
    const import_location place = import_xml_location(context, node);
    import_leave(context, 422, "not_mapped", &place, "<xacro:%s> needs the macro processor xacro; import its output",
                 (const char *)node->name);
  }
  for (xmlNode *child = import_xml_step(node, NULL); child; child = import_xml_step(node, child))
    refuse_xacro(context, child);
}

static void convert(import_context *context, const import_file *main) {
  xmlNode *root = import_xml_open(context, main);
  refuse_xacro(context, root);
  import_xml_attribute(context, root, "version");
  import_document_open(context, import_xml_attribute(context, root, "name"), "spatial");
  urdf_robot robot = {.root = root};
  import_spatial_open(&robot.spatial, context);
  import_spatial_gravity(&robot.spatial, (const double[]){0, 0, -9.81});
  const import_location place = import_xml_location(context, root);
  import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.81 m/s^2 along -z, the default");
  robot.links = import_alloc(context, count_children(root, "link"), sizeof *robot.links);
  robot.joints = import_alloc(context, count_children(root, "joint"), sizeof *robot.joints);
  read_links(&robot);
  for (xmlNode *node = import_xml_child(root, "joint"); node; node = import_xml_next(node, "joint"))
    read_joint(&robot, node);
  urdf_link *top = find_root(&robot);
  for (size_t i = 0; top && i < robot.link_count; i++) {
    const import_location at = import_xml_location(context, robot.links[i].node);
    if (!set_pose(&robot, &robot.links[i], 0)) {
      import_invalid(context, &at, "link '%.80s' and its parents form a circle", robot.links[i].name);
      top = NULL;
    }
  }
  for (size_t i = 0; i < robot.link_count; i++) import_reserve(context, IMPORT_NAME_BODY, robot.links[i].name);
  for (size_t i = 0; i < robot.joint_count; i++) import_reserve(context, IMPORT_NAME_BODY, robot.joints[i].name);
  if (top) {
    add_links(&robot, top);
    mount_root(&robot, top);
    add_joints(&robot);
    add_mimics(&robot);
    urdf_add_loops(&robot, main);
    import_spatial_check_masses(&robot.spatial);
  }
  import_xml_report_unread(context);
}

const import_format import_urdf = {.name = "urdf", .root = "robot", .convert = convert};
