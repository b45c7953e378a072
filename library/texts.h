/* texts.h - the locale in which the library reads and writes texts: numbers have a point, whatever the locale of the
 * program is. */
#ifndef LIBRARY_TEXTS_H
#define LIBRARY_TEXTS_H

#include <locale.h>

/* The locale of the thread before a call, and that during it. */
typedef struct texts_locale {
  locale_t before, during;
} texts_locale;

/* Makes the C locale that of this thread. If memory runs out, the thread keeps its own. */
static inline texts_locale texts_enter(void) {
  const locale_t during = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (texts_locale){.before = uselocale(during), .during = during};
}

/* Restores the locale of the thread. */
static inline void texts_leave(texts_locale locale) {
  uselocale(locale.before);
  if (locale.during) freelocale(locale.during);
}

/* Returns the result of a call that reads or writes texts. */
#define RETURN_WITH_TEXTS(type, call)          \
  do {                                         \
    const texts_locale locale = texts_enter(); \
    type const result = call;                  \
    texts_leave(locale);                       \
    return result;                             \
  } while (0)

#endif
