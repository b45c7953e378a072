/* mjcf.c - MuJoCo's MJCF: the options of the whole model, and the order of its conversion. */
#include "import/mjcf.h"

#include "import/formats.h"

#include <ctype.h>
#include <string.h>

static bool is_true(const char *word) { return word && strcmp(word, "true") == 0; }

static void read_sequence(mjcf_model *model, xmlNode *node, const char *word) {
  bool good = strlen(word) == 3;
  for (int k = 0; good && k < 3; k++) good = strchr("xyzXYZ", word[k]) != NULL;
  const import_location place = import_xml_location(model->context, node);
  if (good)
    memcpy(model->sequence, word, 4);
  else
    import_invalid(model->context, &place, "eulerseq is three of x, y, z, not '%.20s'", word);
}

/* Reads an attribute that is one of three words; the last may be NULL. Returns NULL, after an error, if it is not. */
static const char *read_choice(import_context *context, xmlNode *node, const char *name, const char *const words[3]) {
  const char *word = import_xml_attribute(context, node, name);
  const import_location place = import_xml_location(context, node);
  for (int k = 0; word && k < 3 && words[k]; k++)
    if (strcmp(word, words[k]) == 0) return word;
  if (word)
    import_invalid(context, &place, "%s of <compiler> is %s%s%s or %s, not '%.40s'", name, words[0],
                   words[2] ? ", " : "", words[2] ? words[1] : "", words[2] ? words[2] : words[1], word);
  return NULL;
}

/* Reads attributes of <compiler>; a later one replaces an earlier one. */
static void read_compiler(mjcf_model *model, xmlNode *node) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, node);
  double groups[2] = {0, 5};
  import_xml_take(node);
  static const char *const angles[3] = {"degree", "radian"}, *const flags[3] = {"true", "false"},
                           *const sources[3] = {"true", "false", "auto"}, *const kinds[3] = {"local", "global"};
  model->compiler = node;
  const char *angle = read_choice(context, node, "angle", angles);
  const char *sequence = import_xml_attribute(context, node, "eulerseq");
  const char *from_geoms = read_choice(context, node, "inertiafromgeom", sources);
  const char *balance = read_choice(context, node, "balanceinertia", flags);
  const char *coordinates = read_choice(context, node, "coordinate", kinds);
  const char *meshes = import_xml_attribute(context, node, "meshdir"),
             *assets = import_xml_attribute(context, node, "assetdir");
  const char *exact = read_choice(context, node, "exactmeshinertia", flags);
  import_xml_attribute(context, node, "autolimits");
  if (angle) model->radians = strcmp(angle, "radian") == 0;
  if (sequence) read_sequence(model, node, sequence);
  if (from_geoms) model->from_geoms = from_geoms;
  if (exact) model->exact_meshes = is_true(exact);
  if (balance) model->balance = is_true(balance);
  if (meshes || assets) model->mesh_folder = meshes ? meshes : assets;
  if (coordinates && strcmp(coordinates, "local") != 0)
    import_not_mapped(context, &place, "global coordinates are not supported");
  import_xml_read(context, node, "settotalmass", 1, &model->total_mass);
  import_xml_read(context, node, "boundmass", 1, &model->least_mass);
  import_xml_read(context, node, "boundinertia", 1, &model->least_inertia);
  if (import_xml_read(context, node, "inertiagrouprange", 2, groups))
    for (int k = 0; k < 2; k++) model->groups[k] = (int)groups[k];
}

/* Returns true if <flag> disables a part of the mechanics, with a note. */
static bool is_disabled(import_context *context, xmlNode *flag, const char *name) {
  const char *word = import_xml_attribute(context, flag, name);
  if (!word || strcmp(word, "disable") != 0) return false;
  const import_location place = import_xml_location(context, flag);
  import_note(context, IMPORT_CHANGED, "flag", &place, NULL, "<flag %s=\"disable\"> is honoured", name);
  return true;
}

/* Reads gravity, and flags that disable parts; the other options concern MuJoCo's integration. Returns true if gravity
 * is given. */
static bool read_option(mjcf_model *model, xmlNode *node) {
  import_context *context = model->context;
  import_xml_take(node);
  bool given = import_xml_read(context, node, "gravity", 3, model->gravity);
  xmlNode *flag = import_xml_child(node, "flag");
  const bool passive = is_disabled(context, flag, "passive"), constraint = is_disabled(context, flag, "constraint");
  model->no_springs = is_disabled(context, flag, "spring") || passive || model->no_springs;
  model->no_dampers = is_disabled(context, flag, "damper") || passive || model->no_dampers;
  model->no_friction = is_disabled(context, flag, "frictionloss") || constraint || model->no_friction;
  model->no_equalities = is_disabled(context, flag, "equality") || constraint || model->no_equalities;
  if (is_disabled(context, flag, "gravity")) {
    memset(model->gravity, 0, sizeof model->gravity);
    given = true;
  }
  return given;
}

/* Keeps the names that the source gives to bodies and joints. */
static void reserve_names(import_context *context, xmlNode *node) {
  for (xmlNode *child = import_xml_step(node, NULL); child; child = import_xml_step(node, child)) {
    if (import_xml_is(child, "body") || import_xml_is(child, "joint") || import_xml_is(child, "freejoint"))
      import_reserve(context, IMPORT_NAME_BODY, import_xml_attribute(context, child, "name"));
    reserve_names(context, child);
  }
}

static void convert(import_context *context, const import_file *main) {
  mjcf_model *model = import_alloc(context, 1, sizeof *model);
  *model = (mjcf_model){.context = context,
                        .root = import_xml_open(context, main),
                        .folder = import_text(context, "%.*s", (int)import_folder_length(main->path), main->path),
                        .sequence = "xyz",
                        .from_geoms = "auto",
                        .mesh_folder = "",
                        .total_mass = -1,
                        .groups = {0, 5},
                        .gravity = {0, 0, -9.81}};
  model->last_body = &model->bodies;
  model->last_joint = &model->joints;
  const import_location place = import_xml_location(context, model->root);
  import_document_open(context, import_xml_attribute(context, model->root, "model"), "spatial");
  import_spatial_open(&model->spatial, context);
  bool has_gravity = false;
  size_t count;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; i < count; i++) {
    if (import_xml_is(sections[i], "compiler")) read_compiler(model, sections[i]);
    if (import_xml_is(sections[i], "option")) has_gravity = read_option(model, sections[i]) || has_gravity;
    if (import_xml_is(sections[i], "deformable"))
      import_not_mapped(context, &place, "<%s> is not supported", (const char *)sections[i]->name);
  }
  if (!has_gravity)
    import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.81 m/s^2 along -z, the default");
  import_spatial_gravity(&model->spatial, model->gravity);
  mjcf_read_classes(model);
  for (size_t i = 0; i < count; i++)
    if (import_xml_is(sections[i], "worldbody")) reserve_names(context, sections[i]);
  mjcf_add_bodies(model);
  mjcf_add_equalities(model);
  mjcf_set_keyframe(model);
  mjcf_scale_masses(model);
  /* each actuator, sensor, .. is a note */
  static const char *const lists[] = {"actuator", "sensor", "tendon", "contact", "keyframe", "custom"};
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
      if (import_xml_is(sections[i], lists[k])) import_xml_take(sections[i]);
  import_spatial_check_masses(&model->spatial);
  import_xml_report_unread(context);
}

const import_format import_mjcf = {.name = "mjcf", .root = "mujoco", .convert = convert};
