/* methods.h - properties of the integration methods, by name (methods.def). */
#ifndef MBS_METHODS_H
#define MBS_METHODS_H

#include <stdbool.h>

/* The method used if the document names none. */
#define MBS_DEFAULT_METHOD "dopri5"

/* MBS_ADAPTIVE_rk4: whether a method chooses its step size. */
enum {
#define MBS_STEPS_CHOSEN 1
#define MBS_STEPS_FIXED 0
#define MBS_METHOD(name, steps, stiff, doc) MBS_ADAPTIVE_##name = MBS_STEPS_##steps,
#include "base/methods.def"
#undef MBS_METHOD
#undef MBS_STEPS_CHOSEN
#undef MBS_STEPS_FIXED
};

/* Expands to `text` if the step size is fixed; for texts built from the table. */
#define MBS_IF_FIXED(steps, text) MBS_IF_STEPS_##steps(text)
#define MBS_IF_STEPS_FIXED(text) text
#define MBS_IF_STEPS_CHOSEN(text) ""

/* Both return false for unknown names. */
bool mbs_method_has_fixed_steps(const char *name);
bool mbs_method_is_stiff(const char *name);
/* Returns the names of the methods with fixed steps, such as "rk4". */
const char *mbs_methods_of_fixed_steps(void);
/* Returns the name of a method for stiff equations. */
const char *mbs_stiff_method(void);

#endif
