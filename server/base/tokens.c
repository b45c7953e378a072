/* tokens.c - see tokens.h. */
#include "server/base/tokens.h"

#include "server/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <nettle/base16.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct token_row {
  service_holder holder;
  uint8_t hash[SHA256_DIGEST_SIZE];
} token_row;

typedef struct token_table {
  token_row *rows;
  size_t count;
} token_table;

struct srv_tokens {
  char *path;
  pthread_rwlock_t lock; /* guards the table */
  token_table table;
};

static const char secret_prefix[] = "mbsd_"; /* lets programs that search for leaked secrets recognize a token */
enum { SECRET_BYTES = 32, LOOSE_MODE = 0027 };

static void hash_of(const char *token, size_t size, uint8_t hash[SHA256_DIGEST_SIZE]) {
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, size, (const uint8_t *)token);
  sha256_digest(&context, SHA256_DIGEST_SIZE, hash);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool is_name(const char *text) {
  size_t length = strlen(text);
  return length > 0 && length < sizeof((service_holder){0}.name) &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-") == length;
}

static bool read_hash(const char *text, uint8_t hash[SHA256_DIGEST_SIZE]) {
  enum { DIGITS = 2 * SHA256_DIGEST_SIZE };
  struct base16_decode_ctx context;
  uint8_t bytes[BASE16_DECODE_LENGTH(DIGITS)];
  size_t count = sizeof bytes;
  if (strlen(text) != DIGITS || strspn(text, "0123456789abcdefABCDEF") != DIGITS) return false;
  base16_decode_init(&context);
  if (!base16_decode_update(&context, &count, bytes, DIGITS, text) || count != SHA256_DIGEST_SIZE) return false;
  memcpy(hash, bytes, SHA256_DIGEST_SIZE);
  return true;
}

static const token_row *row_of(const token_table *table, const uint8_t hash[SHA256_DIGEST_SIZE]) {
  const token_row *found = NULL;
  for (size_t i = 0; i < table->count; i++) /* compares all rows, so that the time is the same */
    if (memeql_sec(table->rows[i].hash, hash, SHA256_DIGEST_SIZE)) found = &table->rows[i];
  return found;
}

static bool add_row(token_table *table, const token_row *row) {
  token_row *larger = realloc(table->rows, (table->count + 1) * sizeof *larger);
  if (!larger) return false;
  larger[table->count++] = *row;
  table->rows = larger;
  return true;
}

/* Reads `name=value`, one of the client's own limits. Returns false if it is not valid, or repeats a limit. */
static bool read_limit(const char *word, double most[SERVICE_LIMITS]) {
  for (service_limit i = 0; i < SERVICE_LIMITS; i++) {
    const char *name = service_limit_name(i);
    const size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || word[length] != '=') continue;
    double value;
    const char *end = srv_number_read(word + length + 1, i == SERVICE_LIMIT_BYTES, &value);
    const bool whole = i != SERVICE_LIMIT_QUEUE || value == floor(value);
    if (!end || *end != '\0' || !(value > 0) || !isfinite(value) || !whole || most[i] > 0) return false;
    most[i] = value;
    return true;
  }
  return false;
}

/* Reads a line and adds its token to the table. Returns the fault of the line, or NULL. */
static const char *read_line(token_table *table, char *line) {
  enum { WORDS = 3, MOST_WORDS = WORDS + SERVICE_LIMITS };
  static const char blanks[] = " \t\r\n";
  char *words[MOST_WORDS + 1] = {0}, *rest = NULL;
  size_t count = 0;
  line[strcspn(line, "#")] = '\0';
  for (char *word = strtok_r(line, blanks, &rest); word && count <= MOST_WORDS; word = strtok_r(NULL, blanks, &rest))
    words[count++] = word;
  if (count == 0) return NULL;
  if (count < WORDS) return "expected `name permission hash`, as printed by mbsd --new-token";
  token_row row = {.holder.right = service_right_find(words[1])};
  if (!is_name(words[0])) return "the name must have 1 to 63 characters: letters, digits and ._@-";
  if (row.holder.right == SERVICE_RIGHT_NONE) return "the permission must be own, read, run or admin";
  if (!read_hash(words[2], row.hash)) return "the hash must be a SHA-256 with 64 hexadecimal digits";
  if (row_of(table, row.hash)) return "duplicate hash: a token may have only one name";
  for (size_t i = WORDS; i < count; i++)
    if (!read_limit(words[i], row.holder.most))
      return "expected only limits behind the hash, each once: client-queue=JOBS stored-bytes=BYTES "
             "cpu-seconds=SECONDS, with numbers greater than 0";
  snprintf(row.holder.name, sizeof row.holder.name, "%s", words[0]);
  return add_row(table, &row) ? NULL : "out of memory";
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool read_table(const char *path, token_table *table, char message[TOKENS_MESSAGE_SIZE]) {
  *table = (token_table){0};
  int number = open(path, O_RDONLY | O_CLOEXEC);
  FILE *file = number < 0 ? NULL : fdopen(number, "r");
  struct stat state;
  if (!file || fstat(number, &state) != 0) {
    snprintf(message, TOKENS_MESSAGE_SIZE, "cannot read the token file %.300s: %s", path, strerror(errno));
    if (file) fclose(file);
    return false;
  }
  const char *mistake = NULL;
  int line_number = 0;
  if (!S_ISREG(state.st_mode)) mistake = "is not a regular file";
  if (!mistake && state.st_mode & LOOSE_MODE)
    mistake = "is accessible to other users, or writable by its group; use chmod 0640 or 0600";
  char *line = NULL;
  size_t capacity = 0;
  while (!mistake && getline(&line, &capacity, file) >= 0) {
    line_number++;
    mistake = read_line(table, line);
  }
  if (!mistake && ferror(file)) mistake = "cannot be read completely";
  if (mistake && line_number > 0) {
    snprintf(message, TOKENS_MESSAGE_SIZE, "%.300s:%d: %s", path, line_number, mistake);
  } else if (mistake) {
    snprintf(message, TOKENS_MESSAGE_SIZE, "the token file %.300s %s", path, mistake);
  }
  free(line);
  fclose(file);
  if (mistake) free(table->rows);
  return !mistake;
}

srv_tokens *srv_tokens_open(const char *path, char message[TOKENS_MESSAGE_SIZE]) {
  srv_tokens *self = calloc(1, sizeof *self);
  if (self) self->path = strdup(path);
  if (!self || !self->path) {
    snprintf(message, TOKENS_MESSAGE_SIZE, "out of memory");
  } else if (read_table(path, &self->table, message)) {
    pthread_rwlock_init(&self->lock, NULL);
    return self;
  }
  if (self) free(self->path);
  free(self);
  return NULL;
}

bool srv_tokens_reload(srv_tokens *self, char message[TOKENS_MESSAGE_SIZE]) {
  token_table table;
  if (!read_table(self->path, &table, message)) return false;
  pthread_rwlock_wrlock(&self->lock);
  token_row *old = self->table.rows;
  self->table = table;
  pthread_rwlock_unlock(&self->lock);
  free(old);
  return true;
}

bool srv_tokens_find(srv_tokens *self, const char *token, size_t size, service_holder *holder) {
  uint8_t hash[SHA256_DIGEST_SIZE];
  hash_of(token, size, hash);
  pthread_rwlock_rdlock(&self->lock);
  const token_row *row = row_of(&self->table, hash);
  if (row) *holder = row->holder;
  pthread_rwlock_unlock(&self->lock);
  return row != NULL;
}

size_t srv_tokens_count(srv_tokens *self) {
  pthread_rwlock_rdlock(&self->lock);
  size_t count = self->table.count;
  pthread_rwlock_unlock(&self->lock);
  return count;
}

void srv_tokens_free(srv_tokens *self) {
  if (!self) return;
  pthread_rwlock_destroy(&self->lock);
  free(self->table.rows);
  free(self->path);
  free(self);
}

/* ---- a new one --------------------------------------------------------------------------------------------------- */

bool srv_token_new(const char *name, const char *right, FILE *line, FILE *secret) {
  if (!is_name(name) || service_right_find(right) == SERVICE_RIGHT_NONE) {
    fprintf(secret, "mbsd: --new-token NAME PERMISSION: the name must have 1 to 63 characters (letters, digits and "
                    "._@-), and the permission must be own, read, run or admin\n");
    return false;
  }
  uint8_t bytes[SECRET_BYTES], hash[SHA256_DIGEST_SIZE];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    fprintf(secret, "mbsd: cannot read random numbers from the system: %s\n", strerror(errno));
    return false;
  }
  char token[sizeof secret_prefix + 2 * SECRET_BYTES], digits[2 * SHA256_DIGEST_SIZE + 1];
  size_t prefix = sizeof secret_prefix - 1;
  memcpy(token, secret_prefix, prefix);
  base16_encode_update(token + prefix, sizeof bytes, bytes);
  token[prefix + 2 * sizeof bytes] = '\0';
  hash_of(token, strlen(token), hash);
  base16_encode_update(digits, sizeof hash, hash);
  digits[2 * sizeof hash] = '\0';
  fprintf(line, "%s %s %s\n", name, right, digits);
  fprintf(secret, "The token (shown only once): %s\n", token);
  return fflush(line) == 0;
}
