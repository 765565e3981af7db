/* A board with a Cortex-M4 that runs at 25 MHz, as qemu's mps2-an386 does: its start, a clock, and text for the
 * debugger. A program of yours has the files of its own board instead. */

#include "board.h"

enum { CLOCK_HZ = 25000000, CONTROL = 0, RELOAD = 1, COUNT = 7 /* with the processor's clock and an interrupt */ };
enum { WRITE = 0x04, EXIT = 0x18, FAILED = 0x20023, DONE = 0x20026 };

/* From board.ld. */
extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;
static volatile uint32_t ticks_ms;

int main(void);

/* Semihosting: a call of the debugger, or of qemu. */
static void call_host(uint32_t operation, uintptr_t argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register uintptr_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

static void fail(void) { call_host(EXIT, FAILED); }

static void tick(void) { ticks_ms++; }

void reset(void) {
  const uint32_t *from = data_load;
  for (uint32_t *to = data_start; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_start; to < bss_end;) *to++ = 0;
  systick[RELOAD] = CLOCK_HZ / 1000 - 1;
  systick[CONTROL] = COUNT;
  call_host(EXIT, main() == 0 ? DONE : FAILED);
}

struct vectors {
  uint32_t *stack;
  void (*handlers[15])(void);
};

/* The first handlers are for the start and for faults, the last one is for the clock. */
__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    stack_top, {[0] = reset, [1] = fail, [2] = fail, [3] = fail, [4] = fail, [5] = fail, [14] = tick}};

uint32_t board_ticks_ms(void) { return ticks_ms; }

void board_idle(void) { __asm__ volatile("wfi"); }

void board_print(const char *text) { call_host(WRITE, (uintptr_t)text); }
