/* symbol_joints.c - symbols of joints, in the tree or cut, and of drivers. */
#include "symbolic/symbol_words.h"

#include "kernels/kernels.h"
#include "model/rows.h"

#include <string.h>

/* ---- of the tree's joints ------------------------------------------------------------------------------------ */

static const mbs_tree_column *column_of(const mbs_symbols *symbols, size_t column) {
  return &symbols->chain->columns[column];
}

static const char *joint_name(const mbs_symbols *symbols, const mbs_tree_column *column) {
  return column->joint >= 0 ? symbols->model->joints[column->joint].name : "";
}

/* Returns the index "2", or "2,1" for a joint with several degrees of freedom. */
static const char *freedom(mbs_symbols *symbols, const mbs_tree_column *column) {
  int j = user_of(symbols, column->body);
  return column->part ? mbs_symbol_format(symbols, "%d,%d", j, column->part) : number(symbols, j);
}

static mbs_spot pivot_of(const mbs_tree_column *column) {
  mbs_spot pivot = {.body = column->pivot_body};
  memcpy(pivot.s, column->pivot, sizeof pivot.s);
  return pivot;
}

static const mbs_term *direction(mbs_symbols *symbols, mbs_variable like) {
  int body = like.to.body;
  if (like.rate && (body == 0 || !symbols->chain->turns[body])) return mbs_term_number(symbols->algebra, 0);
  like.rows = symbols->algebra->dim;
  like.columns = 1;
  like.quantity = MBS_QUANTITY_DIRECTION;
  if (like.rate) like.meaning = mbs_symbol_format(symbols, "rate of the %s", like.meaning);
  return mbs_symbol_term(symbols, &like);
}

static const mbs_term *made_axis(mbs_symbols *symbols, size_t at, int rate) {
  const mbs_tree_column *column = column_of(symbols, at);
  mbs_spot to = {.body = column->axis_body, .s = {column->axis[0], column->axis[1], column->axis[2]}};
  return direction(symbols, (mbs_variable){.letter = "u",
                                           .index = freedom(symbols, column),
                                           .rate = rate,
                                           .from = pivot_of(column),
                                           .to = to,
                                           .joint = joint_name(symbols, column),
                                           .meaning = mbs_symbol_format(symbols, "unit vector of joint %s, global axes",
                                                                        joint_name(symbols, column))});
}

const mbs_term *mbs_symbol_axis(mbs_symbols *symbols, size_t at, int rate) {
  const mbs_term **kept = often(symbols, rate ? MBS_OFTEN_AXIS_RATE : MBS_OFTEN_AXIS, at);
  if (!*kept) *kept = made_axis(symbols, at, rate);
  return *kept;
}

static const mbs_term *made_coordinate(mbs_symbols *symbols, size_t at) {
  const mbs_tree_column *column = column_of(symbols, at);
  int j = user_of(symbols, column->body);
  if (column->kind == MBS_MOTION_PLACE) return mbs_symbol_centre(symbols, column->body, 1);
  if (column->kind == MBS_MOTION_SPIN && symbols->algebra->dim == 3) return mbs_symbol_omega(symbols, column->body);
  mbs_variable like = {.rate = 1,
                       .rows = column->size,
                       .columns = 1,
                       .quantity = MBS_QUANTITY_COORDINATE,
                       .number = column->first,
                       .from = pivot_of(column),
                       .to = centre_of(column->body),
                       .joint = column->joint < 0 ? NULL : joint_name(symbols, column)};
  if (column->kind == MBS_MOTION_SPIN) {
    like.quantity = MBS_QUANTITY_ANGLE; /* the body's angle, in every tree: every body has one */
    like.letter = "phi";
    like.index = number(symbols, j);
    like.meaning = mbs_symbol_format(symbols, "rate of the angle of %s", name_of(symbols, column->body));
    like.unit = "rad/s";
  } else if (column->kind == MBS_MOTION_BALL) {
    like.letter = "omega";
    like.rate = 0;
    like.quantity = MBS_QUANTITY_RELATIVE_OMEGA;
    like.index = mbs_symbol_format(symbols, "%d,%d", user_of(symbols, column->axis_body), j);
    like.meaning = mbs_symbol_format(symbols, "angular velocity of joint %s, in the axes of its first body",
                                     joint_name(symbols, column));
    like.unit = "rad/s";
  } else {
    like.letter = "theta";
    like.index = freedom(symbols, column);
    like.meaning = mbs_symbol_format(symbols, "rate of the coordinate of joint %s", joint_name(symbols, column));
    like.unit = column->kind == MBS_MOTION_SLIDE ? "m/s" : "rad/s";
  }
  return mbs_symbol_term(symbols, &like);
}

const mbs_term *mbs_symbol_coordinate(mbs_symbols *symbols, size_t at) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_COORDINATE, at);
  if (!*kept) *kept = made_coordinate(symbols, at);
  return *kept;
}

/* Returns the symbol of a number of the document: its letter alone if it is the only one, else with an index. */
static const mbs_term *constant(mbs_symbols *symbols, const char *letter, const char *index, double value,
                                const char *meaning, const char *unit) {
  const mbs_variable *known = mbs_symbol_known(symbols, letter);
  bool other = known && strcmp(known->meaning, meaning) != 0;
  return mbs_symbol_term(symbols, &(mbs_variable){.letter = letter,
                                                  .index = other ? index : "",
                                                  .rows = 1,
                                                  .columns = 1,
                                                  .quantity = MBS_QUANTITY_CONSTANT,
                                                  .constant = value,
                                                  .meaning = meaning,
                                                  .unit = unit});
}

const mbs_term *mbs_symbol_roll(mbs_symbols *symbols, size_t at) {
  const mbs_tree_column *column = column_of(symbols, at);
  const mbs_joint *joint = &symbols->model->joints[column->joint];
  const mbs_joint_constants *numbers = mbs_joint_numbers(symbols->constants, joint);
  const char *index = number(symbols, user_of(symbols, column->body));
  const mbs_term *radius =
      constant(symbols, "R", index, numbers->roll, mbs_symbol_format(symbols, "radius of disc %s", joint->name), "m");
  mbs_spot to = {.body = joint->frames.body1};
  memcpy(to.s, numbers->geometry.u1, sizeof to.s);
  const mbs_variable *known = mbs_symbol_known(symbols, "u_0");
  bool other = known && memcmp(known->to.s, to.s, sizeof to.s) != 0;
  const mbs_term *line =
      direction(symbols, (mbs_variable){.letter = "u",
                                        .index = other ? mbs_symbol_format(symbols, "0,%s", index) : "0",
                                        .to = to,
                                        .meaning = "direction of the ground line"});
  return mbs_term_product(symbols->algebra, radius, line);
}

const mbs_term *mbs_symbol_pitch(mbs_symbols *symbols, size_t at) {
  const mbs_tree_column *column = column_of(symbols, at);
  const mbs_joint *joint = &symbols->model->joints[column->joint];
  return constant(symbols, "h", number(symbols, user_of(symbols, column->body)),
                  mbs_joint_numbers(symbols->constants, joint)->pitch,
                  mbs_symbol_format(symbols, "advance per radian of screw %s", joint->name), "m/rad");
}

static const char *spot_words(mbs_symbols *symbols, const mbs_spot *spot) {
  int p = mbs_symbol_point_at(symbols, spot);
  if (p >= 0)
    return mbs_symbol_format(symbols, "point %s of %s", symbols->model->points[p].name, name_of(symbols, spot->body));
  return mbs_symbol_format(symbols, "the mass centre of %s", name_of(symbols, spot->body));
}

/* Returns "point B of joint pin"; for a floating body its mass centre. */
static const char *pivot_words(mbs_symbols *symbols, const mbs_tree_column *column, const mbs_spot *pivot) {
  if (column->joint < 0) return spot_words(symbols, pivot);
  int p = mbs_symbol_point_at(symbols, pivot);
  if (p >= 0)
    return mbs_symbol_format(symbols, "point %s of joint %s", symbols->model->points[p].name,
                             joint_name(symbols, column));
  return mbs_symbol_format(symbols, "the second point of joint %s", joint_name(symbols, column));
}

/* Returns true if this point is the pivot of a column, by the numbers of the document, at every position of the
 * mechanism. */
static bool is_pivot(const mbs_tree_column *column, const mbs_spot *spot) {
  mbs_spot pivot = {.body = column->pivot_body}, twin = {.body = column->twin_body};
  memcpy(pivot.s, column->pivot, sizeof pivot.s);
  memcpy(twin.s, column->twin, sizeof twin.s);
  return same_spot(&pivot, spot) || (column->coincident && same_spot(&twin, spot));
}

/* Returns "-s_2^{B}" for the vector from a point of a body to its mass centre, "s_2^{B}" for the opposite one. */
static const char *as_arm(mbs_symbols *symbols, const mbs_spot *from, const mbs_spot *to) {
  static const double centre[3] = {0, 0, 0};
  if (from->body != to->body) return NULL;
  bool ends = memcmp(to->s, centre, sizeof centre) == 0, begins = memcmp(from->s, centre, sizeof centre) == 0;
  const mbs_spot *point = ends ? from : to;
  if (!ends && !begins) return NULL;
  int p = mbs_symbol_point_at(symbols, point);
  if (p < 0) return NULL;
  mbs_symbol_name name = {"s", number(symbols, user_of(symbols, point->body)), symbols->model->points[p].name, 0, 0};
  return mbs_symbol_format(symbols, "%s%s", ends ? "-" : "", mbs_symbol_spelled(symbols, &name));
}

/* Returns the vector from the pivot of a column to a point. */
static const mbs_term *lever(mbs_symbols *symbols, const mbs_tree_column *column, const char *index, const mbs_spot *to,
                             int rate) {
  mbs_spot from = pivot_of(column);
  if (is_pivot(column, to)) return mbs_term_number(symbols->algebra, 0);
  const char *equal = as_arm(symbols, &from, to);
  const char *pivot = pivot_words(symbols, column, &from);
  return mbs_symbol_vector(
      symbols, (mbs_variable){.letter = "d",
                              .index = index,
                              .rate = rate,
                              .quantity = MBS_QUANTITY_BETWEEN,
                              .from = from,
                              .to = *to,
                              .joint = column->joint < 0 ? NULL : joint_name(symbols, column),
                              .equal = equal,
                              .meaning = mbs_symbol_format(symbols, "from %s to %s, global axes%s%s%s", pivot,
                                                           spot_words(symbols, to), equal ? " (= " : "",
                                                           equal ? equal : "", equal ? ")" : "")});
}

const mbs_term *mbs_symbol_lever(mbs_symbols *symbols, int body, size_t at, int rate) {
  const mbs_tree_column *column = column_of(symbols, at);
  mbs_spot to = centre_of(body);
  const char *index = mbs_symbol_format(symbols, "%d,%d", user_of(symbols, body), user_of(symbols, column->body));
  return lever(symbols, column, index, &to, rate);
}

/* ---- of cuts and drivers ------------------------------------------------------------------------------------- */

mbs_spot mbs_block_spot(const mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_geometry *at = &symbols->constants->blocks[block->numbers].geometry;
  mbs_spot spot = {.body = side == 1 ? block->frames.body1 : block->frames.body2};
  memcpy(spot.s, side == 1 ? at->s1 : at->s2, sizeof spot.s);
  return spot;
}

static const char *element_of(const mbs_symbols *symbols, const mbs_block *block) {
  return mbs_row_element(symbols->model, (size_t)block->first_row);
}

const char *mbs_symbol_cut_index(mbs_symbols *symbols, const mbs_block *block) {
  size_t cuts = 0;
  /* a coordinate of a rotor: its vectors may differ from those of the joint's rows */
  if (block->function < 0 && block->of_joint >= 0)
    return mbs_symbol_format(symbols, "*%s.q", element_of(symbols, block));
  for (size_t j = 0; j < symbols->model->joint_count; j++) cuts += symbols->model->joints[j].block_count > 0;
  if (block->function < 0 && cuts == 1) return "*";
  return mbs_symbol_format(symbols, "*%s", element_of(symbols, block));
}

/* Returns a free index for a quantity of which a cut has two: if the first point's symbol already has the name, the
 * index of the second. */
static const char *free_index(mbs_symbols *symbols, const char *letter, const char *index, const char *rest,
                              const mbs_spot *from, const mbs_spot *to, int side) {
  const char *whole = mbs_symbol_format(symbols, "%s%s", index, rest);
  const mbs_variable *known =
      mbs_symbol_known(symbols, mbs_symbol_spelled(symbols, &(mbs_symbol_name){letter, whole, "", 0, false}));
  if (!known || (same_spot(&known->to, to) && same_spot(&known->from, from))) return whole;
  return mbs_symbol_format(symbols, "%s%s%d%s", index, strcmp(index, "*") == 0 ? "" : ":", side, rest);
}

static int point_on(const mbs_block *block, int side) {
  return side == 1 ? block->frames.point1 : block->frames.point2;
}

const mbs_term *mbs_symbol_cut_lever(mbs_symbols *symbols, const mbs_block *block, int side, size_t at, int rate) {
  const mbs_tree_column *column = column_of(symbols, at);
  mbs_spot to = mbs_block_spot(symbols, block, side), from = pivot_of(column);
  int point = point_on(block, side);
  if (is_pivot(column, &to)) return mbs_term_number(symbols->algebra, 0);
  bool bodies = symbols->chain->bodies || symbols->model->body_formulation;
  if (bodies && block->primitive == MBS_PRIMITIVE_POINT && point >= 0 && column->body == to.body)
    return mbs_symbol_arm(symbols, point, rate);
  const char *rest =
      mbs_symbol_format(symbols, symbols->chain->bodies ? ",r_%d" : ",%d", user_of(symbols, column->body));
  const char *index = free_index(symbols, "d", mbs_symbol_cut_index(symbols, block), rest, &from, &to, side);
  if (rate) /* the position has the same name */
    lever(symbols, column, index, &to, 0);
  return lever(symbols, column, index, &to, rate);
}

const mbs_term *mbs_symbol_gap(mbs_symbols *symbols, const mbs_block *block, bool reversed, mbs_quantity quantity,
                               int rate) {
  mbs_spot one = mbs_block_spot(symbols, block, 1), two = mbs_block_spot(symbols, block, 2);
  mbs_variable like = {.rate = rate,
                       .quantity = quantity,
                       .from = reversed ? one : two,
                       .to = reversed ? two : one,
                       .joint = element_of(symbols, block)};
  const char *way = reversed ? "from P1 to P2" : "from P2 to P1", *whose = element_of(symbols, block);
  bool scalar = quantity == MBS_QUANTITY_LENGTH;
  like.letter = quantity == MBS_QUANTITY_UNIT ? "e" : scalar ? "l" : quantity == MBS_QUANTITY_DRIFT ? "b" : "d";
  like.index = free_index(symbols, like.letter, mbs_symbol_cut_index(symbols, block), "", &like.from, &like.to, 2);
  like.rows = scalar ? 1 : symbols->algebra->dim;
  like.columns = 1;
  like.unit = quantity == MBS_QUANTITY_UNIT ? "1" : quantity == MBS_QUANTITY_DRIFT ? "m/s^2" : rate ? "m/s" : "m";
  if (quantity == MBS_QUANTITY_UNIT)
    like.meaning = mbs_symbol_format(symbols, "unit vector %s of %s", way, whose);
  else if (scalar)
    like.meaning = mbs_symbol_format(symbols, "distance between the points of %s", whose);
  else if (quantity == MBS_QUANTITY_DRIFT)
    like.meaning =
        mbs_symbol_format(symbols, "velocity-dependent part of the acceleration of %s minus that of %s of %s",
                          reversed ? "P2" : "P1", reversed ? "P1" : "P2", whose);
  else
    like.meaning = mbs_symbol_format(symbols, rate ? "rate of the vector %s of %s" : "%s of %s", way, whose);
  return mbs_symbol_term(symbols, &like);
}

const mbs_term *mbs_symbol_cut_axis(mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_geometry *at = &symbols->constants->blocks[block->numbers].geometry;
  static const char *const letters[] = {"u", "w", "n"};
  mbs_spot to = {.body = side == 1 ? block->frames.body1 : block->frames.body2};
  memcpy(to.s, side == 1 ? at->u1 : at->u2, sizeof to.s);
  if (side == 1 && block->row)
    for (int k = 0; k < 3; k++)
      if (block->row->axis[k] == 1)
        return direction(symbols, (mbs_variable){.letter = "e",
                                                 .index = k == 0   ? "x"
                                                          : k == 1 ? "y"
                                                                   : "z",
                                                 .to = to,
                                                 .meaning = "global axis"});
  const char *letter = block->row ? letters[side == 1 ? block->row->vector1 : block->row->vector2] : "u";
  return direction(
      symbols,
      (mbs_variable){
          .letter = letter,
          .index = mbs_symbol_format(symbols, "%s%s", mbs_symbol_cut_index(symbols, block), side == 1 ? "" : ",2"),
          .from = mbs_block_spot(symbols, block, side),
          .to = to,
          .joint = element_of(symbols, block),
          .meaning = mbs_symbol_format(symbols, "unit vector of %s on its %s body, global axes",
                                       element_of(symbols, block), side == 1 ? "first" : "second")});
}

/* Returns the symbol of a weight of a row: the number of the document that determines it, or its value. */
const mbs_term *mbs_symbol_weight(mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_block_constants *numbers = &symbols->constants->blocks[block->numbers];
  const mbs_row *row = block->row;
  double weight = side == 1 ? numbers->weight1 : numbers->weight2;
  const char *field = !row ? NULL : side == 1 ? row->weight1_field : row->weight2_field;
  double factor = !row ? 0 : side == 1 ? row->weight1 : row->weight2;
  if (!field || factor == 0) return mbs_term_number(symbols->algebra, weight);
  const char *name = element_of(symbols, block);
  bool radius = strcmp(field, "radius") == 0, pitch = strcmp(field, "pitch") == 0;
  const mbs_term *named = constant(symbols,
                                   radius  ? "R"
                                   : pitch ? "h"
                                           : "n",
                                   name, weight / (factor < 0 ? -1 : 1),
                                   mbs_symbol_format(symbols, "%s %s",
                                                     radius  ? "radius of disc"
                                                     : pitch ? "advance per radian of screw"
                                                             : "ratio of gear",
                                                     name),
                                   radius  ? "m"
                                   : pitch ? "m/rad"
                                           : "1");
  return mbs_term_signed(symbols->algebra, factor < 0 ? -1 : 1, named);
}

const mbs_term *mbs_symbol_rotor(mbs_symbols *symbols, size_t rotor) {
  const mbs_rotor *at = &symbols->model->rotors[rotor];
  const mbs_block *coordinate = &symbols->model->coordinates[at->coordinate];
  const char *name = symbols->model->joints[coordinate->of_joint].name;
  const char *index = at->item > 0 ? mbs_symbol_format(symbols, "%s.%zu", name, at->item + 1) : name;
  return constant(
      symbols, "J", at->ratio ? mbs_symbol_format(symbols, "%s.rotor", name) : index,
      symbols->constants->rotors[rotor] / at->scale,
      mbs_symbol_format(symbols, "inertia of the %s along coordinate %s", at->ratio ? "rotor" : "armature", index),
      mbs_is_turn(coordinate->primitive) ? "kg m^2" : "kg");
}

/* Returns the unit of a driver's function, or of its rate. */
static const char *unit_followed(const mbs_block *block, int rate) {
  static const char *const units[2][3] = {{"rad", "rad/s", "rad/s^2"}, {"m", "m/s", "m/s^2"}};
  return block->primitive == MBS_PRIMITIVE_CUSTOM ? NULL : units[mbs_is_length(block->primitive)][rate];
}

const mbs_term *mbs_symbol_function(mbs_symbols *symbols, const mbs_block *block, int rate) {
  size_t drivers = symbols->model->driver_count;
  const char *name = element_of(symbols, block);
  return mbs_symbol_term(
      symbols,
      &(mbs_variable){.letter = "f",
                      .index = drivers == 1 ? "" : name,
                      .rate = rate,
                      .rows = 1,
                      .columns = 1,
                      .quantity = MBS_QUANTITY_FUNCTION,
                      .number = block->function,
                      .meaning = rate == 0 ? mbs_symbol_format(symbols, "prescribed function of driver %s", name)
                                 : rate == 1
                                     ? mbs_symbol_format(symbols, "rate of the prescribed function of driver %s", name)
                                     : mbs_symbol_format(
                                           symbols, "second derivative of the prescribed function of driver %s", name),
                      .unit = unit_followed(block, rate)});
}

/* Returns the name of a row's joint, with the row's label if the joint has several rows that its class computes. */
static const char *name_of_row(mbs_symbols *symbols, const mbs_block *block) {
  const char *name = element_of(symbols, block);
  const mbs_joint_shape *shape = block->custom ? block->custom->shape : NULL;
  int count = 0;
  for (size_t r = 0; shape && r < shape->row_count; r++)
    if (shape->rows[r].primitive == MBS_PRIMITIVE_CUSTOM) count += block->custom->copies;
  return count > 1 ? mbs_symbol_format(symbols, "%s.%s", name, block->row->labels) : name;
}

const mbs_term *mbs_symbol_row(mbs_symbols *symbols, const mbs_block *block, mbs_quantity quantity) {
  const char *name = name_of_row(symbols, block);
  int width = symbols->model->kernels->width * (int)symbols->model->nB;
  const char *letter = quantity == MBS_QUANTITY_ROW ? "D" : quantity == MBS_QUANTITY_ROW_RATE ? "rhsV" : "gamma";
  return mbs_symbol_term(
      symbols,
      &(mbs_variable){
          .letter = letter,
          .index = name,
          .rows = 1,
          .columns = quantity == MBS_QUANTITY_ROW ? width : 1,
          .quantity = quantity,
          .number = block->first_row,
          .meaning = quantity == MBS_QUANTITY_ROW
                         ? mbs_symbol_format(symbols, "derivatives of the rows of %s by the body velocities", name)
                     : quantity == MBS_QUANTITY_ROW_RATE
                         ? mbs_symbol_format(symbols, "right-hand side of the velocity equations of %s", name)
                         : mbs_symbol_format(symbols, "right-hand side of the acceleration equations of %s", name)});
}

const mbs_term *mbs_symbol_column(mbs_symbols *symbols, int at) {
  const mbs_tree_column *column = at < 0 ? NULL : column_of(symbols, at);
  return mbs_symbol_term(
      symbols, &(mbs_variable){.letter = column ? "B" : "beta",
                               .index = column ? column->label : "",
                               .rows = symbols->model->kernels->width * (int)symbols->model->nB,
                               .columns = column ? column->size : 1,
                               .quantity = MBS_QUANTITY_COLUMN,
                               .number = at,
                               .meaning = column ? mbs_symbol_format(symbols, "column %s of B", column->label)
                                                 : "Bdot theta', the accelerations of the bodies if theta'' = 0"});
}
