/* Driver of a z coordinate. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "point", .kind = MBS_KIND_POINT, .required = true, .doc = "driven point"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_z = {
    .base = {.name = "z",
             .doc = "Prescribes the z coordinate of a point as a function of time.",
             .equation = "Phi = z_P - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_SPATIAL},
    .row = {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {0, 0, 1}, .labels = "z"},
    .drives = MBS_DRIVES_POINT_OF_GROUND,
};
