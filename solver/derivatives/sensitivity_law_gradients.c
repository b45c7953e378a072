/* Gradients of expressions that an observer reads. Most depend on few states and parameters, so that few differences
 * give the derivatives along all tangents. To find these columns, a state is set to NaN: a law that becomes NaN depends
 * on it. Parameters count if the law's numbers or the geometry of the mechanism follow from them. As a check, a
 * difference along all other columns at each state must be exactly zero; otherwise the law is read along each
 * tangent. */
#include "derivatives/sensitivity_internal.h"

#include "equations/law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Smallest number of tangents for which gradients are faster; largest number of laws stored. */
enum { LEAST_TANGENTS = 3, LAWS_MOST = 8 };

typedef struct law_gradient {
  const mbs_law *law;
  bool usable;          /* the gradient can be used */
  size_t count;         /* number of columns on which the law depends */
  size_t *column;       /* [count] */
  mbs_direction *along; /* [count] a direction for each column */
  double *per_step;     /* [count] change of the column over a step along its direction */
  mbs_direction others; /* direction along all other columns */
} law_gradient;

struct mbs_law_gradients {
  law_gradient laws[LAWS_MOST];
  size_t count;
  size_t states, columns; /* states: nq + nv; columns: these and the tangents' parameters */
  size_t most;            /* largest number of columns on which a law may depend */
  mbs_direction state, parameter;
  bool *marks; /* [columns] workspace */
};

static mbs_arena *arena_of(const mbs_tangent_work *work) { return work->self->run->system->arena; }

bool mbs_law_gradients_open(mbs_tangent_work *work) {
  const mbs_model *model = work->self->run->model;
  const size_t states = model->state.motion, tangents = work->tangents->count;
  mbs_arena *arena = arena_of(work);
  work->gradients = NULL;
  if (!work->lanes || !mbs_tangent_reads_lanes(work) || tangents < LEAST_TANGENTS ||
      states > MBS_COLUMNS_PER_TANGENT * tangents)
    return true;
  mbs_law_gradients *gradients = mbs_arena_alloc(arena, 1, sizeof *gradients);
  if (!gradients) return false;
  gradients->states = states;
  gradients->columns = states + tangents;
  gradients->most = (size_t)(mbs_most_differences * (double)tangents) - 1;
  gradients->marks = mbs_arena_alloc(arena, gradients->columns, sizeof *gradients->marks);
  if (!gradients->marks || !mbs_direction_open(work, false, &gradients->state, arena) ||
      !mbs_direction_open(work, true, &gradients->parameter, arena))
    return false;
  for (int i = 0; i < MBS_INTERIOR_STATES; i++)
    if (!(work->interior[i].gradient = mbs_arena_alloc(arena, gradients->columns, sizeof(mbs_slope)))) return false;
  work->gradients = gradients;
  return true;
}

/* ---- search for columns ------------------------------------------------------------------------------------------ */

/* Sets a direction to one column. Returns the change of the column over a step. */
static double set_column(const mbs_tangent_work *work, size_t column, mbs_direction *along) {
  assert(along != NULL);
  mbs_direction_clear(work, along);
  const double per_step = mbs_direction_add(work, column, 1, along);
  mbs_direction_begin(along, mbs_fd_step_read);
  return per_step;
}

/* Computes the law's values at the points of a difference along a direction. */
static bool read_points(const mbs_tangent_work *work, mbs_direction *along, double t, const double *y,
                        const mbs_law *law, double values[MBS_FD_POINTS]) {
  return mbs_fd_step_choose(work, &along->fd, y, along->s) &&
         mbs_tangent_read_lanes(work, &along->fd, t, 0, y, along->s, law, values) == MBS_OK;
}

static bool are_same(const double values[MBS_FD_POINTS]) {
  for (int k = 1; k < MBS_FD_POINTS; k++)
    if (values[k] != values[0]) return false;
  return true;
}

/* Returns true if a parameter changes the law's own numbers or numbers that determine positions. */
static bool has_numbers(const mbs_tangent_work *work, const mbs_fd_step *fd, const mbs_law *law) {
  const mbs_model *model = work->self->run->model;
  const mbs_constants *one = fd->displaced[0];
  for (int k = 1; k < MBS_FD_POINTS; k++) {
    const mbs_constants *other = fd->displaced[k];
    if (!mbs_law_is_same(one, other, law) ||
        memcmp(one->points, other->points, 3 * model->nP * sizeof *one->points) != 0 ||
        memcmp(one->joints, other->joints, model->joint_count * sizeof *one->joints) != 0 ||
        memcmp(one->blocks, other->blocks, model->block_numbers * sizeof *one->blocks) != 0)
      return true;
  }
  return false;
}

/* Returns true if a law depends on a column at y, found along the direction `along`. Sets *known to false if that
 * cannot be found. */
static bool depends(mbs_tangent_work *work, size_t column, mbs_direction *along, double t, const double *y,
                    const mbs_law *law, bool *known) {
  assert(column < work->gradients->columns);
  double values[MBS_FD_POINTS] = {0};
  *known = read_points(work, along, t, y, law, values);
  if (!*known || !are_same(values) || (along->count && has_numbers(work, &along->fd, law))) return true;
  mbs_direction_mark_nan(work, column, y, along, work->displaced);
  return mbs_tangent_read_lanes(work, &along->fd, t, 0, work->displaced, along->s, law, values) != MBS_OK;
}

/* Marks the columns on which a law depends. Returns their number; more than gradients->most if it cannot be found. */
static size_t mark_columns(mbs_tangent_work *work, mbs_law_gradients *gradients, const double *y, const mbs_law *law) {
  size_t count = 0;
  for (size_t c = 0; c < gradients->columns; c++) gradients->marks[c] = false;
  for (int probe = 0; probe < MBS_QUASI_RANDOM_STATES; probe++) {
    const double t = mbs_tangent_generic_state(work, probe, y, work->y);
    for (size_t c = 0; c < gradients->columns && count <= gradients->most; c++) {
      bool known;
      mbs_direction *along = c < gradients->states ? &gradients->state : &gradients->parameter;
      set_column(work, c, along);
      const bool marked = depends(work, c, along, t, work->y, law, &known);
      if (!known) return gradients->columns;
      count += marked && !gradients->marks[c];
      gradients->marks[c] |= marked;
    }
  }
  return count;
}

/* Creates directions along the marked columns, and one along all others. Returns false if memory runs out. */
static bool open_directions(mbs_tangent_work *work, const mbs_law_gradients *gradients, law_gradient *of) {
  mbs_arena *arena = arena_of(work);
  of->column = mbs_arena_alloc(arena, of->count + 1, sizeof *of->column);
  of->along = mbs_arena_alloc(arena, of->count + 1, sizeof *of->along);
  of->per_step = mbs_arena_alloc(arena, of->count + 1, sizeof *of->per_step);
  if (!of->column || !of->along || !of->per_step || !mbs_direction_open(work, true, &of->others, arena)) return false;
  for (size_t c = 0, i = 0; c < gradients->columns; c++) {
    if (!gradients->marks[c]) {
      mbs_direction_add(work, c, 2 * mbs_quasi_random(c, MBS_QUASI_RANDOM_STATES), &of->others);
      continue;
    }
    if (!mbs_direction_open(work, c >= gradients->states, &of->along[i], arena)) return false;
    of->column[i] = c;
    of->per_step[i] = set_column(work, c, &of->along[i]);
    assert(i < of->count);
    i++;
  }
  mbs_direction_begin(&of->others, mbs_fd_step_read);
  return true;
}

/* Returns the gradient data of a law; NULL if the law must be read along each tangent. */
static law_gradient *gradient_of(mbs_tangent_work *work, const double *y, const mbs_law *law) {
  mbs_law_gradients *gradients = work->gradients;
  for (size_t i = 0; gradients && i < gradients->count; i++)
    if (gradients->laws[i].law == law) return gradients->laws[i].usable ? &gradients->laws[i] : NULL;
  if (!gradients || gradients->count == LAWS_MOST) return NULL;
  law_gradient *of = &gradients->laws[gradients->count++];
  assert(gradients->count <= LAWS_MOST);
  *of = (law_gradient){.law = law, .count = mark_columns(work, gradients, y, law)};
  of->usable = of->count <= gradients->most && open_directions(work, gradients, of);
  return of->usable ? of : NULL;
}

/* ---- at a state ---------------------------------------------------------------------------------------------- */

/* Computes the gradient at a state, by column. Returns false if a difference is inaccurate, or if another column
 * changes the law. */
static bool find_gradient(mbs_tangent_work *work, law_gradient *of, mbs_interior_state *interior, double nothing) {
  double values[MBS_FD_POINTS] = {0};
  for (size_t i = 0; i < of->count; i++) {
    mbs_direction *along = &of->along[i];
    if (mbs_tangent_read_slope(work, &along->fd, interior->t, 0, interior->y, along->s, of->law, interior->value,
                               nothing, &interior->gradient[i]) != MBS_OK)
      return false;
  }
  of->usable = read_points(work, &of->others, interior->t, interior->y, of->law, values) && are_same(values);
  return of->usable;
}

bool mbs_law_gradient_along(mbs_tangent_work *work, mbs_interior_state *interior, const mbs_law *law, double nothing,
                            size_t tangent, mbs_slope *out) {
  law_gradient *of = gradient_of(work, interior->y, law);
  const double *s = interior->y + (tangent + 1) * work->n;
  mbs_slope sum = {0, 0};
  if (!of) return false;
  if (interior->gradient_law != law && !find_gradient(work, of, interior, nothing)) return false;
  interior->gradient_law = law;
  for (size_t i = 0; i < of->count; i++) {
    const size_t c = of->column[i], states = work->gradients->states;
    assert(c < work->gradients->columns);
    /* change of the column along the tangent, ds_c or 1 for its own parameter, in steps of the direction */
    const double by = (c < states ? s[c] : c == states + tangent) / of->per_step[i];
    sum.value += by * interior->gradient[i].value;
    sum.doubt += fabs(by) * interior->gradient[i].doubt;
  }
  *out = sum;
  return true;
}
