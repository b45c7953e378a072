/* Response bodies: ranges and gzip; streams that pause, and streams of files. */
#include "api/http/encoding.h"
#include "api/http/gzip.h"
#include "api/http/range.h"
#include "fake_service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { SIZE = 100000 };

/* Makes a file of SIZE bytes that depend on their position. */
static int open_file(char text[SIZE]) {
  for (size_t i = 0; i < SIZE; i++) text[i] = (char)('a' + (i + i / 26 + i / 677) % 26);
  char path[] = "/tmp/mbsd-body-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  unlink(path);
  assert_int_equal(write(file, text, SIZE), SIZE);
  return file;
}

/* Reads a stream to its end with reads of this size, and pauses before each. */
static char *read_all(const api_stream *stream, size_t step, size_t *size) {
  char *all = malloc(2 * SIZE);
  *size = 0;
  for (ssize_t got = 1; got > 0; *size += (size_t)got) {
    if (stream->rest) stream->rest(stream->context);
    assert_true(*size + step <= 2 * SIZE);
    got = stream->read(stream->context, all + *size, step);
    assert_true(got >= 0);
  }
  return all;
}

/* Returns the response with a file to a GET with these headers. */
static void get_file(const api_header *headers, size_t count, api_response *response, char text[SIZE]) {
  const api_request request = {
      .method = "GET", .target = "/file", .headers = headers, .header_count = count, .beside = true};
  const api_call call = {.request = &request};
  *response = (api_response){0};
  api_respond_file(response, 200, "text/plain", open_file(text), SIZE, NULL);
  assert_false(api_respond_unchanged(&request, response, "tag"));
  if (!api_encoding_apply(&call, response)) api_range_apply(&call, response);
}

static void test_ranges(void **state) {
  (void)state;
  static const struct {
    const char *range;
    int status;
    size_t first, count;
  } cases[] = {
      {"bytes=0-", 206, 0, SIZE},
      {"bytes=7-7", 206, 7, 1},
      {"bytes=50000-59999", 206, 50000, 10000},
      {"bytes=-10", 206, SIZE - 10, 10},
      {"bytes=99999-99999999999999999999999", 206, SIZE - 1, 1},
      {"bytes=-999999", 206, 0, SIZE},
      {"bytes=100000-", 416, 0, 0},
      {"bytes=-0", 416, 0, 0},
      {"bytes=3-2", 200, 0, SIZE},
      {"bytes=", 200, 0, SIZE},
      {"bytes=1-2,4-5", 200, 0, SIZE},
      {"octets=1-2", 200, 0, SIZE},
      {"bytes=+1-2", 200, 0, SIZE},
      {"BYTES=1-2", 206, 1, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static char text[SIZE];
    const api_header header = {"Range", cases[i].range};
    api_response response;
    get_file(&header, 1, &response, text);
    assert_int_equal(response.status, cases[i].status);
    if (cases[i].status != 416) {
      assert_true(response.stream.sized);
      assert_int_equal(response.stream.size, cases[i].count);
      char *part = malloc(cases[i].count);
      size_t got = 0;
      while (got < cases[i].count) {
        ssize_t more = response.stream.read(response.stream.context, part + got, cases[i].count - got);
        assert_true(more > 0);
        got += (size_t)more;
      }
      assert_memory_equal(part, text + cases[i].first, cases[i].count);
      free(part);
    }
    api_response_free(&response);
  }
}

static void test_a_part_of_another_body_is_the_whole(void **state) {
  (void)state;
  static char text[SIZE];
  static const char *const tags[] = {"\"tag\"", "W/\"tag\"", "\"other\"", "Sun, 06 Nov 1994 08:49:37 GMT"};
  for (size_t i = 0; i < 4; i++) {
    const api_header headers[] = {{"Range", "bytes=1-2"}, {"If-Range", tags[i]}};
    api_response response;
    get_file(headers, 2, &response, text);
    assert_int_equal(response.status, i == 0 ? 206 : 200);
    api_response_free(&response);
  }
}

static void unpack(const char *packed, size_t size, const char *text) {
  static char out[SIZE + 1];
  z_stream unpacker = {.next_in = (Bytef *)packed, .avail_in = (uInt)size};
  assert_int_equal(inflateInit2(&unpacker, 31), Z_OK); /* checks the sum and the length at the end */
  unpacker.next_out = (Bytef *)out;
  unpacker.avail_out = sizeof out;
  assert_int_equal(inflate(&unpacker, Z_FINISH), Z_STREAM_END);
  assert_int_equal(unpacker.avail_in, 0);
  assert_int_equal(unpacker.total_out, SIZE);
  assert_memory_equal(out, text, SIZE);
  inflateEnd(&unpacker);
}

static void test_gzip(void **state) {
  (void)state;
  static char text[SIZE];
  static const size_t steps[] = {300, 4096, 32768, SIZE};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const api_header header = {"Accept-Encoding", "gzip"};
    api_response response;
    get_file(&header, 1, &response, text);
    assert_false(response.stream.sized);
    assert_null(response.stream.seek);
    assert_string_equal(api_response_find(&response, "Content-Encoding"), "gzip");
    assert_string_equal(api_response_find(&response, "ETag"), "W/\"tag\"");
    size_t size;
    char *packed = read_all(&response.stream, steps[i], &size);
    unpack(packed, size, text);
    free(packed);
    api_response_free(&response);
  }
  size_t size;
  char *packed = api_gzip_text(text, SIZE, &size);
  unpack(packed, size, text);
  free(packed);
}

/* Incompressible data needs slightly more space, which each part must have. */
static void test_gzip_of_noise(void **state) {
  (void)state;
  static char noise[SIZE];
  uint64_t seed = 1;
  for (size_t i = 0; i < SIZE; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    noise[i] = (char)(seed >> 56);
  }
  char path[] = "/tmp/mbsd-body-XXXXXX";
  int file = mkstemp(path);
  unlink(path);
  assert_int_equal(write(file, noise, SIZE), SIZE);
  api_response response = {0};
  api_respond_file(&response, 200, "text/plain", file, SIZE, NULL);
  assert_true(api_gzip_stream(&response.stream));
  size_t size;
  char *packed = read_all(&response.stream, 32768, &size);
  unpack(packed, size, noise);
  free(packed);
  api_response_free(&response);
}

/* A file that became shorter is a failure, not an end. */
static void test_cut_file(void **state) {
  (void)state;
  static char text[SIZE];
  int file = open_file(text);
  api_response response = {0};
  api_respond_file(&response, 200, "text/plain", file, SIZE, NULL);
  assert_int_equal(ftruncate(file, 10), 0);
  char buffer[64];
  assert_int_equal(response.stream.read(response.stream.context, buffer, sizeof buffer), 10);
  assert_int_equal(response.stream.read(response.stream.context, buffer, sizeof buffer), -1);
  api_response_free(&response);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranges),   cmocka_unit_test(test_a_part_of_another_body_is_the_whole),
      cmocka_unit_test(test_gzip),     cmocka_unit_test(test_gzip_of_noise),
      cmocka_unit_test(test_cut_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
