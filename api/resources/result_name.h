/* result_name.h - what a file with results is called where it is saved. */
#ifndef API_RESOURCES_RESULT_NAME_H
#define API_RESOURCES_RESULT_NAME_H

#include "api/http/call.h"
#include "api/http/response.h"

/* The name of the model of the route's job, malloc'd; NULL where it has none. */
char *api_result_model_name(const api_call *call);
/* Adds Content-Disposition: the model's name (NULL: "results"), the end of the job's id, the array's name (NULL: all of
 * them) and the extension, once in ASCII and once in UTF-8 (RFC 6266, RFC 8187). Long names are cut. */
void api_result_disposition(api_response *response, const char *model_name, const char *id, const char *array,
                            const char *extension);

#endif
