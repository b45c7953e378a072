/* Driver of a joint coordinate. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "joint", .kind = MBS_KIND_JOINT, .required = true, .doc = "driven joint"},
                                   {.name = "coordinate",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = 1,
                                    .low = 1,
                                    .high = 7,
                                    .doc = "coordinate, counted from 1, if the joint has several"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_joint = {
    .base = {.name = "joint",
             .doc = "Prescribes a coordinate of a joint as a function of time.",
             .equation = "Phi = theta - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_ANY_SPACE},
    .drives = MBS_DRIVES_JOINT,
};
