/* study_info.h - sizes of a study, and labels and units of its columns. */
#ifndef MBS_STUDY_INFO_H
#define MBS_STUDY_INFO_H

#include "mbs/study.h"

/* Fills the outline of a model that was built with a study. Its texts live as long as model and arena. Returns false if
 * memory runs out. */
bool mbs_study_outline_of(const mbs_model *model, mbs_arena *arena, mbs_study_outline *outline);

#endif
