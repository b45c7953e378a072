/* Reporting times of a run. */
#include "model/report_times.h"

double mbs_report_time(const mbs_model *model, size_t row) {
  if (row + 1 >= model->nt && model->nt > 1) return model->t_end;
  return model->t_start + (double)row * model->dt;
}
