//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

import "unsafe"

// StreamFromKey returns the stream of a seed and the bytes of a key.
func StreamFromKey(seed uint64, key string) uint64 {
	var stream C.uint64_t
	C.backoff_stream_from_key(C.uint64_t(seed), unsafe.Pointer(unsafe.StringData(key)), C.uint64_t(len(key)), &stream)
	return uint64(stream)
}

// StreamFromEntropy returns a stream drawn from the operating system. It reports false if that
// has no randomness.
func StreamFromEntropy() (uint64, bool) {
	var stream C.uint64_t
	code := C.backoff_stream_from_entropy(&stream)
	return uint64(stream), code == C.BACKOFF_OK
}

// NthStream returns the stream number n under a seed (SPEC 18.1).
func NthStream(seed, n uint64) uint64 {
	var stream C.uint64_t
	C.backoff_stream_nth(C.uint64_t(seed), C.uint64_t(n), &stream)
	return uint64(stream)
}

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 {
	return uint64(C.backoff_stream_draw(C.uint64_t(stream), C.uint32_t(index)))
}

// Advance returns the stream after a number of draws.
func Advance(stream, draws uint64) uint64 {
	return uint64(C.backoff_stream_advance(C.uint64_t(stream), C.uint64_t(draws)))
}
