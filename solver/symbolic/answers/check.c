/* check.c - compares answers with the equations by value. A block is wrong if its numbers differ at one of the states.
 * For a closed block, whose text is valid only if the constraints hold, only states that satisfy them count. Correct
 * answers are checked again with a perturbed model, which shows answers that are correct only by the numbers of the
 * document. */
#include "symbolic/answers/answer.h"

#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t memory_limit = (size_t)1 << 30;
static const double usual_tolerance = 1e-6;
/* Rounding error as a fraction of the usual size of a block's terms. */
static const double usual_rounding = 1e-13;

/* ---- matrices beside those of the equations ------------------------------------------------------------------ */

static void *room(mbs_check_work *work, size_t count, size_t size) {
  return mbs_arena_alloc(work->arena, count + 1, size);
}

static bool open_blocks(mbs_check_work *work, mbs_equation_matrix *matrix) {
  static const mbs_equation_axis one = {.label = "", .size = 1};
  matrix->vector = true;
  matrix->column_count = 1;
  matrix->columns = &one;
  matrix->blocks = room(work, matrix->row_count, sizeof *matrix->blocks);
  for (size_t r = 0; matrix->blocks && r < matrix->row_count; r++) {
    matrix->blocks[r].value = room(work, (size_t)matrix->rows[r].size, sizeof(double));
    if (!matrix->blocks[r].value) return false;
  }
  return matrix->blocks != NULL;
}

/* Adds the matrix of the positions of the bodies, with angles in the plane. */
static bool open_places(mbs_check_work *work) {
  const mbs_equations_work *inside = work->equations->work;
  mbs_symbols *symbols = &work->equations->work->symbols;
  const size_t count = 2 * work->model->nB;
  bool plane = inside->algebra.dim == 2;
  mbs_equation_axis *rows = room(work, count, sizeof *rows);
  mbs_equation_matrix *matrix = &work->places.matrix;
  if (!rows) return false;
  for (size_t r = 0; r < count; r++)
    if (plane || r % 2 == 0) rows[matrix->row_count++] = inside->bodies_axes[r];
  matrix->name = "r";
  matrix->rows = rows;
  if (!open_blocks(work, matrix)) return false;
  for (size_t r = 0; r < matrix->row_count; r++) {
    char number[16], why[256];
    int body = (int)(plane ? r / 2 : r);
    snprintf(number, sizeof number, "%d", body + 1);
    const mbs_variable *symbol =
        mbs_symbol_lookup(symbols, &(mbs_symbol_name){plane && r % 2 ? "phi" : "r", number, "", 0, false}, -1, why);
    if (!symbol) return false;
    matrix->blocks[r].term = mbs_term_symbol(symbols->algebra, symbol);
  }
  return true;
}

/* Adds the matrix gamma: the rows of rhsA over the bodies, as if each floated. */
static bool open_gamma(mbs_check_work *work) {
  mbs_equations_work *inside = work->equations->work;
  const mbs_equation_matrix *rhsA = mbs_check_matrix(work->check, "rhsA");
  mbs_equation_matrix *matrix = &work->gamma.matrix;
  if (!rhsA) return true;
  *matrix = (mbs_equation_matrix){.name = "gamma", .row_count = rhsA->row_count, .rows = rhsA->rows};
  work->gamma.rows = room(work, rhsA->row_count, sizeof(mbs_block *));
  if (!work->gamma.rows || !open_blocks(work, matrix)) return false;
  size_t count = 0;
  for (size_t row = 0; row < work->model->bilateral_rows; row++)
    for (size_t b = 0; b < work->model->bilateral_blocks; b++) {
      const mbs_block *block = &work->model->blocks[b];
      if (block->first_row != (int)row) continue;
      mbs_symbolic_row over;
      if (!mbs_symbolic_row_of(work->model->body_formulation ? &inside->symbols : &inside->body_symbols, block, &over))
        return false;
      work->gamma.rows[count] = block;
      matrix->blocks[count].term = over.rhsA;
      matrix->blocks[count++].closed = over.rhsA_closed;
    }
  return true;
}

/* Evaluates gamma = rhsA + D Bdot theta'. */
static void fill_gamma(mbs_check_work *work) {
  mbs_equations_work *inside = work->equations->work;
  const mbs_equation_matrix *rhsA = mbs_check_matrix(work->check, "rhsA");
  size_t columns = (size_t)work->model->kernels->width * work->model->nB;
  for (size_t k = 0; k < work->gamma.matrix.row_count; k++) {
    double *out = (double *)work->gamma.matrix.blocks[k].value;
    for (int i = 0; i < rhsA->rows[k].size; i++) {
      const double *D = inside->D + (size_t)(work->gamma.rows[k]->first_row + i) * columns;
      out[i] = rhsA->blocks[k].value[i];
      for (size_t c = 0; c < columns; c++) out[i] += D[c] * inside->beta[c];
    }
  }
}

static void evaluate_positions(mbs_check_work *work) {
  const mbs_equation_matrix *matrix = &work->places.matrix;
  for (size_t r = 0; r < matrix->row_count; r++)
    mbs_term_value(matrix->blocks[r].term, (double *)matrix->blocks[r].value, 3);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

mbs_check *mbs_check_new(const mbs_model *model) { return mbs_check_new_of(model, NULL); }

mbs_check *mbs_check_new_of(const mbs_model *model, const char *only) {
  mbs_arena *arena = mbs_arena_new(memory_limit);
  mbs_check *check = arena ? mbs_arena_alloc(arena, 1, sizeof *check) : NULL;
  mbs_check_work *work = arena ? mbs_arena_alloc(arena, 1, sizeof *work) : NULL;
  if (!check || !work) {
    mbs_arena_free(arena);
    return NULL;
  }
  *work = (mbs_check_work){.check = check, .arena = arena, .model = model, .tolerance = usual_tolerance};
  check->work = work;
  work->equations = mbs_equations_new_of(model, only);
  work->only = work->equations ? work->equations->work->only : NULL;
  check->equations = work->equations;
  if (work->equations && open_places(work) && open_gamma(work)) return check;
  mbs_check_free(check);
  return NULL;
}

void mbs_check_free(mbs_check *check) {
  if (!check) return;
  mbs_equations_free(check->work->equations);
  mbs_arena_free(check->work->arena);
}

const mbs_equation_matrix *mbs_check_matrix(const mbs_check *check, const char *name) {
  const mbs_check_work *work = check->work;
  for (size_t m = 0; m < check->equations->matrix_count; m++)
    if (strcmp(check->equations->matrices[m].name, name) == 0) return &check->equations->matrices[m];
  if (strcmp(name, "r") == 0) return &work->places.matrix;
  return strcmp(name, "gamma") == 0 && work->gamma.matrix.name ? &work->gamma.matrix : NULL;
}

/* ---- states -------------------------------------------------------------------------------------------------- */

/* Returns an additional force or torque, which no law produces. */
static double push_of(int body, int component) { return sin(2.3 * body + 1.1 * component + 0.4); }

static void push_symbols(mbs_symbols *symbols) {
  int dim = symbols->algebra->dim;
  for (size_t k = 0; k < symbols->count; k++) {
    mbs_variable *symbol = symbols->items[k];
    bool force = symbol->quantity == MBS_QUANTITY_FORCE;
    if (!force && symbol->quantity != MBS_QUANTITY_TORQUE) continue;
    for (int i = 0; i < symbol->rows; i++) symbol->value[i] += push_of(symbol->to.body, force ? i : dim + i);
  }
}

/* Adds these to the forces f and torques n, and B' times them to h. */
static void push_bodies(mbs_check_work *work) {
  mbs_equations_work *inside = work->equations->work;
  const mbs_equation_matrix *h = mbs_check_matrix(work->check, "h");
  size_t width = (size_t)work->model->kernels->width, nv = work->model->nv, k = 0;
  push_symbols(&inside->symbols);
  for (size_t r = 0; h && r < h->row_count; r++)
    for (int i = 0; i < h->rows[r].size; i++, k++)
      for (size_t row = 0; row < width * work->model->nB; row++)
        ((double *)h->blocks[r].value)[i] +=
            inside->B[row * nv + k] * push_of(work->model->user_body[row / width], (int)(row % width));
}

/* Finds the scales of all blocks, once at each state. */
static void find_scales(mbs_check_work *work, const mbs_check_state *state) {
  const mbs_model *model = work->model;
  const mbs_constants *constants = model->constants;
  mbs_check_scales scales = {.length = fmin(1, constants->extent)};
  for (size_t j = 0; j < model->nv; j++) scales.rate = fmax(scales.rate, fabs(state->v[j]));
  for (size_t b = 1; b <= model->nB; b++) scales.mass = fmax(scales.mass, constants->bodies[b].mass);
  for (int i = 0; i < 3; i++) scales.gravity = fmax(scales.gravity, fabs(constants->gravity[i]));
  for (size_t m = 0; m < MBS_EQUATION_MATRICES + 2; m++) scales.largest[m] = -1;
  work->scales = scales;
}

mbs_status mbs_check_at(mbs_check_work *work, const mbs_check_state *state, mbs_error *error) {
  mbs_status status = mbs_equations_at(work->equations, state->t, state->q, state->v, error);
  if (status != MBS_OK) return status;
  evaluate_positions(work);
  fill_gamma(work);
  if (work->pushed) push_bodies(work);
  find_scales(work, state);
  return MBS_OK;
}

double mbs_check_largest(const mbs_equation_matrix *matrix) {
  double largest = 0;
  for (size_t r = 0; r < matrix->row_count; r++)
    for (size_t c = 0; c < matrix->column_count; c++)
      for (int k = 0; k < matrix->rows[r].size * matrix->columns[c].size; k++) {
        double value = fabs(matrix->blocks[r * matrix->column_count + c].value[k]);
        if (!(value <= largest)) largest = value;
      }
  return largest;
}

bool mbs_check_applies(const mbs_answer_entry *entry, const mbs_check_state *state) {
  if (entry->given_only) return state->given;
  return !entry->block->closed || state->assembled;
}

/* ---- judging ------------------------------------------------------------------------------------------------- */

static int size_of_block(const mbs_answer_entry *entry) {
  const mbs_equation_matrix *matrix = entry->result.matrix;
  return matrix->rows[entry->result.row].size * matrix->columns[entry->result.column].size;
}

/* Returns the usual size of the terms in a matrix, even if they cancel: from lengths of the model, rates and weights of
 * the state. */
static double usual_size(const mbs_check_scales *scales, const mbs_equation_matrix *matrix) {
  const double length = scales->length, rate = scales->rate;
  if (strcmp(matrix->name, "M") == 0) return 0; /* M is never zero */
  if (strcmp(matrix->name, "h") == 0) return scales->mass * length * (scales->gravity + length * rate * rate);
  if (strcmp(matrix->name, "rhsV") == 0) return length * rate;
  bool second = strcmp(matrix->name, "rhsA") == 0 || strcmp(matrix->name, "Bdot_thetad") == 0;
  return second ? length * rate * rate : length;
}

/* Returns the largest number of a matrix, searched once at each state. */
static double largest_of(mbs_check_work *work, const mbs_equation_matrix *matrix) {
  const mbs_equations *equations = work->equations;
  size_t number = MBS_EQUATION_MATRICES + (matrix == &work->gamma.matrix);
  if (matrix >= equations->matrices && matrix < equations->matrices + equations->matrix_count)
    number = (size_t)(matrix - equations->matrices);
  double *largest = &work->scales.largest[number];
  if (*largest < 0) *largest = mbs_check_largest(matrix);
  return *largest;
}

double mbs_answer_floor(mbs_check_work *work, const mbs_answer_entry *entry, double magnitude) {
  const mbs_equation_matrix *matrix = entry->result.matrix;
  double largest = largest_of(work, matrix);
  double rounding = fmax(1e-11 * fmax(magnitude, largest), usual_rounding * usual_size(&work->scales, matrix));
  return entry->given_only      ? fmax(rounding, 1e-9 * largest)
         : entry->block->closed ? fmax(rounding, 1e-7 * largest)
                                : rounding;
}

static bool same_size(const mbs_answer_entry *entry) {
  const mbs_equation_matrix *matrix = entry->result.matrix;
  return entry->nothing || (entry->result.rows == matrix->rows[entry->result.row].size &&
                            entry->result.columns == matrix->columns[entry->result.column].size);
}

/* Stores the answer and the correct value at a state. */
static bool tell(mbs_check_work *work, mbs_answer_entry *entry, const double *claimed, size_t state) {
  mbs_block_verdict *result = &entry->result;
  int count = result->rows * result->columns, size = size_of_block(entry);
  double *kept = room(work, (size_t)count + (size_t)size, sizeof *kept);
  if (!kept) return false;
  memcpy(kept, claimed, (size_t)count * sizeof *kept);
  memcpy(kept + count, entry->block->value, (size_t)size * sizeof *kept);
  result->claimed = kept;
  result->value = kept + count;
  result->state = state;
  entry->told = true;
  return true;
}

static bool judge_entry(mbs_check_work *work, mbs_answer_entry *entry, size_t at) {
  const mbs_check_state *state = &work->states[at];
  double claimed[MBS_ANSWER_NUMBERS_MAX] = {0}, magnitude = 0;
  if (!entry->readable || !mbs_check_applies(entry, state)) return true;
  bool valued = mbs_answer_value(work, entry, claimed, &magnitude);
  bool right = valued && same_size(entry) &&
               mbs_answer_is_near(work, claimed, entry->block->value, size_of_block(entry),
                                  mbs_answer_floor(work, entry, magnitude));
  bool first = !right && !entry->failed;
  if (!right && !entry->failed) entry->open_failed = !state->assembled;
  if (!right && state->assembled) entry->open_failed = false;
  entry->failed = entry->failed || !right;
  return (!first && entry->told) || tell(work, entry, claimed, at);
}

static mbs_status judge(mbs_check_work *work, mbs_error *error) {
  for (size_t s = 0; s < work->state_count; s++) {
    mbs_status status = mbs_check_at(work, &work->states[s], error);
    if (status != MBS_OK) continue; /* already evaluated when it was chosen */
    for (size_t k = 0; k < work->entry_count; k++)
      if (!judge_entry(work, work->entries[k], s)) return MBS_NO_MEMORY;
  }
  return MBS_OK;
}

/* Sets the verdicts. A closed block of a mechanism that cannot be assembled was evaluated at no state. */
static void settle(mbs_check_work *work) {
  for (size_t k = 0; k < work->entry_count; k++) {
    mbs_answer_entry *entry = work->entries[k];
    mbs_block_verdict *result = &entry->result;
    if (!entry->readable) continue;
    result->other_size = !same_size(entry);
    result->verdict = result->other_size ? MBS_VERDICT_SIZE : entry->failed ? MBS_VERDICT_WRONG : MBS_VERDICT_RIGHT;
    result->assembled_only =
        result->verdict == MBS_VERDICT_WRONG && entry->open_failed && work->model->bilateral_rows > 0;
    if (!result->other_size) continue;
    const mbs_equation_matrix *matrix = result->matrix;
    result->detail =
        mbs_arena_format(work->arena, "your block is %d x %d, but it must be %d x %d", result->rows, result->columns,
                         matrix->rows[result->row].size, matrix->columns[result->column].size);
  }
}

static bool some_may_be_accidental(const mbs_check_work *work) {
  for (size_t k = 0; k < work->entry_count; k++) {
    const mbs_answer_entry *entry = work->entries[k];
    if (entry->readable && !entry->failed && !entry->as_printed && !entry->given_only) return true;
  }
  return false;
}

static bool ask_again(mbs_check_work *moved, const mbs_check_work *work) {
  for (size_t k = 0; k < work->request_count; k++) {
    const mbs_answer_request *request = &work->requests[k];
    bool asked = request->program ? mbs_check_add_mfile(moved->check, request->program, request->matrix)
                                  : mbs_check_add_answer(moved->check, &request->claim);
    if (!asked) return false;
  }
  return moved->entry_count == work->entry_count;
}

static bool has_expressions(const mbs_answer_entry *entry) {
  for (size_t k = 0; k < entry->piece_count; k++)
    if (!entry->pieces[k].term && entry->pieces[k].cell.sensor >= 0) return true;
  return false;
}

/* Checks the same answers with a perturbed model and additional forces. */
static void find_accidents(mbs_check_work *work) {
  mbs_model *model = some_may_be_accidental(work) ? mbs_model_perturbed(work->model) : NULL;
  mbs_check *check = model ? mbs_check_new_of(model, work->only) : NULL;
  mbs_error error;
  const mbs_check_options options = {.verdicts = true};
  if (check) check->work->pushed = true;
  if (check && ask_again(check->work, work) && mbs_check_choose_states(check->work, &options, &error) == MBS_OK &&
      judge(check->work, &error) == MBS_OK)
    for (size_t k = 0; k < work->entry_count; k++) {
      const mbs_answer_entry *moved = check->work->entries[k];
      mbs_answer_entry *entry = work->entries[k];
      bool pushed = strcmp(entry->result.matrix ? entry->result.matrix->name : "", "h") == 0;
      bool fair = entry->readable && moved->readable && !entry->as_printed && !entry->given_only &&
                  !(pushed && has_expressions(entry)); /* expressions do not see the additional forces */
      entry->result.accidental = fair && !entry->failed && moved->failed;
    }
  mbs_check_free(check);
  mbs_model_free(model);
}

static bool list_results(mbs_check_work *work) {
  mbs_block_verdict *list = room(work, work->entry_count, sizeof *list);
  if (!list) return false;
  for (size_t k = 0; k < work->entry_count; k++) {
    list[k] = work->entries[k]->result;
    work->check->not_analyzed += list[k].not_analyzed;
  }
  work->check->results = list;
  work->check->result_count = work->entry_count;
  return true;
}

mbs_status mbs_check_run(mbs_check *check, const mbs_check_options *options, mbs_error *error) {
  mbs_check_work *work = check->work;
  work->tolerance = options->tolerance > 0 ? options->tolerance : usual_tolerance;
  *error = (mbs_error){0};
  mbs_status status = mbs_check_choose_states(work, options, error);
  if (status == MBS_OK) status = judge(work, error);
  if (status != MBS_OK) return status;
  settle(work);
  find_accidents(work);
  if (!options->verdicts && !mbs_find_typical_errors(work)) return MBS_NO_MEMORY;
  return list_results(work) ? MBS_OK : MBS_NO_MEMORY;
}
