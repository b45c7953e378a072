/* Driver of a relative angle. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "bodies",
                                    .kind = MBS_KIND_BODY,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "first and second body"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_relative_angle = {
    .base = {.name = "relative-angle",
             .doc = "Prescribes the angle of the second body relative to the first as a function of time.",
             .equation = "Phi = phi2 - phi1 - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_PLANAR},
    .row = {.primitive = MBS_PRIMITIVE_ANGLE, .scale = 1, .weight1 = -1, .weight2 = 1, .labels = "relative-angle"},
    .drives = MBS_DRIVES_BODIES,
};
