#include "elements/joints/joint.h"

static const mbs_field fields[] = {{.name = "position",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 1,
                                    .max_count = 7,
                                    .or_single = true,
                                    .fallback = NAN,
                                    .unit = "m or rad",
                                    .doc = "coordinates, displacements first, then rotations"},
                                   {.name = "velocity",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 1,
                                    .max_count = 6,
                                    .or_single = true,
                                    .fallback = NAN,
                                    .unit = "m/s or rad/s",
                                    .doc = "rates of these coordinates"},
                                   MBS_JOINT_END};

const mbs_class mbs_joint_initial_class = {
    .name = "initial", .doc = "Initial coordinates and velocities of a joint.", .fields = fields};
