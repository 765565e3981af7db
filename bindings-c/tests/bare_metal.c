/* The evaluator on the board of examples/bare_metal, with newlib. It reads the host's file `requests`, and writes
 * `answers`. evaluate.c is compiled with -Dmain=evaluate. */

#include <stdio.h>

void initialise_monitor_handles(void);
int evaluate(void);

int main(void) {
  initialise_monitor_handles();
  if (freopen("requests", "rb", stdin) == NULL || freopen("answers", "wb", stdout) == NULL) return 1;
  return evaluate();
}
