/* urdf_loops.c - joints that close loops of a URDF robot. They become cut joints. */
#include "import/urdf.h"

#include <ctype.h>
#include <string.h>

static const struct {
  const char *word, *type;
} types[] = {{"revolute", "revolute"},   {"continuous", "revolute"}, {"prismatic", "prismatic"},    {"fixed", "fixed"},
             {"spherical", "spherical"}, {"ball", "spherical"},      {"cylindrical", "cylindrical"}};

static const char *type_of(const char *word) {
  for (size_t i = 0; word && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].word, word) == 0) return types[i].type;
  return NULL;
}

/* Adds a cut joint of that type between frames of two links, which coincide where the loop is closed. */
static void add_cut(urdf_robot *robot, const char *type, const char *name, const import_location *place,
                    import_link *first, const import_pose *frame1, import_link *second, const import_pose *frame2,
                    const double axis[3]) {
  import_context *context = robot->spatial.context;
  const import_pose back = import_inverse(frame2);
  import_joint own = {.type = type,
                      .first = first,
                      .second = second,
                      .cut = true,
                      .first_anchor = frame1->p,
                      .relative = import_compose(frame1, &back)};
  import_at(context, place);
  own.name = import_name(context, IMPORT_NAME_BODY, name, "loop", json_array_size(context->joints) + 1, place);
  memcpy(own.anchor, frame2->p, sizeof own.anchor);
  import_rotate(frame2->R, axis, own.axis);
  import_spatial_joint(&robot->spatial, &own);
  import_note(context, IMPORT_MAPPED, "loop", place, import_last(context, "joints"),
              "the loop is closed by the cut joint '%s'", own.name);
}

static urdf_link *named_link(urdf_robot *robot, const char *name, const import_location *place) {
  urdf_link *link = name ? urdf_find_link(robot, name) : NULL;
  if (!link) import_invalid(robot->spatial.context, place, "there is no link '%.80s'", name ? name : "");
  return link;
}

/* <loop_joint name type><link1 link rpy xyz/><link2 link rpy xyz/><axis xyz/></loop_joint> */
static void add_loop_joint(urdf_robot *robot, xmlNode *node) {
  import_context *context = robot->spatial.context;
  const import_location place = import_xml_location(context, node);
  xmlNode *end1 = import_xml_child(node, "link1"), *end2 = import_xml_child(node, "link2");
  xmlNode *axis_node = import_xml_child(node, "axis");
  const char *word = import_xml_attribute(context, node, "type"), *type = type_of(word);
  const char *name = import_xml_attribute(context, node, "name");
  urdf_link *link1 = named_link(robot, import_xml_attribute(context, end1, "link"), &place);
  urdf_link *link2 = named_link(robot, import_xml_attribute(context, end2, "link"), &place);
  const import_pose frame1 = urdf_origin(context, end1), frame2 = urdf_origin(context, end2);
  double axis[3] = {1, 0, 0};
  if (import_xml_read(context, axis_node, "xyz", 3, axis) && !urdf_unit(context, axis_node, axis)) return;
  if (!type)
    import_not_mapped(context, &place, "a <loop_joint> of type '%.80s' is not supported", word ? word : "");
  else if (link1 && link2)
    add_cut(robot, type, name, &place, link1->link, &frame1, link2->link, &frame2, axis);
}

/* <gazebo><joint name type><parent>..</parent><child>..</child><pose>..</pose><axis><xyz>..</xyz></axis></joint>: the
 * pose is that of the joint in the child, and the partner on the parent is where the joint lies at zero. */
static void add_gazebo_joint(urdf_robot *robot, xmlNode *node) {
  import_context *context = robot->spatial.context;
  const import_location place = import_xml_location(context, node);
  const char *word = import_xml_attribute(context, node, "type"), *type = type_of(word);
  const char *name = import_xml_attribute(context, node, "name");
  const char *parent = import_xml_text(context, import_xml_child(node, "parent"));
  urdf_link *child = named_link(robot, import_xml_text(context, import_xml_child(node, "child")), &place);
  const bool on_world = parent && strcmp(parent, "world") == 0 && !urdf_find_link(robot, parent);
  urdf_link *first = on_world ? NULL : named_link(robot, parent, &place);
  double pose[6] = {0}, axis[3] = {0, 0, 1};
  const char *text = import_xml_text(context, import_xml_child(node, "pose"));
  if (text && *text) import_xml_numbers(context, node, text, 6, pose);
  xmlNode *axis_node = import_xml_child(node, "axis");
  text = import_xml_text(context, import_xml_child(axis_node, "xyz"));
  if (text && import_xml_numbers(context, axis_node, text, 3, axis) && !urdf_unit(context, axis_node, axis)) return;
  if (!type) {
    import_not_mapped(context, &place, "a joint of type '%.80s' of <gazebo> is not supported", word ? word : "");
    return;
  }
  if (!child || (!first && !on_world)) return;
  import_pose frame2 = {.p = {pose[0], pose[1], pose[2]}};
  import_of_rpy(pose + 3, frame2.R);
  const import_pose at = import_compose(&child->pose, &frame2);
  const import_pose frame1 = import_between(first ? &first->pose : &import_no_pose, &at);
  add_cut(robot, type, name, &place, first ? first->link : &robot->spatial.ground, &frame1, child->link, &frame2, axis);
}

/* ---- loops.yaml ------------------------------------------------------------------------------------------------- */

enum { LOOPS_MAX = 1000 };

/* The names in the lists closed_loop and type, in order. */
typedef struct loop_lists {
  const char *names[2 * LOOPS_MAX], *types[LOOPS_MAX];
  int lines[2 * LOOPS_MAX];
  size_t name_count, type_count;
} loop_lists;

static bool is_word(char c) { return isalnum((unsigned char)c) || strchr("_-./", c) != NULL; }

/* Reads the words of both lists, whether in brackets or one to a line; a word before a colon starts a key. */
static void read_yaml(import_context *context, const import_file *file, loop_lists *out) {
  const char *key = "";
  int line = 1;
  for (const char *at = file->data; *at;) {
    if (*at == '#') at += strcspn(at, "\n");
    if (*at == '\n') line++;
    if (!*at || !is_word(*at) || (*at == '-' && (at[1] == ' ' || at[1] == '\n'))) {
      at += *at != 0;
      continue;
    }
    size_t length = 0;
    while (at[length] && is_word(at[length])) length++;
    const char *word = import_text(context, "%.*s", (int)length, at);
    at += length;
    const import_location place = {.file = file->path, .line = line};
    if (at[strspn(at, " ")] == ':') {
      key = word;
      if (strcmp(key, "closed_loop") != 0 && strcmp(key, "type") != 0)
        import_note(context, IMPORT_DROPPED, "loops", &place, NULL,
                    "the model does not contain: '%.80s' and its values", key);
    } else if (strcmp(key, "closed_loop") == 0 && out->name_count < 2 * LOOPS_MAX) {
      out->lines[out->name_count] = line;
      out->names[out->name_count++] = word;
    } else if (strcmp(key, "type") == 0 && out->type_count < LOOPS_MAX) {
      out->types[out->type_count++] = word;
    }
  }
}

/* Returns the link and the frame in it that a name means: a link, or a joint's frame, which is that of its child. */
static import_link *find_frame(urdf_robot *robot, const char *name, const import_location *place) {
  const urdf_link *link = urdf_find_link(robot, name);
  const urdf_joint *joint = link ? NULL : urdf_find_joint(robot, name);
  if (joint) link = joint->child;
  if (!link) import_invalid(robot->spatial.context, place, "there is no link or joint '%.80s'", name);
  return link ? link->link : NULL;
}

static void add_listed(urdf_robot *robot, const import_file *file) {
  import_context *context = robot->spatial.context;
  loop_lists *lists = import_alloc(context, 1, sizeof *lists);
  read_yaml(context, file, lists);
  for (size_t i = 0; i + 1 < lists->name_count; i += 2) {
    const import_location place = {.file = file->path, .line = lists->lines[i]};
    const char *word = i / 2 < lists->type_count ? lists->types[i / 2] : "6d";
    const bool whole = strcmp(word, "6d") == 0 || strcmp(word, "6D") == 0;
    import_link *first = find_frame(robot, lists->names[i], &place);
    import_link *second = find_frame(robot, lists->names[i + 1], &place);
    if (!whole && strcmp(word, "3d") != 0 && strcmp(word, "3D") != 0) {
      import_not_mapped(context, &place, "a loop of type '%.80s' is not supported; types are 3d and 6d", word);
      continue;
    }
    if (first && second)
      add_cut(robot, whole ? "fixed" : "spherical", import_text(context, "%s_%s", lists->names[i], lists->names[i + 1]),
              &place, first, &import_no_pose, second, &import_no_pose, (const double[]){0, 0, 1});
  }
  const import_location place = {.file = file->path};
  if (lists->name_count % 2) import_invalid(context, &place, "closed_loop lists pairs of names; one has no partner");
}

void urdf_add_loops(urdf_robot *robot, const import_file *main) {
  import_context *context = robot->spatial.context;
  for (xmlNode *node = import_xml_child(robot->root, "loop_joint"); node; node = import_xml_next(node, "loop_joint"))
    add_loop_joint(robot, node);
  for (xmlNode *gazebo = import_xml_step(robot->root, NULL); gazebo; gazebo = import_xml_step(robot->root, gazebo)) {
    if (!import_xml_is(gazebo, "gazebo")) continue;
    for (xmlNode *node = import_xml_child(gazebo, "joint"); node; node = import_xml_next(node, "joint")) {
      import_xml_take(gazebo);
      add_gazebo_joint(robot, node);
    }
  }
  const int folder = (int)import_folder_length(main->path);
  const import_file *list = import_tree_find(context->tree, import_text(context, "%.*sloops.yaml", folder, main->path));
  if (list) add_listed(robot, list);
}
