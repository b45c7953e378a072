/* A surface of triangles. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {
    {.name = "points",
     .kind = MBS_KIND_ROW,
     .min_count = 3,
     .max_count = 100000,
     .required = true,
     .unit = "m",
     .doc = "corners [x, y, z], from the mass centre"},
    {.name = "triangles",
     .kind = MBS_KIND_ROW,
     .min_count = 1,
     .max_count = 200000,
     .required = true,
     .low = 0,
     .high = 99999,
     .doc = "indices of the three corners of each triangle, from 0, counterclockwise as seen from outside"},
    MBS_SHAPE_COLOR,
    MBS_SHAPE_END};

static void check_corner(mbs_builder *builder, const mbs_value *triangle, size_t i, size_t corners) {
  const mbs_field *field = &fields[1];
  char pointer[MBS_POINTER_SIZE];
  size_t stand_ins = builder->binder.stand_ins;
  double number = mbs_read_item(mbs_numbers_of(builder), field, triangle, i);
  if (builder->binder.stand_ins != stand_ins || (number == floor(number) && number < (double)corners)) return;
  mbs_item_pointer(triangle, i, pointer);
  mbs_diagnose(builder->list, MBS_INVALID, pointer, "there is no corner %g; the points are numbered from 0 to %zu",
               number, corners - 1);
}

static void check(mbs_builder *builder, const mbs_node *shape) {
  const mbs_value *points = mbs_read_value(shape, "points"), *triangles = mbs_read_value(shape, "triangles");
  for (size_t k = 0; points->given && points->count > 0 && triangles->given && k < triangles->count; k++) {
    const mbs_value *triangle = &triangles->nodes[k].values[0];
    for (size_t i = 0; triangle->given && triangle->count == 3 && i < 3; i++)
      check_corner(builder, triangle, i, points->count);
  }
}

const mbs_shape_class mbs_shape_mesh = {.base = {.name = "mesh",
                                                 .doc = "A surface made of triangles.",
                                                 .fields = fields,
                                                 .family = MBS_FAMILY_SHAPE,
                                                 .spaces = MBS_SPATIAL},
                                        .check = check};
