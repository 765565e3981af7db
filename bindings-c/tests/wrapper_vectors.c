/* The vectors for wrapper.cpp. */

#include "wrapper_vectors.h"

#include "check.h"
#include "vectors.h"

#define ROWS(array) array, LENGTH(array)

const struct wrapper_vectors wrapper_vectors = {
    ROWS(draws),
    ROWS(streams),
    {{ROWS(samples)}, {ROWS(growths)}, {ROWS(jitters)}, {ROWS(caps)}, {ROWS(articles)}},
    ROWS(errors),
    ROWS(texts),
    ROWS(text_errors),
    ROWS(http_statuses),
};
