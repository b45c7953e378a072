/* All arrays in one file: MATLAB, HDF5 and archives of CSV, read back with their libraries and compared bit for bit;
 * their names; failures. */
#include "api/formats/mat.h"
#include "api/formats/mat_names.h"
#include "json.h"
#include "service_test.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <locale.h>
#include <math.h>
#include <matio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 22001 }; /* of r: more than a block, and more than is held in memory */

static fake_job *job;
static char folder[] = "/tmp/mbsd-files-XXXXXX";

/* Names of an array, of its variable and of its file. */
static const struct {
  const char *name, *variable, *file;
} expected[] = {{"T", "T", "T"},
                {"r", "r", "r"},
                {"wide", "wide", "wide"},
                {"info", "info_2", "info"},
                {"end", "end_", "end"},
                {"2 \xc3\xa4", "x2__", "2 \xc3\xa4"},
                {"a/b", "a_b_2", "a_b_2"},
                {"a_b", "a_b", "a_b"},
                {"no columns", "no_columns", "no columns"},
                {"no rows", "no_rows", "no rows"},
                {"one", "one", "one"}};
enum { ARRAYS = sizeof expected / sizeof *expected };

static void add(const char *name, int rank, const size_t *shape, const char *labels, const double *data) {
  fake_job_add_array(job, name, rank, shape, labels, data, false);
}

static int open_job(void **state) {
  open_service(state);
  fake.service.scratch_folder = folder;
  job = fake_service_add(&fake, "succeeded");
  job->job.model_name = strdup("Vier\xc3\xa4/gelenk \"x\"");
  static double times[ROWS], r[6 * ROWS], wide[2 * 24];
  for (size_t i = 0; i < ROWS; i++) times[i] = (double)i / 3;
  for (size_t i = 0; i < 6 * ROWS; i++) r[i] = sqrt((double)i);
  for (size_t i = 0; i < 48; i++) wide[i] = (double)i;
  r[7] = NAN;
  r[8] = INFINITY;
  r[9] = -INFINITY;
  r[10] = -0.0;
  r[11] = 5e-324;
  add("T", 1, (const size_t[]){ROWS}, JSON(["T"]), times);
  add("r", 3, (const size_t[]){ROWS, 3, 2}, PART(["a.x", "a.y", "=b", "", "\u00e4", "\ud83d\ude00 c"]), r);
  MODEL(wide_labels, ["0","1","2","3","4","5","6","7","8","9","10","11",
                      "12","13","14","15","16","17","18","19","20","21","22","23"]);
  add("wide", 4, (const size_t[]){2, 2, 3, 4}, wide_labels, wide);
  add("info", 1, (const size_t[]){2}, PART(["info"]), times);
  add("end", 1, (const size_t[]){2}, PART(["end"]), times + 1);
  add("2 \xc3\xa4", 1, (const size_t[]){2}, "[\"2 \xc3\xa4\"]", times + 2);
  add("a/b", 1, (const size_t[]){2}, PART(["a/b"]), times + 3);
  add("a_b", 1, (const size_t[]){2}, PART(["a_b"]), times + 4);
  add("no columns", 2, (const size_t[]){5, 0}, "[]", NULL);
  add("no rows", 2, (const size_t[]){0, 2}, PART(["p", "q"]), NULL);
  add("one", 2, (const size_t[]){1, 1}, PART(["one"]), times + 5);
  job->arrays[1].units = strdup(PART(["m", "m", "", "N m", "rad/s", "m"]));
  return 0;
}

static size_t columns_of(const service_array *array) {
  size_t columns = 1;
  for (int i = 1; i < array->rank; i++) columns *= array->shape[i];
  return columns;
}

/* Writes the bytes to a file and opens it by its path; the caller removes it. */
static void save(const void *data, size_t size, char path[64]) {
  snprintf(path, 64, "/tmp/mbsd-file-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, size), size);
  close(file);
}

static void download(const char *extension, char path[64]) {
  char target[64];
  snprintf(target, sizeof target, "/api/v1/jobs/job-1/results.%s", extension);
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_false(answer.broken);
  save(answer.text, answer.size, path);
  fake_answer_free(&answer);
}

static size_t files_in(const char *path) {
  DIR *directory = opendir(path);
  assert_non_null(directory);
  size_t count = 0;
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

/* ---- .mat -------------------------------------------------------------------------------------------------------- */

static void expect_units(const matvar_t *text, const char *utf8, const uint16_t *utf16, size_t count) {
  assert_int_equal(text->class_type, MAT_C_CHAR);
  if (text->dims[0] * text->dims[1] != count) fail_msg("'%s' has %zu characters", utf8, text->dims[1]);
  for (size_t i = 0; i < count; i++) {
    uint16_t unit = ((const uint16_t *)text->data)[i];
    assert_int_equal(unit, utf16 ? utf16[i] : (unsigned char)utf8[i]);
  }
}

static void expect_ascii(const matvar_t *text, const char *ascii) { expect_units(text, ascii, NULL, strlen(ascii)); }

/* A(i,j,k) is at i + n0 (j + n1 k). */
static void expect_numbers(const matvar_t *variable, const service_array *array, const double *data) {
  size_t columns = columns_of(array), rows = array->shape[0];
  assert_int_equal(variable->class_type, MAT_C_DOUBLE);
  assert_int_equal(variable->rank, array->rank < 2 ? 2 : array->rank);
  for (int i = 0; i < variable->rank; i++) assert_int_equal(variable->dims[i], i < array->rank ? array->shape[i] : 1);
  const double *got = variable->data;
  for (size_t row = 0; row < rows; row++) {
    for (size_t column = 0; column < columns; column++) {
      size_t place = row, step = rows, left = column, index[4] = {0};
      for (int i = array->rank - 1; i > 0; left /= array->shape[i--]) index[i] = left % array->shape[i];
      for (int i = 1; i < array->rank; step *= array->shape[i++]) place += index[i] * step;
      if (memcmp(&got[place], &data[row * columns + column], sizeof *got) != 0)
        fail_msg("%s: row %zu, column %zu: %.17g", array->name, row, column, got[place]);
    }
  }
}

/* labels{j,k} belongs to A(:,j,k). */
static void expect_info(matvar_t *info) {
  static const uint16_t umlaut[] = {0xe4}, smile[] = {0xfffd, ' ', 'c'};
  assert_non_null(info);
  expect_ascii(Mat_VarGetStructFieldByName(info, "job_id", 0), "job-1");
  expect_ascii(Mat_VarGetStructFieldByName(info, "version", 0), MBS_VERSION);
  matvar_t *arrays = Mat_VarGetStructFieldByName(info, "arrays", 0);
  assert_int_equal(Mat_VarGetNumberOfFields(arrays), ARRAYS);
  expect_ascii(Mat_VarGetStructFieldByName(Mat_VarGetStructFieldByName(arrays, "a_b_2", 0), "name", 0), "a/b");
  matvar_t *r = Mat_VarGetStructFieldByName(arrays, "r", 0);
  expect_ascii(Mat_VarGetStructFieldByName(r, "unit", 0), "m");
  expect_ascii(Mat_VarGetStructFieldByName(r, "description", 0), "test data");
  matvar_t *labels = Mat_VarGetStructFieldByName(r, "labels", 0), *units = Mat_VarGetStructFieldByName(r, "units", 0);
  assert_int_equal(labels->dims[0], 3);
  assert_int_equal(labels->dims[1], 2);
  expect_ascii(Mat_VarGetCell(labels, 0), "a.x");
  expect_ascii(Mat_VarGetCell(labels, 1), "=b");
  expect_units(Mat_VarGetCell(labels, 2), "ae", umlaut, 1);
  expect_ascii(Mat_VarGetCell(labels, 3), "a.y");
  expect_ascii(Mat_VarGetCell(labels, 4), "");
  expect_units(Mat_VarGetCell(labels, 5), "smile", smile, 3);
  expect_ascii(Mat_VarGetCell(units, 4), "N m");
}

static void expect_mat(const char *path, enum mat_ft version) {
  mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
  assert_non_null(mat);
  assert_int_equal(Mat_GetVersion(mat), version);
  for (size_t i = 0; i < ARRAYS; i++) {
    matvar_t *variable = Mat_VarRead(mat, expected[i].variable);
    if (!variable) fail_msg("there is no variable %s", expected[i].variable);
    assert_string_equal(job->arrays[i].name, expected[i].name);
    expect_numbers(variable, &job->arrays[i], job->data[i]);
    Mat_VarFree(variable);
  }
  matvar_t *info = Mat_VarRead(mat, "info");
  expect_info(info);
  Mat_VarFree(info);
  Mat_Close(mat);
}

static void test_mat(void **state) {
  (void)state;
  char path[64];
  download("mat", path);
  expect_mat(path, MAT_FT_MAT5);
  unlink(path);
  assert_int_equal(files_in(folder), 2);
}

/* Makes the version for more than 2 GB from a smaller file. */
static void test_mat_of_version_7_3(void **state) {
  (void)state;
  service_array *arrays;
  size_t count;
  assert_int_equal(fake.service.arrays(&fake, "job-1", &arrays, &count), SERVICE_OK);
  assert_false(api_mat_needs_hdf5(arrays, count));
  size_t rows = arrays[0].shape[0];
  arrays[0].shape[0] = 250000000;
  assert_true(api_mat_needs_hdf5(arrays, count));
  arrays[0].shape[0] = rows;
  const api_result_set set = {.service = &fake.service,
                              .id = "job-1",
                              .model_name = "",
                              .version = MBS_VERSION,
                              .arrays = arrays,
                              .count = count,
                              .scratch = {.folder = folder}};
  int file;
  assert_int_equal(api_mat_make_version(&set, true, &file), SERVICE_OK);
  for (size_t i = 0; i < count; i++) service_array_free(&arrays[i]);
  free(arrays);
  size_t size = api_temp_file_size(file);
  char path[64], *bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(pread(file, bytes, size, 0), size);
  close(file);
  save(bytes, size, path);
  free(bytes);
  expect_mat(path, MAT_FT_MAT73);
  unlink(path);
  assert_int_equal(files_in(folder), 2);
}

static void test_names_of_variables(void **state) {
  (void)state;
  char longest[70], numbered[70];
  memset(longest, 'a', 69);
  longest[69] = '\0';
  snprintf(numbered, sizeof numbered, "%.61s_2", longest);
  const char *const names[] = {"", "_x", "x_x", "while", "1", "\xe2\x82\xac", longest + 6, longest, "INFO", "info"};
  const char *const variables[] = {"x", "x_x_2", "x_x", "while_", "x1", "x_", longest + 6, numbered, "INFO", "info_2"};
  char **got = api_unique_names(&api_mat_names, names, 10);
  assert_non_null(got);
  for (size_t i = 0; i < 10; i++) assert_string_equal(got[i], variables[i]);
  api_unique_names_free(got, 10);
}

/* ---- .h5 --------------------------------------------------------------------------------------------------------- */

/* Texts of an attribute equal those of JSON text, or one text. */
static void expect_texts(hid_t object, const char *name, const char *json) {
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  assert_true(attribute >= 0);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
  size_t count = (size_t)H5Sget_simple_extent_npoints(space);
  char **texts = calloc(count + 1, sizeof *texts);
  assert_true(H5Aread(attribute, type, texts) >= 0);
  json_t *list = json_loads(json, JSON_DECODE_ANY, NULL);
  if (json_is_string(list)) list = json_pack("[o]", list);
  assert_int_equal(count, json_array_size(list));
  for (size_t i = 0; i < count; i++) assert_string_equal(texts[i], json_string_value(json_array_get(list, i)));
  json_decref(list);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
  free(texts);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void expect_dataset(hid_t dataset, const service_array *array, const double *data) {
  hid_t space = H5Dget_space(dataset);
  hsize_t shape[4];
  assert_int_equal(H5Sget_simple_extent_dims(space, shape, NULL), array->rank);
  for (int i = 0; i < array->rank; i++) assert_int_equal(shape[i], array->shape[i]);
  H5Sclose(space);
  size_t bytes = array->shape[0] * columns_of(array) * sizeof *data;
  double *got = malloc(bytes + 1);
  assert_non_null(got);
  if (bytes > 0) assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
  assert_memory_equal(got, data, bytes);
  free(got);
  expect_texts(dataset, "labels", array->labels);
  if (array->units) expect_texts(dataset, "units", array->units);
  expect_texts(dataset, "unit", "\"m\"");
  expect_texts(dataset, "description", "\"test data\"");
  char name[64];
  snprintf(name, sizeof name, "\"%s\"", array->name);
  expect_texts(dataset, "name", name);
}

static void test_h5(void **state) {
  (void)state;
  char path[64];
  download("h5", path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  expect_texts(file, "job_id", "\"job-1\"");
  expect_texts(file, "model_name", "\"Vier\\u00e4/gelenk \\\"x\\\"\"");
  expect_texts(file, "version", "\"" MBS_VERSION "\"");
  for (size_t i = 0; i < ARRAYS; i++) {
    hid_t dataset = H5Dopen2(file, expected[i].file, H5P_DEFAULT);
    if (dataset < 0) fail_msg("there is no dataset %s", expected[i].file);
    expect_dataset(dataset, &job->arrays[i], job->data[i]);
    H5Dclose(dataset);
  }
  H5Fclose(file);
  unlink(path);
  assert_int_equal(files_in(folder), 2);
}

/* Attributes of an array with very many columns are larger than those of old files could be. */
static void test_h5_of_many_columns(void **state) {
  (void)state;
  enum { MANY = 20000 };
  json_t *labels = json_array();
  for (int i = 0; i < MANY; i++) json_array_append_new(labels, json_sprintf("a label of some length %d", i));
  char *text = json_dumps(labels, 0);
  static double data[2 * MANY];
  for (size_t i = 0; i < 2 * MANY; i++) data[i] = (double)i;
  add("many", 2, (const size_t[]){2, MANY}, text, data);
  char path[64];
  download("h5", path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, "many", H5P_DEFAULT);
  assert_true(dataset >= 0);
  expect_dataset(dataset, &job->arrays[ARRAYS], data);
  H5Dclose(dataset);
  H5Fclose(file);
  unlink(path);
  download("mat", path);
  unlink(path);
  free(text);
  json_decref(labels);
}

/* Requests may be handled by several threads. */
static void test_threads_are_safe(void **state) {
  (void)state;
  hbool_t safe = 0;
  assert_true(H5is_library_threadsafe(&safe) >= 0);
  assert_true(safe);
}

/* ---- .csv.zip ---------------------------------------------------------------------------------------------------- */

static void test_csv_zip(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results.csv.zip", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  setlocale(LC_CTYPE, "C.UTF-8"); /* reading, unlike writing, converts names to the locale */
  struct archive *archive = archive_read_new();
  archive_read_support_format_zip_seekable(archive);
  archive_read_set_option(archive, "zip", "hdrcharset", "UTF-8");
  assert_int_equal(archive_read_open_memory(archive, answer.text, answer.size), ARCHIVE_OK);
  for (size_t i = 0; i < ARRAYS; i++) {
    struct archive_entry *entry;
    assert_true(archive_read_next_header(archive, &entry) >= ARCHIVE_WARN);
    char name[64], target[128];
    snprintf(name, sizeof name, "%s.csv", expected[i].file);
    assert_string_equal(archive_entry_pathname_utf8(entry), name);
    snprintf(target, sizeof target, "/api/v1/jobs/job-1/results/%s?format=csv",
             i == 5   ? "2%20%C3%A4"
             : i == 6 ? "a%2Fb"
             : i == 8 ? "no%20columns"
             : i == 9 ? "no%20rows"
                      : expected[i].name);
    fake_answer alone;
    fake_get(&fake, target, NULL, &alone);
    assert_int_equal(alone.response.status, 200);
    char *content = malloc(alone.size + 1);
    assert_non_null(content);
    assert_int_equal(archive_read_data(archive, content, alone.size + 1), alone.size);
    assert_memory_equal(content, alone.text, alone.size);
    free(content);
    fake_answer_free(&alone);
  }
  struct archive_entry *none;
  assert_int_equal(archive_read_next_header(archive, &none), ARCHIVE_EOF);
  archive_read_free(archive);
  fake_answer_free(&answer);
}

/* ---- all formats ------------------------------------------------------------------------------------------------- */

static const char *const extensions[] = {"npz", "csv.zip", "mat", "h5"};

static void expect_disposition(const char *target, const char *value) {
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  const char *got = fake_answer_header(&answer, "Content-Disposition");
  assert_non_null(got);
  assert_string_equal(got, value);
  fake_answer_free(&answer);
}

static void test_names_of_files(void **state) {
  (void)state;
  expect_disposition("/api/v1/jobs/job-1/results.h5", "attachment; filename=\"Vier__gelenk _x_-job-1.h5\"; "
                                                      "filename*=UTF-8''Vier%C3%A4_gelenk%20_x_-job-1.h5");
  expect_disposition("/api/v1/jobs/job-1/results/a%2Fb?format=npy",
                     "attachment; filename=\"Vier__gelenk _x_-job-1-a_b.npy\"; "
                     "filename*=UTF-8''Vier%C3%A4_gelenk%20_x_-job-1-a_b.npy");
  free(job->job.model_name);
  job->job.model_name = NULL;
  strcpy(job->job.id, "01a20388-69aa-7e5c-bd11-57e522e8d4ec");
  expect_disposition("/api/v1/jobs/01a20388-69aa-7e5c-bd11-57e522e8d4ec/results.mat",
                     "attachment; filename=\"results-22e8d4ec.mat\"; filename*=UTF-8''results-22e8d4ec.mat");
}

/* However long the names are, the header is complete, and the file name has its extension. */
static void test_long_names_of_files(void **state) {
  (void)state;
  static const char *const parts[] = {"a", "\xe2\x82\xac", "..", "%"};
  for (size_t i = 0; i < 4; i++) {
    char name[1000] = "";
    while (strlen(name) < 900) strcat(name, parts[i]);
    free(job->job.model_name);
    job->job.model_name = strdup(name);
    add(name, 1, (const size_t[]){1}, PART(["x"]), (const double[]){1});
    char target[4000] = "/api/v1/jobs/job-1/results/";
    for (const char *c = name; *c; c++) sprintf(target + strlen(target), "%%%02X", (unsigned char)*c);
    strcat(target, "?format=csv");
    fake_answer answer;
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 200);
    const char *got = fake_answer_header(&answer, "Content-Disposition");
    assert_true(strlen(got) > 150 && strlen(got) < 255);
    assert_string_equal(got + strlen(got) - 4, ".csv");
    assert_non_null(strstr(got, ".csv\"; filename*=UTF-8''"));
    fake_answer_free(&answer);
  }
}

static void test_tags(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    char target[64], header[128];
    snprintf(target, sizeof target, "/api/v1/jobs/job-1/results.%s", extensions[i]);
    fake_answer answer, again;
    fake_get(&fake, target, NULL, &answer);
    fake_get(&fake, target, NULL, &again);
    assert_int_equal(answer.size, again.size);
    assert_memory_equal(answer.text, again.text, answer.size);
    snprintf(header, sizeof header, "If-None-Match: %s", fake_answer_header(&answer, "ETag"));
    fake_answer_free(&again);
    fake_answer_free(&answer);
    fake.numbers_read = 0;
    fake_get(&fake, target, header, &answer);
    assert_int_equal(answer.response.status, 304);
    assert_int_equal(fake.numbers_read, 0);
    fake_answer_free(&answer);
  }
}

static service_status fail_read(void *context, const char *id, const char *array, size_t first, size_t stride,
                                size_t count, const size_t *columns, size_t column_count, double *out) {
  (void)context, (void)id, (void)array, (void)first, (void)stride, (void)count, (void)columns, (void)column_count;
  return out ? SERVICE_FAILED : SERVICE_OK; /* a mere comparison with checksums succeeds */
}

static void expect_refused(const char *extension, int status, const char *detail) {
  char target[64];
  snprintf(target, sizeof target, "/api/v1/jobs/job-1/results.%s", extension);
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_int_equal(answer.response.status, status);
  if (!strstr(answer.text, detail)) fail_msg("'%s' is not in %s", detail, answer.text);
  assert_null(fake_answer_header(&answer, "Content-Disposition"));
  assert_null(fake_answer_header(&answer, "ETag"));
  fake_answer_free(&answer);
}

/* A failure is reported, and leaves neither files nor descriptors. */
static void test_refused(void **state) {
  (void)state;
  size_t descriptors = files_in("/proc/self/fd");
  for (size_t i = 2; i < 4; i++) {
    fake.service.scratch_keep = UINT64_MAX / 2;
    expect_refused(extensions[i], 507, "Not enough free disk space");
    fake.service.scratch_keep = 0;
    fake.service.scratch_folder = "/tmp/there-is-no-such-folder";
    expect_refused(extensions[i], 500, "could not be created");
    fake.service.scratch_folder = folder;
    service_status (*read)(void *, const char *, const char *, size_t, size_t, size_t, const size_t *, size_t,
                           double *) = fake.service.read;
    fake.service.read = fail_read;
    expect_refused(extensions[i], 500, "could not be created");
    fake.service.read = read;
  }
  fake_service_add(&fake, "running");
  for (size_t i = 0; i < 4; i++) {
    char target[64];
    snprintf(target, sizeof target, "/api/v1/jobs/job-2/results.%s", extensions[i]);
    fake_answer answer;
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 409);
    fake_answer_free(&answer);
  }
  assert_int_equal(files_in(folder), 2);
  assert_int_equal(files_in("/proc/self/fd"), descriptors);
}

/* ---- files that the service lends -------------------------------------------------------------------------------- */

static struct {
  service_status answer; /* result of borrow_file() */
  int asked, making, open;
  uint64_t largest; /* largest borrowed size */
  const char *client;
} lent;

enum { LOAN = 5 };

static service_status lend_file(void *context, const char *client, uint64_t bytes, size_t *loan) {
  assert_ptr_equal(context, &fake);
  lent.client = client;
  lent.asked++;
  if (lent.answer != SERVICE_OK) return lent.answer;
  lent.making++;
  lent.open++;
  if (bytes > lent.largest) lent.largest = bytes;
  *loan = LOAN;
  return SERVICE_OK;
}

static void note_made(void *context, size_t loan) {
  assert_ptr_equal(context, &fake);
  assert_int_equal(loan, LOAN);
  lent.making--;
}

static void take_file_back(void *context, size_t loan) {
  assert_ptr_equal(context, &fake);
  assert_int_equal(loan, LOAN);
  lent.open--;
}

static void lend(service_status answer) {
  memset(&lent, 0, sizeof lent);
  lent.answer = answer;
  fake.service.borrow_file = lend_file;
  fake.service.file_made = note_made;
  fake.service.return_file = take_file_back;
}

static void expect_all_back(int asked) {
  assert_int_equal(lent.asked, asked);
  assert_int_equal(lent.making, 0);
  assert_int_equal(lent.open, 0);
}

/* If the service refuses, nothing is read or made, and the response says when to retry. */
static void test_no_file_is_lent(void **state) {
  (void)state;
  for (size_t i = 2; i < 4; i++) {
    lend(SERVICE_BUSY);
    fake.numbers_read = 0;
    char target[64];
    snprintf(target, sizeof target, "/api/v1/jobs/job-1/results.%s", extensions[i]);
    fake_answer answer;
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 503);
    assert_non_null(fake_answer_header(&answer, "Retry-After"));
    fake_answer_free(&answer);
    expect_refused(extensions[i], 503, "request results.npz");
    expect_all_back(2);
    lend(SERVICE_CLIENT_FULL);
    expect_refused(extensions[i], 429, "reached the limit of one client");
    fake_get(&fake, target, NULL, &answer);
    assert_non_null(fake_answer_header(&answer, "Retry-After"));
    fake_answer_free(&answer);
    expect_all_back(2);
    lend(SERVICE_NO_SPACE);
    expect_refused(extensions[i], 507, "Not enough free disk space");
    expect_all_back(1);
    assert_int_equal(fake.numbers_read, 0);
  }
  for (size_t i = 0; i < 2; i++) { /* an archive is not made in advance */
    char path[64];
    download(extensions[i], path);
    unlink(path);
  }
  expect_all_back(1);
}

/* The permitted size is sufficient for the file, and the loan is returned however the response ends. */
static void test_files_are_returned(void **state) {
  (void)state;
  for (size_t i = 2; i < 4; i++) {
    char target[64], path[64], header[128];
    snprintf(target, sizeof target, "/api/v1/jobs/job-1/results.%s", extensions[i]);
    lend(SERVICE_OK);
    fake_answer answer;
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 200);
    assert_true(lent.largest >= answer.size);
    snprintf(header, sizeof header, "If-None-Match: %s", fake_answer_header(&answer, "ETag"));
    fake_answer_free(&answer);
    expect_all_back(1);
    fake_get(&fake, target, header, &answer);
    assert_int_equal(answer.response.status, 304);
    fake_answer_free(&answer);
    expect_all_back(1); /* the file was not made */
    static const char *const ranges[] = {"Range: bytes=5-9", "Range: bytes=99999999-"};
    for (size_t k = 0; k < 2; k++) {
      fake_get(&fake, target, ranges[k], &answer);
      assert_int_equal(answer.response.status, k == 0 ? 206 : 416);
      fake_answer_free(&answer);
    }
    fake_request(&fake, "HEAD", target, NULL, NULL, 0, NULL, &answer);
    assert_int_equal(answer.response.status, 200);
    fake_answer_free(&answer);
    expect_all_back(4);
    fake.service.scratch_folder = "/tmp/there-is-no-such-folder";
    expect_refused(extensions[i], 500, "could not be created");
    fake.service.scratch_folder = folder;
    job->damaged = "r";
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 500);
    fake_answer_free(&answer);
    job->damaged = NULL;
    expect_all_back(6);
    download(extensions[i], path);
    unlink(path);
  }
}

/* Until the client has received all of it, a file is open, but no longer being made. */
static void test_open_files_count(void **state) {
  (void)state;
  lend(SERVICE_OK);
  const api_request request = {.method = "GET",
                               .target = "/api/v1/jobs/job-1/results.h5",
                               .beside = true,
                               .client = "192.0.2.1",
                               .service = &fake.service};
  api_response response;
  api_handle(&request, &response);
  assert_int_equal(response.status, 200);
  assert_int_equal(lent.making, 0);
  assert_int_equal(lent.open, 1);
  assert_string_equal(lent.client, "192.0.2.1");
  api_response_free(&response);
  expect_all_back(1);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

int main(void) {
#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, open_job, close_service)
  const struct CMUnitTest tests[] = {
      FILES_TEST(test_mat),
      FILES_TEST(test_mat_of_version_7_3),
      FILES_TEST(test_names_of_variables),
      FILES_TEST(test_h5),
      FILES_TEST(test_h5_of_many_columns),
      FILES_TEST(test_threads_are_safe),
      FILES_TEST(test_csv_zip),
      FILES_TEST(test_names_of_files),
      FILES_TEST(test_long_names_of_files),
      FILES_TEST(test_tags),
      FILES_TEST(test_refused),
      FILES_TEST(test_no_file_is_lent),
      FILES_TEST(test_files_are_returned),
      FILES_TEST(test_open_files_count),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
