/* inspect_picture.c - prints sparsity patterns as characters. */
#include "inspect.h"

#include "columns.h"

#include <stdlib.h>
#include <string.h>

/* A picture of a matrix; if it is larger than the picture, several rows and columns share a character. */
typedef struct picture {
  size_t rows, columns, height, width;
  char *cells; /* [height x width] */
} picture;

static bool picture_open(picture *made, size_t rows, size_t columns, const cli_extent *most, char ground) {
  *made = (picture){.rows = rows, .columns = columns, .height = rows, .width = columns};
  if (made->height > most->picture_rows) made->height = most->picture_rows;
  if (made->width > most->picture_columns) made->width = most->picture_columns;
  made->cells = malloc(made->height * made->width + 1);
  if (made->cells) memset(made->cells, ground, made->height * made->width);
  return made->cells != NULL;
}

static void picture_mark(picture *made, size_t row, size_t column, char mark) {
  made->cells[row * made->height / made->rows * made->width + column * made->width / made->columns] = mark;
}

/* Prints the picture. `labels` [rows] stand before the rows if each has its own line; NULL: none. Frees the cells. */
static void picture_print(picture *made, const char *const *labels, FILE *out) {
  size_t width = 0;
  bool whole = made->height == made->rows;
  for (size_t r = 0; labels && whole && r < made->rows; r++)
    if (cli_text_width(labels[r]) > width) width = cli_text_width(labels[r]);
  for (size_t r = 0; r < made->height; r++) {
    if (labels && whole) fprintf(out, "  %s%*s", labels[r], (int)(width - cli_text_width(labels[r])), "");
    const char *line = made->cells + r * made->width;
    int length = (int)made->width;
    while (length && line[length - 1] == ' ') length--;
    fprintf(out, "  %.*s\n", length, line);
  }
  if (!whole || made->width < made->columns)
    fprintf(out, "  (each character covers up to %zu rows and %zu columns; --all shows every entry)\n",
            (made->rows + made->height - 1) / made->height, (made->columns + made->width - 1) / made->width);
  free(made->cells);
}

void cli_picture_jacobian(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  const mbs_report *report = inspection->report;
  picture made;
  const char **labels = calloc(report->rows + 1, sizeof *labels);
  if (report->rows && labels && picture_open(&made, report->rows, report->velocities, most, '.')) {
    for (size_t r = 0; r < report->rows; r++) labels[r] = report->constraints[r].label;
    for (size_t b = 0; b < inspection->block_count; b++) {
      const mbs_inspected_block *block = &inspection->blocks[b];
      for (size_t r = block->first_row; r < block->first_row + block->rows; r++)
        for (size_t c = 0; c < block->columns; c++) picture_mark(&made, r, (size_t)block->velocities[c], 'x');
    }
    picture_print(&made, labels, out);
  }
  free(labels);
}

/* Marks rows and columns of a pair of blocks, in the lower triangle. */
static void mark_pair(picture *made, const mbs_inspection *inspection, const mbs_inspected_pair *pair) {
  const mbs_inspected_block *one = &inspection->blocks[pair->block1], *two = &inspection->blocks[pair->block2];
  for (size_t r = 0; r < one->rows; r++)
    for (size_t c = 0; c < two->rows; c++) {
      size_t row = (size_t)inspection->skyline.position[one->first_row + r];
      size_t column = (size_t)inspection->skyline.position[two->first_row + c];
      if (column <= row) picture_mark(made, row, column, 'x');
    }
}

void cli_picture_skyline(const mbs_inspection *inspection, const cli_extent *most, FILE *out) {
  const mbs_report *report = inspection->report;
  const mbs_inspected_skyline *skyline = &inspection->skyline;
  cli_extent square = *most;
  if (square.picture_columns > square.picture_rows) square.picture_columns = square.picture_rows;
  picture made;
  const char **labels = calloc(report->rows + 1, sizeof *labels);
  if (report->rows && labels && picture_open(&made, report->rows, report->rows, &square, ' ')) {
    for (size_t r = 0; r < report->rows; r++) labels[skyline->position[r]] = report->constraints[r].label;
    for (size_t r = 0; r < report->rows; r++)
      for (size_t c = 0; c <= r; c++) picture_mark(&made, r, c, '.');
    for (size_t r = 0; r < report->rows; r++)
      for (size_t c = (size_t)skyline->first[r]; c <= r; c++) picture_mark(&made, r, c, 'o');
    for (size_t p = 0; p < skyline->pair_count; p++) mark_pair(&made, inspection, &skyline->pairs[p]);
    picture_print(&made, labels, out);
  }
  free(labels);
}
