/* words.c - see words.h. */
#include "words.h"

#include "mbs.h"

#include <stdio.h>
#include <string.h>

void api_words_split(api_words *words, const char *list) {
  words->count = 0;
  snprintf(words->text, sizeof words->text, "%s", list ? list : "");
  for (char *word = words->text; *word && words->count < API_WORDS_MAX;) {
    words->items[words->count++] = word;
    word += strcspn(word, "|");
    if (*word) *word++ = '\0';
  }
}

void api_words_add(api_words *words, const char *word) {
  if (words->count < API_WORDS_MAX) words->items[words->count++] = word;
}

bool api_words_has(const api_words *words, const char *word) {
  for (size_t i = 0; i < words->count; i++) {
    if (strcmp(words->items[i], word) == 0) return true;
  }
  return false;
}

const char *api_hint(const char *const *known, size_t count, const char *word, char *out, size_t size) {
  static const char more[] = ", ...";
  const char *nearest = mbs_nearest(word, known, count);
  if (nearest) {
    snprintf(out, size, "did you mean '%s'?", nearest);
    return out;
  }
  size_t used = (size_t)snprintf(out, size, count ? "known are: " : "none is known");
  for (size_t i = 0; i < count; i++) {
    if (used + strlen(known[i]) + 2 + sizeof more > size) {
      snprintf(out + used, size - used, "%s", more);
      break;
    }
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", known[i]);
  }
  return out;
}

const char *api_words_hint(const api_words *words, const char *word, char *out, size_t size) {
  return api_hint(words->items, words->count, word, out, size);
}
