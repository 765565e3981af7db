//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

import (
	"bytes"
	"unsafe"
)

// RetryStats are counts that the core changes in place, atomically. The zero value must be
// initialised with Init.
type RetryStats struct {
	_ aligned
	c C.backoff_stats
}

// Init sets all counts to 0.
func (s *RetryStats) Init() { C.backoff_stats_init(&s.c) }

// Record counts an operation. It reports false for an unknown reason.
func (s *RetryStats) Record(attempts uint64, reason uint32) bool {
	return C.backoff_stats_record(&s.c, C.uint64_t(attempts), C.uint32_t(reason)) == C.BACKOFF_OK
}

// Merge adds the counts of other.
func (s *RetryStats) Merge(other *RetryStats) { C.backoff_stats_merge(&s.c, &other.c) }

// Counts returns the counts so far.
func (s *RetryStats) Counts() RetryStatsCounts {
	var counts C.backoff_stats_counts
	C.backoff_stats_read(&s.c, &counts)
	return RetryStatsCounts{
		Operations: uint64(counts.operations),
		Attempts:   uint64(counts.attempts),
		Retries:    uint64(counts.retries),
		Buckets:    *(*[12]uint64)(unsafe.Pointer(&counts.buckets)),
		Bounds:     *(*[11]uint64)(unsafe.Pointer(&counts.bounds)),
		Stops:      *(*[7]uint64)(unsafe.Pointer(&counts.stops)),
	}
}

// Text returns the counts in the text format of Prometheus.
func (s *RetryStats) Text() []byte {
	text := make([]byte, C.BACKOFF_STATS_SIZE)
	C.backoff_stats_print(&s.c, (*C.char)(unsafe.Pointer(&text[0])), C.BACKOFF_STATS_SIZE)
	return text[:bytes.IndexByte(text, 0)]
}
