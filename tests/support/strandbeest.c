/* Theo Jansen's walking linkage; see models.h. The eleven lengths are those of the inventor. */
#include "models.h"

#include "list.h"

#include <math.h>

/* A place in the plane [m]. */
typedef struct place {
  double x, y;
} place;

static const double a = 0.38, b = 0.415, c = 0.393, d = 0.401, e = 0.558, f = 0.394, g = 0.367, h = 0.657, i = 0.49,
                    j = 0.5, k = 0.619, l = 0.078, m = 0.15;

/* Returns the place at distance r from `one` and s from `two`, to the left of the direction from `one` to `two`. */
static place meeting(place one, double r, place two, double s) {
  double x = two.x - one.x, y = two.y - one.y, length = hypot(x, y);
  double along = (r * r - s * s + length * length) / (2 * length), across = sqrt(r * r - along * along);
  return (place){one.x + (along * x - across * y) / length, one.y + (along * y + across * x) / length};
}

/* Adds a bar or triangle between places, with its own point at the first and its x axis towards the second. */
static void add_body(text_list *bodies, const char *name, size_t leg, double side, const place *corners, size_t count) {
  MODEL(body,
      {"name": "%s%zu", "mass": %.17g, "inertia": %.17g,
       "points": {"A": [%.17g, %.17g], "B": [%.17g, %.17g], "C": [%.17g, %.17g]},
       "initial": {"position": [%.17g, %.17g], "angle": 0}});
  place centre = {0, 0}, at[3];
  double length = hypot(corners[1].x - corners[0].x, corners[1].y - corners[0].y);
  for (size_t n = 0; n < count; n++) {
    centre.x += corners[n].x / (double)count;
    centre.y += corners[n].y / (double)count;
  }
  for (size_t n = 0; n < 3; n++) {
    place corner = corners[n < count ? n : 1];
    at[n] = (place){side * (corner.x - centre.x), corner.y - centre.y};
  }
  list_add(bodies, body, name, leg, length, length * length * length / 12, at[0].x, at[0].y, at[1].x, at[1].y, at[2].x,
           at[2].y, side * centre.x, centre.y);
}

/* Adds the joints of a leg: two on the crank, two on the ground, the others between its own bodies. */
static void add_joints(text_list *joints, size_t leg, double side) {
  MODEL(on_crank, {"name": "%s_crank%zu", "type": "revolute", "points": ["crank.P%zu", "%s%zu.A"]});
  MODEL(on_ground, {"name": "%s_hip%zu", "type": "revolute", "points": ["ground.%s", "%s%zu.A"]});
  MODEL(pin, {"name": "%s%zu", "type": "revolute", "points": ["%s%zu.%s", "%s%zu.%s"]});
  static const char *const pins[][5] = {{"top", "j", "B", "upper", "B"},
                                        {"low", "k", "B", "c", "B"},
                                        {"low_leg", "c", "B", "lower", "A"},
                                        {"knee", "upper", "C", "f", "A"},
                                        {"ankle", "f", "B", "lower", "B"}};
  const char *ground = side > 0 ? "left" : "right";
  list_add(joints, on_crank, "j", leg, leg, "j", leg);
  list_add(joints, on_crank, "k", leg, leg, "k", leg);
  list_add(joints, on_ground, "upper", leg, ground, "upper", leg);
  list_add(joints, on_ground, "c", leg, ground, "c", leg);
  for (size_t n = 0; n < sizeof pins / sizeof *pins; n++)
    list_add(joints, pin, pins[n][0], leg, pins[n][1], leg, pins[n][2], pins[n][3], leg, pins[n][4]);
}

/* Adds leg number `leg`, on the left (side 1) or mirrored (-1), for a crank at `angle`. */
static void add_leg(text_list *points, text_list *bodies, text_list *joints, size_t leg, double side, double angle) {
  const place crank = {side * m * cos(angle), m * sin(angle)}, fixed = {-a, -l};
  const place top = meeting(fixed, b, crank, j), low = meeting(crank, k, fixed, c), knee = meeting(fixed, d, top, e);
  const place ankle = meeting(low, g, knee, f), foot = meeting(low, i, ankle, h);
  const place corners[][3] = {{crank, top}, {crank, low},  {fixed, top, knee},
                              {fixed, low}, {knee, ankle}, {low, ankle, foot}};
  static const char *const names[] = {"j", "k", "upper", "c", "f", "lower"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    add_body(bodies, names[n], leg, side, corners[n], n == 2 || n == 5 ? 3 : 2);
  list_add(points, PART("P%zu": [%.17g, %.17g]), leg, side * crank.x, crank.y);
  add_joints(joints, leg, side);
}

char *models_strandbeest(size_t legs) {
  text_list *points = list_open(), *bodies = list_open(), *joints = list_open();
  for (size_t n = 0; n < legs; n++)
    add_leg(points, bodies, joints, n + 1, n % 2 ? -1 : 1, 2 * acos(-1) * (double)n / (double)legs);
  MODEL(beast,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "left": [-0.38, -0.078], "right": [0.38, -0.078]}},
       "bodies": [{"name": "crank", "mass": 1, "inertia": 0.01, "points": {"O": [0, 0], %s}}, %s],
       "joints": [{"name": "shaft", "type": "revolute", "points": ["ground.O", "crank.O"]}, %s]});
  return list_fill(beast, points, bodies, joints);
}
