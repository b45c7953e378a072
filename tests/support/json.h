/* json.h - macros for JSON texts in C sources: plain lines, no escapes.
 * The text consists of tokens of C, which include those of JSON: strings, numbers, words, brackets. White space and
 * line ends become single spaces; each parenthesis needs its counterpart. */
#ifndef TESTS_SUPPORT_JSON_H
#define TESTS_SUPPORT_JSON_H

/* Short value as a string literal. clang-format formats it as C, so placeholders for printf are allowed only inside
 * strings. */
#define JSON(...) #__VA_ARGS__

/* Part of a text, such as members of an object or a format with placeholders. clang-format does not reformat it. */
#define PART(...) #__VA_ARGS__

/* Text as the constant `name`. clang-format does not reformat it; it may contain placeholders for printf. */
#define MODEL(name, ...) static const char name[] = #__VA_ARGS__

#endif
