/* page.h - certificates for readers: as text, and as a printable HTML page that contains the JSON certificate. */
#ifndef API_CERTIFICATE_PAGE_H
#define API_CERTIFICATE_PAGE_H

#include "api/base/buffer.h"

#include <jansson.h>

/* Appends the certificate as text, in lines of at most about 100 characters. */
void api_certificate_text(const json_t *certificate, api_buffer *out);
/* Appends a self-contained page without scripts. The same certificate gives the same bytes. */
void api_certificate_page(const json_t *made, api_buffer *out);
/* Writes the Content-Security-Policy of the page: it permits only the page's own style. */
void api_certificate_policy(char out[256]);
/* Returns the JSON text of the certificate in a page, and its length; NULL if there is none. */
const char *api_certificate_in_page(const char *page, size_t size, size_t *length);

#endif
