/* reference.h - the reference of the manual, made from the class tables of the solver: what documents may contain, a
 * page a class, in Markdown. Links lead to NAME.md beside it. */
#ifndef API_DOCUMENTS_REFERENCE_H
#define API_DOCUMENTS_REFERENCE_H

#include "api/base/buffer.h"
#include "api/documents/manual_link.h"

#include <stdbool.h>
#include <stddef.h>

enum { API_PAGES_MAX = 256 };

/* A page of a class, of a family (which lists its classes), of the result arrays, or of expressions. */
typedef struct api_page {
  char name[API_MANUAL_LINK_SIZE];
  const mbs_class *cls; /* NULL: of none */
  mbs_family family;    /* MBS_FAMILY_NONE: of a class, the arrays or expressions */
} api_page;

typedef struct api_pages {
  api_page items[API_PAGES_MAX];
  size_t count;
} api_pages;

/* The document, the analysis, the arrays, expressions; each family, followed by its classes; classes that several of
 * these have in common. */
void api_reference_pages(api_pages *pages);
/* The page of that name; NULL where there is none. */
const api_page *api_reference_find(const api_pages *pages, const char *name);
/* What the page is about, in a sentence. */
const char *api_page_summary(const api_page *page);
/* The text of a page. */
void api_reference_print(const api_pages *pages, const api_page *page, api_buffer *out);

#endif
