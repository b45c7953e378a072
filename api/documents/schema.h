/* schema.h - the JSON Schema (2020-12) of model documents, generated from the class tables of the solver. */
#ifndef API_DOCUMENTS_SCHEMA_H
#define API_DOCUMENTS_SCHEMA_H

/* Returns the text of schemas/model.schema.json, malloc'd; NULL if memory runs out. */
char *api_schema_text(void);

#endif
