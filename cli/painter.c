/* painter.c - see painter.h. */
#include "painter.h"

#include "api/base/array_grow.h"
#include "api/drawing/faces.h"
#include "api/drawing/vector.h"

#include <stdlib.h>

/* The spatial view: angle about z, and height above the horizon [rad]. */
static const double azimuth = 0.6, elevation = 0.4;
/* Brightness of faces that are turned away from the light, and what light adds. */
static const double shade = 0.62, light = 0.38;

static const double pi = 3.14159265358979323846;
/* Step between the places of a rope about a pulley [rad]. */
static const double arc_step = 0.2;

/* Levels of brightness: a picture of a GIF has at most 256 colours. */
enum { LEVELS = 12 };
/* Sides of rods, and of wheels, which are thicker than THICK rods. */
enum {
  SIDES = 12,
  FINE_SIDES = 32,
  THICK = 3,
  BALL_SIDES = 24,
  SPRING_TURNS = 6,
  FLOOR_COLOUR = 0xe4e7ec,
  PLACES_MOST = 500
};

/* A face of a solid, in the axes of its carrier. */
typedef struct face {
  int carrier;
  size_t first, count; /* corners; of a ball only the centre */
  double normal[3];
  double ball; /* radius; 0: no ball */
  unsigned colour;
  bool both; /* visible from both sides */
  bool clear;
} face;

/* A polygon of the picture. */
typedef struct patch {
  double depth;
  size_t first, count; /* corners */
  unsigned colour;
} patch;

struct cli_painter {
  const api_drawing *drawing;
  double axes[3][3]; /* right, up, and towards the viewer */
  size_t rows;
  double *times;
  double (**centres)[3], (**turns)[4]; /* [bodies] of the ground NULL */
  double (**ends)[3];                  /* [2 links, then the stops of all ropes] */
  size_t end_count;
  face *faces;
  double (*corners)[3];
  size_t face_count, corner_count, face_capacity, corner_capacity;
  /* The picture. */
  patch *patches;
  double (*places)[2];
  size_t patch_count, place_count, patch_capacity, place_capacity;
  bool failed; /* memory ran out */
};

/* ---- faces ----------------------------------------------------------------------------------------------------- */

static void add_corner(cli_painter *self, const double at[3]) {
  double(*corners)[3] = api_array_grow(self->corners, self->corner_count, &self->corner_capacity, sizeof *corners);
  self->failed = self->failed || !corners;
  if (!corners) return;
  self->corners = corners;
  memcpy(corners[self->corner_count++], at, sizeof *corners);
}

static void add_face(cli_painter *self, const face *made) {
  face *faces = api_array_grow(self->faces, self->face_count, &self->face_capacity, sizeof *faces);
  self->failed = self->failed || !faces;
  if (!faces) return;
  self->faces = faces;
  faces[self->face_count++] = *made;
}

/* Sets out to the place of a form's point in the axes of its carrier. */
static void place_point(const api_solid *solid, const double at[3], double out[3]) {
  memcpy(out, solid->place[3], 3 * sizeof *out);
  for (int k = 0; k < 3; k++) api_plus(out, solid->place[k], at[k], out);
}

/* Adds the faces of a solid; of a ball its centre. */
static void add_solid(cli_painter *self, const api_solid *solid) {
  face made = {.carrier = solid->carrier,
               .colour = solid->clear && !self->drawing->planar ? FLOOR_COLOUR : solid->colour,
               .both = solid->form == API_FORM_MESH,
               .clear = solid->clear};
  api_faces faces;
  if (solid->form == API_FORM_BALL) {
    made.first = self->corner_count;
    made.count = 1;
    made.ball = api_norm(solid->place[0]);
    add_corner(self, solid->place[3]);
    add_face(self, &made);
    return;
  }
  const bool own = solid->form == API_FORM_PRISM || solid->form == API_FORM_MESH;
  const int sides = api_norm(solid->place[0]) > THICK * self->drawing->radius ? FINE_SIDES : SIDES;
  api_faces_make(solid->form, own ? &self->drawing->outlines[solid->outline] : NULL, sides, &faces);
  self->failed = self->failed || faces.failed;
  size_t first = 0;
  for (size_t i = 0; i < faces.count; i++) {
    double a[3] = {0}, b[3] = {0}, c[3];
    made.first = self->corner_count;
    made.count = faces.ends[i] - first;
    memset(made.normal, 0, sizeof made.normal);
    for (size_t k = first; k < faces.ends[i]; k++) {
      place_point(solid, faces.points[k], c);
      add_corner(self, c);
      if (k == first) memcpy(a, c, sizeof a);
      api_plus(c, a, -1, c);
      if (k > first + 1) { /* twice the area vector */
        double part[3];
        api_cross(b, c, part);
        api_plus(made.normal, part, 1, made.normal);
      }
      memcpy(b, c, sizeof b);
    }
    api_unit(made.normal, made.normal, made.normal);
    add_face(self, &made);
    first = faces.ends[i];
  }
  api_faces_free(&faces);
}

/* ---- the motion ------------------------------------------------------------------------------------------------ */

/* Reads the track of a point. Returns false if memory runs out. */
static bool read_end(cli_painter *self, const api_poses *poses, size_t number, int point) {
  self->ends[number] = calloc(self->rows, sizeof *self->ends[number]);
  return self->ends[number] && api_poses_points(poses, point, self->ends[number]);
}

/* Reads all tracks. Returns false if memory runs out. */
static bool read_motion(cli_painter *self, const api_poses *poses) {
  const api_drawing *drawing = self->drawing;
  self->rows = poses->count;
  self->times = calloc(self->rows, sizeof *self->times);
  self->centres = calloc(drawing->body_count, sizeof(void *));
  self->turns = calloc(drawing->body_count, sizeof(void *));
  self->end_count = 2 * drawing->link_count;
  for (size_t i = 0; i < drawing->rope_count; i++) self->end_count += drawing->ropes[i].count;
  self->ends = calloc(self->end_count + 1, sizeof(void *));
  bool good = self->times && self->centres && self->turns && self->ends && api_poses_times(poses, self->times);
  for (size_t i = 1; good && i < drawing->body_count; i++) {
    self->centres[i] = calloc(self->rows, sizeof *self->centres[i]);
    self->turns[i] = calloc(self->rows, sizeof *self->turns[i]);
    good = self->centres[i] && self->turns[i] && api_poses_centres(poses, (int)i, self->centres[i]) &&
           api_poses_turns(poses, (int)i, self->turns[i]);
  }
  size_t number = 0;
  for (size_t i = 0; good && i < drawing->link_count; i++)
    good = read_end(self, poses, number++, drawing->links[i].from) &&
           read_end(self, poses, number++, drawing->links[i].to);
  for (size_t i = 0; good && i < drawing->rope_count; i++)
    for (size_t k = 0; good && k < drawing->ropes[i].count; k++)
      good = read_end(self, poses, number++, drawing->ropes[i].stops[k].point);
  return good;
}

/* A time between two rows. */
typedef struct instant {
  size_t low, high;
  double part;
} instant;

static instant find_instant(const cli_painter *self, double t) {
  size_t low = 0, high = self->rows - 1;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (self->times[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  const double step = self->times[high] - self->times[low];
  const double part = step > 0 ? (t - self->times[low]) / step : 0;
  return (instant){low, high, part < 0 ? 0 : part > 1 ? 1 : part};
}

static void mix(const instant *at, const double *low, const double *high, size_t width, double *out) {
  for (size_t k = 0; k < width; k++) out[k] = low[k] + at->part * (high[k] - low[k]);
}

/* Sets the pose of a body. */
static void pose_of(const cli_painter *self, const instant *at, int body, double centre[3], double p[4]) {
  static const double ground[7] = {0, 0, 0, 1, 0, 0, 0};
  memcpy(centre, ground, 3 * sizeof *centre);
  memcpy(p, ground + 3, 4 * sizeof *p);
  if (body == 0) return;
  mix(at, self->centres[body][at->low], self->centres[body][at->high], 3, centre);
  mix(at, self->turns[body][at->low], self->turns[body][at->high], 4, p);
  const double size = sqrt(p[0] * p[0] + api_dot(p + 1, p + 1));
  for (int k = 0; k < 4 && size > 0; k++) p[k] /= size;
}

/* ---- the picture ----------------------------------------------------------------------------------------------- */

static void put_place(cli_painter *self, double x, double y) {
  double(*places)[2] = api_array_grow(self->places, self->place_count, &self->place_capacity, sizeof *places);
  self->failed = self->failed || !places;
  if (!places) return;
  self->places = places;
  places[self->place_count][0] = x;
  places[self->place_count++][1] = y;
}

/* Adds a polygon of the corners since the last one. */
static void put_patch(cli_painter *self, double depth, unsigned colour, double brightness) {
  patch *patches = api_array_grow(self->patches, self->patch_count, &self->patch_capacity, sizeof *patches);
  self->failed = self->failed || !patches;
  if (!patches) return;
  self->patches = patches;
  const patch *before = self->patch_count ? &patches[self->patch_count - 1] : NULL;
  const size_t first = before ? before->first + before->count : 0;
  unsigned shaded = 0;
  for (int byte = 0; byte < 3; byte++) shaded |= (unsigned)(brightness * (colour >> 8 * byte & 255)) << 8 * byte;
  patches[self->patch_count++] = (patch){depth, first, self->place_count - first, shaded};
}

static double along(const cli_painter *self, int axis, const double at[3]) { return api_dot(self->axes[axis], at); }

/* Paints a face of a carrier in a pose. */
static void paint_face(cli_painter *self, const face *shown, const double centre[3], const double p[4]) {
  static const double towards_light[3] = {-0.35, 0.45, 0.82}; /* right, up, towards the viewer */
  double at[3], normal[3], depth = 0, lit = 0;
  api_rotate(p, shown->normal, normal);
  const double facing = along(self, 2, normal);
  if (shown->ball == 0 && !shown->both && facing <= 1e-9) return;
  for (int k = 0; k < 3; k++) lit += towards_light[k] * along(self, k, normal) * (facing < 0 ? -1 : 1);
  for (size_t i = 0; i < shown->count; i++) {
    api_rotate(p, self->corners[shown->first + i], at);
    api_plus(at, centre, 1, at);
    const double x = along(self, 0, at), y = along(self, 1, at);
    depth += along(self, 2, at) / (double)shown->count;
    for (int k = 0; shown->ball > 0 && k < BALL_SIDES; k++) {
      const double angle = 2 * pi * k / BALL_SIDES;
      put_place(self, x + shown->ball * cos(angle), y + shown->ball * sin(angle));
    }
    if (shown->ball == 0) put_place(self, x, y);
  }
  const double level = round(LEVELS * (shown->ball > 0 ? 0.8 : fmax(lit, 0))) / LEVELS,
               brightness = shade + light * level;
  depth += 0.6 * shown->ball; /* about the mean of what one sees of a ball */
  put_patch(self, shown->clear ? -INFINITY : depth, shown->colour, shown->clear ? 1 : brightness);
}

/* Paints a straight piece with a width between two places of the picture. */
static void paint_piece(cli_painter *self, const double from[2], const double to[2], double width, double depth,
                        unsigned colour) {
  const double way[2] = {to[0] - from[0], to[1] - from[1]}, length = hypot(way[0], way[1]);
  if (!(length > 0)) return;
  const double x = -way[1] / length * width / 2, y = way[0] / length * width / 2;
  put_place(self, from[0] + x, from[1] + y);
  put_place(self, from[0] - x, from[1] - y);
  put_place(self, to[0] - x, to[1] - y);
  put_place(self, to[0] + x, to[1] + y);
  put_patch(self, depth, colour, 1);
}

/* Paints a rod, or a spring as a zigzag. */
static void paint_link(cli_painter *self, size_t number, const instant *at) {
  const api_link *link = &self->drawing->links[number];
  const double r = self->drawing->radius;
  double ends[2][3], flat[2][2], depth = 0;
  for (int e = 0; e < 2; e++) {
    double(*track)[3] = self->ends[2 * number + (size_t)e];
    mix(at, track[at->low], track[at->high], 3, ends[e]);
    for (int k = 0; k < 2; k++) flat[e][k] = along(self, k, ends[e]);
    depth += along(self, 2, ends[e]) / 2;
  }
  if (!link->spring) {
    paint_piece(self, flat[0], flat[1], 2 * r, depth, API_COLOUR_SPRING);
    return;
  }
  const double way[2] = {flat[1][0] - flat[0][0], flat[1][1] - flat[0][1]}, length = hypot(way[0], way[1]);
  double before[2] = {flat[0][0], flat[0][1]};
  if (!(length > 0)) return;
  const int pieces = 4 * SPRING_TURNS + 2; /* half a piece wide swings, and straight ends */
  for (int i = 1; i <= pieces; i++) {
    const double side = i < 2 || i > pieces - 2 || i % 2 ? 0 : (i / 2 % 2 ? 3 : -3) * r;
    const double part = (double)i / pieces;
    const double next[2] = {flat[0][0] + part * way[0] - side * way[1] / length,
                            flat[0][1] + part * way[1] + side * way[0] / length};
    if (side != 0 || i == 1 || i >= pieces - 1) {
      paint_piece(self, before, next, 0.6 * r, depth, API_COLOUR_SPRING);
      memcpy(before, next, sizeof before);
    }
  }
}

/* Returns the angle of the tangent from one circle to the next in the plane: d = L u + (c2 - c1) perp(u). */
static double tangent_angle(const double from[3], double from_radius, const double to[3], double to_radius) {
  const double x = to[0] - from[0], y = to[1] - from[1], across = to_radius - from_radius;
  return atan2(y, x) - atan2(across, sqrt(fmax(x * x + y * y - across * across, 0)));
}

/* Continues a rope to a place. */
static void extend_rope(cli_painter *self, double line[2][3], bool *begun, const double to[3]) {
  double flat[2][2];
  memcpy(line[1], to, sizeof line[1]);
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < 2; k++) flat[e][k] = along(self, k, line[e]);
  if (*begun) paint_piece(self, flat[0], flat[1], 0.8 * self->drawing->radius, along(self, 2, to), API_COLOUR_SPRING);
  *begun = true;
  memcpy(line[0], to, sizeof line[0]);
}

/* Paints a rope from a stop with its wrap between the angles of the strands before and after it. */
static void paint_wrap(cli_painter *self, double line[2][3], bool *begun, const double at[3], double radius,
                       double before, double after) {
  const double sense = radius < 0 ? -1 : 1, turn = fmod(fmod(sense * (after - before), 2 * pi) + 2 * pi, 2 * pi);
  const int steps = (int)ceil(turn / arc_step) + 1;
  for (int i = 0; i <= steps; i++) { /* the centre minus c perp(u) */
    const double angle = before + sense * turn * i / steps;
    const double place[3] = {at[0] + radius * sin(angle), at[1] - radius * cos(angle), at[2]};
    extend_rope(self, line, begun, place);
  }
}

/* Paints a belt or rope, whose stops begin at `first` among the ends: strands and wraps. */
static void paint_rope(cli_painter *self, const api_rope *rope, size_t first, const instant *at) {
  double line[2][3], start[3], end[3], after = 0, before = 0;
  bool begun = false;
  const size_t last = rope->count - 1;
  for (size_t i = 0; i < rope->count + rope->closed; i++) {
    const size_t k = i % rope->count, next = k == last ? 0 : k + 1, previous = k == 0 ? last : k - 1;
    const double radius = rope->stops[k].radius;
    double(*track)[3] = self->ends[first + k], (*other)[3] = self->ends[first + next];
    double(*former)[3] = self->ends[first + previous], middle[3];
    mix(at, former[at->low], former[at->high], 3, start);
    mix(at, track[at->low], track[at->high], 3, middle);
    mix(at, other[at->low], other[at->high], 3, end);
    before = tangent_angle(start, rope->stops[previous].radius, middle, radius);
    after = tangent_angle(middle, radius, end, rope->stops[next].radius);
    if (radius == 0)
      extend_rope(self, line, &begun, middle);
    else if (rope->closed || (k > 0 && k < last))
      paint_wrap(self, line, &begun, middle, radius, before, i == rope->count ? before : after);
    else /* an end on a drum: the last place of the strand */
      paint_wrap(self, line, &begun, middle, radius, k == 0 ? after : before, k == 0 ? after : before);
  }
}

static void paint(cli_painter *self, const instant *at) {
  self->patch_count = self->place_count = 0;
  for (size_t i = 0; i < self->face_count && !self->failed; i++) {
    double centre[3], p[4];
    pose_of(self, at, self->faces[i].carrier, centre, p);
    paint_face(self, &self->faces[i], centre, p);
  }
  for (size_t i = 0; i < self->drawing->link_count && !self->failed; i++) paint_link(self, i, at);
  size_t first = 2 * self->drawing->link_count;
  for (size_t i = 0; i < self->drawing->rope_count && !self->failed; i++) {
    paint_rope(self, &self->drawing->ropes[i], first, at);
    first += self->drawing->ropes[i].count;
  }
}

/* Sorts by depth; polygons of equal depth stay in their order. */
static int compare(const void *a, const void *b) {
  const patch *first = a, *second = b;
  if (first->depth != second->depth) return first->depth < second->depth ? -1 : 1;
  return first->first < second->first ? -1 : 1;
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

/* Sets the directions of the view. */
static void set_view(cli_painter *self) {
  static const double along_z[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  memcpy(self->axes, along_z, sizeof along_z);
  if (self->drawing->planar) return;
  const double right[3] = {cos(azimuth), sin(azimuth), 0};
  const double viewer[3] = {sin(azimuth) * cos(elevation), -cos(azimuth) * cos(elevation), sin(elevation)};
  memcpy(self->axes[0], right, sizeof right);
  memcpy(self->axes[2], viewer, sizeof viewer);
  api_cross(viewer, right, self->axes[1]);
}

cli_painter *cli_painter_new(const api_drawing *drawing, const api_poses *poses) {
  cli_painter *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->drawing = drawing;
  set_view(self);
  for (size_t i = 0; i < drawing->solid_count; i++) add_solid(self, &drawing->solids[i]);
  if (read_motion(self, poses) && !self->failed) return self;
  cli_painter_free(self);
  return NULL;
}

void cli_painter_free(cli_painter *self) {
  if (!self) return;
  for (size_t i = 0; i < self->drawing->body_count; i++) {
    if (self->centres) free(self->centres[i]);
    if (self->turns) free(self->turns[i]);
  }
  for (size_t i = 0; self->ends && i < self->end_count; i++) free(self->ends[i]);
  free(self->centres);
  free(self->turns);
  free(self->ends);
  free(self->times);
  free(self->faces);
  free(self->corners);
  free(self->patches);
  free(self->places);
  free(self);
}

void cli_painter_times(const cli_painter *self, double t[2]) {
  t[0] = self->times[0];
  t[1] = self->times[self->rows - 1];
}

void cli_painter_bounds(cli_painter *self, double x[2], double y[2]) {
  const size_t step = self->rows / PLACES_MOST + 1;
  x[0] = y[0] = INFINITY;
  x[1] = y[1] = -INFINITY;
  for (size_t row = 0; row < self->rows && !self->failed; row += step) {
    paint(self, &(instant){row, row, 0});
    for (size_t i = 0; i < self->patch_count; i++) {
      const patch *shown = &self->patches[i];
      for (size_t k = shown->first; k < shown->first + shown->count; k++) {
        if (shown->depth == -INFINITY) continue; /* floors have no end */
        x[0] = fmin(x[0], self->places[k][0]);
        x[1] = fmax(x[1], self->places[k][0]);
        y[0] = fmin(y[0], self->places[k][1]);
        y[1] = fmax(y[1], self->places[k][1]);
      }
    }
  }
}

bool cli_painter_paint(cli_painter *self, double t, api_buffer *out) {
  const instant at = find_instant(self, t);
  paint(self, &at);
  if (self->failed) return false;
  if (self->patch_count) qsort(self->patches, self->patch_count, sizeof *self->patches, compare);
  for (size_t i = 0; i < self->patch_count; i++) {
    const patch *shown = &self->patches[i];
    for (size_t k = shown->first; k < shown->first + shown->count; k++)
      api_buffer_print(out, "%.5g %.5g %u\n", self->places[k][0], self->places[k][1], shown->colour);
    api_buffer_text(out, "\n");
  }
  return !out->failed;
}
