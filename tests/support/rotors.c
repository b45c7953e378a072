/* Mechanisms with inertias along coordinates of their joints. */
#include "models.h"

#include <stdlib.h>

char *models_rotors(bool cut) {
  /* the arm ends on the ground if it is `cut` */
  return models_text(
      "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"parameters\": {\"I\": 0.7, \"N\": 3},"
      "\"ground\": {\"points\": {\"O\": [0, 0], \"E\": [\"0.1 + 0.8*cos(0.7) + 0.6*cos(0.6)\", \"0.8*sin(0.7) - "
      "0.6*sin(0.6)\"]}, \"vectors\": {\"u\": [1, 0]}},"
      "\"bodies\": [{\"name\": \"cart\", \"mass\": 2, \"inertia\": 0.3, \"points\": {\"P\": [0, 0]}, \"vectors\": "
      "{\"u\": "
      "[1, 0]}},"
      "{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.1, \"points\": {\"A\": [-0.4, 0], \"B\": [0.4, 0]}},"
      "{\"name\": \"b\", \"mass\": 1.5, \"inertia\": 0.2, \"points\": {\"A\": [-0.3, 0], \"B\": [0.3, 0]}}],"
      "\"joints\": [{\"name\": \"rail\", \"type\": \"translational\", \"points\": [\"ground.O\", \"cart.P\"], "
      "\"vectors\": [\"ground.u\", \"cart.u\"], \"armature\": 1.3, \"initial\": {\"position\": 0.1}},"
      "{\"name\": \"p\", \"type\": \"revolute\", \"points\": [\"cart.P\", \"a.A\"], \"armature\": \"I\", \"initial\": "
      "{\"position\": 0.7}},"
      "{\"name\": \"q\", \"type\": \"revolute\", \"points\": [\"a.B\", \"b.A\"], \"armature\": 0.4, \"initial\": "
      "{\"position\": -1.3}}%s],"
      "\"forces\": [{\"name\": \"motor\", \"type\": \"dc-motor\", \"joint\": \"q\", \"voltage\": \"4*cos(3*t)\", "
      "\"resistance\": 0.5, \"torque_constant\": 0.2, \"gear_ratio\": \"N\", \"rotor_inertia\": 0.02, \"damping\": "
      "0.01}],"
      "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"integrator\": {\"rtol\": 1e-10, \"atol\": "
      "1e-12}}}",
      cut ? ",{\"name\": \"loop\", \"type\": \"revolute\", \"points\": [\"ground.E\", \"b.B\"], \"armature\": 0.6, "
            "\"cut\": true}"
          : "");
}

char *models_spatial_rotors(const char *type) {
  static const char body[] = "\"vectors\": {\"x\": [1, 0, 0], \"y\": [0, 1, 0], \"z\": [0, 0, 1]}";
  char *second =
      type ? models_text("{\"name\": \"q\", \"type\": \"%s\", \"points\": [\"a.B\", \"b.A\"], \"vectors\": [\"a.z\", "
                         "\"b.%s\"], \"armature\": 0.5}",
                         type, *type == 'u' ? "y" : "z")
           : models_text("{\"name\": \"q\", \"type\": \"floating\", \"body\": \"b\", \"armature\": [1, 2, 3, 0.5], "
                         "\"initial\": {\"velocity\": [1, 0, 2, 0.3, 0.2, 0.1]}}");
  char *document = models_text(
      "{\"space\": \"spatial\", \"gravity\": [0, 0, -9.81], \"ground\": {\"points\": {\"O\": [0, 0, 0]}, %s},"
      "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": [0.3, 0.2, 0.25], \"points\": {\"A\": [-0.5, 0, 0], "
      "\"B\": [0.5, 0, 0.1]}, %s},"
      "{\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.15, 0.2], \"points\": {\"A\": [-0.4, 0, 0], \"B\": [0.4, "
      "0.1, 0]}, %s},"
      "{\"name\": \"c\", \"mass\": 1, \"inertia\": [0.1, 0.15, 0.2], \"points\": {\"A\": [-0.4, 0, 0]}, %s}],"
      "\"joints\": [{\"name\": \"p\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"a.A\"], \"vectors\": "
      "[\"ground.y\", \"a.y\"], \"armature\": 0.7, \"initial\": {\"position\": 0.3, \"velocity\": 2}}, %s,"
      "{\"name\": \"s\", \"type\": \"spherical\", \"points\": [\"b.B\", \"c.A\"], \"armature\": 0.8, \"initial\": "
      "{\"velocity\": [1, 2, 3]}}],"
      "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 0.5, \"dt\": 0.1, \"integrator\": {\"rtol\": 1e-10, \"atol\": "
      "1e-12}}}",
      body, body, body, body, second);
  free(second);
  return document;
}
