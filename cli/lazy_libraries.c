/* lazy_libraries.c - loads libraries that few runs need on the first call of one of their functions. Each of these
 * libraries brings a dozen others along, whose loading takes several times as long as the run of a small model. So the
 * program does not link them, but defines functions with the same names, which load the library when first called;
 * callers see no difference. (A library function that is missing here is linked together with its library: slower, but
 * correct.) */
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files of the libraries, as found by the build; the defaults are those of Debian 12, for tools that read this file
 * alone. */
#ifndef LATE_ARCHIVE
#define LATE_ARCHIVE "libarchive.so.13"
#define LATE_OPENBLAS "libopenblas.so.0"
#define LATE_XML "libxml2.so.2"
#endif

/* Loads the library's function. Ends the program if that fails, as the loader does for a missing library. */
static void load(const char *library, const char *name, void *function) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found = handle ? dlsym(handle, name) : NULL;
  if (!found) {
    fprintf(stderr, "mbs: error while loading shared libraries: %s\n", dlerror());
    exit(127);
  }
  memcpy(function, &found, sizeof found); /* C does not convert a pointer to data into a pointer to a function */
}

/* Hidden, so that the library continues to call its own function. */
#define HIDDEN __attribute__((visibility("hidden")))
#define LATE(library, type, name, parameters, arguments) \
  HIDDEN type name parameters;                           \
  type name parameters {                                 \
    static type(*function) parameters;                   \
    if (!function) load(library, #name, &function);      \
    return function arguments;                           \
  }
#define LATE_VOID(library, name, parameters, arguments) \
  HIDDEN void name parameters;                          \
  void name parameters {                                \
    static void(*function) parameters;                  \
    if (!function) load(library, #name, &function);     \
    function arguments;                                 \
  }

/* ---- libarchive: .npz and other archives ----------------------------------------------------------------------- */

#define ARCHIVE(type, name, parameters, arguments) LATE(LATE_ARCHIVE, type, name, parameters, arguments)
#define ARCHIVE_VOID(name, parameters, arguments) LATE_VOID(LATE_ARCHIVE, name, parameters, arguments)
typedef struct archive writer, reader;
typedef struct archive_entry entry;

ARCHIVE(writer *, archive_write_new, (void), ())
ARCHIVE(int, archive_write_set_format_zip, (writer * w), (w))
ARCHIVE(int, archive_write_zip_set_compression_store, (writer * w), (w))
ARCHIVE(int, archive_write_zip_set_compression_deflate, (writer * w), (w))
ARCHIVE(int, archive_write_set_format_option, (writer * w, const char *m, const char *o, const char *v), (w, m, o, v))
ARCHIVE(int, archive_write_set_bytes_per_block, (writer * w, int bytes), (w, bytes))
ARCHIVE(int, archive_write_set_bytes_in_last_block, (writer * w, int bytes), (w, bytes))
ARCHIVE(int, archive_write_open,
        (writer * w, void *context, archive_open_callback *open, archive_write_callback *write,
         archive_close_callback *close),
        (w, context, open, write, close))
ARCHIVE(int, archive_write_header, (writer * w, entry *e), (w, e))
ARCHIVE(la_ssize_t, archive_write_data, (writer * w, const void *data, size_t size), (w, data, size))
ARCHIVE(int, archive_write_close, (writer * w), (w))
ARCHIVE(int, archive_write_free, (writer * w), (w))
ARCHIVE(entry *, archive_entry_new, (void), ())
ARCHIVE_VOID(archive_entry_free, (entry * e), (e))
ARCHIVE_VOID(archive_entry_set_pathname_utf8, (entry * e, const char *path), (e, path))
ARCHIVE_VOID(archive_entry_set_filetype, (entry * e, unsigned type), (e, type))
ARCHIVE_VOID(archive_entry_set_perm, (entry * e, __LA_MODE_T mode), (e, mode))
ARCHIVE_VOID(archive_entry_set_size, (entry * e, la_int64_t size), (e, size))

ARCHIVE(reader *, archive_read_new, (void), ())
ARCHIVE(int, archive_read_support_format_zip, (reader * r), (r))
ARCHIVE(int, archive_read_open_filename, (reader * r, const char *path, size_t block), (r, path, block))
ARCHIVE(int, archive_read_next_header, (reader * r, entry **e), (r, e))
ARCHIVE(la_ssize_t, archive_read_data, (reader * r, void *data, size_t size), (r, data, size))
ARCHIVE(int, archive_read_free, (reader * r), (r))
ARCHIVE(const char *, archive_entry_pathname, (entry * e), (e))

ARCHIVE(int, archive_read_support_format_tar, (reader * r), (r))
ARCHIVE(int, archive_read_support_filter_gzip, (reader * r), (r))
ARCHIVE(int, archive_read_open_memory, (reader * r, const void *data, size_t size), (r, data, size))
ARCHIVE(const char *, archive_error_string, (reader * r), (r))
ARCHIVE(const char *, archive_entry_pathname_utf8, (entry * e), (e))
ARCHIVE(const char *, archive_entry_hardlink, (entry * e), (e))
ARCHIVE(const char *, archive_entry_symlink, (entry * e), (e))
ARCHIVE(__LA_MODE_T, archive_entry_filetype, (entry * e), (e))
ARCHIVE(int, archive_entry_is_encrypted, (entry * e), (e))

/* ---- libxml2: imports and exports ------------------------------------------------------------------------------ */

#define XML(type, name, parameters, arguments) LATE(LATE_XML, type, name, parameters, arguments)
#define XML_VOID(name, parameters, arguments) LATE_VOID(LATE_XML, name, parameters, arguments)

XML_VOID(xmlInitParser, (void), ())
XML(xmlParserCtxt *, xmlNewParserCtxt, (void), ())
XML_VOID(xmlFreeParserCtxt, (xmlParserCtxt * parser), (parser))
XML(xmlDoc *, xmlCtxtReadMemory,
    (xmlParserCtxt * parser, const char *text, int size, const char *url, const char *encoding, int options),
    (parser, text, size, url, encoding, options))
XML_VOID(xmlStopParser, (xmlParserCtxt * parser), (parser))
XML_VOID(xmlFreeDoc, (xmlDoc * document), (document))
XML(xmlBuffer *, xmlBufferCreate, (void), ())
XML(const xmlChar *, xmlBufferContent, (const xmlBuffer *b), (b))
XML(int, xmlBufferLength, (const xmlBuffer *b), (b))
XML_VOID(xmlBufferFree, (xmlBuffer * b), (b))
XML(xmlTextWriter *, xmlNewTextWriterMemory, (xmlBuffer * b, int compression), (b, compression))
XML_VOID(xmlFreeTextWriter, (xmlTextWriter * w), (w))
XML(int, xmlTextWriterSetIndent, (xmlTextWriter * w, int indent), (w, indent))
XML(int, xmlTextWriterStartDocument,
    (xmlTextWriter * w, const char *version, const char *encoding, const char *standalone),
    (w, version, encoding, standalone))
XML(int, xmlTextWriterEndDocument, (xmlTextWriter * w), (w))
XML(int, xmlTextWriterStartElement, (xmlTextWriter * w, const xmlChar *name), (w, name))
XML(int, xmlTextWriterEndElement, (xmlTextWriter * w), (w))
XML(int, xmlTextWriterWriteAttribute, (xmlTextWriter * w, const xmlChar *name, const xmlChar *value), (w, name, value))
XML_VOID(xmlSAX2StartElementNs,
         (void *state, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
          const xmlChar **namespaces, int attributes, int defaults, const xmlChar **values),
         (state, name, prefix, uri, spaces, namespaces, attributes, defaults, values))

/* ---- LAPACK, in OpenBLAS: large dense matrices (solver/core/linalg/lapack.c) ----------------------------------- */

#define LAPACK(name, parameters, arguments) LATE_VOID(LATE_OPENBLAS, name, parameters, arguments)
typedef const int *in;
typedef const char *word;

LAPACK(dgelsd_,
       (in m, in n, in nrhs, double *a, in lda, double *b, in ldb, double *s, const double *rcond, int *rank,
        double *workspace, in lwork, int *iwork, int *info),
       (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, workspace, lwork, iwork, info))
LAPACK(dgesvd_,
       (word jobu, word jobvt, in m, in n, double *a, in lda, double *s, double *u, in ldu, double *vt, in ldvt,
        double *workspace, in lwork, int *info, size_t length_u, size_t length_vt),
       (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, workspace, lwork, info, length_u, length_vt))
LAPACK(dgesv_, (in n, in nrhs, double *a, in lda, int *ipiv, double *b, in ldb, int *info),
       (n, nrhs, a, lda, ipiv, b, ldb, info))
LAPACK(dgeqp3_, (in m, in n, double *a, in lda, int *jpvt, double *tau, double *workspace, in lwork, int *info),
       (m, n, a, lda, jpvt, tau, workspace, lwork, info))
LAPACK(dgetrf_, (in m, in n, double *a, in lda, int *ipiv, int *info), (m, n, a, lda, ipiv, info))
LAPACK(dgetrs_,
       (word trans, in n, in nrhs, const double *a, in lda, in ipiv, double *b, in ldb, int *info, size_t length),
       (trans, n, nrhs, a, lda, ipiv, b, ldb, info, length))
LAPACK(dsyev_,
       (word jobz, word uplo, in n, double *a, in lda, double *w, double *workspace, in lwork, int *info,
        size_t length_z, size_t length_uplo),
       (jobz, uplo, n, a, lda, w, workspace, lwork, info, length_z, length_uplo))
LAPACK(dgeev_,
       (word jobvl, word jobvr, in n, double *a, in lda, double *wr, double *wi, double *vl, in ldvl, double *vr,
        in ldvr, double *workspace, in lwork, int *info, size_t length_l, size_t length_r),
       (jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, workspace, lwork, info, length_l, length_r))
