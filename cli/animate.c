/* animate.c - mbs animate: the motion of a mechanism as an animated picture or video, by gnuplot and ffmpeg. */
#include "cli.h"
#include "gnuplot.h"
#include "motion.h"
#include "painter.h"
#include "recording.h"
#include "skeleton.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

/* The kinds of files, in this order. */
#define KINDS "gif|mp4|webm"

/* Most frames of a file: more than an hour of video. */
enum { FRAMES_MAX = 100000, FPS_MAX = 100, TEXT_MAX = 400 };

/* Free space around the mechanism, as a fraction of its size. */
static const double margin = 0.06;

/* How ffmpeg encodes each kind; gnuplot itself writes the first one. Both codecs need even sides. */
#define EVEN "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"
static const char *const mp4[] = {"-vf",       EVEN,         "-c:v", "libx264", "-pix_fmt", "yuv420p",
                                  "-movflags", "+faststart", "-f",   "mp4",     NULL};
static const char *const webm[] = {"-vf",  EVEN, "-c:v",      "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "32",
                                   "-b:v", "0",  "-cpu-used", "4",          "-f",       "webm",    NULL};
static const char *const *const codecs[] = {NULL, mp4, webm};

typedef struct animate_options {
  cli_recording_source source;
  const char *out;
  int kind;          /* position in KINDS */
  int width, height; /* [pixels] */
  double fps, speed; /* frames per second; seconds of the motion in one second */
  bool script;       /* print the script instead of running it */
} animate_options;

/* Reads a number between two bounds. Returns false after printing an error. */
static bool read_number(const char *name, const char *text, double least, double most, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && *value >= least && *value <= most) return true;
  fprintf(stderr, "mbs: --%s must be a number from %g to %g, got '%s'\n", name, least, most, text);
  return false;
}

static bool read_options(int argc, char **argv, animate_options *options) {
  static const struct option known[] = {
      {"analysis", required_argument, NULL, 'a'}, {"model", required_argument, NULL, 'm'},
      {"out", required_argument, NULL, 'o'},      {"size", required_argument, NULL, 's'},
      {"fps", required_argument, NULL, 'f'},      {"speed", required_argument, NULL, 'v'},
      {"script", no_argument, NULL, 'p'},         {0}};
  bool good = true;
  for (int option; good && (option = getopt_long(argc, argv, "a:o:", known, NULL)) != -1;) {
    switch (option) {
    case 'a': options->source.analysis = optarg; break;
    case 'm': options->source.model = optarg; break;
    case 'o': options->out = optarg; break;
    case 's': good = cli_gnuplot_size(optarg, &options->width, &options->height); break;
    case 'f': good = read_number("fps", optarg, 1, FPS_MAX, &options->fps); break;
    case 'v': good = read_number("speed", optarg, 1e-9, 1e9, &options->speed); break;
    case 'p': options->script = true; break;
    default: good = false;
    }
  }
  if (!good || !cli_takes(argc, argv, "MODEL|RESULTS")) return false;
  options->source.path = argv[optind];
  options->kind = options->out || options->script ? cli_gnuplot_kind(options->out, KINDS) : -1;
  if (!options->out && !options->script) fputs("mbs: -o FILE is missing, the animation\n", stderr);
  return options->kind >= 0;
}

/* ---- the script ------------------------------------------------------------------------------------------------ */

typedef struct animation {
  const animate_options *options;
  const cli_recording *recording;
  bool planar;
  cli_painter *painter;
  double fps; /* frames per second of the file; the delay of a GIF is a whole number of 0.01 s */
} animation;

/* Sets the ranges of the picture: those of the model's view, or around all of the motion, widened to the shape of the
 * picture, of which title and axes need a part. */
static void find_ranges(const animation *self, double x[2], double y[2]) {
  const json_t *view = json_object_get(self->recording->scene, "view");
  const json_t *ranges[] = {json_object_get(view, "x"), json_object_get(view, "y")};
  double *const out[] = {x, y}, sizes[2];
  cli_painter_bounds(self->painter, x, y);
  const bool given = self->planar && json_array_size(ranges[0]) == 2 && json_array_size(ranges[1]) == 2;
  for (int k = 0; given && k < 4; k++)
    out[k / 2][k % 2] = json_number_value(json_array_get(ranges[k / 2], (size_t)k % 2));
  const double most = fmax(fmax(x[1] - x[0], y[1] - y[0]), 1e-30);
  for (int k = 0; k < 4 && !given; k++) out[k / 2][k % 2] += (k % 2 ? margin : -margin) * most;
  const double width = self->options->width - (self->planar ? 110 : 20),
               height = self->options->height - (self->planar ? 90 : 50);
  for (int k = 0; k < 2; k++) sizes[k] = out[k][1] - out[k][0];
  const double scale = fmin(fmax(width, 1) / sizes[0], fmax(height, 1) / sizes[1]);
  for (int k = 0; k < 2; k++) {
    const double more = fmax((k ? height : width) / scale - sizes[k], 0) / 2;
    out[k][0] -= more;
    out[k][1] += more;
  }
}

static void add_head(const animation *self, api_buffer *script) {
  const animate_options *options = self->options;
  double x[2], y[2];
  find_ranges(self, x, y);
  if (options->kind == 0)
    api_buffer_print(script,
                     "# gnuplot THIS_FILE > ANIMATION.gif\nset terminal gif animate delay %d loop 0 size %d,%d "
                     "font ',11' noenhanced\n",
                     (int)lround(100 / self->fps), options->width, options->height);
  else /* pictures one after another */
    api_buffer_print(script,
                     "# gnuplot THIS_FILE | ffmpeg -f image2pipe -c:v png -framerate %.6g -i - VIDEO\n"
                     "set terminal pngcairo size %d,%d font ',11' noenhanced\n",
                     self->fps, options->width, options->height);
  api_buffer_text(script, "set encoding utf8\nunset key\nset size ratio -1\n");
  api_buffer_print(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x[0], x[1], y[0], y[1]);
  if (self->planar)
    api_buffer_text(script, "set xlabel \"x [m]\"\nset ylabel \"y [m]\"\nset border linecolor rgb '#667085'\n"
                            "set grid back linetype 1 linewidth 0.5 linecolor rgb '#d0d5dd'\n");
  else /* a projection has no axes */
    api_buffer_text(script, "unset border\nunset tics\nset lmargin 1\nset rmargin 1\nset bmargin 1\n");
}

/* Appends the picture at the time t. Returns false if memory runs out. */
static bool add_frame(const animation *self, double t, api_buffer *script) {
  char title[TEXT_MAX];
  const int length = snprintf(title, sizeof title, "%.300s", self->recording->title);
  snprintf(title + length, sizeof title - (size_t)length, "%st = %.3f s", length ? "   " : "", t);
  api_buffer_text(script, "$f << END\n");
  if (!cli_painter_paint(self->painter, t, script)) return false;
  api_buffer_text(script, "END\nset title ");
  cli_gnuplot_text(script, title);
  api_buffer_text(script, "\nplot $f using 1:2:3 with polygons linecolor rgb variable fillstyle solid noborder\n");
  return !script->failed;
}

/* Writes the script. Returns false after printing an error. */
static bool make_script(const animation *self, api_buffer *script) {
  double t[2];
  cli_painter_times(self->painter, t);
  /* The last frame is the last one that begins before the end, or with it. */
  const double steps = floor((t[1] - t[0]) / self->options->speed * self->fps + 1e-9);
  if (steps >= FRAMES_MAX) {
    fprintf(stderr, "mbs: the animation would have %.0f frames; use a larger --speed\n", steps + 1);
    return false;
  }
  add_head(self, script);
  for (int i = 0; i <= (int)steps; i++)
    if (!add_frame(self, fmin(t[0] + i * self->options->speed / self->fps, t[1]), script)) {
      fputs("mbs: out of memory\n", stderr);
      return false;
    }
  return true;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

/* Draws the motion and runs the script. Returns false after printing an error. */
static bool animate(animation *self) {
  const animate_options *options = self->options;
  api_buffer script = {0};
  self->fps = options->kind == 0 ? 100 / fmax(round(100 / options->fps), 1) : options->fps;
  bool good = make_script(self, &script);
  if (good && options->script)
    good = fwrite(script.data, 1, script.size, stdout) == script.size;
  else if (good)
    good = cli_gnuplot_run(&script, options->out, codecs[options->kind], self->fps);
  api_buffer_free(&script);
  return good;
}

static bool show(void *context, const cli_recording *recording) {
  cli_motion motion;
  animation self = {.options = context, .recording = recording};
  if (!cli_motion_open(&motion, recording->list, recording->count)) {
    fputs("mbs: these results have no motion of bodies: the arrays r, p and rP over time\n", stderr);
    cli_motion_close(&motion);
    return false;
  }
  if (recording->scene && !api_poses_match(&motion.poses, recording->scene)) {
    fputs("mbs: the results are not those of the model: it has other bodies or points\n", stderr);
    cli_motion_close(&motion);
    return false;
  }
  json_t *scene = recording->scene ? json_incref(recording->scene) : cli_skeleton(&motion);
  api_drawing *drawing = scene ? api_poses_draw(&motion.poses, scene) : NULL;
  self.painter = drawing ? cli_painter_new(drawing, &motion.poses) : NULL;
  self.planar = motion.poses.dimension == 2;
  if (!self.painter) fputs("mbs: out of memory\n", stderr);
  const bool good = self.painter && animate(&self);
  cli_painter_free(self.painter);
  api_drawing_free(drawing);
  json_decref(scene);
  cli_motion_close(&motion);
  return good;
}

int cli_animate(int argc, char **argv) {
  animate_options options = {.width = 800, .height = 600, .fps = 25, .speed = 1};
  if (!read_options(argc, argv, &options)) return cli_say_usage(argv[0]);
  return cli_record(&options.source, show, &options);
}
