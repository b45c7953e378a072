/* reference.c - mbs reference: prints what the classes of documents say of themselves. */
#include "api/documents/reference.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The text of a page into a stream; false after saying what is wrong. */
static bool print_page(const api_pages *pages, const api_page *page, FILE *stream) {
  api_buffer text = {0};
  api_reference_print(pages, page, &text);
  bool good = !text.failed && fwrite(text.data, 1, text.size, stream) == text.size;
  api_buffer_free(&text);
  if (!good) fprintf(stderr, "mbs: the page %s could not be written\n", page->name);
  return good;
}

static int write_pages(const api_pages *pages, const char *folder) {
  for (size_t i = 0; i < pages->count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.md", folder, pages->items[i].name);
    FILE *file = fopen(path, "w");
    if (!file) {
      perror(path);
      return CLI_USAGE;
    }
    bool good = print_page(pages, &pages->items[i], file);
    if (fclose(file) != 0 || !good) return CLI_USAGE;
  }
  return CLI_DONE;
}

static void list_pages(const api_pages *pages) {
  for (size_t i = 0; i < pages->count; i++)
    printf("%-30s  %s\n", pages->items[i].name, api_page_summary(&pages->items[i]));
}

/* The page "revolute" is that of the first class of that name. */
static const api_page *find_page(const api_pages *pages, const char *name) {
  const api_page *found = api_reference_find(pages, name);
  for (size_t i = 0; !found && i < pages->count; i++)
    if (pages->items[i].cls && strcmp(pages->items[i].cls->name, name) == 0) found = &pages->items[i];
  return found;
}

static int run(const api_pages *pages, int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--out") == 0) return write_pages(pages, argv[2]);
  if (argc == 1) {
    list_pages(pages);
    return CLI_DONE;
  }
  if (argc > 2 || argv[1][0] == '-') {
    fputs("usage: mbs reference [NAME | --out DIR]\n", stderr);
    return CLI_USAGE;
  }
  const api_page *page = find_page(pages, argv[1]);
  if (!page) fprintf(stderr, "mbs: the reference has no page %s; mbs reference lists them\n", argv[1]);
  return page && print_page(pages, page, stdout) ? CLI_DONE : CLI_USAGE;
}

int cli_reference(int argc, char **argv) {
  api_pages *pages = malloc(sizeof *pages);
  if (!pages) return CLI_RUN_FAILED;
  api_reference_pages(pages);
  int code = run(pages, argc, argv);
  free(pages);
  return code;
}
