/* random_expression.h - random numbers and expressions, equal in every run. */
#ifndef RANDOM_EXPRESSION_H
#define RANDOM_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inputs x0, ..., x4. */
enum { INPUTS = 5, TEXT_SIZE = 8192 };

/* xorshift64* */
uint64_t random_bits(uint64_t *state);
int random_below(uint64_t *state, int bound);
double random_between(uint64_t *state, double low, double high);

/* The functions of functions.def. */
typedef struct known_function {
  const char *name;
  int arguments;
  bool is_switch;
} known_function;
extern const known_function known_functions[];
extern const size_t known_function_count;

typedef struct writer {
  char text[TEXT_SIZE];
  size_t used;
  uint64_t random;
} writer;

/* Appends a random expression of at most this depth. */
void put_expression(writer *w, int depth);

#endif
