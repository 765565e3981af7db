/* What is measured: the works and who does them. */

#ifndef WORKS_H
#define WORKS_H

#include <stdint.h>

/* Repeats an operation and returns a sum of its results, so that a compiler cannot drop it. */
typedef uint64_t repeat(uint64_t times);

struct entry {
  const char *work;
  const char *by;
  repeat *run;
};

/* All entries, those of a work side by side and ours first. The last one has no name. */
extern const struct entry entries[];

/* Prepares policies and streams. Exits if the library does not compute what it should. */
void prepare(void);

#endif
