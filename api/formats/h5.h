/* h5.h - all arrays of a job as an HDF5 file: one dataset for each array, in its shape, row-major, with the name of its
 * file (file_names.h). Attributes of a dataset: name, unit, description, and in the shape of a row labels and units; of
 * the file: job_id, model_name, version. */
#ifndef API_FORMATS_H5_H
#define API_FORMATS_H5_H

#include "api/formats/result_set.h"

/* Creates and opens an unnamed file. Returns SERVICE_OK, NO_SPACE or FAILED. */
service_status api_h5_make(const api_result_set *set, int *file);

#endif
