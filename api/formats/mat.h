/* mat.h - all arrays of a job as MATLAB variables: version 5, or version 7.3 (HDF5) if they are too large for version
 * 5.
 * A(i,j,k) is the number at row i; an array with one index is a column. mat_names.h has the names of the variables. The
 * structure `info` has job_id, model_name, version, and in `arrays` for each variable its name, unit and description,
 * with labels and units as cell arrays in the shape of a row: info.arrays.A.labels{j,k}. */
#ifndef API_FORMATS_MAT_H
#define API_FORMATS_MAT_H

#include "api/formats/result_set.h"

#include <stdbool.h>

/* Returns true if the arrays of a job need version 7.3. */
bool api_mat_needs_hdf5(const service_array *arrays, size_t count);
/* Creates and opens an unnamed file. Returns SERVICE_OK, NO_SPACE or FAILED. */
service_status api_mat_make(const api_result_set *set, int *file);
/* Creates the file in the given version. */
service_status api_mat_make_version(const api_result_set *set, bool hdf5, int *file);

#endif
