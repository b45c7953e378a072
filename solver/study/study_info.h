/* study_info.h - what a study has: its sizes, and what its columns are called. */
#ifndef MBS_STUDY_INFO_H
#define MBS_STUDY_INFO_H

#include "mbs/study.h"

/* Of a model that was built with a study; texts live as long as model and arena. False: no memory. */
bool mbs_study_outline_of(const mbs_model *model, mbs_arena *arena, mbs_study_outline *outline);

#endif
