/* Dependent rows among many rows of C, by a multifrontal QR of C' without Q. The columns of C', the rows of C, are
 * eliminated in the order of elimination. The diagonal entry of R is the remainder of a row beside those before it. If
 * it is nearly zero, the row is dependent, and the other entries of its line of R are passed to later columns. Sources:
 * Heath, Sparse Least Squares, SIAM J. Sci. Stat. Comput. 3 (1982); Davis, ACM Trans. Math. Software 38 (2011), 8.
 * theory (10.1) */
#include "constraints/rank_sparse.h"
#include "base/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines that are passed from a column to their next nonzero column: an upper triangle over these columns, line by line.
 * A line with diagonal entry zero is empty. */
typedef struct front {
  struct front *next; /* next front at its column, or next in the pool */
  size_t room;        /* number of columns for which memory is allocated */
  int first, width;   /* range of the front's columns: columns[first .. width) */
  int *columns;       /* ascending */
  double *lines;
} front;

typedef struct entry {
  int column;
  double value;
} entry;

typedef struct elimination {
  mbs_arena *arena;
  size_t rows, velocities;
  int *place, *row_at;              /* [rows] column of a row of C, and row of a column */
  int *first_entry;                 /* [velocities + 1] */
  entry *entries;                   /* entries of C', by velocities, in scales */
  int *next_velocity, *velocity_at; /* lists of velocities [velocities] by their first column [rows] */
  front **front_at, *pool;          /* [rows] fronts passed to each column; unused fronts */
  int *local;                       /* [rows] index of a column in the current front, else -1 */
  int *found;                       /* [rows] columns of the current front */
  double *line;                     /* [rows] */
} elimination;

static double *line_of(const front *at, int c) {
  assert(c >= 0 && c < at->width);
  const size_t n = (size_t)at->width, k = (size_t)c;
  return at->lines + k * n - k * (k + 1) / 2; /* entry c of line c is line_of(at, c)[c] */
}

/* ---- rows of C' ---------------------------------------------------------------------------------------------- */

/* Orders the rows as eliminated: joints before drivers, each by level. */
static void place_rows(elimination *self, const mbs_model *model, size_t joint_rows) {
  const int *position = model->skyline.position;
  for (size_t r = 0; r < self->rows; r++) self->found[position[r]] = (int)r;
  int at = 0;
  for (int group = 0; group < 4; group++)
    for (size_t p = 0; p < self->rows; p++) {
      const int row = self->found[p];
      if (2 * ((size_t)row >= joint_rows) + (int)model->levels[row] != group) continue;
      self->row_at[at] = row;
      self->place[row] = at++;
      assert((size_t)at <= self->rows);
    }
}

static void list_entries(elimination *self, const mbs_system *system, const double *lengths, const double *velocities,
                         const double *units) {
  const mbs_model *model = system->model;
  for (int fill = 0; fill < 2; fill++) {
    MBS_EACH_BLOCK(system, b) {
      const mbs_block *block = &model->blocks[b];
      const int *pattern = model->pattern + block->pattern0;
      const double *values = system->C + block->value0;
      for (int r = block->first_row; r < block->first_row + block->rows; r++, values += block->columns)
        for (int c = 0; c < block->columns && lengths[r] > 0; c++) {
          /* C_rk [v_k] / [Phi_r] */
          const int k = pattern[c];
          const double value = values[c] * velocities[k] / units[r];
          if (value == 0) continue;
          if (fill)
            self->entries[self->first_entry[k + 1]++] = (entry){self->place[r], value};
          else
            self->first_entry[k + 2]++;
        }
    }
    if (fill) break;
    for (size_t k = 0; k < self->velocities; k++) self->first_entry[k + 2] += self->first_entry[k + 1];
    self->entries =
        mbs_arena_alloc(self->arena, (size_t)self->first_entry[self->velocities + 1] + 1, sizeof *self->entries);
    if (!self->entries) return;
  }
  for (size_t r = 0; r < self->rows; r++) self->velocity_at[r] = -1;
  for (size_t k = 0; k < self->velocities; k++) {
    int first = (int)self->rows;
    for (int e = self->first_entry[k]; e < self->first_entry[k + 1]; e++)
      if (self->entries[e].column < first) first = self->entries[e].column;
    if (first == (int)self->rows) continue;
    self->next_velocity[k] = self->velocity_at[first];
    self->velocity_at[first] = (int)k;
  }
}

/* ---- fronts -------------------------------------------------------------------------------------------------- */

static front *take_front(elimination *self, size_t width) {
  front **at = &self->pool;
  while (*at && (*at)->room < width) at = &(*at)->next;
  front *out = *at;
  if (out)
    *at = out->next;
  else {
    const size_t room = width + width / 4;
    out = mbs_arena_alloc(self->arena, 1, sizeof *out);
    if (!out) return NULL;
    out->room = room;
    out->columns = mbs_arena_alloc(self->arena, room, sizeof *out->columns);
    out->lines = mbs_arena_alloc(self->arena, room * (room + 1) / 2, sizeof *out->lines);
    if (!out->columns || !out->lines) return NULL;
  }
  out->width = (int)width;
  assert(out->room >= width);
  out->first = 0;
  memset(out->lines, 0, width * (width + 1) / 2 * sizeof *out->lines);
  return out;
}

static void find_column(elimination *self, int column, size_t *count) {
  assert(column >= 0 && (size_t)column < self->rows);
  if (self->local[column] >= 0) return;
  self->local[column] = 0;
  self->found[(*count)++] = column;
}

/* Opens a front over all columns of the fronts and velocities that are passed to this column. */
static front *open_front(elimination *self, int column) {
  size_t count = 0;
  find_column(self, column, &count);
  for (const front *child = self->front_at[column]; child; child = child->next)
    for (int c = child->first; c < child->width; c++) find_column(self, child->columns[c], &count);
  for (int k = self->velocity_at[column]; k >= 0; k = self->next_velocity[k])
    for (int e = self->first_entry[k]; e < self->first_entry[k + 1]; e++)
      find_column(self, self->entries[e].column, &count);
  qsort(self->found, count, sizeof *self->found, mbs_compare_ints);
  front *out = take_front(self, count);
  if (!out) return NULL;
  memcpy(out->columns, self->found, count * sizeof *out->columns);
  for (size_t c = 0; c < count; c++) self->local[self->found[c]] = (int)c;
  return out;
}

/* Eliminates a line by Givens rotations with the present lines; the remainder fills the first empty line. */
static void insert_line(front *into, double *line, int from) {
  assert(from >= 0);
  for (int c = from; c < into->width; c++) {
    if (line[c] == 0) continue;
    double *there = line_of(into, c);
    if (there[c] == 0) {
      memcpy(there + c, line + c, (size_t)(into->width - c) * sizeof *line);
      return;
    }
    const double length = hypot(there[c], line[c]), cosine = there[c] / length, sine = line[c] / length;
    there[c] = length;
    for (int k = c + 1; k < into->width; k++) {
      const double kept = there[k], left = line[k];
      there[k] = cosine * kept + sine * left;
      line[k] = cosine * left - sine * kept;
    }
  }
}

static void insert_all(elimination *self, front *into, int column) {
  const size_t size = (size_t)into->width * sizeof *self->line;
  front *child = self->front_at[column];
  while (child) {
    front *next = child->next;
    for (int c = child->first; c < child->width; c++) {
      const double *line = line_of(child, c);
      if (line[c] == 0) continue;
      memset(self->line, 0, size);
      for (int k = c; k < child->width; k++) self->line[self->local[child->columns[k]]] = line[k];
      insert_line(into, self->line, self->local[child->columns[c]]);
    }
    child->next = self->pool;
    self->pool = child;
    child = next;
  }
  for (int k = self->velocity_at[column]; k >= 0; k = self->next_velocity[k]) {
    memset(self->line, 0, size);
    for (int e = self->first_entry[k]; e < self->first_entry[k + 1]; e++)
      self->line[self->local[self->entries[e].column]] = self->entries[e].value;
    insert_line(into, self->line, 0);
  }
}

/* Eliminates a column. Returns 1 if its row is independent, 0 if not, -1 if memory runs out. Passes the other lines to
 * the next column. */
static int take_column(elimination *self, int column, double least) {
  assert((size_t)column < self->rows);
  front *at = open_front(self, column);
  if (!at) return -1;
  insert_all(self, at, column);
  for (int c = 0; c < at->width; c++) self->local[at->columns[c]] = -1;
  const bool kept = fabs(at->lines[0]) > least;
  if (!kept && at->lines[0] != 0) {
    memcpy(self->line, at->lines, (size_t)at->width * sizeof *self->line);
    insert_line(at, self->line, 1);
  }
  at->first = 1;
  front **to = at->width > 1 ? &self->front_at[at->columns[1]] : &self->pool;
  at->next = *to;
  *to = at;
  return kept;
}

static bool open_arrays(elimination *self) {
  const size_t m = self->rows, n = self->velocities;
  self->place = mbs_arena_alloc(self->arena, m + 1, sizeof *self->place);
  self->row_at = mbs_arena_alloc(self->arena, m + 1, sizeof *self->row_at);
  self->first_entry = mbs_arena_alloc(self->arena, n + 2, sizeof *self->first_entry);
  self->next_velocity = mbs_arena_alloc(self->arena, n + 1, sizeof *self->next_velocity);
  self->velocity_at = mbs_arena_alloc(self->arena, m + 1, sizeof *self->velocity_at);
  self->front_at = mbs_arena_alloc(self->arena, m + 1, sizeof *self->front_at);
  self->local = mbs_arena_alloc(self->arena, m + 1, sizeof *self->local);
  self->found = mbs_arena_alloc(self->arena, m + 1, sizeof *self->found);
  self->line = mbs_arena_alloc(self->arena, m + 1, sizeof *self->line);
  return self->place && self->row_at && self->first_entry && self->next_velocity && self->velocity_at &&
         self->front_at && self->local && self->found && self->line;
}

static int eliminate(elimination *self, double least, const double *lengths, bool *dependent, size_t joint_rows,
                     size_t *joint_rank) {
  int rank = 0;
  *joint_rank = 0;
  for (size_t r = 0; r < self->rows; r++) self->local[r] = -1;
  for (size_t c = 0; c < self->rows; c++) {
    const int row = self->row_at[c], kept = take_column(self, (int)c, least * lengths[row]);
    if (kept < 0) return -1;
    dependent[row] = !kept;
    rank += kept;
    *joint_rank += kept && (size_t)row < joint_rows;
  }
  return rank;
}

int mbs_dependent_rows_sparse(const mbs_system *system, double least, const double *lengths, const double *velocities,
                              const double *units, bool *dependent, size_t joint_rows, size_t *joint_rank) {
  const mbs_model *model = system->model;
  elimination self = {.arena = mbs_arena_new(model->limits.memory), .rows = model->rows, .velocities = model->nv};
  int rank = -1;
  if (!self.arena) return -1;
  if (open_arrays(&self)) {
    place_rows(&self, model, joint_rows);
    list_entries(&self, system, lengths, velocities, units);
    if (self.entries) rank = eliminate(&self, least, lengths, dependent, joint_rows, joint_rank);
  }
  mbs_arena_free(self.arena);
  return rank;
}
