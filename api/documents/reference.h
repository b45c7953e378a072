/* reference.h - the reference part of the manual: pages in Markdown about the content of documents, generated from the
 * class tables of the solver, one page for each class. Links refer to NAME.md in the same directory. */
#ifndef API_DOCUMENTS_REFERENCE_H
#define API_DOCUMENTS_REFERENCE_H

#include "api/base/buffer.h"
#include "api/documents/manual_link.h"

#include <stdbool.h>
#include <stddef.h>

enum { API_PAGES_MAX = 256 };

/* A page about a class, a family (a list of its classes), the result arrays, or expressions. */
typedef struct api_page {
  char name[API_MANUAL_LINK_SIZE];
  const mbs_class *cls; /* NULL: of none */
  mbs_family family;    /* MBS_FAMILY_NONE: of a class, the arrays or expressions */
} api_page;

typedef struct api_pages {
  api_page items[API_PAGES_MAX];
  size_t count;
} api_pages;

/* Lists the pages: document, analysis, arrays, expressions; each family, followed by its classes; classes that several
 * of these use. */
void api_reference_pages(api_pages *pages);
/* Returns the page of that name; NULL if there is none. */
const api_page *api_reference_find(const api_pages *pages, const char *name);
/* Returns a sentence that says what the page is about. */
const char *api_page_summary(const api_page *page);
/* Appends the text of a page. */
void api_reference_print(const api_pages *pages, const api_page *page, api_buffer *out);

#endif
