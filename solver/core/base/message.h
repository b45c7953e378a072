/* message.h - texts for people: messages of errors, and notes. None has a number that is not finite. */
#ifndef MBS_MESSAGE_H
#define MBS_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

/* Writes a text as snprintf() does, with MBS_NO_NUMBER in place of each number that is not finite. Returns the length
 * that it would have without its end cut off. */
int mbs_message(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes the same from a list of arguments. */
int mbs_message_of(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#define MBS_NO_NUMBER "(not finite)"

#endif
