/* plot.c - mbs plot: columns of results over time, or over another column, as a picture by gnuplot. Columns of equal
 * unit share a panel. */
#include "cli.h"
#include "gnuplot.h"
#include "recording.h"
#include "table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 800, DEFAULT_HEIGHT = 600, PANEL_HEIGHT = 260 };

/* The kinds of pictures, in this order. */
#define KINDS "svg|png|pdf"

typedef struct plot_options {
  cli_recording_source source;
  const char *columns, *against, *out;
  int kind;          /* position in KINDS */
  int width, height; /* [pixels]; 0: default */
  bool script;       /* print the script instead of running it */
} plot_options;

static bool read_options(int argc, char **argv, plot_options *options) {
  static const struct option known[] = {{"analysis", required_argument, NULL, 'a'},
                                        {"columns", required_argument, NULL, 'c'},
                                        {"against", required_argument, NULL, 'x'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"size", required_argument, NULL, 's'},
                                        {"script", no_argument, NULL, 'p'},
                                        {0}};
  for (int option; (option = getopt_long(argc, argv, "a:o:", known, NULL)) != -1;) {
    switch (option) {
    case 'a': options->source.analysis = optarg; break;
    case 'c': options->columns = optarg; break;
    case 'x': options->against = optarg; break;
    case 'o': options->out = optarg; break;
    case 's':
      if (!cli_gnuplot_size(optarg, &options->width, &options->height)) return false;
      break;
    case 'p': options->script = true; break;
    default: return false;
    }
  }
  if (!cli_takes(argc, argv, "MODEL|RESULTS")) return false;
  options->source.path = argv[optind];
  options->kind = options->out || options->script ? cli_gnuplot_kind(options->out, KINDS) : -1;
  if (!options->out && !options->script) fputs("mbs: -o FILE is missing, the picture\n", stderr);
  return options->kind >= 0;
}

/* ---- the script ------------------------------------------------------------------------------------------------ */

/* What is plotted: the first column, or the time, on the horizontal axis. */
typedef struct plot {
  const plot_options *options;
  const char *title;
  api_slice *slice;
  size_t first;   /* first column that is a curve */
  size_t *panels; /* [slice->column_count] panel of each curve */
  size_t panel_count;
} plot;

/* Appends a label with its unit. */
static void add_label(api_buffer *script, const char *label, const char *unit) {
  api_buffer text = {0};
  api_buffer_text(&text, label);
  if (*unit) api_buffer_print(&text, *label ? " [%s]" : "[%s]", unit);
  api_buffer_add(&text, "", 1);
  if (text.failed)
    script->failed = true;
  else
    cli_gnuplot_text(script, text.data);
  api_buffer_free(&text);
}

/* Appends the rows: the horizontal coordinate, then the curves. Returns false if memory runs out. */
static bool add_data(const plot *self, api_buffer *script) {
  api_slice *slice = self->slice;
  bool good = true;
  ssize_t rows = 0;
  api_buffer_text(script, "$data << END\n");
  for (size_t first = 0; good && (rows = api_slice_next(slice)) > 0; first += (size_t)rows) {
    double *times = malloc((size_t)rows * sizeof *times);
    good = times && api_slice_times(slice, first, (size_t)rows, times);
    for (size_t i = 0; good && i < (size_t)rows; i++) {
      if (self->first == 0) api_buffer_print(script, "%.9g", times[i]);
      for (size_t k = 0; k < slice->column_count; k++)
        api_buffer_print(script, " %.9g", slice->block[i * slice->column_count + k]);
      api_buffer_text(script, "\n");
    }
    free(times);
  }
  api_buffer_text(script, "END\n");
  return good && rows >= 0;
}

/* Assigns columns of equal unit to a panel. */
static void find_panels(plot *self) {
  for (size_t k = self->first; k < self->slice->column_count; k++) {
    size_t same = self->first;
    while (strcmp(api_slice_unit(self->slice, same), api_slice_unit(self->slice, k)) != 0) same++;
    self->panels[k] = same < k ? self->panels[same] : self->panel_count++;
  }
}

static void add_panel(const plot *self, size_t panel, api_buffer *script) {
  const api_slice *slice = self->slice;
  size_t curves = 0, one = 0;
  for (size_t k = self->first; k < slice->column_count; k++) {
    if (self->panels[k] != panel) continue;
    one = k;
    curves++;
  }
  api_buffer_text(script, "set ylabel ");
  add_label(script, curves == 1 ? api_slice_label(slice, one) : "", api_slice_unit(slice, one));
  api_buffer_text(script, curves == 1 ? "\nunset key\nplot" : "\nset key\nplot");
  size_t before = 0;
  for (size_t k = self->first, number = 1; k < slice->column_count; k++, number++) {
    if (self->panels[k] != panel) continue;
    /* Column 1 of the data is the horizontal coordinate. */
    api_buffer_print(script, "%s $data using 1:%zu with %s linestyle %zu title ", before++ ? ", \\\n " : "",
                     k - self->first + 2, slice->count > 1 ? "lines" : "points", (number - 1) % 8 + 1);
    cli_gnuplot_text(script, api_slice_label(slice, k));
  }
  api_buffer_text(script, "\n");
}

/* Appends the terminal and the styles; the colours are those of the page. */
static void add_head(const plot *self, api_buffer *script) {
  static const char *const colours[] = {"1d6fe0", "e0641b", "1a9a5c", "b0339b", "b08a00", "0f93a8", "d43a50", "6d56d6"};
  const plot_options *options = self->options;
  const int least = PANEL_HEIGHT * (int)self->panel_count;
  const int width = options->width ? options->width : DEFAULT_WIDTH;
  const int height = options->height ? options->height : least > DEFAULT_HEIGHT ? least : DEFAULT_HEIGHT;
  /* The data is in the script. gnuplot writes the picture on its standard output. */
  api_buffer_text(script, "# gnuplot THIS_FILE > PICTURE\n");
  if (options->kind == 0)
    api_buffer_print(script, "set terminal svg size %d,%d font ',14' noenhanced background 'white'\n", width, height);
  else if (options->kind == 1)
    api_buffer_print(script, "set terminal pngcairo size %d,%d font ',11' noenhanced\n", width, height);
  else /* 96 pixels are an inch */
    api_buffer_print(script, "set terminal pdfcairo size %.3fin,%.3fin font ',10' noenhanced\n", width / 96.,
                     height / 96.);
  api_buffer_text(script, "set encoding utf8\n");
  for (int i = 0; i < 8; i++)
    api_buffer_print(script, "set style line %d linecolor rgb '#%s' linewidth 2\n", i + 1, colours[i]);
  api_buffer_text(script,
                  "set grid linetype 1 linewidth 0.5 linecolor rgb '#d0d5dd'\nset border linecolor rgb '#667085'\n"
                  "set lmargin 12\nset rmargin 3\nset key above right horizontal samplen 2\n"
                  "set offsets graph 0, graph 0, graph 0.05, graph 0.05\n");
}

static bool make_script(const plot *self, api_buffer *script) {
  const api_slice *slice = self->slice;
  add_head(self, script);
  if (!add_data(self, script)) return false;
  api_buffer_print(script, "set multiplot layout %zu,1 title ", self->panel_count);
  cli_gnuplot_text(script, self->title);
  api_buffer_text(script, "\n");
  for (size_t panel = 0; panel < self->panel_count; panel++) {
    if (panel + 1 == self->panel_count) {
      api_buffer_text(script, "set xlabel ");
      add_label(script, self->first ? api_slice_label(slice, 0) : "t", self->first ? api_slice_unit(slice, 0) : "s");
      api_buffer_text(script, "\n");
    }
    add_panel(self, panel, script);
  }
  api_buffer_text(script, "unset multiplot\n");
  return !script->failed;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

/* Draws the chosen columns. Returns false after printing an error. */
static bool draw(plot *self) {
  api_buffer script = {0};
  self->panels = calloc(self->slice->column_count + 1, sizeof *self->panels);
  if (self->panels) find_panels(self);
  bool good = self->panels && make_script(self, &script);
  if (!good)
    fputs("mbs: out of memory\n", stderr);
  else if (self->slice->count == 0 || self->panel_count == 0)
    fprintf(stderr, "mbs: there are no %s to plot\n", self->panel_count ? "rows" : "columns");
  else if (self->options->script)
    fwrite(script.data, 1, script.size, stdout);
  else
    good = cli_gnuplot_run(&script, self->options->out, NULL, 0);
  if (good && (self->slice->count == 0 || self->panel_count == 0)) good = false;
  free(self->panels);
  api_buffer_free(&script);
  return good;
}

/* Returns the labels of the chosen columns of an open table behind `against`, separated by commas, malloc'd. */
static char *usual_columns(const char *against, const cli_table *table) {
  api_buffer list = {0};
  api_buffer_text(&list, against);
  for (size_t k = 0; k < table->slice.column_count; k++)
    api_buffer_print(&list, ",%s", api_slice_label(&table->slice, k));
  api_buffer_add(&list, "", 1);
  if (!list.failed) return list.data;
  api_buffer_free(&list);
  return NULL;
}

/* Returns the list of all columns that are needed, malloc'd; NULL if memory runs out, or the usual ones are. */
static char *needed_columns(const plot_options *options, const cli_recording *recording) {
  char *list = NULL, why[512];
  cli_table table;
  if (!options->against) return options->columns ? strdup(options->columns) : NULL;
  if (options->columns) return asprintf(&list, "%s,%s", options->against, options->columns) < 0 ? NULL : list;
  if (cli_table_open(&table, recording->list, recording->count, NULL, why))
    list = usual_columns(options->against, &table);
  cli_table_close(&table);
  return list;
}

static bool show(void *context, const cli_recording *recording) {
  const plot_options *options = context;
  char *list = needed_columns(options, recording), why[512];
  cli_table table;
  bool good = cli_table_open(&table, recording->list, recording->count, list, why);
  if (good)
    good = draw(&(plot){
        .options = options, .title = recording->title, .slice = &table.slice, .first = options->against != NULL});
  else
    fprintf(stderr, "mbs: %s\n", why);
  cli_table_close(&table);
  free(list);
  return good;
}

int cli_plot(int argc, char **argv) {
  plot_options options = {0};
  if (!read_options(argc, argv, &options)) return cli_say_usage(argv[0]);
  return cli_record(&options.source, show, &options);
}
