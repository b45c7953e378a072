"""A daemon whose wall clock a test can shift by any number of seconds."""

import contextlib
import os
import subprocess

from support import Daemon

# Replaces clock_gettime() of the C library: adds the number in the file to the wall clock only.
SOURCE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  static int file = -2;
  char text[32] = {0};
  int code = (int)syscall(SYS_clock_gettime, clock, now);
  if (file == -2) file = open(getenv("CLOCK_OFFSET"), O_RDONLY | O_CLOEXEC);
  if (clock == CLOCK_REALTIME && file >= 0 && pread(file, text, sizeof text - 1, 0) > 0) now->tv_sec += atoll(text);
  return code;
}
"""


class Clock:
    def __init__(self, folder):
        self.offset, self.library = os.path.join(folder, "offset"), os.path.join(folder, "clock.so")
        with open(self.offset, "w") as file:
            file.write(f"{0:<30}")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", self.library],
                       input=SOURCE.encode(), check=True)

    def jump(self, seconds):
        """Shifts the wall clock by this number of seconds."""
        with open(self.offset, "r+") as file:
            file.write(f"{seconds:<30d}")

    def daemon(self, folder, *options):
        settings = {"LD_PRELOAD": self.library, "CLOCK_OFFSET": self.offset,
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            return Daemon(folder, *options)
        finally:
            for name, value in before.items():
                with contextlib.suppress(KeyError):
                    del os.environ[name]
                if value is not None:
                    os.environ[name] = value
