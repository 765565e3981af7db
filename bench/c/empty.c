#include "empty.h"

uint32_t empty_next(void *iter, uint64_t *delay_ns) {
  (void)iter;
  (void)delay_ns;
  return 0;
}

uint32_t empty_reset(void *iter) {
  (void)iter;
  return 0;
}
