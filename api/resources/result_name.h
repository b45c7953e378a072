/* result_name.h - names under which browsers save files with results. */
#ifndef API_RESOURCES_RESULT_NAME_H
#define API_RESOURCES_RESULT_NAME_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Returns the name of the model of the route's job, malloc'd; NULL if it has none. */
char *api_result_model_name(const api_call *call);
/* Adds Content-Disposition with a file name in ASCII and in UTF-8 (RFC 6266, RFC 8187): the model's name (NULL:
 * "results"), the end of the job's id ("": none), the array's name (NULL: all arrays) and the extension. Long names are
 * cut. */
void api_result_disposition(api_response *response, const char *model_name, const char *id, const char *array,
                            const char *extension);

#endif
