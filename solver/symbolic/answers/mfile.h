/* mfile.h - shared by the files that read answers from MATLAB M-files: values, the reader, functions. */
#ifndef MBS_MFILE_H
#define MBS_MFILE_H

#include "symbolic/answers/answer.h"

/* Limits of one M-file: variables, characters of a name with its final 0, and parts of a matrix. */
enum { MBS_MFILE_VARIABLES_MAX = 256, MBS_MFILE_NAME_MAX = 64, MBS_MFILE_PIECES_MAX = 4096 };

/* A matrix: terms and numbers, each with its row and column. */
typedef struct mbs_mfile_value {
  int rows, columns;
  size_t count;
  const mbs_answer_piece *pieces; /* [count] */
} mbs_mfile_value;

typedef struct mbs_mfile_variable {
  char name[MBS_MFILE_NAME_MAX]; /* "": a value without a name */
  mbs_mfile_value value;
} mbs_mfile_variable;

/* An M-file that is being read. */
typedef struct mbs_mfile {
  mbs_check_work *work;
  mbs_symbols *symbols;
  mbs_algebra *algebra;
  const char *text, *at;         /* the whole text; the next character */
  mbs_mfile_variable *variables; /* [MBS_MFILE_VARIABLES_MAX], `count` of them set */
  size_t count;
  int depth;              /* depth of nested expressions */
  bool in_matrix;         /* true inside brackets, where blanks separate elements */
  bool failed, no_memory; /* after a failure the rest of the text is ignored */
  char what[320];         /* the error, */
  const char *where;      /* position of the error in the text, */
  bool size;              /* true if it is an error of sizes */
} mbs_mfile;

/* ---- mfile_value.c: values, and arithmetic with them ---- */

/* The number 0, returned after each failure. */
extern const mbs_mfile_value mbs_mfile_zero;
/* Records an error at `where` and ends the reading; later errors are ignored. `size`: sizes do not match. Returns 0. */
mbs_mfile_value mbs_mfile_fail(mbs_mfile *r, const char *where, bool size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Allocates an array that lasts as long as the check. Records an error and returns NULL if memory runs out. */
void *mbs_mfile_alloc(mbs_mfile *r, size_t count, size_t size);
/* Returns a value of one term; fails if the term has too many parts. */
mbs_mfile_value mbs_mfile_of_term(mbs_mfile *r, const mbs_term *term);
/* Returns a value of one number. */
mbs_mfile_value mbs_mfile_of_number(mbs_mfile *r, double number);
/* Returns zeros(rows, columns) or, with `diagonal`, eye(rows, columns). */
mbs_mfile_value mbs_mfile_of_numbers(mbs_mfile *r, int rows, int columns, bool diagonal, const char *where);
/* Returns the term of a value that consists of one term or number; fails for other values. */
const mbs_term *mbs_mfile_term(mbs_mfile *r, const mbs_mfile_value *v, const char *where);
/* Returns true if the value is one number. */
bool mbs_mfile_is_number(const mbs_mfile_value *v);
/* Return -v, v', one * two, one / two, one + two. The last three fail at `where` if the sizes do not match. */
mbs_mfile_value mbs_mfile_negative(mbs_mfile *r, const mbs_mfile_value *v);
mbs_mfile_value mbs_mfile_transposed(mbs_mfile *r, const mbs_mfile_value *v);
mbs_mfile_value mbs_mfile_multiplied(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                     const char *where);
mbs_mfile_value mbs_mfile_divided(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                  const char *where);
mbs_mfile_value mbs_mfile_added(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                const char *where);

/* ---- mfile_reader.c: characters, expressions, statements ---- */

/* Skips blanks. Returns true and skips `c` if it is the next character. */
bool mbs_mfile_accept(mbs_mfile *r, char c);
/* Skips blanks and `c`; fails if another character is next. */
void mbs_mfile_expect(mbs_mfile *r, char c);
/* Returns true if a name can begin with `c`. */
bool mbs_mfile_starts_name(char c);
/* Reads letters, digits and underscores. Fails if the name is too long. */
void mbs_mfile_word(mbs_mfile *r, char out[MBS_MFILE_NAME_MAX]);
/* Reads an expression within parentheses, where blanks do not separate elements. */
mbs_mfile_value mbs_mfile_parenthesized(mbs_mfile *r);
/* Reads an expression whose value is an integer from 0 to 999999; otherwise fails and returns 0. */
int mbs_mfile_whole_number(mbs_mfile *r);

/* ---- mfile_names.c: the arrays and functions of the DAP programs ---- */

/* Reads a name, with its index and field, and returns its value: Points(3).sP, theta_d(1), s_rot(...), a variable. */
mbs_mfile_value mbs_mfile_of_name(mbs_mfile *r);

/* ---- mfile_answers.c: from variables to answers ---- */

/* Adds an answer for each block of the matrices that the file assigns, or of matrix `asked` only. Fails if there is no
 * such matrix. Returns false if memory runs out. */
bool mbs_mfile_add_matrices(mbs_mfile *r, const char *asked);
/* Adds an answer with the error of a file that could not be read. Returns false if memory runs out. */
bool mbs_mfile_add_unreadable(mbs_mfile *r, const char *asked);

#endif
