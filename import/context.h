/* context.h - the state of one conversion: its memory, its exit on failure, the document under construction, and the
 * notes and errors. */
#ifndef IMPORT_CONTEXT_H
#define IMPORT_CONTEXT_H

#include "import/import.h"
#include "mbs.h"

#include <setjmp.h>

/* A position in a source, for notes and errors. */
typedef struct import_location {
  const char *file;
  int line, column;    /* position in the source; 0: not known */
  const char *pointer; /* JSON pointer in a JSON source, instead of a line; else NULL */
  const char *element; /* name of the element concerned; NULL: none */
} import_location;

typedef struct import_context {
  mbs_arena *arena;
  import_tree *tree;
  import_options options;
  import_answer *answer;
  jmp_buf exit; /* import_leave() jumps here */
  /* The document, and its lists, borrowed from it. */
  json_t *document, *bodies, *joints, *drivers, *forces;
  import_location place;    /* position of what is being read; see import_at() */
  json_t *names[3];         /* taken names, by import_name_kind */
  struct import_xml *files; /* open XML files, to be closed */
  json_t *sources;          /* list of open JSON files and of values that last until the end */
} import_context;

/* Allocates zeroed memory that lasts until the end of the conversion. Leaves the conversion if memory runs out. */
void *import_alloc(import_context *context, size_t count, size_t size);
char *import_text(import_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Leaves the conversion with a fault. */
_Noreturn void import_leave(import_context *context, int status, const char *code, const import_location *place,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Sets the position of the elements that are added from now on, for errors of the document that concern them. */
void import_at(import_context *context, const import_location *place);
/* Sets the position of a part of the document, by its JSON pointer. */
void import_locate(import_context *context, const char *pointer, const import_location *place);
/* Returns `value`; leaves the conversion if it is NULL, as memory ran out. */
json_t *import_need(import_context *context, json_t *value);

typedef enum import_level { IMPORT_MAPPED, IMPORT_CHANGED, IMPORT_DROPPED } import_level;

/* Adds a note. `pointer` refers to the document; NULL: none. Equal notes are counted. */
void import_note(import_context *context, import_level level, const char *code, const import_location *place,
                 const char *pointer, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Reports a value that the source's own format does not allow. */
void import_invalid(import_context *context, const import_location *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a part of the source that cannot be mapped: an error, or with `partial` a note `dropped`. */
void import_not_mapped(import_context *context, const import_location *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
