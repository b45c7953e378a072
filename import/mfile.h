/* mfile.h - reads programs in a subset of MATLAB without executing them: assignments of numbers, vectors, expressions
 * and structures, and if/else. Values are matrices of terms, so that what depends on the state stays an expression. */
#ifndef IMPORT_MFILE_H
#define IMPORT_MFILE_H

#include "import/context.h"
#include "import/tree.h"

typedef struct mfile mfile;
typedef struct mfile_term mfile_term;
struct mfile_term {
  enum { MFILE_NUMBER, MFILE_ATOM, MFILE_BINARY, MFILE_FUNCTION, MFILE_IF } kind;
  double number;
  const char *text; /* an atom's name in expressions of the document; else an operator or a function */
  const mfile_term *a, *b, *c;
  int parts; /* terms in it, as a tree */
};

typedef struct mfile_struct mfile_struct;
typedef struct mfile_value {
  enum { MFILE_MATRIX, MFILE_STRING, MFILE_STRUCT, MFILE_LIST, MFILE_UNREAD } kind;
  int rows, columns;
  const mfile_term **cells; /* [rows x columns] */
  const char *text;         /* text of a string; the reason for an unread value */
  mfile_struct **list;      /* [rows] */
  int line;
} mfile_value;

typedef struct mfile_field {
  const char *name;
  mfile_value value;
  int line;
  bool taken; /* a reader has used it */
  struct mfile_field *next;
} mfile_field;

struct mfile_struct {
  const char *name, *type; /* name of the variable; "Body_struct", .. */
  int line;
  mfile_field *fields;
};

enum { MFILE_VARIABLES = 400 };

/* Handles a call that is a statement. Returns false if it is not known. */
typedef bool mfile_call(mfile *self, const char *name, const mfile_value *arguments, size_t count, int line);

struct mfile {
  import_context *context;
  const char *file, *text, *at;
  int line, depth;
  bool in_matrix, tolerant; /* tolerant: a value that cannot be read is an error only where it is used */
  const char *why;          /* reason of a failure; NULL: none */
  int why_line;
  struct {
    const char *name;
    mfile_value value;
  } variables[MFILE_VARIABLES];
  size_t count;
  void *owner;
  /* Sets `out` to global(index).field; returns false if it is not known. `field` is "" for global(index). */
  bool (*member)(mfile *self, const char *global, int index, const char *field, mfile_value *out);
  mfile_call *call; /* handles a call; NULL: no call is known */
};

/* Reads a program. Reports an error with its line for each statement that is not of the subset. */
void mfile_read(mfile *self, const import_file *file);
void mfile_set(mfile *self, const char *name, const mfile_value *value);
const mfile_value *mfile_get(const mfile *self, const char *name);
import_location mfile_location(const mfile *self, int line, const char *element);

const mfile_term *mfile_number(import_context *context, double number);
const mfile_term *mfile_atom(import_context *context, const char *text);
const mfile_term *mfile_operate(import_context *context, const char *operator, const mfile_term * a,
                                const mfile_term *b);
mfile_value mfile_matrix(import_context *context, int rows, int columns);
mfile_value mfile_scalar(import_context *context, const mfile_term *term);
/* Writes a term as an expression of the document. */
const char *mfile_print(import_context *context, const mfile_term *term);
/* Evaluates a term; each atom has a value that depends on its name and on `seed`. Atoms named in `zero` are 0. */
double mfile_evaluate(const mfile_term *term, unsigned seed, const char *zero);
/* Returns true if a term contains an atom whose name begins with `start`. */
bool mfile_depends(const mfile_term *term, const char *start);

/* Returns a term in which an atom is 0. */
const mfile_term *mfile_without(import_context *context, const mfile_term *term, const char *atom);
/* Returns true if a term depends on more than t and numbers. */
bool mfile_names_state(const mfile_term *term);

/* Reads the field of a structure; NULL if it was not assigned. */
const mfile_field *mfile_find_field(const mfile_struct *object, const char *name);
/* Reads `count` numbers of a value. Returns false if it has another size or depends on the state. */
bool mfile_numbers_of(const mfile_value *value, size_t count, double *out);

#endif
