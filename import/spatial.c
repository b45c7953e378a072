/* spatial.c - see spatial.h. */
#include "import/spatial.h"

#include <stdio.h>
#include <string.h>

void import_spatial_open(import_spatial *self, import_context *context) {
  *self = (import_spatial){.context = context, .last = &self->first};
  self->ground = (import_link){.name = "ground", .pose = import_no_pose};
  self->ground.body = json_object_get(context->document, "ground");
}

import_link *import_spatial_link(import_spatial *self, const import_link *link) {
  import_context *context = self->context;
  import_link *out = import_alloc(context, 1, sizeof *out);
  *out = *link;
  out->next = NULL;
  *self->last = out;
  self->last = &out->next;
  self->count++;
  import_at(context, &link->place);
  out->body = import_add(context, context->bodies, link->name, NULL);
  import_set_masses(context, out->body, link->mass, link->inertia, &link->place);
  import_spatial_point(self, out, "origin", (const double[]){0, 0, 0});
  return out;
}

/* ---- points and vectors ----------------------------------------------------------------------------------------- */

/* Adds `value` to a map of the body under that name, or another one if it is taken by another value. */
static const char *add_place(import_spatial *self, import_link *link, const char *map, const char *name,
                             const double value[3]) {
  import_context *context = self->context;
  json_t *places = import_object_in(context, link->body, map), *numbers = import_numbers(context, value, 3);
  const char *chosen = name;
  for (int k = 2; json_object_get(places, chosen) && !json_equal(json_object_get(places, chosen), numbers); k++)
    chosen = import_text(context, "%s_%d", name, k);
  if (json_object_get(places, chosen))
    json_decref(numbers);
  else
    import_set(context, places, chosen, numbers);
  return import_text(context, "%s.%s", link->name, chosen);
}

const char *import_spatial_point(import_spatial *self, import_link *link, const char *name, const double at[3]) {
  double own[3];
  const bool origin = at[0] == 0 && at[1] == 0 && at[2] == 0;
  if (link == &self->ground)
    import_point_at(&link->pose, at, own);
  else
    for (int k = 0; k < 3; k++) own[k] = at[k] - link->com[k];
  return add_place(self, link, "points", origin ? "origin" : name, own);
}

const char *import_spatial_vector(import_spatial *self, import_link *link, const char *name, const double along[3]) {
  double own[3];
  if (link == &self->ground)
    import_rotate(link->pose.R, along, own);
  else
    memcpy(own, along, sizeof own);
  return add_place(self, link, "vectors", name, own);
}

bool import_spatial_unit(import_context *context, const import_location *place, double axis[3]) {
  const double length = import_length(axis);
  if (!(length > 0)) {
    import_invalid(context, place, "the axis has length 0");
    return false;
  }
  if (fabs(length - 1) > 1e-9)
    import_note(context, IMPORT_CHANGED, "normalized", place, NULL, "the axis has length %g and is normalized", length);
  for (int k = 0; k < 3; k++) axis[k] /= length;
  return true;
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

static bool is_any(const char *word, const char *list) {
  const size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == '|') && (at[length] == 0 || at[length] == '|')) return true;
  return false;
}

/* Adds the axes of a joint, and the vectors that set its zero or its fixed orientation if the frames of its links are
 * not parallel there. Without these a joint that does not turn keeps the relative orientation of the start, which may
 * be another one if a link is free or the joint is cut. */
static void add_axes(import_spatial *self, const import_joint *joint, json_t *object) {
  import_context *context = self->context;
  const bool fixed = is_any(joint->type, "fixed"), rigid = fixed || is_any(joint->type, "prismatic");
  const bool placed = joint->first == &self->ground || joint->first->parent;
  const bool turned = !import_is_unit_matrix(joint->relative.R) || (rigid && (joint->cut || !placed));
  double first[3], across[3], first_across[3];
  if (fixed && !turned) return;
  import_rotate(joint->relative.R, joint->axis, first);
  import_set_pair(context, object, "vectors", import_spatial_vector(self, joint->first, joint->name, first),
                  import_spatial_vector(self, joint->second, joint->name, joint->axis));
  if (!turned && !is_any(joint->type, "planar")) return;
  const char *reference = import_text(context, "%s_ref", joint->name);
  import_perpendicular(joint->axis, across);
  import_rotate(joint->relative.R, across, first_across);
  import_set_pair(context, object, "reference", import_spatial_vector(self, joint->first, reference, first_across),
                  import_spatial_vector(self, joint->second, reference, across));
}

/* Adds the axes of a universal joint, u1 on the first and u2 on the second link, and the direction of each in the other
 * link at zero. */
static void add_cross(import_spatial *self, const import_joint *joint, json_t *object) {
  import_context *context = self->context;
  double first[3], other[3];
  import_rotate(joint->relative.R, joint->axis, first);
  import_rotate(joint->relative.R, joint->axis2, other);
  const char *reference = import_text(context, "%s_ref", joint->name);
  import_set_pair(context, object, "vectors", import_spatial_vector(self, joint->first, joint->name, first),
                  import_spatial_vector(self, joint->second, joint->name, joint->axis2));
  import_set_pair(context, object, "reference", import_spatial_vector(self, joint->first, reference, other),
                  import_spatial_vector(self, joint->second, reference, joint->axis));
}

json_t *import_spatial_joint(import_spatial *self, const import_joint *joint) {
  import_context *context = self->context;
  import_link *second = joint->second;
  double at[3];
  import_point_at(&joint->relative, joint->anchor, at);
  json_t *object = import_add(context, context->joints, joint->name, joint->type);
  const char *p1 = joint->first_point ? joint->first_point : joint->name,
             *p2 = joint->second_point ? joint->second_point : joint->name;
  import_set_pair(context, object, "points",
                  import_spatial_point(self, joint->first, p1, joint->first_anchor ? joint->first_anchor : at),
                  import_spatial_point(self, second, p2, joint->anchor));
  if (is_any(joint->type, "universal"))
    add_cross(self, joint, object);
  else if (!is_any(joint->type, "spherical"))
    add_axes(self, joint, object);
  if (joint->cut) {
    import_set(context, object, "cut", json_true());
    joint->first->bound = second->bound = true;
    return object;
  }
  second->parent = joint->first;
  second->moves = !is_any(joint->type, "fixed");
  second->pose = import_compose(&joint->first->pose, &joint->relative);
  if (is_any(joint->type, "spherical") && !import_is_unit_matrix(joint->relative.R)) {
    double q[4];
    import_quaternion(joint->relative.R, q);
    import_spatial_initial(self, object, q, NULL, 4);
  }
  return object;
}

void import_spatial_initial(import_spatial *self, json_t *joint, const double *q, const double *rates, size_t count) {
  import_context *context = self->context;
  json_t *initial = import_object_in(context, joint, "initial");
  const size_t rate_count = count == 4 ? 3 : count;
  import_set(context, initial, "position", count == 1 ? import_number(context, *q) : import_numbers(context, q, count));
  if (rates)
    import_set(context, initial, "velocity",
               count == 1 ? import_number(context, *rates) : import_numbers(context, rates, rate_count));
}

json_t *import_spatial_floating(import_spatial *self, import_link *link, const char *name) {
  import_context *context = self->context;
  double at[3], p[4];
  import_point_at(&link->pose, link->com, at);
  import_quaternion(link->pose.R, p);
  json_t *initial = import_object_in(context, link->body, "initial");
  import_set(context, initial, "position", import_numbers(context, at, 3));
  if (!import_is_unit_matrix(link->pose.R))
    import_set(context, import_object_in(context, initial, "orientation"), "euler_parameters",
               import_numbers(context, p, 4));
  link->moves = true;
  json_t *object = import_add(context, context->joints, name, "floating");
  import_set_text(context, object, "body", link->name);
  return object;
}

/* ---- springs, dampers, friction, rotors ------------------------------------------------------------------------- */

/* A spring and damper along a slide: a bushing whose x axis is that of the slide. */
static void add_slide_law(import_spatial *self, const import_joint *joint, const import_damping *law,
                          const char *name) {
  import_context *context = self->context;
  double first[3], across[3], at[3];
  import_rotate(joint->relative.R, joint->axis, first);
  import_perpendicular(first, across);
  import_point_at(&joint->relative, joint->anchor, at);
  json_t *force = import_add(context, context->forces, name, "bushing");
  import_set_pair(context, force, "points", import_spatial_point(self, joint->first, joint->name, at),
                  import_spatial_point(self, joint->second, joint->name, joint->anchor));
  import_set_pair(context, force, "vectors", import_spatial_vector(self, joint->first, joint->name, first),
                  import_spatial_vector(self, joint->first, import_text(context, "%s_y", joint->name), across));
  double along[6] = {law->stiffness};
  import_set(context, force, "stiffness", import_numbers(context, along, 6));
  along[0] = law->damping;
  import_set(context, force, "damping", import_numbers(context, along, 6));
  along[0] = law->stiffness * law->free_position;
  if (along[0] != 0) import_set(context, force, "preload", import_numbers(context, along, 6));
}

static void add_turn_law(import_spatial *self, const import_joint *joint, const import_damping *law, const char *name) {
  import_context *context = self->context;
  json_t *force = import_add(context, context->forces, name, "rotational-spring-damper");
  if (is_any(joint->type, "spherical"))
    import_set_pair(context, force, "bodies", joint->first->name, joint->second->name);
  else
    import_set_text(context, force, "joint", joint->name);
  if (law->stiffness != 0) import_set_number(context, force, "stiffness", law->stiffness);
  if (law->stiffness != 0 && law->free_position != 0)
    import_set_number(context, force, "free_angle", law->free_position);
  if (law->damping != 0) import_set_number(context, force, "damping", law->damping);
}

void import_spatial_damping(import_spatial *self, const import_joint *joint, const import_damping *law,
                            const import_location *place) {
  import_context *context = self->context;
  const bool slides = is_any(joint->type, "prismatic");
  if (law->stiffness != 0 || law->damping != 0) {
    const char *name = import_name(
        context, IMPORT_NAME_FORCE,
        import_text(context, "%s_%s", joint->name, law->stiffness != 0 ? "spring" : "damping"), "force", 1, place);
    (slides ? add_slide_law : add_turn_law)(self, joint, law, name);
    import_note(context, IMPORT_MAPPED, "damping", place, import_last(context, "forces"),
                "the spring and damper of joint '%s' are the force '%s'", joint->name, name);
  }
  if (law->friction == 0) return;
  const char *name =
      import_name(context, IMPORT_NAME_FORCE, import_text(context, "%s_friction", joint->name), "force", 1, place);
  json_t *force = import_add(context, context->forces, name, "friction");
  import_set_text(context, force, "joint", joint->name);
  import_set_text(context, force, "law", "tanh");
  import_set_number(context, force, "mu_dynamic", 1);
  import_set_number(context, force, "preload", law->friction);
  if (!slides) import_set_number(context, force, "radius", 1);
  import_note(context, IMPORT_CHANGED, "friction", place, import_last(context, "forces"),
              "the friction of %g in joint '%s' is a smooth function of its rate", law->friction, joint->name);
}

void import_spatial_armature(import_spatial *self, json_t *joint, import_link *second, double inertia) {
  if (inertia == 0) return;
  import_set_number(self->context, joint, "armature", inertia);
  second->has_armature = true;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static bool is_massless(const import_link *link) {
  double all = link->mass;
  for (int k = 0; k < 3; k++) all += fabs(link->inertia[k]);
  return all == 0;
}

void import_spatial_check_masses(import_spatial *self) {
  for (import_link *link = self->first; link; link = link->next) {
    if (is_massless(link) && !link->bound && !link->has_armature) continue;
    for (import_link *up = link; up && !up->loaded; up = up->parent) up->loaded = true;
  }
  for (import_link *link = self->first; link; link = link->next)
    if (link->moves && !link->loaded)
      import_invalid(
          self->context, &link->place,
          "'%s' moves, but neither it nor a body that it carries has a mass, so its motion is not determined",
          link->name);
}

void import_spatial_gravity(import_spatial *self, const double g[3]) {
  import_set(self->context, self->context->document, "gravity", import_numbers(self->context, g, 3));
}
