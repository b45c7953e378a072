/* mjcf_bodies.c - bodies and joints of a MuJoCo model. Several joints of a body become a chain with massless bodies
 * between, whose frames are that of the body. Where q = ref the body lies as the file says, so at q = 0 a joint is
 * turned back by ref. */
#include "import/mjcf.h"

#include <string.h>

/* The children of a body, with the frames around them. */
typedef struct contents {
  mjcf_item *joints, *geoms, *bodies, *inertial;
  size_t joint_count, geom_count, body_count, most;
} contents;

/* ---- reading children ------------------------------------------------------------------------------------------- */

static mjcf_class *childclass_of(mjcf_model *model, xmlNode *node, mjcf_class *inherited) {
  import_context *context = model->context;
  const char *name = import_xml_attribute(context, node, "childclass");
  mjcf_class *found = name ? mjcf_find_class(model, name) : inherited;
  const import_location place = import_xml_location(context, node);
  if (name && !found) import_invalid(context, &place, "there is no class '%.80s'", name);
  return found;
}

static mjcf_item *append(mjcf_model *model, mjcf_item *items, size_t *count, const mjcf_item *item) {
  if (*count % 16 == 0) {
    mjcf_item *more = import_alloc(model->context, *count + 16, sizeof *more);
    if (*count) memcpy(more, items, *count * sizeof *more);
    items = more;
  }
  items[(*count)++] = *item;
  return items;
}

static void add_site(mjcf_model *model, const mjcf_item *item, mjcf_body *body) {
  mjcf_site *site = import_alloc(model->context, 1, sizeof *site);
  const import_pose pose = mjcf_pose(model, item);
  *site = (mjcf_site){.name = import_xml_attribute(model->context, item->node, "name"),
                      .body = body,
                      .pose = import_compose(&item->frame, &pose),
                      .next = model->sites};
  model->sites = site;
}

/* Reports an element that adds bodies or constraints in a way that this reader does not know. */
static bool refuse(mjcf_model *model, xmlNode *node) {
  static const char *const names[] = {"replicate", "composite", "flexcomp", "attach", "plugin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!import_xml_is(node, names[i])) continue;
    const import_location place = import_xml_location(model->context, node);
    import_not_mapped(model->context, &place, "<%s> is not supported", names[i]);
    import_xml_take_all(node);
    return true;
  }
  return false;
}

static void read_children(mjcf_model *model, const mjcf_item *parent, mjcf_body *body, contents *out) {
  size_t count;
  xmlNode **nodes = mjcf_children(model, parent->node, &count);
  for (size_t i = 0; i < count; i++) {
    mjcf_item item = {.node = nodes[i], .frame = parent->frame, .childclass = parent->childclass};
    if (import_xml_is(nodes[i], "frame")) {
      import_xml_take(nodes[i]);
      import_xml_attribute(model->context, nodes[i], "name");
      const import_pose own = mjcf_pose(model, &item);
      item.frame = import_compose(&parent->frame, &own);
      item.childclass = childclass_of(model, nodes[i], parent->childclass);
      read_children(model, &item, body, out);
    } else if (import_xml_is(nodes[i], "joint") || import_xml_is(nodes[i], "freejoint")) {
      import_xml_take(nodes[i]);
      out->joints = append(model, out->joints, &out->joint_count, &item);
    } else if (import_xml_is(nodes[i], "geom")) {
      out->geoms = append(model, out->geoms, &out->geom_count, &item);
    } else if (import_xml_is(nodes[i], "body")) {
      import_xml_take(nodes[i]);
      out->bodies = append(model, out->bodies, &out->body_count, &item);
    } else if (import_xml_is(nodes[i], "inertial")) {
      out->inertial = import_alloc(model->context, 1, sizeof *out->inertial);
      *out->inertial = item;
    } else if (import_xml_is(nodes[i], "site")) {
      add_site(model, &item, body);
    } else {
      refuse(model, nodes[i]);
    }
  }
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

static mjcf_joint_type type_of(mjcf_model *model, const mjcf_item *item) {
  static const char *const words[] = {"hinge", "slide", "ball", "free"};
  if (import_xml_is(item->node, "freejoint")) return MJCF_FREE;
  const char *word = mjcf_attribute(model, item, "type");
  for (int k = 0; word && k < 4; k++)
    if (strcmp(words[k], word) == 0) return (mjcf_joint_type)k;
  const import_location place = import_xml_location(model->context, item->node);
  if (word)
    import_invalid(model->context, &place, "the joint type '%.80s' is unknown; types are hinge, slide, ball and free",
                   word);
  return MJCF_HINGE;
}

static mjcf_joint *add_joint(mjcf_model *model, const mjcf_item *item, mjcf_joint_type type) {
  import_context *context = model->context;
  mjcf_joint *joint = import_alloc(context, 1, sizeof *joint);
  const import_location place = import_xml_location(context, item->node);
  import_at(context, &place);
  joint->name = import_xml_attribute(context, item->node, "name");
  joint->type = type;
  model->joint_count++;
  const bool read = joint->name && mjcf_is_coupled(model, joint->name);
  joint->out = (read ? import_identifier : import_name)(context, IMPORT_NAME_BODY, joint->name, "joint",
                                                        model->joint_count, &place);
  *model->last_joint = joint;
  model->last_joint = &joint->next;
  return joint;
}

/* Reads spring, damper, friction and rotor of a joint. Angles are in the file's unit, torques per radian. */
static void add_laws(mjcf_model *model, const mjcf_item *item, mjcf_joint *joint, const import_joint *own) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  import_damping law = {0};
  double armature = 0;
  mjcf_numbers(model, item, "stiffness", 1, &law.stiffness);
  mjcf_numbers(model, item, "springref", 1, &law.free_position);
  mjcf_numbers(model, item, "damping", 1, &law.damping);
  mjcf_numbers(model, item, "frictionloss", 1, &law.friction);
  mjcf_numbers(model, item, "armature", 1, &armature);
  if (model->no_springs) law.stiffness = 0;
  if (model->no_dampers) law.damping = 0;
  if (model->no_friction) law.friction = 0;
  if (joint->type == MJCF_HINGE) law.free_position *= mjcf_angle(model);
  if (joint->type == MJCF_BALL && law.friction != 0) {
    import_note(context, IMPORT_DROPPED, "friction", &place, NULL,
                "the model does not contain: frictionloss %g of a ball", law.friction);
    law.friction = 0;
  }
  joint->has_spring = law.stiffness != 0;
  import_spatial_damping(&model->spatial, own, &law, &place);
  import_spatial_armature(&model->spatial, joint->object, own->second, armature);
}

/* Adds joint `item` between two links; the second has the pose `at` in the first where q = ref. */
static void connect(mjcf_model *model, const mjcf_item *item, mjcf_joint *joint, import_link *first,
                    import_link *second, const import_pose *at) {
  static const char *const types[] = {"revolute", "prismatic", "spherical"};
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  double anchor[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, turned[3];
  mjcf_numbers(model, item, "pos", 3, anchor);
  mjcf_numbers(model, item, "axis", 3, axis);
  mjcf_numbers(model, item, "ref", 1, &joint->ref);
  if (joint->type == MJCF_HINGE) joint->ref *= mjcf_angle(model);
  if (joint->type == MJCF_BALL) joint->ref = 0;
  if (joint->type != MJCF_BALL && !import_spatial_unit(context, &place, axis)) return;
  import_joint own = {.type = types[joint->type], .name = joint->out, .first = first, .second = second};
  import_point_at(&item->frame, anchor, own.anchor);
  import_rotate(item->frame.R, axis, own.axis);
  import_pose back = import_no_pose; /* the joint's motion from ref to 0, in the frame of the second link */
  if (joint->type == MJCF_HINGE && joint->ref != 0) {
    import_rotation_about(own.axis, -joint->ref, back.R);
    import_rotate(back.R, own.anchor, turned);
    for (int k = 0; k < 3; k++) back.p[k] = own.anchor[k] - turned[k];
  }
  for (int k = 0; k < 3 && joint->type == MJCF_SLIDE; k++) back.p[k] = -joint->ref * own.axis[k];
  own.relative = joint->ref != 0 ? import_compose(at, &back) : *at;
  import_at(context, &place);
  /* Points of a slide coincide at zero. */
  joint->object = import_spatial_joint(&model->spatial, &own);
  joint->relative = own.relative;
  joint->second = second;
  if (joint->ref != 0) import_spatial_initial(&model->spatial, joint->object, &joint->ref, NULL, 1);
  add_laws(model, item, joint, &own);
}

/* Notes the laws of a free joint, which the document does not have. <freejoint> has none. */
static void drop_laws(mjcf_model *model, const mjcf_item *item, const mjcf_joint *joint) {
  static const char *const names[] = {"stiffness", "damping", "frictionloss", "armature"};
  const import_location place = import_xml_location(model->context, item->node);
  for (size_t k = 0; k < sizeof names / sizeof *names && import_xml_is(item->node, "joint"); k++) {
    double value = 0;
    if (mjcf_numbers(model, item, names[k], 1, &value) && value != 0)
      import_note(model->context, IMPORT_DROPPED, names[k], &place, NULL,
                  "the model does not contain: %s %g of the free joint '%s'", names[k], value, joint->out);
  }
}

static void add_free(mjcf_model *model, const mjcf_item *item, const import_link *parent, import_link *link,
                     bool alone) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  mjcf_joint *joint = add_joint(model, item, MJCF_FREE);
  if (parent != &model->spatial.ground || !alone) {
    import_invalid(context, &place, "only a body of the world can be free, and only without other joints");
    return;
  }
  joint->second = link;
  drop_laws(model, item, joint);
  joint->object = import_spatial_floating(&model->spatial, link, joint->out);
  import_note(context, IMPORT_CHANGED, "floating", &place, import_last(context, "joints"),
              "the coordinates of the free joint '%s' are those of the mass centre", joint->out);
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

static void read_body(mjcf_model *model, const mjcf_item *item, mjcf_body *parent);

static void add_massless(mjcf_model *model, const import_link *link, const mjcf_joint *joint, import_link **out) {
  import_context *context = model->context;
  import_link between = {.place = link->place, .pose = import_no_pose};
  between.name =
      import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_%s", link->name, joint->out), "body", 1, NULL);
  *out = import_spatial_link(&model->spatial, &between);
  import_note(context, IMPORT_MAPPED, "chain", &link->place, import_last(context, "bodies"),
              "'%s' is a massless body between the joints of '%s'", between.name, link->name);
}

/* Carries `link` by its joints, one after another. `at`: pose of the link in its parent where q = ref. */
static void add_joints(mjcf_model *model, const contents *in, import_link *parent, const import_link *own,
                       import_link **out, const import_pose *at) {
  import_context *context = model->context;
  import_link *first = parent, *second;
  import_pose pose = *at;
  if (in->joint_count == 0) {
    *out = import_spatial_link(&model->spatial, own);
    const char *name =
        import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_fixed", own->name), "joint", 1, NULL);
    const import_joint fixed = {
        .type = "fixed", .name = name, .first = parent, .second = *out, .axis = {0, 0, 1}, .relative = *at};
    import_spatial_joint(&model->spatial, &fixed);
    return;
  }
  for (size_t i = 0; i < in->joint_count; i++) {
    const bool last = i + 1 == in->joint_count;
    const mjcf_joint_type type = type_of(model, &in->joints[i]);
    if (type == MJCF_FREE) {
      if (!*out) *out = import_spatial_link(&model->spatial, own);
      (*out)->pose = *at;
      add_free(model, &in->joints[i], parent, *out, in->joint_count == 1);
      continue;
    }
    mjcf_joint *joint = add_joint(model, &in->joints[i], type);
    if (last && !*out)
      second = *out = import_spatial_link(&model->spatial, own);
    else
      add_massless(model, own, joint, &second);
    connect(model, &in->joints[i], joint, first, second, &pose);
    first = second;
    pose = import_no_pose;
  }
}

static void read_body(mjcf_model *model, const mjcf_item *item, mjcf_body *parent) {
  import_context *context = model->context;
  mjcf_body *body = import_alloc(context, 1, sizeof *body);
  import_link own = {.place = import_xml_location(context, item->node)};
  body->name = import_xml_attribute(context, item->node, "name");
  *model->last_body = body;
  model->last_body = &body->next;
  model->body_count++;
  own.name = import_name(context, IMPORT_NAME_BODY, body->name, "body", model->body_count, &own.place);
  own.place.element = own.name;
  const mjcf_item plain = {.node = item->node};
  if (mjcf_flag(model, &plain, "mocap"))
    import_not_mapped(context, &own.place, "'%s' is moved by the program (mocap), which is not supported", own.name);
  const import_pose within = mjcf_pose(model, item), at = import_compose(&item->frame, &within);
  mjcf_item inside = {.node = item->node, .frame = import_no_pose};
  inside.childclass = childclass_of(model, item->node, item->childclass);
  contents in = {0};
  read_children(model, &inside, body, &in);
  mjcf_set_masses(model, in.inertial, in.geoms, in.geom_count, &own);
  add_joints(model, &in, parent->link, &own, &body->link, &at);
  body->start = import_compose(&parent->start, &at);
  for (size_t i = 0; i < in.body_count; i++) read_body(model, &in.bodies[i], body);
}

void mjcf_add_bodies(mjcf_model *model) {
  size_t count;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  model->world = (mjcf_body){.name = "world", .link = &model->spatial.ground, .start = import_no_pose};
  for (size_t i = 0; i < count; i++) {
    if (!import_xml_is(sections[i], "worldbody")) continue;
    import_xml_take(sections[i]);
    const mjcf_item world = {
        .node = sections[i], .frame = import_no_pose, .childclass = childclass_of(model, sections[i], NULL)};
    contents in = {0};
    read_children(model, &world, &model->world, &in);
    for (size_t k = 0; k < in.body_count; k++) read_body(model, &in.bodies[k], &model->world);
  }
}
