/* results_files.h - /api/v1/jobs/{id}/results.npz and similar: all arrays of a job in one file. */
#ifndef API_RESOURCES_RESULTS_FILES_H
#define API_RESOURCES_RESULTS_FILES_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Streamed while they are written: a ZIP file of NumPy arrays, or of CSV files. */
void api_results_npz(const api_call *call, api_response *response);
void api_results_csv_zip(const api_call *call, api_response *response);
/* Written to temporary files first, because their libraries need to seek: MATLAB and HDF5. */
void api_results_mat(const api_call *call, api_response *response);
void api_results_h5(const api_call *call, api_response *response);

#endif
