/* quantities.h - quantities.def, looked up by word, by input and in order. */
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

enum { MBS_COMPONENT_WHICH = -2 }; /* the number behind the word says which */

typedef struct mbs_quantity {
  mbs_owner owner;
  const char *word;
  mbs_input_kind kind;
  int component, level;
  mbs_dimension dimension; /* of level 0; unknown: as what is measured says */
  mbs_space spaces;
  const char *doc;
} mbs_quantity;

/* Returns where a quantity may be used. */
mbs_use mbs_quantity_use(const mbs_quantity *quantity);
/* Returns true if a quantity follows from forces, which kinematics does not compute. */
bool mbs_quantity_needs_forces(const mbs_quantity *quantity);

/* Those of one of `owners` (or of several: MBS_OF_BODY | MBS_OF_PLACE) in a space of `dim` dimensions, in their order;
 * NULL past the end. */
const mbs_quantity *mbs_quantity_at(int owners, int dim, size_t index);
/* The one that `word` names, NULL where there is none; *number: the one behind a word that has one, 0 without. */
const mbs_quantity *mbs_quantity_find(int owners, int dim, const char *word, int *number);
/* The word of one that is read as an input of this kind, component and level; "" where there is none. */
const char *mbs_quantity_word(int owners, int dim, mbs_input_kind kind, int component, int level);
/* How many words of a kind and level there are. */
size_t mbs_quantity_words(int owners, int dim, mbs_input_kind kind, int level);
/* "x, y, phi, vx, vy, omega": those of uses first to last, for a message. Where the owners have very many, groups
 * after the first are told by their ends. */
enum { MBS_QUANTITY_LIST = 128 };
const char *mbs_quantity_list(int owners, int dim, mbs_use first, mbs_use last, char text[MBS_QUANTITY_LIST]);

/* ---- what they are of, in a model ---- */

/* Of a primitive's value: what it measures. Unknown: what a joint's class computes itself. */
mbs_dimension mbs_primitive_dimension(mbs_primitive primitive);
/* Of a constraint row, and of the multiplier or effort that does work on its rate. */
mbs_dimension mbs_row_dimension(const mbs_block *block);
mbs_dimension mbs_effort_dimension(mbs_dimension measured);
/* Of a curve's contact parameter. */
mbs_dimension mbs_curve_dimension(const mbs_curve *curve);
/* Of output number `k` of a force element. */
mbs_dimension mbs_force_dimension(const mbs_model *model, const mbs_force *force, int k);
/* Of an input of an expression, once the model is built. */
mbs_dimension mbs_input_dimension(const mbs_model *model, const mbs_input *input);
/* Of the value of a law, where it is certain; unknown without memory, too. */
mbs_dimension mbs_law_dimension(const mbs_model *model, const mbs_law *law, mbs_arena *scratch);

#endif
