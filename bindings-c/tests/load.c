/* Loads every plugin named by an argument (plugin.c), all at the same time, and calls it. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* SPEC's delay of full:base=100ms,cap=20s, seed 42, key "job-1", index 0. */
#define DELAY 11399434

/* Loads a plugin, and returns whether its delay is right. It stays loaded. */
static int works(const char *path) {
  uint64_t (*first_delay)(void);
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
  symbol = plugin == NULL ? NULL : dlsym(plugin, "first_delay");
  if (symbol == NULL) {
    printf("%s\n", dlerror());
    return 0;
  }
  /* ISO C has no conversion from an object pointer to a function pointer. */
  memcpy(&first_delay, &symbol, sizeof symbol);
  uint64_t delay_ns = first_delay();
  if (delay_ns != DELAY) printf("%s: %llu ns\n", path, (unsigned long long)delay_ns);
  return delay_ns == DELAY;
}

int main(int argc, char **argv) {
  int failures = 0;
  for (int i = 1; i < argc; i++) failures += !works(argv[i]);
  return failures > 0 || argc < 2;
}
