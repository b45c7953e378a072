/* mjcf_masses.c - masses of MuJoCo bodies: given by <inertial>, or those of geoms of uniform density. */
#include "import/mass.h"
#include "import/mesh.h"
#include "import/mjcf.h"

#include <stdlib.h>
#include <string.h>

/* ---- geoms ------------------------------------------------------------------------------------------------------ */

static const double default_density = 1000;

/* Sets the pose of a geom between two points, and its half length. */
static void between_points(const double ends[6], import_pose *pose, double *half) {
  static const double up[3] = {0, 0, 1};
  double along[3];
  for (int k = 0; k < 3; k++) {
    pose->p[k] = (ends[k] + ends[3 + k]) / 2;
    along[k] = ends[3 + k] - ends[k];
  }
  const double length = import_length(along);
  for (int k = 0; k < 3; k++) along[k] = length > 0 ? along[k] / length : up[k];
  import_smallest_rotation(up, along, pose->R);
  *half = length / 2;
}

/* Finds the mesh of that name; NULL if there is none. The name of a mesh without one is that of its file, without
 * folder and ending. */
static xmlNode *find_mesh(mjcf_model *model, const char *name) {
  import_context *context = model->context;
  size_t count, mesh_count;
  xmlNode **sections = mjcf_children(model, model->root, &count);
  for (size_t i = 0; i < count; i++) {
    if (!import_xml_is(sections[i], "asset")) continue;
    xmlNode **meshes = mjcf_children(model, sections[i], &mesh_count);
    for (size_t k = 0; k < mesh_count; k++) {
      if (!import_xml_is(meshes[k], "mesh")) continue;
      const char *file = import_xml_attribute(context, meshes[k], "file"),
                 *own = import_xml_attribute(context, meshes[k], "name");
      if (!own && file) {
        const char *start = file + import_folder_length(file), *dot = strrchr(start, '.');
        own = import_text(context, "%.*s", dot ? (int)(dot - start) : (int)strlen(start), start);
      }
      if (!own || strcmp(own, name) != 0) continue;
      import_xml_take(sections[i]);
      import_xml_take(meshes[k]);
      return meshes[k];
    }
  }
  return NULL;
}

/* Reads the mass of a mesh for density 1. Returns false after an error. */
static bool read_mesh(mjcf_model *model, const mjcf_item *item, import_mass *out) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  const char *name = mjcf_attribute(model, item, "mesh");
  const mjcf_item mesh = {.node = name ? find_mesh(model, name) : NULL};
  if (!mesh.node) {
    import_invalid(context, &place, "there is no mesh '%.80s'", name ? name : "");
    return false;
  }
  double scale[3] = {1, 1, 1}, q[4];
  import_pose frame = import_no_pose;
  const char *file = import_xml_attribute(context, mesh.node, "file"),
             *inertia = mjcf_attribute(model, &mesh, "inertia");
  mjcf_numbers(model, &mesh, "scale", 3, scale);
  mjcf_numbers(model, &mesh, "refpos", 3, frame.p);
  if (mjcf_numbers(model, &mesh, "refquat", 4, q) && mjcf_normalize(q, 4)) import_of_quaternion(q, frame.R);
  const bool exact = inertia ? strcmp(inertia, "exact") == 0 : model->exact_meshes;
  if (!file || (inertia && !exact && strcmp(inertia, "legacy") != 0)) {
    import_not_mapped(context, &place, "the mass of the mesh '%.80s' is needed, but %s", name,
                      file ? "only the inertias 'legacy' and 'exact' are supported"
                           : "only meshes in files are supported");
    return false;
  }
  if (!import_path_is_inside(file) || !import_path_is_inside(model->mesh_folder))
    import_leave(context, 422, "path_refused", &place, "the path '%.200s' leaves the source", file);
  const size_t length = strlen(model->mesh_folder);
  const char *slash = length && model->mesh_folder[length - 1] != '/' ? "/" : "";
  const import_file *data =
      import_tree_find(context->tree, import_text(context, "%s%s%s%s", model->folder, model->mesh_folder, slash, file));
  if (!data) {
    import_not_mapped(context, &place, "the mass of the mesh '%.80s' is needed, but the source has no file '%.150s'",
                      name, file);
    return false;
  }
  const char *why = import_mesh_mass(data, &frame, scale, exact, out);
  if (why) import_not_mapped(context, &place, "the mass of the mesh '%.80s' is needed, but %s", name, why);
  return !why;
}

/* Returns how many numbers of `size` a geom needs; with `fromto` the others follow from the two points. */
static size_t sizes_needed(const char *type, bool spans) {
  static const struct {
    const char *type;
    size_t sizes;
  } needed[] = {{"sphere", 1}, {"capsule", 2}, {"cylinder", 2}, {"ellipsoid", 3}, {"box", 3}};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
    if (strcmp(needed[k].type, type) == 0) return spans ? 1 : needed[k].sizes;
  return 0;
}

/* Computes the volume of a primitive geom, and its tensor for density 1, in its own frame. Returns false after an
 * error. */
static bool read_solid(mjcf_model *model, const mjcf_item *item, const char *type, import_pose *pose,
                       import_mass *out) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  double size[3] = {0, 0, 0}, ends[6], half;
  const size_t sizes = mjcf_some_numbers(model, item, "size", 3, size);
  const bool spans = mjcf_numbers(model, item, "fromto", 6, ends),
             round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
  if (spans) {
    between_points(ends, pose, &half);
    if (round)
      size[1] = half;
    else
      size[2] = half, size[1] = size[0];
  }
  const size_t needed = sizes_needed(type, spans);
  if (sizes < needed) {
    import_invalid(context, &place, "a geom of type %s needs %zu number%s in 'size', got %zu", type, needed,
                   needed == 1 ? "" : "s", sizes);
    return false;
  }
  for (size_t k = 0; k < (spans && needed ? 1u + round : needed); k++) {
    if (size[k] > 0) continue;
    import_invalid(context, &place, "a geom of type %s needs positive sizes, not %g", type, size[k]);
    return false;
  }
  if (strcmp(type, "sphere") == 0)
    import_mass_of_ellipsoid(size[0], size[0], size[0], out);
  else if (strcmp(type, "ellipsoid") == 0)
    import_mass_of_ellipsoid(size[0], size[1], size[2], out);
  else if (strcmp(type, "box") == 0)
    import_mass_of_box(size[0], size[1], size[2], out);
  else if (strcmp(type, "cylinder") == 0)
    import_mass_of_cylinder(size[0], size[1], out);
  else if (strcmp(type, "capsule") == 0)
    import_mass_of_capsule(size[0], size[1], out);
  else
    *out = (import_mass){0}; /* plane, hfield: no mass */
  return true;
}

/* Returns the type of a geom, or NULL after an error. */
static const char *type_of(mjcf_model *model, const mjcf_item *item) {
  static const char *const known[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                      "cylinder", "box",    "mesh",   "sdf"};
  const import_location place = import_xml_location(model->context, item->node);
  const char *type = mjcf_attribute(model, item, "type");
  for (size_t k = 0; type && k < sizeof known / sizeof *known; k++)
    if (strcmp(type, known[k]) == 0) return type;
  if (type)
    import_invalid(model->context, &place,
                   "the geom type '%.80s' is unknown; types are plane, hfield, sphere, capsule, ellipsoid, cylinder, "
                   "box, mesh and sdf",
                   type);
  return type ? NULL : "sphere";
}

/* Adds the mass of a geom, in the frame of its body. */
static void add_geom(mjcf_model *model, const mjcf_item *item, import_mass *sum) {
  import_context *context = model->context;
  const import_location place = import_xml_location(context, item->node);
  import_mass own = {0};
  double density = default_density, mass = -1, group = 0;
  mjcf_numbers(model, item, "group", 1, &group);
  const char *type = type_of(model, item);
  const bool shell = mjcf_flag(model, item, "shellinertia");
  const bool given = mjcf_numbers(model, item, "mass", 1, &mass);
  mjcf_numbers(model, item, "density", 1, &density);
  import_pose pose = mjcf_pose(model, item);
  import_xml_drop(context, item->node); /* its drawing and its contacts */
  if (!type || group < model->groups[0] || group > model->groups[1] || (given ? mass : density) == 0) return;
  if ((given ? mass : density) < 0) {
    import_invalid(context, &place, "the %s %g is negative", given ? "mass" : "density", given ? mass : density);
    return;
  }
  if (shell) {
    import_not_mapped(context, &place, "the mass of a geom with shellinertia is not supported");
    return;
  }
  const bool mesh = strcmp(type, "mesh") == 0;
  if (!mesh && mjcf_attribute(model, item, "mesh")) {
    import_not_mapped(context, &place, "a %s fitted to a mesh is not supported", type);
    return;
  }
  if (mesh ? !read_mesh(model, item, &own) : !read_solid(model, item, type, &pose, &own)) return;
  if (!(own.mass > 0)) return; /* a plane or a height field */
  import_mass_scale(&own, given ? mass / own.mass : density);
  pose = import_compose(&item->frame, &pose);
  import_mass_move(&own, &pose);
  import_mass_add(sum, &own);
}

/* ---- <inertial> ------------------------------------------------------------------------------------------------- */

static void read_inertial(mjcf_model *model, const mjcf_item *item, import_mass *out) {
  double J[6] = {0}, full[6];
  import_xml_take(item->node);
  const import_pose own = mjcf_pose(model, item), pose = import_compose(&item->frame, &own);
  *out = (import_mass){0};
  const import_location place = import_xml_location(model->context, item->node);
  if (!import_xml_attribute(model->context, item->node, "mass"))
    import_invalid(model->context, &place, "<inertial> has no mass");
  import_xml_read(model->context, item->node, "mass", 1, &out->mass);
  if (mjcf_numbers(model, item, "fullinertia", 6, full))
    memcpy(J, full, sizeof J);
  else if (!mjcf_numbers(model, item, "diaginertia", 3, J))
    import_invalid(model->context, &place, "<inertial> has neither diaginertia nor fullinertia");
  import_rotate_tensor(pose.R, J, out->inertia);
  memcpy(out->com, pose.p, sizeof out->com);
}

/* ---- corrections ------------------------------------------------------------------------------------------------ */

/* Applies boundmass, boundinertia and balanceinertia, as MuJoCo does, to the principal moments. */
static void correct(mjcf_model *model, import_mass *mass, const import_location *place) {
  double moments[3], axes[9];
  import_context *context = model->context;
  const double before = mass->mass;
  mass->mass = fmax(mass->mass, model->least_mass);
  if (mass->mass != before)
    import_note(context, IMPORT_CHANGED, "boundmass", place, NULL, "the mass %g is raised to %g", before, mass->mass);
  if (model->least_inertia == 0 && !model->balance) return;
  import_principal(mass->inertia, moments, axes);
  bool changed = false;
  for (int k = 0; k < 3; k++) {
    changed = changed || moments[k] < model->least_inertia;
    moments[k] = fmax(moments[k], model->least_inertia);
  }
  const double mean = (moments[0] + moments[1] + moments[2]) / 3;
  for (int k = 0; k < 3 && model->balance; k++) {
    if (moments[k] <= moments[(k + 1) % 3] + moments[(k + 2) % 3]) continue;
    moments[0] = moments[1] = moments[2] = mean;
    changed = true;
    break;
  }
  if (!changed) return;
  const double J[6] = {moments[0], moments[1], moments[2]};
  import_rotate_tensor(axes, J, mass->inertia);
  import_note(context, IMPORT_CHANGED, "inertia", place, NULL, "the inertia is corrected as the compiler says");
}

void mjcf_set_masses(mjcf_model *model, const mjcf_item *inertial, const mjcf_item *geoms, size_t geom_count,
                     import_link *link) {
  const bool always = strcmp(model->from_geoms, "true") == 0, never = strcmp(model->from_geoms, "false") == 0;
  import_mass mass = {0};
  if (inertial && !always) {
    read_inertial(model, inertial, &mass);
  } else if (!never) {
    for (size_t i = 0; i < geom_count; i++) add_geom(model, &geoms[i], &mass);
    if (mass.mass > 0)
      import_note(model->context, IMPORT_MAPPED, "inertia", &link->place, NULL,
                  "mass and inertia of '%s' are those of its geoms", link->name);
  }
  correct(model, &mass, &link->place);
  link->mass = mass.mass;
  memcpy(link->com, mass.com, sizeof link->com);
  memcpy(link->inertia, mass.inertia, sizeof link->inertia);
  if (!(mass.mass >= 0)) import_invalid(model->context, &link->place, "the mass %g is negative", mass.mass);
}

void mjcf_scale_masses(mjcf_model *model) {
  double all = 0;
  for (const import_link *link = model->spatial.first; link; link = link->next) all += link->mass;
  if (!(model->total_mass > 0) || !(all > 0)) return;
  const import_location place = import_xml_location(model->context, model->compiler);
  import_note(model->context, IMPORT_CHANGED, "settotalmass", &place, "/bodies",
              "all masses are multiplied by %g, so that their sum is %g kg", model->total_mass / all,
              model->total_mass);
  for (import_link *link = model->spatial.first; link; link = link->next) {
    for (int k = 0; k < 6; k++) link->inertia[k] *= model->total_mass / all;
    json_object_del(link->body, "inertia_check");
    import_set_masses(model->context, link->body, link->mass * model->total_mass / all, link->inertia, &link->place);
  }
}
