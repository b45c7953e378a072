/* Driver of a joint coordinate. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {
    MBS_DRIVER_NAME,
    {.name = "joint", .kind = MBS_KIND_JOINT, .required = true, .doc = "the joint driven"},
    {.name = "coordinate",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .low = 1,
     .high = 7,
     .doc = "which coordinate, counted from 1, where the joint has several"},
    MBS_DRIVER_FUNCTION,
    MBS_DRIVER_END};

const mbs_driver_class mbs_driver_joint = {
    .base = {.name = "joint",
             .doc = "A coordinate of a joint follows a function of time.",
             .equation = "Phi = theta - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_ANY_SPACE},
    .drives = MBS_DRIVES_JOINT,
};
