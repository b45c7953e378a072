/* Notes in the report which joints the assembly moved far from their guesses. */
#include "run/assembly_note.h"

#include "equations/state.h"
#include "initial/correct.h"
#include "initial/initial_guess.h"
#include "run/notes.h"

#include <math.h>
#include <stdio.h>

static const double degrees = 57.29577951308232;
enum { NAMES_SIZE = 380 };

/* Appends a joint to a list of `length` characters. Returns false, without a change, if the list is full. */
static bool append(char *list, size_t *length, const char *name, double turn) {
  const char *before = *length ? ", " : "";
  size_t room = NAMES_SIZE - *length;
  int size = snprintf(list + *length, room, "%s'%s' by %.0f degrees", before, name, turn * degrees);
  bool fits = size >= 0 && (size_t)size < room;
  if (fits)
    *length += (size_t)size;
  else
    list[*length] = 0;
  return fits;
}

mbs_status mbs_note_moved(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_initial_guess guesses;
  char names[NAMES_SIZE] = "";
  size_t length = 0, named = 0, left_out = 0;
  if (run->quiet) return MBS_OK;
  if (!mbs_guess_open(&guesses, run->system, model->t_start, run->system->constants->q0)) return MBS_NO_MEMORY;
  mbs_set_position(run->system, model->t_start, run->q);
  for (size_t i = 0; i < model->nB; i++) {
    int body = model->user_body[i];
    double turn = mbs_guess_rotation(&guesses, run->system, body);
    if (fabs(turn) <= mbs_far_away) continue;
    ++*(append(names, &length, mbs_guessed_element(model, body), turn) ? &named : &left_out);
  }
  if (left_out)
    mbs_run_note(run, "assembly rotated %s and %zu more; give 'initial' positions nearer to the intended ones", names,
                 left_out);
  else if (named)
    mbs_run_note(run, "assembly rotated %s; give %s 'initial' position%s nearer to where %s should be", names,
                 named > 1 ? "their" : "its", named > 1 ? "s" : "", named > 1 ? "they" : "it");
  return MBS_OK;
}
