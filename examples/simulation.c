/* simulation.c - a document of JSON whose motion a host advances in steps, with an input that it sets before each.
 *
 * A cart on a level rail starts 1 m from where a controller wants it. Before each step of h = 10 ms the host reads
 * position x and velocity v and sets the force   u = -stiffness x - damping v,   which holds during the step. */
#include <mbs/mbsd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char document[] =
    "{\"space\": \"planar\", \"gravity\": [0, 0], \"inputs\": {\"u\": 0},"
    " \"ground\": {\"points\": {\"O\": [0, 0]}, \"vectors\": {\"rail\": [1, 0]}},"
    " \"bodies\": [{\"name\": \"cart\", \"mass\": 2, \"inertia\": 1, \"points\": {\"C\": [0, 0]},"
    "               \"vectors\": {\"along\": [1, 0]}}],"
    " \"joints\": [{\"name\": \"slide\", \"type\": \"translational\", \"points\": [\"ground.O\", \"cart.C\"],"
    "               \"vectors\": [\"ground.rail\", \"cart.along\"], \"initial\": {\"position\": 1}}],"
    " \"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"cart\", \"value\": [\"u\", 0]}]}";

static const double stiffness = 50, damping = 20, step = 0.01;
enum { STEPS = 200 };

/* Returns the index of an output. */
static size_t find_output(const mbsd_simulation *motion, const char *name) {
  size_t count, i = 0;
  const mbsd_variable *outputs = mbsd_simulation_outputs(motion, &count);
  while (i < count && strcmp(outputs[i].name, name) != 0) i++;
  return i;
}

/* Steps the motion under control, and prints time, position and velocity. */
static bool control(mbsd_simulation *motion) {
  const size_t outputs[] = {find_output(motion, "slide.q"), find_output(motion, "slide.qd")};
  puts("# t [s]  x [m]  v [m/s]");
  for (int i = 0;; i++) {
    double y[2];
    if (!mbsd_simulation_read(motion, outputs, 2, y)) return false;
    printf("%.17g %.17g %.17g\n", mbsd_simulation_time(motion), y[0], y[1]);
    if (i == STEPS) return true;
    const double u = -stiffness * y[0] - damping * y[1];
    if (!mbsd_simulation_set_inputs(motion, &u) || !mbsd_simulation_step(motion, step)) return false;
  }
}

int main(void) {
  mbsd_answer *refusal;
  mbsd_simulation *motion = mbsd_simulation_new(document, strlen(document), &refusal);
  if (!motion) {
    fprintf(stderr, "%s\n", refusal ? mbsd_answer_error(refusal) : "out of memory");
    mbsd_answer_free(refusal);
    return EXIT_FAILURE;
  }
  const bool good = control(motion);
  if (!good) fprintf(stderr, "%s\n", mbsd_simulation_error(motion));
  mbsd_simulation_free(motion);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
