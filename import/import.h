/* import.h - converts models of other programs to documents of this one.
 *
 *     import_fault fault;
 *     import_tree *tree = import_tree_of_bytes("arm.zip", data, size, &fault);
 *     import_answer answer;
 *     import_convert(tree, &(import_options){0}, &answer);
 *     import_answer_free(&answer);
 *     import_tree_free(tree);
 *
 * Nothing of a source is executed, and no file outside of the tree is read. A conversion uses one thread and has no
 * global state of its own. */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The files of a source: one file, a folder, or an archive (zip or tar.gz). */
typedef struct import_tree import_tree;

/* Reason why a source cannot be converted as a whole. */
typedef struct import_fault {
  int status;       /* HTTP status: 400, 413, 422, 500 (memory ran out) */
  const char *code; /* "entity_refused", "path_refused", "too_large", "not_well_formed", "unknown_format", ... */
  char file[256];   /* file concerned, or "" */
  int line, column; /* counted from 1; 0: not known */
  char detail[512]; /* a sentence without its full stop */
} import_fault;

/* Loads what libraries read from files on their first call, for a process that then may open none. Sets its time zone
 * to UTC. */
void import_prepare(void);

/* Opens the files in `data`, which must last as long as the tree. `name` is the name of a single file. Returns NULL,
 * with the reason in `fault`, if an archive is damaged, too large, or contains links or paths that leave it. */
import_tree *import_tree_of_bytes(const char *name, const void *data, size_t size, import_fault *fault);
/* Opens a folder, an archive, or a file with the files beside it. Returns NULL with the reason in `fault`; status 0 if
 * the path cannot be read, with the reason in errno. */
import_tree *import_tree_of_path(const char *path, import_fault *fault);
void import_tree_free(import_tree *tree);

typedef struct import_options {
  const char *format;        /* "dap", "adm", "robotran", "urdf", "mjcf", "sdf"; NULL: from the content */
  const char *format_option; /* how the user gives `format`, for messages: "--format"; NULL: "the option format" */
  const char *main_file;     /* path of the file to convert if the tree has several; NULL: the only one of its kind */
  const char *keyframe;      /* name of the initial state (mjcf); NULL: the zero of the coordinates */
  bool floating;             /* the root of a tree (urdf) is free; default: fixed to the ground */
  bool partial;              /* leave out what cannot be mapped, with a note, instead of failing */
} import_options;

typedef struct import_answer {
  const char *format; /* NULL if it is not known */
  json_t *model;      /* the document; NULL on failure */
  json_t *notes;      /* [{"level", "code", "file", "line" or "source", "element", "detail", "pointer"}] */
  json_t *places; /* {"/joints/2": {"file", "line" or "source", "element"}, ..}: where the source has what the document
                         has there; NULL on failure */
  json_t *errors; /* [{"code", "file", "line" or "source", "element", "detail"}] if the source has parts that cannot
                         be mapped; NULL if it has none */
  import_fault fault; /* status 0: the conversion reached its end; then look at `errors` */
} import_answer;

/* Converts the source. Fills `answer`, which the caller frees in any case. */
void import_convert(import_tree *tree, const import_options *options, import_answer *answer);
void import_answer_free(import_answer *answer);
/* Adds "file", "line" or "source", and "element" to an error whose "pointer" leads into the document: those of the
 * innermost part that contains the pointer. */
void import_answer_locate(const import_answer *answer, json_t *error);

#endif
