/* Driver of an angle. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "body", .kind = MBS_KIND_BODY, .required = true, .doc = "driven body"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_angle = {
    .base = {.name = "angle",
             .doc = "Prescribes the angle of a body as a function of time.",
             .equation = "Phi = phi - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_PLANAR},
    .row = {.primitive = MBS_PRIMITIVE_ANGLE, .scale = 1, .weight2 = 1, .labels = "angle"},
    .drives = MBS_DRIVES_BODY,
};
