/* machine.c - see machine.h. */
#include "server/base/machine.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

typedef struct machine_limits {
  double processors, bytes; /* INFINITY: no limit */
} machine_limits;

/* Reads up to two numbers of a file. Returns the number of them; "max" is none. */
static int read_numbers(const char *path, double numbers[2]) {
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  int count = fscanf(file, "%lf %lf", &numbers[0], &numbers[1]);
  fclose(file);
  return count;
}

/* Applies the limits of the group in a folder. */
static void apply_group(machine_limits *limits, const char *folder) {
  char path[PATH_SIZE + 32];
  double numbers[2], period[2];
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (read_numbers(path, numbers) == 2) limits->processors = fmin(limits->processors, numbers[0] / numbers[1]);
  snprintf(path, sizeof path, "%s/memory.max", folder);
  if (read_numbers(path, numbers) == 1) limits->bytes = fmin(limits->bytes, numbers[0]);
  /* Version 1: a negative quota is none. */
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  bool quota = read_numbers(path, numbers) == 1 && numbers[0] > 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  if (quota && read_numbers(path, period) == 1) limits->processors = fmin(limits->processors, numbers[0] / period[0]);
  snprintf(path, sizeof path, "%s/memory.limit_in_bytes", folder);
  if (read_numbers(path, numbers) == 1) limits->bytes = fmin(limits->bytes, numbers[0]);
}

/* Applies the limits of a group and of those that contain it. In a container without a namespace of groups the path is
 * that of the host, and only the first folder of the hierarchy exists, which is that of the container. */
static void apply_groups(machine_limits *limits, const char *hierarchy, const char *group) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s%s", hierarchy, group);
  for (char *end; strlen(folder) > strlen(hierarchy) && (end = strrchr(folder, '/')); *end = '\0')
    apply_group(limits, folder);
  apply_group(limits, hierarchy);
}

/* Applies a line of /proc/self/cgroup, "NUMBER:CONTROLLERS:GROUP"; without controllers it is version 2. */
static void apply_line(machine_limits *limits, const char *root, char *line) {
  char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
  char hierarchy[PATH_SIZE];
  if (!group) return;
  *group++ = '\0';
  controllers++;
  group[strcspn(group, "\n")] = '\0';
  snprintf(hierarchy, sizeof hierarchy, "%s/sys/fs/cgroup%s%s", root, *controllers ? "/" : "", controllers);
  apply_groups(limits, hierarchy, group);
}

size_t srv_machine_processors(void) {
  cpu_set_t mask;
  bool known = sched_getaffinity(0, sizeof mask, &mask) == 0; /* fails with more than 1024 processors */
  return (size_t)(known ? CPU_COUNT(&mask) : sysconf(_SC_NPROCESSORS_ONLN));
}

size_t srv_machine_workers(const char *root, size_t processors, size_t memory) {
  machine_limits limits = {(double)processors, INFINITY};
  char path[PATH_SIZE], *line = NULL;
  size_t capacity = 0;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "r");
  while (file && getline(&line, &capacity, file) >= 0) apply_line(&limits, root, line);
  free(line);
  if (file) fclose(file);
  double workers = fmin(ceil(limits.processors), floor(limits.bytes / (double)memory));
  return workers >= 1 ? (size_t)workers : 1;
}
