/* The vectors for wrapper.cpp. C++ has no literals of arrays, so a file in C holds them. */

#ifndef BACKOFF_WRAPPER_VECTORS_H
#define BACKOFF_WRAPPER_VECTORS_H

#include "vector_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wrapper_vectors {
  const struct draw_vector *draws;
  size_t draw_count;
  const struct stream_vector *streams;
  size_t stream_count;
  struct {
    const struct sequence_vector *rows;
    size_t count;
  } sequences[5];
  const struct error_vector *errors;
  size_t error_count;
  const struct text_vector *texts;
  size_t text_count;
  const struct text_error_vector *text_errors;
  size_t text_error_count;
  const struct http_status_vector *http_statuses;
  size_t http_status_count;
};

extern const struct wrapper_vectors wrapper_vectors;

#ifdef __cplusplus
}
#endif

#endif
