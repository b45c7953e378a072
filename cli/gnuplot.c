/* gnuplot.c - see gnuplot.h. The script and the output are files without names: no part of a document is an argument, a
 * name of a file or a command. */
#include "gnuplot.h"

#include "api/base/name_list.h"
#include "api/base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bounds of the sides of a picture [pixels]. */
enum { SIDE_MIN = 64, SIDE_MAX = 8192, ARGUMENTS_MAX = 40, PIECE = 1 << 16 };

void cli_gnuplot_text(api_buffer *script, const char *text) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _.,:+-*/=()[]";
  api_buffer_text(script, "\"");
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (byte < ' ' || byte == 0x7f)
      api_buffer_text(script, " ");
    else if (byte >= 0x80 || strchr(plain, *c)) /* parts of UTF-8 characters */
      api_buffer_add(script, c, 1);
    else
      api_buffer_print(script, "\\%03o", byte);
  }
  api_buffer_text(script, "\"");
}

bool cli_gnuplot_size(const char *text, int *width, int *height) {
  char *end;
  const long wide = strtol(text, &end, 10), high = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
  *width = (int)wide;
  *height = (int)high;
  if (*end == '\0' && wide >= SIDE_MIN && high >= SIDE_MIN && wide <= SIDE_MAX && high <= SIDE_MAX) return true;
  fprintf(stderr, "mbs: --size must be WIDTHxHEIGHT in pixels, each from %d to %d, such as 800x600; got '%s'\n",
          SIDE_MIN, SIDE_MAX, text);
  return false;
}

int cli_gnuplot_kind(const char *path, const char *list) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  api_name_list known;
  api_name_list_split(&known, list);
  for (size_t i = 0; i < known.count; i++)
    if (!path || (dot && strcmp(dot + 1, known.items[i]) == 0)) return (int)i;
  fprintf(stderr, "mbs: the name of the output must end with");
  for (size_t i = 0; i < known.count; i++) fprintf(stderr, "%s.%s", i ? ", " : " ", known.items[i]);
  fprintf(stderr, "; got '%s'\n", path);
  return -1;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* The files of one run. */
typedef struct pipeline {
  int script, output, messages; /* without names */
  int pipe[2];                  /* pipe from gnuplot to ffmpeg */
} pipeline;

/* A file that ffmpeg opens by this name, because a video is not written in one go. */
enum { VIDEO_FILENO = 3 };
#define VIDEO "file:/dev/fd/3"

/* Starts a program with these standard streams, and a file that it opens as VIDEO (-1: none). Returns its process; -1
 * after printing an error. */
static pid_t start(const char *const *arguments, const char *package, int in, int out, int messages, int video) {
  posix_spawn_file_actions_t actions;
  pid_t process = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  if (video >= 0) posix_spawn_file_actions_adddup2(&actions, video, VIDEO_FILENO);
  const int reason = posix_spawnp(&process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (reason == 0) return process;
  if (reason == ENOENT)
    fprintf(stderr, "mbs: %s is not installed; install the package %s: apt install %s\n", arguments[0], package,
            package);
  else
    fprintf(stderr, "mbs: %s cannot be started: %s\n", arguments[0], strerror(reason));
  return -1;
}

/* Waits for a process. Returns true if it succeeded. */
static bool finish(pid_t process) {
  int status = -1;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static pid_t start_gnuplot(const pipeline *self, int out) {
  static const char *const arguments[] = {"gnuplot", "-d", "-", NULL}; /* -d: without the user's settings */
  return start(arguments, "gnuplot-nox", self->script, out, self->messages, -1);
}

static pid_t start_ffmpeg(const pipeline *self, const char *const *codec, double fps) {
  char rate[32];
  const char *arguments[ARGUMENTS_MAX] = {"ffmpeg", "-loglevel",  "error", "-y", "-f", "image2pipe", "-c:v",
                                          "png",    "-framerate", rate,    "-i", "-",  "-an"};
  size_t count = 13;
  snprintf(rate, sizeof rate, "%.6g", fps);
  while (*codec && count < ARGUMENTS_MAX - 2) arguments[count++] = *codec++;
  arguments[count] = VIDEO;
  return start(arguments, "ffmpeg", self->pipe[0], self->messages, self->messages, self->output);
}

static bool make_picture(const pipeline *self) { return finish(start_gnuplot(self, self->output)); }

/* Closes both ends of the pipe here, so that its end is seen when the program at the other end has ended. */
static void close_pipe(const pipeline *self) {
  close(self->pipe[0]);
  close(self->pipe[1]);
}

static bool make_video(pipeline *self, const char *const *codec, double fps) {
  if (pipe2(self->pipe, O_CLOEXEC) != 0) return false;
  const pid_t ffmpeg = start_ffmpeg(self, codec, fps), gnuplot = ffmpeg > 0 ? start_gnuplot(self, self->pipe[1]) : -1;
  close_pipe(self);
  const bool drawn = finish(gnuplot);
  return finish(ffmpeg) && drawn;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Copies a file from its beginning to `out`. */
static bool copy(int from, FILE *out) {
  char piece[PIECE];
  ssize_t got = -1;
  if (lseek(from, 0, SEEK_SET) == 0)
    while ((got = read(from, piece, sizeof piece)) > 0)
      if (fwrite(piece, 1, (size_t)got, out) != (size_t)got) return false;
  return got == 0;
}

static bool write_all(int file, const api_buffer *text) {
  size_t done = 0;
  while (done < text->size) {
    const ssize_t written = write(file, text->data + done, text->size - done);
    if (written < 0) return false;
    done += (size_t)written;
  }
  return lseek(file, 0, SEEK_SET) == 0;
}

static bool save(int made, const char *path) {
  FILE *out = fopen(path, "wb");
  bool good = out && copy(made, out);
  good = out && fclose(out) == 0 && good;
  if (!good) fprintf(stderr, "mbs: cannot write %s: %s\n", path, strerror(errno));
  return good;
}

static bool run(pipeline *self, const char *path, const char *const *codec, double fps) {
  if (codec ? make_video(self, codec, fps) : make_picture(self)) return save(self->output, path);
  copy(self->messages, stderr);
  fprintf(stderr, "mbs: %s is not written\n", path);
  return false;
}

bool cli_gnuplot_run(const api_buffer *script, const char *path, const char *const *codec, double fps) {
  const api_temp_file scratch = {0};
  pipeline self = {.script = api_temp_file_open(&scratch),
                   .output = api_temp_file_open(&scratch),
                   .messages = api_temp_file_open(&scratch)};
  bool good =
      self.script >= 0 && self.messages >= 0 && self.output >= 0 && !script->failed && write_all(self.script, script);
  if (!good)
    fprintf(stderr, "mbs: cannot write temporary files: %s\n", strerror(script->failed ? ENOMEM : errno));
  else
    good = run(&self, path, codec, fps);
  if (self.script >= 0) close(self.script);
  if (self.messages >= 0) close(self.messages);
  if (self.output >= 0) close(self.output);
  return good;
}
