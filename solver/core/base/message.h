/* message.h - texts for users: error messages and notes. They never contain a number that is not finite. */
#ifndef MBS_MESSAGE_H
#define MBS_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

/* Formats a text like snprintf(), with MBS_NO_NUMBER in place of each number that is not finite. Returns the length
 * that the text would have without truncation. */
int mbs_message(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Same for a va_list of arguments. */
int mbs_message_of(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#define MBS_NO_NUMBER "(not finite)"

#endif
