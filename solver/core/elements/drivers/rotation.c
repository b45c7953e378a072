/* Driver of a rotation about a global axis. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "body", .kind = MBS_KIND_BODY, .required = true, .doc = "driven body"},
                                   {.name = "axis",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 3,
                                    .max_count = 3,
                                    .required = true,
                                    .doc = "direction of the axis in global axes"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_rotation = {
    .base = {.name = "rotation",
             .doc = "Prescribes the rotation of a body about a global axis as a function of time; zero if its axes are "
                    "the global axes.",
             .equation = "Phi = rotation of the body about the axis - C(t), counted over full revolutions",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_SPATIAL},
    .row = {.primitive = MBS_PRIMITIVE_TURN, .scale = 1, .labels = "rotation"},
    .drives = MBS_DRIVES_BODY,
};
