/* json.h - slices as JSON. */
#ifndef API_FORMATS_JSON_H
#define API_FORMATS_JSON_H

#include "api/formats/format.h"

extern const api_format api_format_json;

#endif
