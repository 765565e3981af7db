/* Functions that do nothing, in a shared library of their own: the least that a call costs. */

#ifndef EMPTY_H
#define EMPTY_H

#include <stdint.h>

uint32_t empty_next(void *iter, uint64_t *delay_ns);
uint32_t empty_reset(void *iter);

#endif
