/* words.h - lists of known words, and what to say about a word that is not in one. */
#ifndef API_WORDS_H
#define API_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { API_WORDS_MAX = 128, API_WORDS_TEXT = 2048 };

/* The words of a list written "a|b|c". */
typedef struct api_words {
  char text[API_WORDS_TEXT];
  const char *items[API_WORDS_MAX];
  size_t count;
} api_words;

/* `list` NULL is the empty list. */
void api_words_split(api_words *words, const char *list);
void api_words_add(api_words *words, const char *word);
bool api_words_has(const api_words *words, const char *word);
/* "did you mean 'b'?", or "known are: a, b, c" where no word is near, as many as fit into `size`. Returns `out`. */
const char *api_words_hint(const api_words *words, const char *word, char *out, size_t size);
/* The same for a list of any length. */
const char *api_hint(const char *const *known, size_t count, const char *word, char *out, size_t size);

#endif
