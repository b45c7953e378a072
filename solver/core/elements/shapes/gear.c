/* A spur gear with straight teeth, whose height follows from the module. */
#include "elements/shapes/shape.h"

/* More teeth cannot be distinguished in a drawing. */
enum { MBS_GEAR_TEETH_MAX = 2000 };

static const mbs_field fields[] = {
    {.name = "teeth",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 3,
     .high = MBS_GEAR_TEETH_MAX,
     .doc = "number of teeth"},
    {.name = "module",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .unit = "m",
     .doc = "module: pitch diameter per tooth"},
    {.name = "width",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .spaces = MBS_SPATIAL,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .unit = "m",
     .doc = "length along the axis"},
    MBS_SHAPE_PLACE("at", false, "centre, from the mass centre"),
    MBS_SHAPE_AXIS("axis of the gear; default: z"),
    MBS_SHAPE_ANGLE("rotation about its axis; at 0 a tooth points along x if the axis is z"),
    MBS_SHAPE_COLOR,
    MBS_SHAPE_END};

static void check(mbs_builder *builder, const mbs_node *shape) {
  size_t stand_ins = builder->binder.stand_ins;
  double teeth = mbs_read_number(mbs_numbers_of(builder), shape, "teeth");
  if (mbs_read_given(shape, "teeth") && builder->binder.stand_ins == stand_ins && teeth != floor(teeth))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(shape, "teeth")->pointer,
                 "teeth must be a whole number, not %g", teeth);
  mbs_shape_check_axis(builder, shape);
}

const mbs_shape_class mbs_shape_gear = {.base = {.name = "gear",
                                                 .doc = "A spur gear; its pitch diameter is teeth times module.",
                                                 .fields = fields,
                                                 .family = MBS_FAMILY_SHAPE,
                                                 .spaces = MBS_ANY_SPACE},
                                        .check = check};
