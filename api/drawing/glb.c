/* glb.c - see glb.h. The container has a header and two chunks: the description as JSON, and the numbers,
 * little-endian. Numbers: geometry of all forms, the times, then a track for each moving value of each node. */
#include "api/drawing/glb.h"

#include "api/drawing/drawing.h"
#include "api/drawing/faces.h"
#include "api/drawing/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

/* Constants of glTF: types of numbers, and the purposes of buffers. */
enum { FLOAT = 5126, UNSIGNED_INT = 5125, VERTICES = 34962, INDICES = 34963 };

enum { MAGIC = 0x46546c67, VERSION = 2, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942, HEADER = 12, CHUNK = 8 };

/* Numbers of sides of round forms; drawings with more than FINE_BODIES bodies have coarse ones. */
enum { FINE_BODIES = 60, FINE_SIDES = 32, COARSE_SIDES = 12 };

/* A node that moves: a body, or a link that is stretched between two points. */
typedef struct mover {
  int body;
  const api_link *link; /* NULL: a body */
} mover;

typedef enum track { TRACK_TRANSLATION, TRACK_ROTATION, TRACK_SCALE, TRACK_COUNT } track;

static const int track_width[] = {3, 4, 3};

/* The accessors of a form's geometry. */
typedef struct form_data {
  bool made;
  size_t positions, normals, indices; /* accessors */
} form_data;

struct api_glb {
  api_poses poses;
  api_drawing *drawing;
  mover *movers; /* [mover_count] */
  size_t mover_count;
  json_t *root, *views, *accessors, *meshes, *materials, *nodes;
  form_data *forms;     /* shared forms, then outlines, then link and spring */
  api_buffer head;      /* the container up to the times, to be written first */
  api_buffer binary;    /* geometry and times */
  uint64_t binary_size; /* size of the whole chunk */
  size_t mover, track;  /* next track */
  bool begun;
};

/* ---- accessors ------------------------------------------------------------------------------------------------- */

static json_t *numbers(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real((double)(float)values[i]));
  return list;
}

/* Adds a view of `size` bytes at the end of the chunk so far, and an accessor for it. Returns its number. */
static size_t add_accessor(api_glb *self, int component, size_t count, const char *type, size_t size, int target) {
  json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)self->binary_size, "byteLength",
                           (json_int_t)size);
  if (target) json_object_set_new(view, "target", json_integer(target));
  json_array_append_new(self->views, view);
  json_array_append_new(self->accessors,
                        json_pack("{s:I, s:i, s:I, s:s}", "bufferView", (json_int_t)json_array_size(self->views) - 1,
                                  "componentType", component, "count", (json_int_t)count, "type", type));
  self->binary_size += size;
  return json_array_size(self->accessors) - 1;
}

/* Sets the least and the greatest value of each component. */
static void set_bounds(api_glb *self, size_t accessor, const double *least, const double *most, size_t width) {
  json_t *object = json_array_get(self->accessors, accessor);
  json_object_set_new(object, "min", numbers(least, width));
  json_object_set_new(object, "max", numbers(most, width));
}

static void add_floats(api_buffer *out, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const float value = (float)values[i];
    api_buffer_add(out, &value, sizeof value);
  }
}

/* ---- geometry -------------------------------------------------------------------------------------------------- */

/* Appends the indices of the triangles of all faces. Returns their number; 0 if memory runs out. */
static size_t add_indices(const api_faces *faces, api_buffer *out) {
  size_t first = 0, total = 0;
  for (size_t i = 0; i < faces->count; i++) {
    const size_t corners = faces->ends[i] - first, count = 3 * (corners - 2);
    unsigned *triangles = malloc(count * sizeof *triangles);
    if (!triangles || !api_face_triangles((faces->points + first), corners, triangles)) {
      free(triangles);
      return 0;
    }
    for (size_t k = 0; k < count; k++) {
      const uint32_t index = (uint32_t)(first + triangles[k]);
      api_buffer_add(out, &index, sizeof index);
    }
    free(triangles);
    total += count;
    first = faces->ends[i];
  }
  return total;
}

/* Adds the geometry of faces, and frees them. Returns false if memory runs out. */
static bool add_geometry(api_glb *self, api_faces *faces, form_data *out) {
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  const size_t corners = faces->corner_count, size = 3 * corners * sizeof(float);
  for (size_t i = 0; i < corners; i++)
    for (int k = 0; k < 3; k++) {
      least[k] = fmin(least[k], faces->points[i][k]);
      most[k] = fmax(most[k], faces->points[i][k]);
    }
  out->positions = add_accessor(self, FLOAT, corners, "VEC3", size, VERTICES);
  set_bounds(self, out->positions, least, most, 3);
  out->normals = add_accessor(self, FLOAT, corners, "VEC3", size, VERTICES);
  add_floats(&self->binary, (const double *)faces->points, 3 * corners);
  add_floats(&self->binary, (const double *)faces->normals, 3 * corners);
  const size_t count = add_indices(faces, &self->binary);
  out->indices = add_accessor(self, UNSIGNED_INT, count, "SCALAR", count * sizeof(uint32_t), INDICES);
  out->made = count > 0 && !faces->failed;
  return out->made;
}

/* Returns the number of a material, which is made where it is missing. */
static size_t material_of(api_glb *self, unsigned colour, bool clear) {
  const double parts[3] = {(colour >> 16 & 255) / 255., (colour >> 8 & 255) / 255., (colour & 255) / 255.};
  char name[16];
  size_t i;
  json_t *known;
  snprintf(name, sizeof name, "%06x%s", colour & 0xffffffu, clear ? " clear" : "");
  json_array_foreach(self->materials, i,
                     known) if (strcmp(json_string_value(json_object_get(known, "name")), name) == 0) return i;
  /* Factors are linear; the colour is sRGB. */
  json_t *factor = json_array();
  for (int k = 0; k < 3; k++)
    json_array_append_new(factor,
                          json_real(parts[k] <= 0.04045 ? parts[k] / 12.92 : pow((parts[k] + 0.055) / 1.055, 2.4)));
  json_array_append_new(factor, json_real(clear ? 0.25 : 1));
  json_t *material = json_pack("{s:s, s:b, s:{s:o, s:f, s:f}}", "name", name, "doubleSided", 1, "pbrMetallicRoughness",
                               "baseColorFactor", factor, "metallicFactor", 0.15, "roughnessFactor", 0.55);
  if (clear) json_object_set_new(material, "alphaMode", json_string("BLEND"));
  json_array_append_new(self->materials, material);
  return json_array_size(self->materials) - 1;
}

/* Returns the number of a mesh: a form in a material. */
static size_t mesh_of(api_glb *self, const form_data *form, size_t material) {
  size_t i;
  json_t *known;
  json_array_foreach(self->meshes, i, known) {
    const json_t *part = json_array_get(json_object_get(known, "primitives"), 0);
    const json_t *attributes = json_object_get(part, "attributes");
    if (json_integer_value(json_object_get(attributes, "POSITION")) == (json_int_t)form->positions &&
        json_integer_value(json_object_get(part, "material")) == (json_int_t)material)
      return i;
  }
  json_array_append_new(self->meshes,
                        json_pack("{s:[{s:{s:I, s:I}, s:I, s:I}]}", "primitives", "attributes", "POSITION",
                                  (json_int_t)form->positions, "NORMAL", (json_int_t)form->normals, "indices",
                                  (json_int_t)form->indices, "material", (json_int_t)material));
  return json_array_size(self->meshes) - 1;
}

/* Makes the geometry of form number `at`, once. Returns NULL if it has no surface, or memory runs out. */
static const form_data *form_of(api_glb *self, size_t at, api_form form, const api_outline *outline, bool spring,
                                bool link) {
  form_data *data = &self->forms[at];
  api_faces faces;
  const int sides = self->drawing->body_count > FINE_BODIES ? COARSE_SIDES : FINE_SIDES;
  if (data->made) return data;
  if (spring)
    api_faces_make_spring(self->drawing->radius, &faces);
  else if (link)
    api_faces_make_link(self->drawing->radius, sides, &faces);
  else
    api_faces_make(form, outline, sides, &faces);
  const bool good = faces.count > 0 && add_geometry(self, &faces, data);
  self->binary.failed = self->binary.failed || faces.failed;
  api_faces_free(&faces);
  return good ? data : NULL;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static json_t *add_node(api_glb *self, json_t *node, json_t *parent) {
  json_t *children = json_object_get(parent, "children");
  if (!children && parent) {
    children = json_array();
    json_object_set_new(parent, "children", children);
  }
  json_array_append_new(self->nodes, node);
  if (parent) json_array_append_new(children, json_integer((json_int_t)json_array_size(self->nodes) - 1));
  return node;
}

static bool is_identity(const double place[4][3]) {
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 3; k++)
      if (place[c][k] != (c == k ? 1 : 0)) return false;
  return true;
}

static void add_solid(api_glb *self, const api_solid *solid, json_t *carrier) {
  const bool own = solid->form == API_FORM_PRISM || solid->form == API_FORM_MESH;
  const form_data *form = form_of(self, own ? API_FORM_MESH + 1 + solid->outline : (size_t)solid->form, solid->form,
                                  own ? &self->drawing->outlines[solid->outline] : NULL, false, false);
  if (!form) return;
  const size_t mesh = mesh_of(self, form, material_of(self, solid->colour, solid->clear));
  json_t *node = add_node(self, json_pack("{s:I}", "mesh", (json_int_t)mesh), carrier);
  if (is_identity(solid->place)) return;
  json_t *matrix = json_array(); /* column by column */
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 4; k++)
      json_array_append_new(matrix, json_real(k < 3 ? (double)(float)solid->place[c][k] : c == 3));
  json_object_set_new(node, "matrix", matrix);
}

/* Reads a track of a node, [rows x width], malloc'd; NULL if that fails. Scales are those of links only. */
static double *read_track(const api_glb *self, const mover *node, track which) {
  const api_poses *poses = &self->poses;
  const size_t rows = poses->count;
  double *out = malloc(rows * 4 * sizeof *out), (*from)[3] = NULL, (*to)[3] = NULL;
  bool good = out != NULL;
  if (good && !node->link)
    good = which == TRACK_TRANSLATION ? api_poses_centres(poses, node->body, (double(*)[3])out)
                                      : api_poses_turns(poses, node->body, (double(*)[4])out);
  if (good && node->link) {
    from = malloc(rows * sizeof *from);
    to = malloc(rows * sizeof *to);
    good = from && to && api_poses_points(poses, node->link->from, from) && api_poses_points(poses, node->link->to, to);
  }
  for (size_t i = 0; good && node->link && i < rows; i++) {
    static const double up[3] = {0, 1, 0};
    double way[3], along[3], p[4];
    api_plus(to[i], from[i], -1, way);
    api_unit(way, up, along);
    api_turn_between(up, along, p);
    const double size[3] = {1, fmax(api_norm(way), 1e-30), 1};
    double product = 0;
    for (int k = 0; k < 4; k++) product += which == TRACK_ROTATION && i > 0 ? p[k] * out[4 * (i - 1) + (size_t)k] : 0;
    for (int k = 0; k < 4; k++) p[k] = product < 0 ? -p[k] : p[k];
    if (which == TRACK_ROTATION)
      memcpy(out + 4 * i, p, sizeof p);
    else
      memcpy(out + 3 * i, which == TRACK_SCALE ? size : from[i], sizeof size);
  }
  free(from);
  free(to);
  if (good) return out;
  free(out);
  return NULL;
}

/* glTF puts the scalar part of a rotation last. */
static void reorder(double *rotations, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double *p = rotations + 4 * i, scalar = p[0];
    memmove(p, p + 1, 3 * sizeof *p);
    p[3] = scalar;
  }
}

static const char *const track_names[] = {"translation", "rotation", "scale"};

/* Gives the node its place in the first row. Returns false if that cannot be read. */
static bool place_node(const api_glb *self, const mover *moved, json_t *node) {
  api_glb one = *self;
  one.poses.count = 1;
  for (track which = 0; which < (moved->link ? TRACK_COUNT : TRACK_SCALE); which++) {
    double *values = read_track(&one, moved, which);
    if (!values) return false;
    if (which == TRACK_ROTATION) reorder(values, 1);
    json_object_set_new(node, track_names[which], numbers(values, (size_t)track_width[which]));
    free(values);
  }
  return true;
}

/* Adds the accessors and channels of all tracks; the numbers follow when they are written. */
static void add_animation(api_glb *self, size_t first_node, size_t times) {
  static const char *const types[] = {"VEC3", "VEC4", "VEC3"};
  json_t *samplers = json_array(), *channels = json_array();
  const size_t rows = self->poses.count;
  for (size_t i = 0; i < self->mover_count; i++)
    for (track which = 0; which < (self->movers[i].link ? TRACK_COUNT : TRACK_SCALE); which++) {
      const size_t size = rows * (size_t)track_width[which] * sizeof(float), node = first_node + i;
      const size_t values = add_accessor(self, FLOAT, rows, types[which], size, 0);
      json_array_append_new(samplers, json_pack("{s:I, s:I, s:s}", "input", (json_int_t)times, "output",
                                                (json_int_t)values, "interpolation", "LINEAR"));
      json_array_append_new(channels,
                            json_pack("{s:I, s:{s:I, s:s}}", "sampler", (json_int_t)json_array_size(samplers) - 1,
                                      "target", "node", (json_int_t)node, "path", track_names[which]));
    }
  json_object_set_new(self->root, "animations",
                      json_pack("[{s:s, s:o, s:o}]", "name", "motion", "samplers", samplers, "channels", channels));
}

/* Adds the times, from 0, as glTF requires. Returns their accessor; 0 if they cannot be read. */
static size_t add_times(api_glb *self) {
  const size_t rows = self->poses.count;
  double *times = malloc(rows * sizeof *times);
  if (!times || !api_poses_times(&self->poses, times)) {
    free(times);
    return 0;
  }
  const double start = times[0];
  for (size_t i = 0; i < rows; i++) times[i] -= start;
  const size_t accessor = add_accessor(self, FLOAT, rows, "SCALAR", rows * sizeof(float), 0);
  set_bounds(self, accessor, &times[0], &times[rows - 1], 1);
  add_floats(&self->binary, times, rows);
  free(times);
  return accessor;
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

/* Adds the nodes: the ground, the bodies, then links. Returns false if memory runs out or rows cannot be read. */
static bool add_nodes(api_glb *self) {
  const api_drawing *drawing = self->drawing;
  json_t *top = add_node(self, json_pack("{s:s}", "name", "mechanism"), NULL);
  /* The vertical axis of glTF is y; that of spatial models is z. */
  if (!drawing->planar)
    json_object_set_new(top, "rotation", numbers((const double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)}, 4));
  json_t **bodies = calloc(drawing->body_count, sizeof(json_t *));
  bool good = bodies != NULL;
  for (size_t i = 0; good && i < drawing->body_count; i++) {
    bodies[i] = add_node(self, json_pack("{s:s}", "name", i ? drawing->names[i] : "ground"), top);
    if (i) good = place_node(self, &self->movers[i - 1], bodies[i]);
  }
  for (size_t i = 0; good && i < drawing->link_count; i++) {
    const api_link *link = &drawing->links[i];
    const size_t at = API_FORM_MESH + 1 + drawing->outline_count + link->spring;
    const form_data *form = form_of(self, at, API_FORM_BAR, NULL, link->spring, !link->spring);
    const size_t mesh = form ? mesh_of(self, form, material_of(self, API_COLOUR_SPRING, false)) : 0;
    json_t *node = add_node(self, json_pack("{s:s}", "name", link->spring ? "spring" : "rod"), top);
    good = form && place_node(self, &self->movers[drawing->body_count - 1 + i], node);
    if (good) json_object_set_new(node, "mesh", json_integer((json_int_t)mesh));
  }
  for (size_t i = 0; good && i < drawing->solid_count; i++)
    add_solid(self, &drawing->solids[i], bodies[drawing->solids[i].carrier]);
  free(bodies);
  return good;
}

static void put_word(api_buffer *out, uint64_t word) {
  const uint32_t value = (uint32_t)word;
  api_buffer_add(out, &value, sizeof value);
}

/* Writes the container up to the numbers. */
static void write_head(api_glb *self) {
  json_object_set_new(self->root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)self->binary_size));
  char *text = json_dumps(self->root, JSON_COMPACT | JSON_REAL_PRECISION(9));
  const size_t length = text ? strlen(text) : 0, padding = (4 - length % 4) % 4;
  self->head.failed = !text;
  put_word(&self->head, MAGIC);
  put_word(&self->head, VERSION);
  put_word(&self->head, HEADER + CHUNK + length + padding + CHUNK + self->binary_size);
  put_word(&self->head, length + padding);
  put_word(&self->head, JSON_CHUNK);
  if (text) api_buffer_add(&self->head, text, length);
  api_buffer_add(&self->head, "   ", padding);
  put_word(&self->head, self->binary_size);
  put_word(&self->head, BINARY_CHUNK);
  free(text);
}

static bool prepare(api_glb *self) {
  const api_drawing *drawing = self->drawing;
  self->forms = calloc(API_FORM_MESH + 3 + drawing->outline_count, sizeof *self->forms);
  self->mover_count = drawing->body_count - 1 + drawing->link_count;
  self->movers = calloc(self->mover_count + 1, sizeof *self->movers);
  if (!self->forms || !self->movers) return false;
  for (size_t i = 0; i + 1 < drawing->body_count; i++) self->movers[i].body = (int)i + 1;
  for (size_t i = 0; i < drawing->link_count; i++) self->movers[drawing->body_count - 1 + i].link = &drawing->links[i];
  if (!add_nodes(self)) return false;
  if (self->poses.count > 1) {
    const size_t times = add_times(self);
    if (times == 0) return false;
    add_animation(self, 2, times); /* after the top node and the ground */
  }
  write_head(self);
  return !self->binary.failed && !self->head.failed;
}

api_glb *api_glb_new(const json_t *scene, const api_poses *poses) {
  api_glb *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->poses = *poses;
  self->drawing = api_poses_match(poses, scene) ? api_poses_draw(poses, scene) : NULL;
  self->root = json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[], s:[], s:[], s:[], s:[]}", "asset", "version", "2.0",
                         "generator", "mbsd", "scene", 0, "scenes", "nodes", 0, "nodes", "meshes", "materials",
                         "accessors", "bufferViews");
  self->nodes = json_object_get(self->root, "nodes");
  self->meshes = json_object_get(self->root, "meshes");
  self->materials = json_object_get(self->root, "materials");
  self->accessors = json_object_get(self->root, "accessors");
  self->views = json_object_get(self->root, "bufferViews");
  if (self->drawing && self->root && prepare(self)) return self;
  api_glb_free(self);
  return NULL;
}

uint64_t api_glb_size(const api_glb *self) {
  const uint64_t size = self->head.size + self->binary_size;
  return size <= UINT32_MAX ? size : 0;
}

int api_glb_next(api_glb *self, api_buffer *out) {
  if (!self->begun) {
    self->begun = true;
    api_buffer_add(out, self->head.data, self->head.size);
    api_buffer_add(out, self->binary.data, self->binary.size);
    return 1;
  }
  if (self->mover == self->mover_count || self->poses.count < 2) return 0;
  const mover *node = &self->movers[self->mover];
  double *values = read_track(self, node, (track)self->track);
  if (!values) return -1;
  if (self->track == TRACK_ROTATION) reorder(values, self->poses.count);
  add_floats(out, values, self->poses.count * (size_t)track_width[self->track]);
  free(values);
  if (++self->track == (node->link ? TRACK_COUNT : TRACK_SCALE)) {
    self->track = 0;
    self->mover++;
  }
  return 1;
}

void api_glb_free(api_glb *self) {
  if (!self) return;
  api_drawing_free(self->drawing);
  json_decref(self->root);
  free(self->movers);
  free(self->forms);
  api_buffer_free(&self->head);
  api_buffer_free(&self->binary);
  free(self);
}
