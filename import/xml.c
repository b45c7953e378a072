/* xml.c - see xml.h. */
#include "import/xml.h"

#include <ctype.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

/* Refused parts and errors that the parser has met, in its `_private`. */
typedef struct refusal {
  bool refused; /* a document type, or an external reference */
  int line;
  int code, error_line, column; /* position and code of the first error */
  char message[256];
} refusal;

/* Ends the parser at the start of a document type, before it reads any entity of it, or at an external reference. */
static void refuse_type(void *state, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
  (void)name;
  (void)external;
  (void)system;
  xmlParserCtxt *parser = state;
  refusal *refused = parser->_private;
  refused->refused = true;
  refused->line = parser->input ? parser->input->line : 0;
  xmlStopParser(parser);
}

/* Starts an element. libxml2 gives it the line at which its start tag ends; this is the line at which it begins. */
static void start_element(void *state, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
                          const xmlChar **namespaces, int attributes, int defaults, const xmlChar **values) {
  xmlParserCtxt *parser = state;
  if (uri && strcmp((const char *)uri, "http://www.w3.org/2001/XInclude") == 0) {
    refuse_type(state, NULL, NULL, NULL);
    return;
  }
  xmlSAX2StartElementNs(state, name, prefix, uri, spaces, namespaces, attributes, defaults, values);
  if (!parser->node || !parser->input) return;
  const xmlChar *at = parser->input->cur;
  while (at > parser->input->base && *at != '<') {
    at--;
    if (*at == '\n' && parser->node->line > 1) parser->node->line--;
  }
}

static void keep_error(void *state, xmlError *error) {
  refusal *refused = ((xmlParserCtxt *)state)->_private;
  if (refused->code || error->level < XML_ERR_ERROR) return;
  refused->code = error->code;
  refused->error_line = error->line;
  refused->column = error->int2;
  snprintf(refused->message, sizeof refused->message, "%s", error->message ? error->message : "it cannot be parsed");
}

/* Leaves the conversion with the first error of the parser. */
_Noreturn static void leave_with_error(import_context *context, const char *file, refusal *refused) {
  const import_location place = {.file = file, .line = refused->error_line, .column = refused->column};
  char *text = refused->message;
  size_t length = strlen(text);
  while (length > 0 && (isspace((unsigned char)text[length - 1]) || text[length - 1] == '.')) text[--length] = 0;
  if (strstr(text, "xcessive depth"))
    import_leave(context, 413, "too_large", &place, "elements are nested more than %d deep", IMPORT_DEPTH_MAX);
  if (refused->code == XML_ERR_UNDECLARED_ENTITY || refused->code == XML_WAR_UNDECLARED_ENTITY)
    import_leave(context, 400, "entity_refused", &place, "entities are not accepted: %s", text);
  import_leave(context, 400, "not_well_formed", &place, "the XML is not well-formed: %s", text);
}

static xmlNode *root_of(const xmlDoc *document) {
  xmlNode *root = document->children;
  while (root && root->type != XML_ELEMENT_NODE) root = root->next;
  return root;
}

xmlNode *import_xml_open(import_context *context, const import_file *file) {
  import_xml *entry = import_alloc(context, 1, sizeof *entry);
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (!parser) import_leave(context, 500, "no_memory", NULL, "out of memory");
  refusal refused = {0};
  parser->_private = &refused;
  parser->sax->internalSubset = refuse_type;
  parser->sax->externalSubset = refuse_type;
  parser->sax->startElementNs = start_element;
  parser->sax->serror = keep_error;
  xmlDoc *document =
      xmlCtxtReadMemory(parser, file->data, (int)file->size, file->path, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT);
  if (refused.refused) {
    xmlFreeDoc(document ? document : parser->myDoc);
    xmlFreeParserCtxt(parser);
    const import_location place = {.file = file->path, .line = refused.line};
    import_leave(context, 400, "entity_refused", &place,
                 "document types, entities and external references are not accepted");
  }
  const bool good = document && parser->wellFormed && root_of(document);
  if (!good) xmlFreeDoc(document);
  xmlFreeParserCtxt(parser);
  if (!good) leave_with_error(context, file->path, &refused);
  *entry = (import_xml){.file = file->path, .document = document, .next = context->files};
  document->_private = entry;
  context->files = entry;
  xmlNode *root = root_of(document);
  import_xml_take(root);
  return root;
}

xmlNode *import_xml_open_once(import_context *context, const import_file *file) {
  for (import_xml *entry = context->files; entry; entry = entry->next)
    if (strcmp(entry->file, file->path) == 0) return root_of(entry->document);
  return import_xml_open(context, file);
}

void import_xml_close_all(import_context *context) {
  for (import_xml *entry = context->files; entry; entry = entry->next) xmlFreeDoc(entry->document);
  context->files = NULL;
}

/* ---- elements and attributes ------------------------------------------------------------------------------------ */

/* The marks in `_private` of elements and attributes. */
static const char marks[2];
#define TAKEN ((void *)(uintptr_t)&marks[0])
#define TAKEN_ALL ((void *)(uintptr_t)&marks[1])

bool import_xml_is(const xmlNode *node, const char *name) { return strcmp((const char *)node->name, name) == 0; }

void import_xml_take(xmlNode *node) {
  if (!node->_private) node->_private = TAKEN;
}

void import_xml_take_all(xmlNode *node) { node->_private = TAKEN_ALL; }

static xmlNode *find(xmlNode *node, const char *name, bool take) {
  for (; node; node = node->next) {
    if (node->type != XML_ELEMENT_NODE || (name && !import_xml_is(node, name))) continue;
    if (take) import_xml_take(node);
    return node;
  }
  return NULL;
}

xmlNode *import_xml_child(xmlNode *node, const char *name) { return node ? find(node->children, name, true) : NULL; }
xmlNode *import_xml_next(xmlNode *node, const char *name) { return find(node->next, name, true); }
xmlNode *import_xml_step(xmlNode *node, xmlNode *child) {
  return find(child ? child->next : node->children, NULL, false);
}

/* Returns the text in a list of nodes; usually there is one. */
static const char *text_of(import_context *context, const xmlNode *nodes) {
  const char *text = "";
  for (const xmlNode *node = nodes; node; node = node->next) {
    if ((node->type != XML_TEXT_NODE && node->type != XML_CDATA_SECTION_NODE) || !node->content) continue;
    const char *piece = (const char *)node->content;
    text = *text ? import_text(context, "%s%s", text, piece) : piece;
  }
  return text;
}

static xmlAttr *find_attribute(const xmlNode *node, const char *name) {
  xmlAttr *attribute = node->properties;
  while (attribute && strcmp((const char *)attribute->name, name) != 0) attribute = attribute->next;
  return attribute;
}

const char *import_xml_attribute(import_context *context, xmlNode *node, const char *name) {
  xmlAttr *attribute = node ? find_attribute(node, name) : NULL;
  if (!attribute) return NULL;
  attribute->_private = TAKEN;
  return text_of(context, attribute->children);
}

const char *import_xml_text(import_context *context, xmlNode *node) {
  if (!node) return NULL;
  const char *text = text_of(context, node->children);
  text += strspn(text, " \t\r\n");
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  return import_text(context, "%.*s", (int)length, text);
}

const char *import_xml_text_in(import_context *context, xmlNode *node, const char *name) {
  return import_xml_text(context, import_xml_child(node, name));
}

import_location import_xml_location(import_context *context, const xmlNode *node) {
  const import_xml *entry = node->doc->_private;
  import_location place = {.file = entry->file, .line = (int)node->line};
  for (; node && node->type == XML_ELEMENT_NODE && !place.element; node = node->parent) {
    const xmlAttr *name = find_attribute(node, "name");
    if (name && *text_of(context, name->children)) place.element = text_of(context, name->children);
  }
  return place;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

bool import_xml_numbers(import_context *context, const xmlNode *node, const char *text, size_t count, double *out) {
  double *read = import_alloc(context, count, sizeof *read);
  const char *at = text;
  size_t n = 0;
  while (n < count) {
    char *end;
    read[n] = strtod(at, &end);
    if (end == at || !isfinite(read[n])) break;
    n++;
    at = end;
    at += strspn(at, " \t\r\n");
  }
  if (n == count && !*at) {
    memcpy(out, read, count * sizeof *out);
    return true;
  }
  const import_location place = import_xml_location(context, node);
  import_invalid(context, &place, "<%s> expects %zu number%s, not '%.80s'", (const char *)node->name, count,
                 count == 1 ? "" : "s", text);
  return false;
}

bool import_xml_read(import_context *context, xmlNode *node, const char *name, size_t count, double *out) {
  const char *text = import_xml_attribute(context, node, name);
  return text && import_xml_numbers(context, node, text, count, out);
}

double import_xml_number_in(import_context *context, xmlNode *node, const char *name, double fallback) {
  double value = fallback;
  xmlNode *child = import_xml_child(node, name);
  const char *text = import_xml_text(context, child);
  if (text && *text) import_xml_numbers(context, child, text, 1, &value);
  return value;
}

/* ---- elements that are not imported ----------------------------------------------------------------------------- */

enum { SHOWN = 300 };

typedef struct writer {
  char text[SHOWN + 8];
  size_t length;
} writer;

static void append_collapsed(writer *out, const char *text) {
  for (; *text && out->length < SHOWN; text++) {
    const bool blank = isspace((unsigned char)*text);
    if (blank && out->length > 0 && out->text[out->length - 1] == ' ') continue;
    out->text[out->length++] = *text;
    if (blank) out->text[out->length - 1] = ' ';
  }
  out->text[out->length] = 0;
}

/* Writes an element as in the source, up to the length that a note has room for. */
static void show(import_context *context, const xmlNode *node, writer *out) {
  append_collapsed(out, "<");
  append_collapsed(out, (const char *)node->name);
  for (const xmlAttr *a = node->properties; a; a = a->next) {
    append_collapsed(out, " ");
    append_collapsed(out, (const char *)a->name);
    append_collapsed(out, "=\"");
    append_collapsed(out, text_of(context, a->children));
    append_collapsed(out, "\"");
  }
  if (!node->children) {
    append_collapsed(out, "/>");
    return;
  }
  append_collapsed(out, ">");
  for (const xmlNode *child = node->children; child && out->length < SHOWN; child = child->next) {
    if (child->type == XML_ELEMENT_NODE)
      show(context, child, out);
    else if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) && child->content)
      append_collapsed(out, (const char *)child->content);
  }
  append_collapsed(out, "</");
  append_collapsed(out, (const char *)node->name);
  append_collapsed(out, ">");
}

/* Cuts a text at a whole character and marks the cut. */
static const char *shown(writer *out) {
  if (out->length < SHOWN) return out->text;
  while (out->length > 0 && ((unsigned char)out->text[out->length - 1] & 0xC0) == 0x80) out->length--;
  if (out->length > 0 && (unsigned char)out->text[out->length - 1] >= 0xC0) out->length--;
  memcpy(out->text + out->length, "...", 4);
  return out->text;
}

void import_xml_drop(import_context *context, xmlNode *node) {
  const import_location place = import_xml_location(context, node);
  writer out = {.length = 0};
  show(context, node, &out);
  import_note(context, IMPORT_DROPPED, import_text(context, "%s", (const char *)node->name), &place, NULL,
              "the model does not contain: %s", shown(&out));
  import_xml_take_all(node);
}

static void report_unread(import_context *context, const xmlNode *root) {
  for (const xmlAttr *a = root->properties; a; a = a->next) {
    if (a->_private || a->ns) continue; /* attributes of other vocabularies have no meaning for a model */
    const import_location place = import_xml_location(context, root);
    import_note(context, IMPORT_DROPPED, (const char *)a->name, &place, NULL,
                "the model does not contain: %s=\"%.200s\" of <%s>", (const char *)a->name,
                text_of(context, a->children), (const char *)root->name);
  }
  for (xmlNode *child = find(root->children, NULL, false); child; child = find(child->next, NULL, false)) {
    if (child->_private == TAKEN_ALL) continue;
    if (child->_private)
      report_unread(context, child);
    else
      import_xml_drop(context, child);
  }
}

void import_xml_report_unread(import_context *context) {
  for (const import_xml *entry = context->files; entry; entry = entry->next)
    report_unread(context, root_of(entry->document));
}
