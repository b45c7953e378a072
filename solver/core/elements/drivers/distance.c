/* Driver of a distance. */
#include "elements/drivers/driver.h"

static const mbs_field fields[] = {MBS_DRIVER_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "points of two bodies"},
                                   MBS_DRIVER_FUNCTION,
                                   MBS_DRIVER_END};

const mbs_driver_class mbs_driver_distance = {
    .base = {.name = "distance",
             .doc = "Prescribes the distance of two points as a function of time, C(t) > 0.",
             .equation = "Phi = norm(rP1 - rP2) - C(t)",
             .fields = fields,
             .family = MBS_FAMILY_DRIVER,
             .spaces = MBS_ANY_SPACE},
    .row = {.primitive = MBS_PRIMITIVE_DISTANCE, .scale = 1, .labels = "distance"},
    .drives = MBS_DRIVES_POINTS,
};
