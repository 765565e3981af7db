/* What main.c needs of a board. */

#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Milliseconds since the start. It goes back to 0 after 49 days. */
uint32_t board_ticks_ms(void);

/* Waits until something happened, such as a tick. */
void board_idle(void);

void board_print(const char *text);

#endif
