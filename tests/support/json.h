/* json.h - JSON texts as they are read: plain lines, no escapes.
 *
 * Written are tokens of C, which those of JSON are: strings, numbers, words, brackets. White space and the ends of
 * lines become single spaces; brackets () need their other half. */
#ifndef TESTS_SUPPORT_JSON_H
#define TESTS_SUPPORT_JSON_H

/* A short value as a string literal. clang-format sets it as C: holes for printf only inside strings. */
#define JSON(...) #__VA_ARGS__

/* A part of a text, such as members of an object or a format with holes. It stays on its line, as it is. */
#define PART(...) #__VA_ARGS__

/* A text as the constant `name`, in lines that stay as they are; it may have holes for printf. */
#define MODEL(name, ...) static const char name[] = #__VA_ARGS__

#endif
