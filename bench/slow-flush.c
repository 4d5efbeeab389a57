// Makes every flush to disk take longer, to show the effect of a slower disk. Loaded with LD_PRELOAD (Linux).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slowly(const char *name, int file) {
  const char *delay = getenv("SLOW_FLUSH_US");
  if (delay) usleep((useconds_t)atoi(delay));
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return flush(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
