/* mjcf_equality.c - equality constraints, which become exact cuts, and key frames. */
#include "import/mjcf.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

static mjcf_body *find_body(mjcf_model *model, const char *name, const import_location *place) {
  if (!name || strcmp(name, "world") == 0) return &model->world;
  for (mjcf_body *body = model->bodies; body; body = body->next)
    if (body->name && strcmp(body->name, name) == 0) return body;
  import_invalid(model->context, place, "there is no body '%.80s'", name);
  return NULL;
}

static mjcf_joint *find_joint(mjcf_model *model, const char *name, const import_location *place) {
  for (mjcf_joint *joint = model->joints; name && joint; joint = joint->next)
    if (joint->name && strcmp(joint->name, name) == 0) return joint;
  import_invalid(model->context, place, "there is no joint '%.80s'", name ? name : "");
  return NULL;
}

static const mjcf_site *find_site(mjcf_model *model, const char *name, const import_location *place) {
  for (const mjcf_site *site = model->sites; name && site; site = site->next)
    if (site->name && strcmp(site->name, name) == 0) return site;
  import_invalid(model->context, place, "there is no site '%.80s'", name ? name : "");
  return NULL;
}

bool mjcf_is_coupled(mjcf_model *model, const char *joint) {
  static const char *const names[] = {"joint1", "joint2"};
  size_t count, inner;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; i < count; i++) {
    if (!import_xml_is(sections[i], "equality")) continue;
    xmlNode **nodes = mjcf_children(model, sections[i], &inner);
    for (size_t k = 0; k < inner; k++)
      for (int n = 0; n < 2 && import_xml_is(nodes[k], "joint"); n++) {
        const char *name = import_xml_attribute(model->context, nodes[k], names[n]);
        if (name && strcmp(name, joint) == 0) return true;
      }
  }
  return false;
}

/* ---- connect and weld ------------------------------------------------------------------------------------------- */

/* Adds a cut joint between a frame of the first and one of the second body. */
static void add_cut(mjcf_model *model, const char *type, const char *name, mjcf_body *first, const import_pose *frame1,
                    mjcf_body *second, const import_pose *frame2) {
  const import_pose back = import_inverse(frame2);
  import_joint own = {.type = type,
                      .name = name,
                      .first = first->link,
                      .second = second->link,
                      .cut = true,
                      .axis = {0, 0, 1},
                      .first_anchor = frame1->p};
  own.relative = import_compose(frame1, &back);
  memcpy(own.anchor, frame2->p, sizeof own.anchor);
  import_spatial_joint(&model->spatial, &own);
}

/* Adds a cut joint between two sites. Returns false if the constraint names none. */
static bool add_between_sites(mjcf_model *model, const mjcf_item *item, const char *type, const char *name,
                              const import_location *place) {
  const char *site = mjcf_attribute(model, item, "site1");
  if (!site) return false;
  const mjcf_site *one = find_site(model, site, place);
  const mjcf_site *two = find_site(model, mjcf_attribute(model, item, "site2"), place);
  if (one && two) add_cut(model, type, name, one->body, &one->pose, two->body, &two->pose);
  return true;
}

static void add_connect(mjcf_model *model, const mjcf_item *item, const char *name, const import_location *place) {
  import_pose frame1 = import_no_pose;
  if (add_between_sites(model, item, "spherical", name, place)) return;
  mjcf_body *first = find_body(model, mjcf_attribute(model, item, "body1"), place);
  mjcf_body *second = find_body(model, mjcf_attribute(model, item, "body2"), place);
  if (!mjcf_numbers(model, item, "anchor", 3, frame1.p))
    import_invalid(model->context, place, "<connect> needs an anchor");
  if (!first || !second || !first->link || !second->link) return;
  const import_pose at = import_compose(&first->start, &frame1);
  const import_pose frame2 = import_between(&second->start, &at);
  add_cut(model, "spherical", name, first, &frame1, second, &frame2);
}

static void add_weld(mjcf_model *model, const mjcf_item *item, const char *name, const import_location *place) {
  double given[7];
  if (add_between_sites(model, item, "fixed", name, place)) return;
  mjcf_body *first = find_body(model, mjcf_attribute(model, item, "body1"), place);
  mjcf_body *second = find_body(model, mjcf_attribute(model, item, "body2"), place);
  if (!first || !second || !first->link || !second->link) return;
  import_pose relative = import_between(&first->start, &second->start);
  import_pose anchor = import_no_pose;
  mjcf_numbers(model, item, "anchor", 3, anchor.p);
  if (mjcf_numbers(model, item, "relpose", 7, given) && mjcf_normalize(given + 3, 4)) {
    memcpy(relative.p, given, sizeof relative.p);
    import_of_quaternion(given + 3, relative.R);
  }
  const import_pose frame1 = import_compose(&relative, &anchor);
  add_cut(model, "fixed", name, first, &frame1, second, &anchor);
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

/* Returns the distance of a joint's coordinate from its ref, as an expression. */
static const char *from_ref(import_context *context, const mjcf_joint *joint) {
  return joint->ref == 0 ? import_text(context, "%s.q", joint->out)
                         : import_text(context, "(%s.q - %s)", joint->out, import_digits(context, joint->ref));
}

/* q1 - ref1 = P(q2 - ref2) */
static void add_polynomial(mjcf_model *model, const mjcf_item *item, const char *name, const import_location *place) {
  import_context *context = model->context;
  const char *other = mjcf_attribute(model, item, "joint2");
  const mjcf_joint *one = find_joint(model, mjcf_attribute(model, item, "joint1"), place);
  const mjcf_joint *two = other ? find_joint(model, other, place) : NULL;
  double c[5] = {0, 1, 0, 0, 0}, read[5];
  const size_t count = mjcf_some_numbers(model, item, "polycoef", 5, read);
  memcpy(c, read, count * sizeof *c);
  if (!one || (other && !two)) return;
  if (one->type > MJCF_SLIDE || (two && two->type > MJCF_SLIDE)) {
    import_invalid(context, place, "an equality of joints needs hinges or slides");
    return;
  }
  const char *value = from_ref(context, one);
  for (int k = 0; k < 5; k++) {
    if (c[k] == 0 || (k > 0 && !two)) continue;
    const char *factor = import_digits(context, c[k]);
    if (k == 0)
      value = import_text(context, "%s - %s", value, factor);
    else
      value = import_text(context, k == 1 ? "%s - %s*%s" : "%s - %s*%s^%d", value, factor, from_ref(context, two), k);
  }
  json_t *object = import_add(context, context->joints, name, "expression");
  import_set_text(context, object, "value", value);
  one->second->bound = true;
  if (two) two->second->bound = true;
}

static void add_equality(mjcf_model *model, xmlNode *node, size_t number) {
  import_context *context = model->context;
  const mjcf_item item = {.node = node};
  const import_location place = import_xml_location(context, node);
  static const struct {
    const char *name;
    void (*add)(mjcf_model *model, const mjcf_item *item, const char *name, const import_location *place);
  } kinds[] = {{"connect", add_connect}, {"weld", add_weld}, {"joint", add_polynomial}};
  const bool active = !mjcf_attribute(model, &item, "active") || mjcf_flag(model, &item, "active");
  if (!active || model->no_equalities) {
    import_xml_drop(context, node);
    return;
  }
  import_xml_take(node);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (!import_xml_is(node, kinds[k].name)) continue;
    const char *name =
        import_name(context, IMPORT_NAME_BODY, import_xml_attribute(context, node, "name"), "equality", number, &place);
    static const char *const soft[] = {"solref", "solimp", "torquescale"};
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++) mjcf_attribute(model, &item, soft[i]);
    const size_t before = json_array_size(context->joints);
    import_at(context, &place);
    kinds[k].add(model, &item, name, &place);
    if (json_array_size(context->joints) > before)
      import_note(context, IMPORT_CHANGED, "soft", &place, import_last(context, "joints"),
                  "the soft constraint <%s> is the exact constraint '%s' (solref, solimp)", kinds[k].name, name);
    return;
  }
  import_not_mapped(context, &place, "the constraint <%s> is not supported", (const char *)node->name);
}

void mjcf_add_equalities(mjcf_model *model) {
  size_t count, inner, number = 0;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; i < count; i++) {
    if (!import_xml_is(sections[i], "equality")) continue;
    import_xml_take(sections[i]);
    xmlNode **nodes = mjcf_children(model, sections[i], &inner);
    for (size_t k = 0; k < inner; k++) add_equality(model, nodes[k], ++number);
  }
}

/* ---- key frames ------------------------------------------------------------------------------------------------- */

/* Returns the number of coordinates or velocities of a joint. */
static size_t count_of(const mjcf_joint *joint, bool rates) {
  switch (joint->type) {
  case MJCF_FREE: return rates ? 6 : 7;
  case MJCF_BALL: return rates ? 3 : 4;
  default: return 1;
  }
}

/* Reads a list of numbers with one value for each coordinate of the model; NULL if there is none. */
static double *read_state(mjcf_model *model, xmlNode *key, const char *name, bool rates) {
  const char *text = import_xml_attribute(model->context, key, name);
  size_t count = 0;
  for (const mjcf_joint *joint = model->joints; joint; joint = joint->next) count += count_of(joint, rates);
  double *values = import_alloc(model->context, count, sizeof *values);
  return text && import_xml_numbers(model->context, key, text, count, values) ? values : NULL;
}

/* qpos: position of the body's frame and its quaternion; qvel: the velocity of the frame's origin in global axes, and
 * the angular velocity in axes of the body. */
static void set_free(mjcf_model *model, const mjcf_joint *joint, double *q, const double *v) {
  import_context *context = model->context;
  import_link *link = joint->second;
  import_pose pose = {.p = {q[0], q[1], q[2]}};
  double omega[3], arm[3], swept[3], velocity[3];
  mjcf_normalize(q + 3, 4);
  import_of_quaternion(q + 3, pose.R);
  json_t *initial = import_object_in(context, link->body, "initial");
  json_object_clear(initial);
  double at[3];
  import_point_at(&pose, link->com, at);
  import_set(context, initial, "position", import_numbers(context, at, 3));
  import_set(context, import_object_in(context, initial, "orientation"), "euler_parameters",
             import_numbers(context, q + 3, 4));
  if (!v) return;
  import_rotate(pose.R, v + 3, omega);
  import_rotate(pose.R, link->com, arm);
  import_cross(omega, arm, swept);
  for (int k = 0; k < 3; k++) velocity[k] = v[k] + swept[k];
  import_set(context, initial, "velocity", import_numbers(context, velocity, 3));
  import_set(context, initial, "angular_velocity", import_numbers(context, omega, 3));
}

/* qpos: the rotation from the start in axes of the body; qvel: the angular velocity in axes of the turned body. */
static void set_ball(mjcf_model *model, const mjcf_joint *joint, double *q, const double *v,
                     const import_location *place) {
  double turn[9], all[9], p[4], rates[3];
  mjcf_normalize(q, 4);
  import_of_quaternion(q, turn);
  if (joint->has_spring && !import_is_unit_matrix(turn))
    import_note(model->context, IMPORT_CHANGED, "spring", place, NULL,
                "the spring of the ball joint '%s' has no torque in the key frame, instead of at the zero of its "
                "coordinates",
                joint->out);
  import_multiply(joint->relative.R, turn, all);
  import_quaternion(all, p);
  if (v) import_rotate(all, v, rates);
  import_spatial_initial(&model->spatial, joint->object, p, v ? rates : NULL, 4);
}

static void set_key(mjcf_model *model, xmlNode *key) {
  double *q = read_state(model, key, "qpos", false), *v = read_state(model, key, "qvel", true);
  const import_location place = import_xml_location(model->context, key);
  if (!q) {
    import_invalid(model->context, &place, "the key frame has no positions qpos");
    return;
  }
  for (mjcf_joint *joint = model->joints; joint; joint = joint->next) {
    if (joint->object && joint->type == MJCF_FREE)
      set_free(model, joint, q, v);
    else if (joint->object && joint->type == MJCF_BALL)
      set_ball(model, joint, q, v, &place);
    else if (joint->object)
      import_spatial_initial(&model->spatial, joint->object, q, v, 1);
    q += count_of(joint, false);
    if (v) v += count_of(joint, true);
  }
}

void mjcf_set_keyframe(mjcf_model *model) {
  import_context *context = model->context;
  const char *wanted = context->options.keyframe;
  size_t count, inner, number = 0;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; wanted && i < count; i++) {
    if (!import_xml_is(sections[i], "keyframe")) continue;
    import_xml_take(sections[i]);
    xmlNode **keys = mjcf_children(model, sections[i], &inner);
    for (size_t k = 0; k < inner; k++) {
      const char *name = import_xml_attribute(context, keys[k], "name");
      number++;
      if (!name || !*name) name = import_text(context, "key%zu", number);
      if (strcmp(name, wanted) != 0) continue;
      import_xml_take(keys[k]);
      set_key(model, keys[k]);
      return;
    }
  }
  if (wanted) import_leave(context, 422, "not_found", NULL, "there is no key frame '%.80s'", wanted);
}
