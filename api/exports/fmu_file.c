/* fmu_file.c - see fmu_file.h. */
#include "api/exports/fmu_file.h"

#include "embedded.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Names of the platform of this build in FMI 2.0 and 3.0. FMI 2.0 has names for processors of Intel only. */
static const char *const platforms[API_FMI_VERSIONS] = {
#ifdef __x86_64__
    "linux64", "x86_64-linux"
#else
    "aarch64-linux", "aarch64-linux"
#endif
};

static la_ssize_t append(struct archive *archive, void *context, const void *data, size_t size) {
  (void)archive;
  api_buffer *out = context;
  api_buffer_add(out, data, size);
  return out->failed ? -1 : (la_ssize_t)size;
}

/* Adds a file. No time is stored, so that the same content gives the same bytes. */
static bool add_file(struct archive *archive, const char *path, unsigned mode, const void *data, size_t size) {
  struct archive_entry *entry = archive_entry_new();
  if (!entry) return false;
  archive_entry_set_pathname_utf8(entry, path);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, mode);
  archive_entry_set_size(entry, (la_int64_t)size);
  const bool good =
      archive_write_header(archive, entry) == ARCHIVE_OK && archive_write_data(archive, data, size) == (la_ssize_t)size;
  archive_entry_free(entry);
  return good;
}

static bool add_files(struct archive *archive, api_fmi_version version, const char *description, const char *document) {
  assert(embedded_fmu_count == 2);
  const embedded_file *license = &embedded_fmu[0], *library = &embedded_fmu[1];
  char path[80];
  snprintf(path, sizeof path, "binaries/%s/%s", platforms[version], library->name);
  return add_file(archive, "modelDescription.xml", 0644, description, strlen(description)) &&
         add_file(archive, path, 0755, library->data, library->size) &&
         add_file(archive, "resources/model.json", 0644, document, strlen(document)) &&
         add_file(archive, "documentation/licenses/license.txt", 0644, license->data, license->size);
}

bool api_fmu_file_write(api_fmi_version version, const char *description, const char *document, api_buffer *out) {
  struct archive *archive = archive_write_new();
  /* Compressing the library would take most of the time of an export. */
  bool good = archive && archive_write_set_format_zip(archive) == ARCHIVE_OK &&
              archive_write_zip_set_compression_store(archive) == ARCHIVE_OK &&
              archive_write_set_bytes_per_block(archive, 0) == ARCHIVE_OK &&
              archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
              archive_write_open(archive, out, NULL, append, NULL) == ARCHIVE_OK &&
              add_files(archive, version, description, document) && archive_write_close(archive) == ARCHIVE_OK;
  archive_write_free(archive);
  return good && !out->failed;
}
