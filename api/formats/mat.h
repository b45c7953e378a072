/* mat.h - all arrays of a job as MATLAB's variables: version 5, or version 7.3 (HDF5) where they take more than
 * version 5 can hold.
 *
 * A(i,j,k) is the number at row i; an array of one index is a column. The names of variables are those of
 * mat_names.h. The structure `info` has job_id, model_name, version, and in `arrays` for each variable its name,
 * unit and description and, as cell arrays in the shape of a row, labels and units: info.arrays.A.labels{j,k}. */
#ifndef API_FORMATS_MAT_H
#define API_FORMATS_MAT_H

#include "api/formats/result_set.h"

#include <stdbool.h>

/* Whether the arrays of a job need version 7.3. */
bool api_mat_needs_hdf5(const service_array *arrays, size_t count);
/* Makes a file without a name and opens it: SERVICE_OK, NO_SPACE or FAILED. */
service_status api_mat_make(const api_result_set *set, int *file);
/* The same in the version that is asked for. */
service_status api_mat_make_version(const api_result_set *set, bool hdf5, int *file);

#endif
