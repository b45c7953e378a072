/* Messages between the server and its workers: they arrive unchanged, and foreign ones are refused. */
#include "server/jobs/message.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT = 1 << 20 };

/* Builds a message with one value of each kind. */
static message_builder make(void) {
  message_builder out = {0};
  message_begin(&out, MESSAGE_CHECK);
  message_put_integer(&out, UINT64_MAX);
  message_put_number(&out, -0.1);
  message_put_text(&out, "text");
  message_put_text(&out, NULL);
  message_put_bytes(&out, "\0rest", 5);
  assert_true(message_end(&out));
  return out;
}

/* Sends `size` bytes, closes the socket, and returns how they were received. */
static message_result receive(const void *data, size_t size, size_t limit, message_reader *reader) {
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  assert_true(message_send(ends[0], data, size));
  close(ends[0]);
  message_result result = message_receive(reader, ends[1], limit, 0);
  close(ends[1]);
  return result;
}

static void what_is_sent_is_received(void **state) {
  (void)state;
  message_builder out = make();
  message_reader in = {0};
  assert_int_equal(receive(out.data, out.size, LIMIT, &in), MESSAGE_READY);
  assert_int_equal(in.head.kind, MESSAGE_CHECK);
  char text[96];
  assert_null(message_complaint(&in.head, text));
  message_cursor cursor = message_open(&in);
  assert_true(message_take_integer(&cursor) == UINT64_MAX);
  assert_true(message_take_number(&cursor) == -0.1);
  assert_string_equal(message_take_text(&cursor), "text");
  assert_null(message_take_text(&cursor));
  size_t size;
  assert_memory_equal(message_take_rest(&cursor, &size), "\0rest", 5);
  assert_int_equal(size, 5);
  assert_false(cursor.failed);
  message_take_number(&cursor);
  assert_true(cursor.failed);
  message_reader_free(&in);
  message_builder_free(&out);
}

/* A message for which memory runs out is dropped; earlier messages remain. */
static void a_message_is_taken_back(void **state) {
  (void)state;
  message_builder out = make();
  size_t size = out.size;
  message_begin_tile(&out, 0, 0, 1);
  out.failed = true;
  assert_null(message_put_space(&out, 1));
  assert_false(message_end(&out));
  message_drop(&out);
  assert_int_equal(out.size, size);
  message_begin_tile(&out, 0, 0, 1);
  char *space = message_put_space(&out, 3);
  assert_non_null(space);
  memcpy(space, "abc", 3);
  assert_true(message_end(&out));
  message_reader in = {0};
  assert_int_equal(receive(out.data + size, out.size - size, LIMIT, &in), MESSAGE_READY);
  assert_int_equal(in.head.size, 3);
  assert_memory_equal(in.body, "abc", 3);
  message_reader_free(&in);
  message_builder_free(&out);
}

/* Not even the size in a foreign message is trusted. */
static void expect_foreign(const message_head *head, const char *words) {
  message_reader in = {0};
  assert_int_equal(receive(head, sizeof *head, LIMIT, &in), MESSAGE_FOREIGN);
  char text[96];
  const char *why = message_complaint(&in.head, text);
  assert_non_null(why);
  if (!strstr(why, words)) fail_msg("'%s' does not say '%s'", why, words);
  message_reader_free(&in);
}

static void foreign_messages_are_refused(void **state) {
  (void)state;
  message_builder out = make();
  message_head head, good;
  memcpy(&good, out.data, sizeof good);
  message_builder_free(&out);
  good.size = UINT64_MAX;

  head = good;
  head.version = MESSAGE_VERSION + 1;
  char words[32];
  snprintf(words, sizeof words, "version %d; expected %d", MESSAGE_VERSION + 1, MESSAGE_VERSION);
  expect_foreign(&head, words);
  head = good;
  head.byte_order = 0x0201;
  head.version = MESSAGE_VERSION << 8;
  expect_foreign(&head, "the opposite byte order");
  head.byte_order = 0;
  expect_foreign(&head, "unknown byte order");
  head = good;
  memcpy(head.magic, "GET ", 4);
  expect_foreign(&head, "not from this program");
}

static void sizes_are_bounded(void **state) {
  (void)state;
  message_builder out = make();
  message_reader in = {0};
  assert_int_equal(receive(out.data, out.size, 4, &in), MESSAGE_BROKEN);
  message_reader_free(&in);
  /* A message truncated at any byte is not received. */
  for (size_t size = 0; size < out.size; size++) {
    assert_int_equal(receive(out.data, size, LIMIT, &in), MESSAGE_CLOSED);
    message_reader_free(&in);
  }
  message_builder_free(&out);
}

enum { MANY = 50, SMALL = 40, LARGE = 100000 };

/* Small and large messages in sequence: some arrive in one read, and each is complete. */
static void messages_are_received_one_by_one(void **state) {
  (void)state;
  static char bytes[LARGE];
  message_builder out = {0};
  for (size_t i = 0; i < MANY; i++) {
    memset(bytes, (int)i + 1, sizeof bytes);
    message_begin_tile(&out, (uint32_t)i, i, 1);
    message_put_bytes(&out, bytes, i % 10 == 3 ? LARGE : i % SMALL);
    assert_true(message_end(&out));
  }
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  message_reader in = {0};
  size_t sent = 0, received = 0;
  bool begun = false;
  while (received < MANY) {
    /* The parts end anywhere within messages. */
    size_t part = out.size - sent < 30001 ? out.size - sent : 30001;
    assert_true(message_send(ends[0], out.data + sent, part));
    sent += part;
    while (message_receive(&in, ends[1], LARGE, MSG_DONTWAIT) == MESSAGE_READY) {
      size_t size = received % 10 == 3 ? LARGE : received % SMALL;
      assert_int_equal(in.head.position, received);
      assert_int_equal(in.head.size, size);
      memset(bytes, (int)received + 1, sizeof bytes);
      assert_memory_equal(in.body, bytes, size);
      begun = begun || message_is_begun(&in);
      received++;
    }
    assert_false(message_is_begun(&in)); /* the socket reports an event for the rest */
  }
  assert_true(begun);
  close(ends[0]);
  close(ends[1]);
  message_reader_free(&in);
  message_builder_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_sent_is_received),         cmocka_unit_test(a_message_is_taken_back),
      cmocka_unit_test(foreign_messages_are_refused),     cmocka_unit_test(sizes_are_bounded),
      cmocka_unit_test(messages_are_received_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
