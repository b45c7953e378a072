/* text.c - see text.h. */
#include "api/base/text.h"

#include <stddef.h>
#include <string.h>

char *api_text_copy(const char *text) { return text ? strdup(text) : NULL; }
