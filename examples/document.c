/* document.c - runs a document of JSON, as the program mbs does, and prints its columns of theta over time.
 *
 *   document MODEL.json */
#include <mbs/mbsd.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads a file of at most 1 MB. Returns its size, or 0 if it cannot be read. */
static size_t read_file(const char *path, char *text, size_t most) {
  FILE *file = fopen(path, "rb");
  const size_t size = file ? fread(text, 1, most, file) : 0;
  if (file) fclose(file);
  return size;
}

static volatile sig_atomic_t stopped;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

/* Called during the run: cancels it after Ctrl-C. */
static bool go_on(void *user, double t, double fraction) {
  (void)user;
  (void)t;
  (void)fraction;
  return !stopped;
}

static void print_columns(const mbs_array *time, const mbs_array *angles) {
  const size_t columns = mbs_array_columns(angles);
  printf("# t [%s]", time->unit);
  for (size_t k = 0; k < columns; k++) printf("  %s [%s]", angles->labels[k], angles->units[k]);
  putchar('\n');
  for (size_t i = 0; i < time->shape[0]; i++) {
    printf("%.17g", time->data[i]);
    for (size_t k = 0; k < columns; k++) printf(" %.17g", angles->data[i * columns + k]);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  const size_t size = argc == 2 ? read_file(argv[1], text, sizeof text) : 0;
  if (size == 0) {
    fputs("usage: document MODEL.json\n", stderr);
    return EXIT_FAILURE;
  }
  signal(SIGINT, stop);
  mbsd_answer *answer = mbsd_run(text, size, &(mbsd_control){.progress = go_on});
  if (!answer) return EXIT_FAILURE; /* out of memory */
  const mbsd_status status = mbsd_answer_status(answer);
  const mbs_array *time = mbsd_answer_array(answer, "T"), *angles = mbsd_answer_array(answer, "theta");
  if (time && angles) print_columns(time, angles);
  if (status != MBSD_SUCCEEDED) fprintf(stderr, "%s\n", mbsd_answer_error(answer));
  mbsd_answer_free(answer);
  return status == MBSD_SUCCEEDED ? EXIT_SUCCESS : EXIT_FAILURE;
}
