/* oscillator.h - a mass m on a spring k, released from rest at A: x = A cos(w t), w = sqrt(k/m). */
#ifndef OSCILLATOR_H
#define OSCILLATOR_H

#include "models.h"

/* The document `oscillator` with this force in x and these parameters, which include k, m and A; OSCILLATOR_NAMED gives
 * the document another name. */
#define OSCILLATOR(FORCE, ...) OSCILLATOR_NAMED(oscillator, FORCE, __VA_ARGS__)
#define OSCILLATOR_NAMED(NAME, FORCE, ...) \
  MODEL(NAME, { \
    "space": "planar", \
    "parameters": __VA_ARGS__, \
    "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}}, \
    "bodies": [{"name": "b", "mass": "m", "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}], \
    "joints": [{ \
      "name": "rail", \
      "type": "translational", \
      "points": ["ground.O", "b.P"], \
      "vectors": ["ground.u", "b.u"], \
      "initial": {"position": "A", "velocity": 0} \
    }], \
    "forces": [{"name": "spring", "type": "force", "body": "b", "value": [FORCE, 0]}], \
    "sensors": [{"name": "place", "value": "b.x", "unit": "m"}] \
  })

#endif
