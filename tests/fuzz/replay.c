/* replay.c - main() of a fuzzer built without libFuzzer: feeds it every file of the corpus folders given. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  struct stat status;
  bool read = false;
  if (fstat(fileno(file), &status) == 0) {
    /* Allocates exactly `size` bytes, so that the sanitizer detects an overrun by one byte. */
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size + (size == 0));
    read = data != NULL && fread(data, 1, size, file) == size;
    if (read) {
      LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
  }
  fclose(file);
  return read;
}

/* Returns how many files were fed, or -1. */
static int replay_folder(const char *folder) {
  DIR *entries = opendir(folder);
  if (entries == NULL) {
    return -1;
  }
  int count = 0;
  const struct dirent *entry;
  while (count >= 0 && (entry = readdir(entries)) != NULL) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    bool fed = length > 0 && (size_t)length < sizeof path && replay_file(path);
    count = fed ? count + 1 : -1;
  }
  closedir(entries);
  return count;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int count = replay_folder(argv[i]);
    if (count <= 0) {
      fprintf(stderr, "%s: %s\n", argv[i], count == 0 ? "no corpus" : "cannot be read");
      return 1;
    }
    printf("%s: %d inputs\n", argv[i], count);
  }
  return 0;
}
