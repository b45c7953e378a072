/* h5.h - all arrays of a job as an HDF5 file: a dataset an array, in its shape, row-major, named as its file would be
 * (file_names.h). Attributes of a dataset: name, unit, description, and in the shape of a row labels and units; of the
 * file: job_id, model_name, version. */
#ifndef API_FORMATS_H5_H
#define API_FORMATS_H5_H

#include "api/formats/result_set.h"

/* Makes a file without a name and opens it: SERVICE_OK, NO_SPACE or FAILED. */
service_status api_h5_make(const api_result_set *set, int *file);

#endif
