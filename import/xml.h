/* xml.h - XML files of a source, by libxml2 without entities, document types, network and files.
 *
 * A reader takes attributes and elements by the functions below, which mark them. In the end import_xml_report_unread()
 * adds a note for each attribute and element that no reader has taken, so that nothing is dropped silently. */
#ifndef IMPORT_XML_H
#define IMPORT_XML_H

#include "import/context.h"
#include "import/tree.h"

#include <libxml/tree.h>

typedef struct import_xml {
  const char *file;
  xmlDoc *document;
  struct import_xml *next;
} import_xml;

/* Parses a file and returns its root. Leaves the conversion if the file is not well-formed or has a document type. The
 * document exists until the end of the conversion. */
xmlNode *import_xml_open(import_context *context, const import_file *file);
/* Like import_xml_open(); returns the same root if the file is open. */
xmlNode *import_xml_open_once(import_context *context, const import_file *file);
void import_xml_close_all(import_context *context);

bool import_xml_is(const xmlNode *node, const char *name);
/* Returns the first child element of that name (NULL: of any name), or NULL, and marks it. */
xmlNode *import_xml_child(xmlNode *node, const char *name);
/* Returns the next sibling element of that name, or NULL, and marks it. */
xmlNode *import_xml_next(xmlNode *node, const char *name);
/* Steps through the child elements of any name without marking them; `child` is NULL at first. */
xmlNode *import_xml_step(xmlNode *node, xmlNode *child);
void import_xml_take(xmlNode *node);
/* Marks an element, its attributes and everything in it. */
void import_xml_take_all(xmlNode *node);
/* Returns the value of an attribute, or NULL, and marks it. */
const char *import_xml_attribute(import_context *context, xmlNode *node, const char *name);
/* Returns the text of an element without the blanks at its ends; NULL if there is no element. */
const char *import_xml_text(import_context *context, xmlNode *node);
/* Returns the text of a child element, as import_xml_text(); its number, or `fallback` if it has none. */
const char *import_xml_text_in(import_context *context, xmlNode *node, const char *name);
double import_xml_number_in(import_context *context, xmlNode *node, const char *name, double fallback);

/* Returns the position of the start tag of an element, and the name of the nearest element around it that has one. */
import_location import_xml_location(import_context *context, const xmlNode *node);

/* Reads `count` numbers from a text. Returns true if numbers were read. If the text has other content, reports an error
 * and does not change `out`. */
bool import_xml_numbers(import_context *context, const xmlNode *node, const char *text, size_t count, double *out);
/* Reads the numbers of an attribute; does not change `out` if there is none. Returns true if numbers were read. */
bool import_xml_read(import_context *context, xmlNode *node, const char *name, size_t count, double *out);

/* Adds a note for each attribute and element of the open files that was not taken. */
void import_xml_report_unread(import_context *context);
/* Adds the note `dropped` for one element, and marks it. */
void import_xml_drop(import_context *context, xmlNode *node);

#endif
