/* module.h - what the page calls in the WebAssembly module, and what that asks of the page.
 *
 * Texts lie in the module's memory: allocate() makes room for a document, and answer() tells where the text of the last
 * answer is. Answers are those of the service: JSON, of a problem (RFC 9457) where the document has mistakes. */
#ifndef MBS_WASM_MODULE_H
#define MBS_WASM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_EXPORT(name) __attribute__((export_name(name)))
#define MODULE_IMPORT(name) __attribute__((import_module("page"), import_name(name)))

/* Room for `size` bytes; NULL: there is none. */
MODULE_EXPORT("allocate") void *module_allocate(size_t size);
MODULE_EXPORT("release") void module_release(void *memory);

/* The last answer, until the next call. */
MODULE_EXPORT("answer") const char *module_answer(void);
MODULE_EXPORT("answer_size") size_t module_answer_size(void);

/* Reads a document, builds its model and assembles it. The answer is that of POST /validate, whose status is returned;
 * `scene`: with what a drawing needs. */
MODULE_EXPORT("validate") int module_validate(const char *text, size_t size, bool scene);

/* Runs the job of a document; page_array() takes its arrays, one after another. The answer is {"status", "report",
 * "error"} as of a job of the service, with status 200 whether it succeeded or not, or a problem. A run that wants a
 * method which is not built in fails with the code "method_not_built": the service has all. */
MODULE_EXPORT("run") int module_run(const char *text, size_t size);

/* The same for the analysis "assembly", whatever the document asks for: one row of positions to be drawn. */
MODULE_EXPORT("assemble") int module_assemble(const char *text, size_t size);

/* Takes an array of a run: `text` [size] says what it is, as GET /jobs/ID/results lists it; data [count]. Both go when
 * it returns. */
MODULE_IMPORT("array") void page_array(const char *text, size_t size, const double *data, size_t count);

#endif
