/* shapes.c - the shapes of a document as solids. */
#include "api/drawing/drawing.h"
#include "api/drawing/vector.h"

#include <stdint.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Largest angle between the points of an arc [rad], and most points of one. */
static const double arc_step = 3.14159265358979323846 / 36;
enum { ARC_MOST = 1000, TEETH_MOST = 10000 };

/* Proportions of a gear's teeth in modules (ISO 53): heights above and below the pitch circle, slope of the flanks. */
static const double addendum = 1, dedendum = 1.25, flank_slope = 0.36397023426620234;

static const double along_z[3] = {0, 0, 1};

static double number(const json_t *shape, const char *name) { return json_number_value(json_object_get(shape, name)); }

/* Returns the colour of a shape; that of its body if it has none, or has a name that is not in the list. */
static unsigned colour_of(const json_t *shape, unsigned otherwise) {
  static const struct {
    const char *name;
    unsigned colour;
  } known[] = {{"black", 0x000000},  {"blue", 0x0000ff},    {"brown", 0xa52a2a},     {"cyan", 0x00ffff},
               {"gold", 0xffd700},   {"gray", 0x808080},    {"green", 0x008000},     {"grey", 0x808080},
               {"lime", 0x00ff00},   {"magenta", 0xff00ff}, {"maroon", 0x800000},    {"navy", 0x000080},
               {"olive", 0x808000},  {"orange", 0xffa500},  {"pink", 0xffc0cb},      {"purple", 0x800080},
               {"red", 0xff0000},    {"silver", 0xc0c0c0},  {"steelblue", 0x4682b4}, {"teal", 0x008080},
               {"tomato", 0xff6347}, {"white", 0xffffff},   {"yellow", 0xffff00}};
  const char *text = json_string_value(json_object_get(shape, "color"));
  const size_t length = text ? strlen(text) : 0;
  if (length >= 4 && *text == '#') { /* #rgb or #rrggbb, perhaps with the opacity */
    char digits[7] = {0};
    for (size_t i = 0; i < 6; i++) digits[i] = text[1 + (length < 7 ? i / 2 : i)];
    return (unsigned)strtoul(digits, NULL, 16);
  }
  for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
    if (strcmp(text, known[i].name) == 0) return known[i].colour;
  return otherwise;
}

/* ---- polygons and prisms --------------------------------------------------------------------------------------- */

/* Adds the solid between an outline and its copy displaced by `way`. */
static void add_prism(const api_drawing_onto *onto, double (*points)[3], size_t count, const double way[3]) {
  double(*copy)[3] = malloc((count + 1) * sizeof *copy);
  if (!copy) {
    onto->drawing->failed = true;
    return;
  }
  memcpy(copy, points, count * sizeof *copy);
  api_outline outline = {.points = copy, .count = count};
  memcpy(outline.way, way, sizeof outline.way);
  api_drawing_outline(onto, API_FORM_PRISM, &outline);
}

/* Adds a polygon: a sheet; in space a plate of the thickness of a rod, perpendicular to Newell's normal. */
static void add_polygon(const api_drawing_onto *onto, double (*points)[3], size_t count) {
  double normal[3] = {0}, a[3], b[3], part[3];
  if (onto->drawing->planar) {
    api_drawing_sheet(onto, points, count);
    return;
  }
  for (size_t i = 0; i + 1 < count; i++) {
    api_plus(points[i], points[0], -1, a);
    api_plus(points[i + 1], points[0], -1, b);
    api_cross(a, b, part);
    api_plus(normal, part, 1, normal);
  }
  if (!(api_norm(normal) > 0)) return;
  api_unit(normal, along_z, normal);
  for (size_t i = 0; i < count; i++) api_plus(points[i], normal, -onto->drawing->radius / 2, points[i]);
  for (int k = 0; k < 3; k++) normal[k] *= onto->drawing->radius;
  add_prism(onto, points, count, normal);
}

/* Sets p to the rotation by `angle` about the axis of a shape, or about z. */
static void turn_of(const json_t *shape, double p[4]) {
  double axis[3];
  const double angle = number(shape, "angle");
  api_drawing_vector(json_object_get(shape, "axis"), axis);
  api_unit(axis, along_z, axis);
  p[0] = cos(angle / 2);
  for (int k = 0; k < 3; k++) p[1 + k] = sin(angle / 2) * axis[k];
}

static void add_rectangle(const api_drawing_onto *onto, const json_t *shape, const double at[3]) {
  static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double points[4][3], p[4];
  const double width = number(shape, "width"), height = number(shape, "height"), angle = number(shape, "angle");
  p[0] = cos(angle / 2);
  p[1] = p[2] = 0;
  p[3] = sin(angle / 2);
  for (int i = 0; i < 4; i++) {
    const double corner[3] = {corners[i][0] * width / 2, corners[i][1] * height / 2, 0};
    api_rotate(p, corner, points[i]);
    api_plus(points[i], at, 1, points[i]);
  }
  add_polygon(onto, points, 4);
}

static void add_box(const api_drawing_onto *onto, const json_t *shape, const double at[3]) {
  static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double size[3], points[4][3], p[4], way[3];
  api_drawing_vector(json_object_get(shape, "size"), size);
  turn_of(shape, p);
  for (int i = 0; i < 4; i++) {
    const double corner[3] = {corners[i][0] * size[0] / 2, corners[i][1] * size[1] / 2, -size[2] / 2};
    api_rotate(p, corner, points[i]);
    api_plus(points[i], at, 1, points[i]);
  }
  api_rotate(p, (const double[3]){0, 0, size[2]}, way);
  add_prism(onto, points, 4, way);
}

/* Adds a spur gear with straight flanks. Its first tooth points along x, turned by its angle. */
static void add_gear(const api_drawing_onto *onto, const json_t *shape, const double at[3]) {
  const int teeth = (int)fmin(fmax(round(number(shape, "teeth")), 0), TEETH_MOST);
  const double module = number(shape, "module"), pitch = teeth * module / 2, tip = pitch + addendum * module;
  /* If the gear has so few teeth that they would meet at the centre, the gaps are less deep. */
  const double root = fmax(pitch - dedendum * module, 0.4 * pitch), half = pi / 4 * module;
  const double at_tip = (half - addendum * flank_slope * module) / tip;
  const double at_root = fmin((half + (pitch - root) * flank_slope) / root, 0.95 * pi / teeth);
  const double tooth[4][2] = {{root, -at_root}, {tip, -at_tip}, {tip, at_tip}, {root, at_root}};
  const double width = number(shape, "width");
  double axis[3], p[4], way[3];
  double(*points)[3] = malloc((4 * (size_t)teeth + 1) * sizeof *points);
  if (!points) {
    onto->drawing->failed = true;
    return;
  }
  api_drawing_vector(json_object_get(shape, "axis"), axis);
  api_unit(axis, along_z, axis);
  api_turn_between(along_z, axis, p);
  for (int i = 0; i < 4 * teeth; i++) {
    const int tooth_number = i / 4;
    const double angle = 2 * pi * tooth_number / teeth + tooth[i % 4][1] + number(shape, "angle"), r = tooth[i % 4][0];
    const double place[3] = {r * cos(angle), r * sin(angle), onto->drawing->planar ? 0 : -width / 2};
    api_rotate(p, place, points[i]);
    api_plus(points[i], at, 1, points[i]);
  }
  for (int k = 0; k < 3; k++) way[k] = width * axis[k];
  if (teeth > 0 && onto->drawing->planar)
    api_drawing_sheet(onto, points, 4 * (size_t)teeth);
  else if (teeth > 0)
    add_prism(onto, points, 4 * (size_t)teeth, way);
  free(points);
}

/* ---- shapes of points ------------------------------------------------------------------------------------------ */

/* Returns the points of a shape, malloc'd; NULL if memory runs out. */
static double (*read_points(const json_t *list, size_t *count))[3] {
  double(*points)[3] = calloc(json_array_size(list) + 1, sizeof *points);
  *count = json_array_size(list);
  for (size_t i = 0; points && i < *count; i++) api_drawing_vector(json_array_get(list, i), points[i]);
  return points;
}

static void add_polygon_shape(const api_drawing_onto *onto, const json_t *shape) {
  size_t count;
  double(*points)[3] = read_points(json_object_get(shape, "points"), &count);
  if (points) add_polygon(onto, points, count);
  onto->drawing->failed = onto->drawing->failed || !points;
  free(points);
}

static void add_mesh(const api_drawing_onto *onto, const json_t *shape) {
  const json_t *list = json_object_get(shape, "triangles");
  api_outline outline = {.triangle_count = json_array_size(list)};
  outline.points = read_points(json_object_get(shape, "points"), &outline.count);
  outline.triangles = calloc(outline.triangle_count + 1, sizeof *outline.triangles);
  bool good = outline.points && outline.triangles;
  for (size_t i = 0; good && i < outline.triangle_count; i++)
    for (size_t k = 0; k < 3; k++) {
      const double corner = json_number_value(json_array_get(json_array_get(list, i), k));
      if (corner >= 0 && corner < (double)outline.count) outline.triangles[i][k] = (int)corner;
    }
  if (good && outline.count > 0) {
    api_drawing_outline(onto, API_FORM_MESH, &outline);
    return;
  }
  onto->drawing->failed = onto->drawing->failed || !good;
  free(outline.points);
  free(outline.triangles);
}

static void add_arc(const api_drawing_onto *onto, const json_t *shape, const double at[3]) {
  const double radius = number(shape, "radius"), first = number(shape, "from"), last = number(shape, "to");
  const double wanted = ceil((last - first) / arc_step);
  const int count = wanted >= 1 ? (int)fmin(wanted, ARC_MOST) : 1;
  double before[3] = {0};
  for (int i = 0; i <= count; i++) {
    const double angle = first + (last - first) * i / count;
    const double place[3] = {at[0] + radius * cos(angle), at[1] + radius * sin(angle), onto->z};
    if (i > 0) api_drawing_bar(onto, before, place, onto->drawing->radius);
    api_drawing_ball(onto, place, onto->drawing->radius);
    memcpy(before, place, sizeof before);
  }
}

/* Adds a line, capsule or cylinder between the ends of a shape. */
static void add_rod(const api_drawing_onto *onto, const json_t *shape, double radius, bool round) {
  double from[3], to[3];
  api_drawing_vector(json_object_get(shape, "from"), from);
  api_drawing_vector(json_object_get(shape, "to"), to);
  if (onto->drawing->planar) from[2] = to[2] = onto->z;
  api_drawing_bar(onto, from, to, radius);
  if (!round) return;
  api_drawing_ball(onto, from, radius);
  api_drawing_ball(onto, to, radius);
}

void api_drawing_shape(const api_drawing_onto *body, const json_t *shape) {
  const char *type = json_string_value(json_object_get(shape, "type"));
  api_drawing_onto own = *body;
  const api_drawing_onto *onto = &own;
  double at[3];
  if (!type) return;
  own.colour = colour_of(shape, body->colour);
  api_drawing_vector(json_object_get(shape, "at"), at);
  const double radius = number(shape, "radius");
  if (strcmp(type, "rectangle") == 0) {
    add_rectangle(onto, shape, at);
  } else if (strcmp(type, "circle") == 0 || strcmp(type, "sphere") == 0) {
    if (onto->drawing->planar)
      api_drawing_disc(onto, at, radius);
    else
      api_drawing_ball(onto, at, radius);
  } else if (strcmp(type, "line") == 0) {
    add_rod(onto, shape, onto->drawing->radius, true);
  } else if (strcmp(type, "arc") == 0) {
    add_arc(onto, shape, at);
  } else if (strcmp(type, "polygon") == 0) {
    add_polygon_shape(onto, shape);
  } else if (strcmp(type, "capsule") == 0) {
    add_rod(onto, shape, radius, true);
  } else if (strcmp(type, "cylinder") == 0) {
    add_rod(onto, shape, radius, false);
  } else if (strcmp(type, "box") == 0) {
    add_box(onto, shape, at);
  } else if (strcmp(type, "gear") == 0) {
    add_gear(onto, shape, at);
  } else if (strcmp(type, "mesh") == 0) {
    add_mesh(onto, shape);
  }
}
