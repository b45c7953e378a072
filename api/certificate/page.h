/* page.h - a certificate for people: as text, and as a page that can be printed and has the certificate in it. */
#ifndef API_CERTIFICATE_PAGE_H
#define API_CERTIFICATE_PAGE_H

#include "api/base/buffer.h"

#include <jansson.h>

/* Lines of text, of 100 characters where words allow. */
void api_certificate_text(const json_t *certificate, api_buffer *out);
/* A page that stands alone, without scripts. The same certificate gives the same bytes. */
void api_certificate_page(const json_t *made, api_buffer *out);
/* The Content-Security-Policy that the page goes under: nothing but its own style. */
void api_certificate_policy(char out[256]);
/* The JSON text of the certificate in a page, and its length; NULL: there is none. */
const char *api_certificate_in_page(const char *page, size_t size, size_t *length);

#endif
