/* mesh.c - see mesh.h. The solid is the sum of the pyramids from an apex p to each triangle (a, b, c), with volumes
 * V = (a - p).((b - p) x (c - p)) / 6. With x measured from p and s = a + b + c, each contributes
 *     integral of x       V s / 4
 *     integral of x x'    V (s s' + a a' + b b' + c c') / 20
 * MuJoCo takes p first as the mean of the triangles' centres, weighted by area, then as the mass centre that results.
 * Volumes have signs if the computation is exact; else all count as positive, so that triangles may have any
 * orientation, and the volume of a surface that is not convex is too large. */
#include "import/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct triangles {
  double (*corners)[3][3];
  size_t count, capacity;
} triangles;

typedef struct integrals {
  double volume, first[3], second[6]; /* second: xx, yy, zz, xy, xz, yz */
} integrals;

/* Sums up the pyramids from `apex`. */
static void integrate(const triangles *list, const double apex[3], bool exact, integrals *sum) {
  static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  *sum = (integrals){.volume = 0};
  for (size_t n = 0; n < list->count; n++) {
    double x[3][3], normal[3], s[3];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) x[i][k] = list->corners[n][i][k] - apex[k];
    import_cross(x[1], x[2], normal);
    const double signed_volume = import_dot(x[0], normal) / 6, volume = exact ? signed_volume : fabs(signed_volume);
    sum->volume += volume;
    for (int k = 0; k < 3; k++) {
      s[k] = x[0][k] + x[1][k] + x[2][k];
      sum->first[k] += volume * s[k] / 4;
    }
    for (int k = 0; k < 6; k++) {
      const int i = rows[k], j = columns[k];
      sum->second[k] += volume * (s[i] * s[j] + x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j]) / 20;
    }
  }
}

/* Computes the mean of the triangles' centres, weighted by area. Returns the total area. */
static double find_centre(const triangles *list, double out[3]) {
  double total = 0;
  for (int k = 0; k < 3; k++) out[k] = 0;
  for (size_t n = 0; n < list->count; n++) {
    double(*const x)[3] = list->corners[n], b[3], c[3], normal[3];
    for (int k = 0; k < 3; k++) b[k] = x[1][k] - x[0][k], c[k] = x[2][k] - x[0][k];
    import_cross(b, c, normal);
    const double area = import_length(normal) / 2;
    total += area;
    for (int k = 0; k < 3; k++) out[k] += area * (x[0][k] + x[1][k] + x[2][k]) / 3;
  }
  for (int k = 0; k < 3 && total > 0; k++) out[k] /= total;
  return total;
}

static bool add_triangle(triangles *list, const double a[3], const double b[3], const double c[3]) {
  if (list->count == list->capacity) {
    const size_t more = list->capacity ? 2 * list->capacity : 1024;
    double(*corners)[3][3] = realloc(list->corners, more * sizeof *corners);
    if (!corners) return false;
    list->corners = corners;
    list->capacity = more;
  }
  memcpy(list->corners[list->count][0], a, 3 * sizeof *a);
  memcpy(list->corners[list->count][1], b, 3 * sizeof *b);
  memcpy(list->corners[list->count][2], c, 3 * sizeof *c);
  list->count++;
  return true;
}

static void map_point(const import_pose *frame, const double scale[3], double x[3]) {
  double own[3], turned[3];
  for (int k = 0; k < 3; k++) own[k] = x[k] - frame->p[k];
  import_rotate_back(frame->R, own, turned);
  for (int k = 0; k < 3; k++) x[k] = turned[k] * scale[k];
}

/* ---- formats ---------------------------------------------------------------------------------------------------- */

/* Binary STL: 80 bytes, the number of triangles, then for each a normal, three points and two bytes. */
static const char *read_stl(const import_file *file, const import_pose *frame, const double scale[3], triangles *sum) {
  enum { HEAD = 84, EACH = 50 };
  uint32_t count;
  if (file->size < HEAD) return "its file is too short for binary STL";
  memcpy(&count, file->data + 80, sizeof count);
  if (file->size < HEAD + (size_t)count * EACH) return "its file is not binary STL";
  for (uint32_t i = 0; i < count; i++) {
    float numbers[9];
    double x[3][3];
    memcpy(numbers, file->data + HEAD + (size_t)i * EACH + 12, sizeof numbers);
    for (int k = 0; k < 9; k++) x[k / 3][k % 3] = (double)numbers[k];
    for (int k = 0; k < 3; k++) map_point(frame, scale, x[k]);
    if (!add_triangle(sum, x[0], x[1], x[2])) return "memory ran out";
  }
  return NULL;
}

typedef struct points {
  double (*x)[3];
  size_t count, capacity;
} points;

static bool add_point(points *list, const char *text) {
  if (list->count == list->capacity) {
    const size_t more = list->capacity ? 2 * list->capacity : 1024;
    double(*x)[3] = realloc(list->x, more * sizeof *x);
    if (!x) return false;
    list->x = x;
    list->capacity = more;
  }
  char *at = (char *)text;
  for (int k = 0; k < 3; k++) list->x[list->count][k] = strtod(at, &at);
  list->count++;
  return true;
}

/* Adds the triangles of a face "f a/b/c ...", whose polygon is split from its first corner. */
static bool add_face(const points *list, const char *text, const char *end, triangles *sum) {
  size_t corners[3], count = 0;
  for (const char *at = text; at < end;) {
    char *rest;
    const long index = strtol(at, &rest, 10);
    if (rest == at || rest > end) break;
    const long number = index < 0 ? (long)list->count + index : index - 1;
    if (number < 0 || (size_t)number >= list->count) return false;
    corners[count < 2 ? count : 2] = (size_t)number;
    if (count >= 2) {
      if (!add_triangle(sum, list->x[corners[0]], list->x[corners[1]], list->x[corners[2]])) return false;
      corners[1] = corners[2];
    }
    count++;
    at = rest;
    while (at < end && *at != ' ' && *at != '\t') at++; /* the numbers of texture and normal */
    while (at < end && (*at == ' ' || *at == '\t')) at++;
  }
  return true;
}

static const char *read_obj(const import_file *file, const import_pose *frame, const double scale[3], triangles *sum) {
  points list = {0};
  bool good = true;
  for (const char *line = file->data; good && *line;) {
    const size_t length = strcspn(line, "\n");
    if (strncmp(line, "v ", 2) == 0) {
      good = add_point(&list, line + 2);
      if (good) map_point(frame, scale, list.x[list.count - 1]);
    } else if (strncmp(line, "f ", 2) == 0) {
      const char *start = line + 2 + strspn(line + 2, " \t");
      good = add_face(&list, start, line + length, sum);
    }
    line += length + (line[length] != 0);
  }
  free(list.x);
  return good ? NULL : "its file has a face without its points";
}

/* Computes the mass of the solid for density 1. Returns NULL, or why there is none. */
static const char *find_mass(const triangles *list, bool exact, import_mass *out) {
  double apex[3];
  integrals sum;
  if (!(find_centre(list, apex) > 0)) return "it has no triangles";
  integrate(list, apex, exact, &sum);
  if (!isfinite(sum.volume) || sum.volume == 0) return "its triangles enclose no volume";
  for (int k = 0; k < 3; k++) apex[k] += sum.first[k] / sum.volume;
  integrate(list, apex, exact, &sum);
  const double sign = sum.volume < 0 ? -1 : 1, trace = sum.second[0] + sum.second[1] + sum.second[2];
  *out = (import_mass){.mass = sign * sum.volume};
  memcpy(out->com, apex, sizeof apex);
  for (int k = 0; k < 3; k++) {
    out->inertia[k] = sign * (trace - sum.second[k]);
    out->inertia[3 + k] = -sign * sum.second[3 + k];
  }
  return NULL;
}

const char *import_mesh_mass(const import_file *file, const import_pose *frame, const double scale[3], bool exact,
                             import_mass *out) {
  const char *dot = strrchr(file->path, '.'), *why = "only binary STL and OBJ files are supported";
  triangles list = {0};
  if (dot && strcasecmp(dot, ".stl") == 0) why = read_stl(file, frame, scale, &list);
  if (dot && strcasecmp(dot, ".obj") == 0) why = read_obj(file, frame, scale, &list);
  if (!why) why = find_mass(&list, exact, out);
  free(list.corners);
  return why;
}
