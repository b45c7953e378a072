/* symbol_words.h - helpers for describing symbols, private to the files symbol*.c. */
#ifndef MBS_SYMBOL_WORDS_H
#define MBS_SYMBOL_WORDS_H

#include "symbolic/symbol.h"

#include <string.h>

/* Returns a formatted text in the arena. */
const char *mbs_symbol_format(mbs_symbols *symbols, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Return the symbol that `like` describes as a term; mbs_symbol_vector() for a vector between two points, or its
 * rate. */
const mbs_term *mbs_symbol_term(mbs_symbols *symbols, const mbs_variable *like);
const mbs_term *mbs_symbol_vector(mbs_symbols *symbols, mbs_variable like);

static inline const char *number(mbs_symbols *symbols, int value) { return mbs_symbol_format(symbols, "%d", value); }

static inline int user_of(const mbs_symbols *symbols, int body) { return symbols->chain->user_of[body]; }
static inline const char *name_of(const mbs_symbols *symbols, int body) { return symbols->model->bodies[body].name; }

/* Returns the storage of a frequently used symbol of a body or column. */
static inline const mbs_term **often(mbs_symbols *symbols, mbs_often which, size_t number) {
  return &symbols->often[(size_t)which * symbols->often_room + number];
}

static inline mbs_spot centre_of(int body) { return (mbs_spot){.body = body}; }

static inline mbs_spot point_of(const mbs_symbols *symbols, int point) {
  mbs_spot spot = {.body = symbols->model->points[point].body};
  memcpy(spot.s, symbols->constants->points[point], sizeof spot.s);
  return spot;
}

static inline bool same_spot(const mbs_spot *one, const mbs_spot *other) {
  return one->body == other->body && one->s[0] == other->s[0] && one->s[1] == other->s[1] && one->s[2] == other->s[2];
}

#endif
