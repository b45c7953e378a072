/* reference.c - mbs reference: prints the reference of the document classes. */
#include "api/documents/reference.h"

#include "cli.h"
#include "folder.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Prints a page to a stream. Returns false, with the reason in `errno`, on failure. */
static bool print_page(const api_pages *pages, const api_page *page, FILE *stream) {
  api_buffer text = {0};
  api_reference_print(pages, page, &text);
  errno = ENOMEM;
  bool good = !text.failed && fwrite(text.data, 1, text.size, stream) == text.size;
  api_buffer_free(&text);
  return good;
}

static bool write_page(const cli_folder *folder, const char *name, const api_pages *pages, const api_page *page) {
  FILE *file = cli_folder_file(folder, name);
  if (!file) return false;
  bool good = print_page(pages, page, file);
  const int reason = errno;
  if (fclose(file) == 0 && good) return true;
  if (!good) errno = reason;
  cli_folder_complain(folder, name);
  return false;
}

static int write_pages(const api_pages *pages, const char *path) {
  static char files[API_PAGES_MAX][API_MANUAL_LINK_SIZE + sizeof ".md"];
  const char *names[API_PAGES_MAX];
  for (size_t i = 0; i < pages->count; i++) {
    snprintf(files[i], sizeof files[i], "%s.md", pages->items[i].name);
    names[i] = files[i];
  }
  cli_folder folder;
  if (!cli_folder_open(&folder, path)) return CLI_USAGE;
  bool good = cli_folder_replace(&folder, names, pages->count);
  for (size_t i = 0; good && i < pages->count; i++) good = write_page(&folder, names[i], pages, &pages->items[i]);
  return cli_folder_close(&folder, good) && good ? CLI_DONE : CLI_USAGE;
}

static void list_pages(const api_pages *pages) {
  for (size_t i = 0; i < pages->count; i++)
    printf("%-30s  %s\n", pages->items[i].name, api_page_summary(&pages->items[i]));
}

/* Returns the page of that name; "revolute" stands for the first class of that name. */
static const api_page *find_page(const api_pages *pages, const char *name) {
  const api_page *found = api_reference_find(pages, name);
  for (size_t i = 0; !found && i < pages->count; i++)
    if (pages->items[i].cls && strcmp(pages->items[i].cls->name, name) == 0) found = &pages->items[i];
  return found;
}

/* Prints that there is no page of that name, and the most similar name. */
static int complain(const api_pages *pages, const char *name) {
  const char *known[2 * API_PAGES_MAX];
  size_t count = 0;
  for (size_t i = 0; i < pages->count; i++) {
    known[count++] = pages->items[i].name;
    if (pages->items[i].cls) known[count++] = pages->items[i].cls->name;
  }
  const char *nearest = mbs_nearest(name, known, count);
  fprintf(stderr, "mbs: the reference has no page '%s'; %s%s%smbs reference lists all pages\n", name,
          nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "");
  return CLI_USAGE;
}

static int run(const api_pages *pages, int argc, char **argv) {
  const char *folder = NULL;
  static const struct option known[] = {{"out", required_argument, NULL, 'o'}, {0}};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) == 'o') folder = optarg;
  const bool good = option == -1 && cli_takes(argc, argv, "[NAME]");
  const int names = argc - optind;
  if (folder && names > 0) fputs("mbs: NAME and --out cannot be combined: --out writes all pages\n", stderr);
  if (!good || (folder && names > 0)) return cli_say_usage(argv[0]);
  if (folder) return write_pages(pages, folder);
  if (names == 0) {
    list_pages(pages);
    return CLI_DONE;
  }
  const api_page *page = find_page(pages, argv[optind]);
  if (!page) return complain(pages, argv[optind]);
  return print_page(pages, page, stdout) ? CLI_DONE : CLI_USAGE;
}

int cli_reference(int argc, char **argv) {
  api_pages *pages = malloc(sizeof *pages);
  if (!pages) return CLI_RUN_FAILED;
  api_reference_pages(pages);
  int code = run(pages, argc, argv);
  free(pages);
  return code;
}
