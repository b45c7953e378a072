/* quantities.h - searches the table quantities.def by word, by input and in order. */
#ifndef MBS_QUANTITIES_H
#define MBS_QUANTITIES_H

#include "base/dimension.h"
#include "mbs/formula.h"
#include "mbs/model.h"
#include "model/model.h"

typedef enum mbs_owner {
  MBS_OF_PLACE = 1,
  MBS_OF_BODY = 2,
  MBS_OF_JOINT = 4,
  MBS_OF_CURVE = 8,
  MBS_OF_FORCE = 16,
  MBS_OF_DRIVER = 32,
  MBS_OF_ENERGY = 64
} mbs_owner;

enum { MBS_COMPONENT_WHICH = -2 }; /* the number after the word selects the component */

typedef struct mbs_quantity {
  mbs_owner owner;
  const char *word;
  mbs_input_kind kind;
  int component, level;
  mbs_dimension dimension; /* dimension of level 0; unknown: depends on the measured quantity */
  mbs_space spaces;
  const char *doc;
} mbs_quantity;

/* Returns the places where a quantity may be used. */
mbs_use mbs_quantity_use(const mbs_quantity *quantity);
/* Returns true if a quantity depends on forces, which kinematics does not compute. */
bool mbs_quantity_needs_forces(const mbs_quantity *quantity);

/* Returns quantity number `index` of `owners` (one owner or several: MBS_OF_BODY | MBS_OF_PLACE) in a space of `dim`
 * dimensions; NULL past the end. */
const mbs_quantity *mbs_quantity_at(int owners, int dim, size_t index);
/* Returns the quantity with this word, or NULL. Sets `*number` to the number after the word, to 0 if there is none. */
const mbs_quantity *mbs_quantity_find(int owners, int dim, const char *word, int *number);
/* Returns the word of the quantity that is read as an input of this kind, component and level; "" if there is none. */
const char *mbs_quantity_word(int owners, int dim, mbs_input_kind kind, int component, int level);
/* Returns the number of words of a kind and level. */
size_t mbs_quantity_words(int owners, int dim, mbs_input_kind kind, int level);
/* Writes a list of the quantities whose mbs_quantity_use() is in the range from `first` to `last`, for a message: "x,
 * y, phi, vx, vy, omega". If the owners have very many, later groups are shortened to their first and last words. */
enum { MBS_QUANTITY_LIST = 128 };
const char *mbs_quantity_list(int owners, int dim, mbs_use first, mbs_use last, char text[MBS_QUANTITY_LIST]);

/* ---- dimensions of quantities in a model ---- */

/* Returns the dimension of a primitive's value; unknown for rows that a joint's class computes itself. */
mbs_dimension mbs_primitive_dimension(mbs_primitive primitive);
/* Returns the dimension of a constraint row, and of the multiplier or effort that does work on its rate. */
mbs_dimension mbs_row_dimension(const mbs_block *block);
mbs_dimension mbs_effort_dimension(mbs_dimension measured);
/* Returns the dimension of a curve's contact parameter. */
mbs_dimension mbs_curve_dimension(const mbs_curve *curve);
/* Returns the dimension of output number `k` of a force element. */
mbs_dimension mbs_force_dimension(const mbs_model *model, const mbs_force *force, int k);
/* Returns the dimension of an input of an expression. The model must be built. */
mbs_dimension mbs_input_dimension(const mbs_model *model, const mbs_input *input);
/* Returns the dimension of the value of a law if it is certain; unknown otherwise, and if memory runs out. */
mbs_dimension mbs_law_dimension(const mbs_model *model, const mbs_law *law, mbs_arena *scratch);

#endif
