/* faces.c - see faces.h. */
#include "api/drawing/faces.h"

#include "api/base/array_grow.h"
#include "api/drawing/vector.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- building -------------------------------------------------------------------------------------------------- */

/* Adds a corner to the face that is being made. */
static void corner(api_faces *self, const double point[3], const double normal[3]) {
  double(*points)[3] = api_array_grow(self->points, self->corner_count, &self->point_capacity, sizeof *points);
  if (points) self->points = points;
  double(*normals)[3] = api_array_grow(self->normals, self->corner_count, &self->normal_capacity, sizeof *normals);
  if (normals) self->normals = normals;
  self->failed = self->failed || !points || !normals;
  if (self->failed) return;
  memcpy(points[self->corner_count], point, sizeof *points);
  memcpy(normals[self->corner_count++], normal, sizeof *normals);
}

static void end_face(api_faces *self) {
  size_t *ends = api_array_grow(self->ends, self->count, &self->face_capacity, sizeof *ends);
  self->failed = self->failed || !ends;
  if (!ends) return;
  self->ends = ends;
  ends[self->count++] = self->corner_count;
}

/* Adds a face with one normal. */
static void flat_face(api_faces *self, double (*points)[3], size_t count, const double normal[3]) {
  for (size_t i = 0; i < count; i++) corner(self, points[i], normal);
  end_face(self);
}

/* Returns twice the area vector of a polygon (Newell). */
static void area_vector(double (*points)[3], size_t count, double out[3]) {
  double a[3], b[3], part[3];
  memset(out, 0, 3 * sizeof *out);
  for (size_t i = 1; i + 1 < count; i++) {
    api_plus(points[i], points[0], -1, a);
    api_plus(points[i + 1], points[0], -1, b);
    api_cross(a, b, part);
    api_plus(out, part, 1, out);
  }
}

/* ---- forms ----------------------------------------------------------------------------------------------------- */

static void make_ball(int sides, api_faces *out) {
  const int rings = sides / 2;
  for (int i = 0; i < rings; i++)
    for (int k = 0; k < sides; k++) {
      for (int c = 0; c < 4; c++) {
        const double down = pi * (i + (c == 1 || c == 2)) / rings, around = 2 * pi * (k + (c > 1)) / sides;
        const double at[3] = {sin(down) * sin(around), cos(down), sin(down) * cos(around)};
        /* Faces at the poles have three corners. */
        if ((i == 0 && c == 3) || (i == rings - 1 && c == 2)) continue;
        corner(out, at, at);
      }
      end_face(out);
    }
}

/* Makes a cylinder along y between two heights, with flat or smooth sides; of radius 0 at the top: a pyramid. */
static void make_bar(double radius, double top, double low, double high, int sides, bool smooth, api_faces *out) {
  const double tilt = (radius - top) / (high - low);
  for (int k = 0; k < sides; k++) {
    for (int c = 0; c < 4; c++) {
      const double around = 2 * pi * (k + (c == 1 || c == 2)) / sides, r = c < 2 ? radius : top;
      const double faced = smooth ? around : 2 * pi * (k + 0.5) / sides;
      double normal[3] = {sin(faced), tilt, cos(faced)};
      api_unit(normal, normal, normal);
      if (c < 3 || top > 0)
        corner(out, (const double[3]){r * sin(around), c < 2 ? low : high, r * cos(around)}, normal);
    }
    end_face(out);
  }
  for (int end = 0; end < (top > 0 ? 2 : 1); end++) {
    for (int k = 0; k < sides; k++) {
      const double around = 2 * pi * (end ? k : -k) / sides, r = end ? top : radius;
      corner(out, (const double[3]){r * sin(around), end ? high : low, r * cos(around)},
             (const double[3]){0, end ? 1 : -1, 0});
    }
    end_face(out);
  }
}

/* Makes the solid between a polygon and its copy displaced by `way`. */
static void make_prism(double (*points)[3], size_t count, const double way[3], api_faces *out) {
  double area[3], up[3], normal[3], low[3], side[4][3];
  area_vector(points, count, area);
  const double along = api_dot(area, way);
  if (count < 3 || along == 0) return;
  api_unit(way, way, up);
  for (int end = 0; end < 2; end++) {
    const bool reversed = (along > 0) != (end == 1);
    for (size_t i = 0; i < count; i++) {
      double at[3];
      api_plus(points[reversed ? count - 1 - i : i], way, end, at);
      for (int k = 0; k < 3; k++) low[k] = end ? up[k] : -up[k];
      corner(out, at, low);
    }
    end_face(out);
  }
  for (size_t i = 0; i < count; i++) {
    const double *a = points[i], *b = points[(i + 1) % count];
    memcpy(side[0], along > 0 ? a : b, sizeof side[0]);
    memcpy(side[1], along > 0 ? b : a, sizeof side[1]);
    api_plus(side[1], way, 1, side[2]);
    api_plus(side[0], way, 1, side[3]);
    area_vector(side, 4, normal);
    if (!(api_norm(normal) > 0)) continue;
    api_unit(normal, normal, normal);
    flat_face(out, side, 4, normal);
  }
}

/* Each triangle of a mesh has its own corners, so that edges are visible. */
static void make_mesh(const api_outline *outline, api_faces *out) {
  for (size_t i = 0; i < outline->triangle_count; i++) {
    double points[3][3], normal[3];
    for (int k = 0; k < 3; k++) memcpy(points[k], outline->points[outline->triangles[i][k]], sizeof points[k]);
    area_vector(points, 3, normal);
    if (!(api_norm(normal) > 0)) continue;
    api_unit(normal, normal, normal);
    flat_face(out, points, 3, normal);
  }
}

void api_faces_make(api_form form, const api_outline *outline, int sides, api_faces *out) {
  double square[4][3] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.5, 0.5, -0.5}, {-0.5, 0.5, -0.5}};
  *out = (api_faces){.count = 0};
  switch (form) {
  case API_FORM_BALL: make_ball(sides, out); break;
  case API_FORM_BAR: make_bar(1, 1, -0.5, 0.5, sides, true, out); break;
  case API_FORM_BLOCK: make_prism(square, 4, (const double[3]){0, 0, 1}, out); break;
  case API_FORM_FOOT: make_bar(1, 0, -0.5, 0.5, 4, false, out); break;
  case API_FORM_NUT: make_bar(1, 1, -0.5, 0.5, 6, false, out); break;
  case API_FORM_PRISM: make_prism(outline->points, outline->count, outline->way, out); break;
  case API_FORM_MESH: make_mesh(outline, out); break;
  }
}

void api_faces_make_link(double radius, int sides, api_faces *out) {
  *out = (api_faces){.count = 0};
  make_bar(radius, radius, 0, 1, sides, true, out);
}

void api_faces_make_spring(double radius, api_faces *out) {
  enum { COILS = 9, STEPS = 16, SIDES = 6 };
  const double wide = 3 * radius, wire = 0.5 * radius;
  *out = (api_faces){.count = 0};
  for (int i = 0; i < COILS * STEPS; i++)
    for (int k = 0; k < SIDES; k++) {
      for (int c = 0; c < 4; c++) {
        const double turn = 2 * pi * (i + (c > 1)) / STEPS, around = 2 * pi * (k + (c == 1 || c == 2)) / SIDES;
        const double out_of[3] = {cos(turn), 0, sin(turn)};
        const double normal[3] = {cos(around) * out_of[0], sin(around), cos(around) * out_of[2]};
        double at[3] = {wide * out_of[0], turn / (2 * pi) / COILS, wide * out_of[2]};
        api_plus(at, normal, wire, at);
        corner(out, at, normal);
      }
      end_face(out);
    }
}

void api_faces_free(api_faces *faces) {
  free(faces->points);
  free(faces->normals);
  free(faces->ends);
  *faces = (api_faces){.count = 0};
}

/* ---- triangles ------------------------------------------------------------------------------------------------- */

/* Returns twice the area of a triangle in the plane; positive if it is counterclockwise. */
static double turn_of(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Returns true if the corner `at` of the remaining polygon is an ear: convex, and no other corner lies in it. */
static bool is_ear(double (*flat)[2], const unsigned *left, size_t count, size_t at) {
  const unsigned before = left[(at + count - 1) % count], here = left[at], after = left[(at + 1) % count];
  const double *a = flat[before], *b = flat[here], *c = flat[after];
  if (!(turn_of(a, b, c) > 0)) return false;
  for (size_t i = 0; i < count; i++) {
    const double *p = flat[left[i]];
    if (left[i] == before || left[i] == here || left[i] == after) continue;
    if (turn_of(a, b, p) > 0 && turn_of(b, c, p) > 0 && turn_of(c, a, p) > 0) return false;
  }
  return true;
}

/* Cuts off ears of a polygon in the plane until a triangle is left. Corners of a line, and of a polygon that crosses
 * itself, are cut off as they come. */
static void clip_ears(double (*flat)[2], unsigned *left, size_t count, unsigned *triangles) {
  size_t at = 0, tried = 0;
  while (count > 2) {
    at %= count;
    if (tried < count && !is_ear(flat, left, count, at)) {
      at++;
      tried++;
      continue;
    }
    *triangles++ = left[(at + count - 1) % count];
    *triangles++ = left[at];
    *triangles++ = left[(at + 1) % count];
    memmove(left + at, left + at + 1, (count - at - 1) * sizeof *left);
    count--;
    tried = 0;
  }
}

bool api_face_triangles(double (*points)[3], size_t count, unsigned *triangles) {
  double(*flat)[2] = malloc((count + 1) * sizeof *flat), normal[3], u[3], v[3];
  unsigned *left = malloc((count + 1) * sizeof *left);
  const bool good = flat && left;
  area_vector(points, count, normal);
  api_unit(normal, (const double[3]){0, 0, 1}, normal);
  const int least = fabs(normal[0]) < 0.6 ? 0 : 1;
  api_cross(normal, (const double[3]){least == 0, least == 1, 0}, u);
  api_unit(u, u, u);
  api_cross(normal, u, v);
  for (size_t i = 0; good && i < count; i++) {
    double from[3];
    api_plus(points[i], points[0], -1, from);
    flat[i][0] = api_dot(from, u);
    flat[i][1] = api_dot(from, v);
    left[i] = (unsigned)i;
  }
  if (good) clip_ears(flat, left, count, triangles);
  free(flat);
  free(left);
  return good;
}
