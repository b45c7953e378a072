/* The number of workers for the limits of control groups, as files that the kernel would show. */
#include "server/base/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t gigabyte = (size_t)1 << 30;

static char folder[] = "/tmp/mbsd-test-machine-XXXXXX";

/* Writes a file below the folder, and makes its directories. */
static void put(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0700);
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void begin(const char *groups) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  put("proc/self/cgroup", groups);
}

/* The host has 64 processors. */
static void assert_workers(size_t memory, size_t expected) {
  assert_int_equal(srv_machine_workers(folder, 64, memory), expected);
}

/* A container with 2 processors and 4 GiB. */
static void a_container(void **state) {
  (void)state;
  begin("0::/\n");
  put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  put("sys/fs/cgroup/memory.max", "4294967296\n");
  assert_workers(2 * gigabyte, 2);
  assert_workers(4 * gigabyte, 1);
  assert_workers(8 * gigabyte, 1); /* at least one */
  put("sys/fs/cgroup/cpu.max", "50000 100000\n");
  assert_workers(gigabyte, 1);
}

/* Limits of groups that contain this one also hold. */
static void nested_groups(void **state) {
  (void)state;
  begin("0::/system.slice/mbsd.service\n");
  put("sys/fs/cgroup/system.slice/mbsd.service/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/system.slice/mbsd.service/memory.max", "max\n");
  assert_workers(2 * gigabyte, 64);
  put("sys/fs/cgroup/system.slice/cpu.max", "100000 100000\n");
  assert_workers(2 * gigabyte, 1);
}

static void version_1(void **state) {
  (void)state;
  begin("4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  assert_workers(2 * gigabyte, 64);
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "2147483648\n");
  assert_workers(2 * gigabyte, 1);
  /* Without a namespace the container sees its group at the top, and the path of the host. */
  begin("3:cpu,cpuacct:/docker/abc\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  assert_workers(2 * gigabyte, 1);
}

static void no_groups(void **state) {
  (void)state;
  begin("");
  assert_workers(2 * gigabyte, 64);
  assert_true(srv_machine_processors() >= 1);
  assert_true(srv_machine_workers("", srv_machine_processors(), 1) >= 1);
}

static int remove_folder(void **state) {
  (void)state;
  begin("");
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_container),
      cmocka_unit_test(nested_groups),
      cmocka_unit_test(version_1),
      cmocka_unit_test(no_groups),
  };
  return cmocka_run_group_tests(tests, NULL, remove_folder);
}
