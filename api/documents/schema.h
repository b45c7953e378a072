/* schema.h - the JSON Schema (2020-12) of model documents, made from the class tables of the solver. */
#ifndef API_DOCUMENTS_SCHEMA_H
#define API_DOCUMENTS_SCHEMA_H

/* The text of schemas/model.schema.json, malloc'd; NULL when there is no memory. */
char *api_schema_text(void);

#endif
