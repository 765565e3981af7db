//go:build !backoff_cgo

package engine

import (
	"crypto/rand"
	"encoding/binary"
)

// StreamFromKey returns the stream of a seed and the bytes of a key.
func StreamFromKey(seed uint64, key string) uint64 {
	m := take()
	defer m.free()
	stream, hasher := m.reserve(8), m.reserve(64)
	m.Xbackoff_key_begin(hasher, int64(seed))
	for parts := m.top; len(key) > 0; m.top = parts { // a key may be longer than the memory
		at, length := m.putText(key, TextRoom)
		m.Xbackoff_key_append(hasher, at, length)
		key = key[length:]
	}
	m.Xbackoff_key_stream(hasher, stream)
	return m.word(stream)
}

// StreamFromEntropy returns a stream drawn from the operating system. It reports false if that
// has no randomness.
func StreamFromEntropy() (uint64, bool) {
	var state [8]byte
	if _, err := rand.Read(state[:]); err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(state[:]), true
}

// NthStream returns the stream number n under a seed (SPEC 18.1).
func NthStream(seed, n uint64) uint64 {
	return uint64(pure.Xnth(int64(seed), int64(n)))
}

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 {
	return uint64(pure.Xdraw(int64(stream), int32(index)))
}

// Advance returns the stream after a number of draws.
func Advance(stream, draws uint64) uint64 {
	return uint64(pure.Xadvance(int64(stream), int64(draws)))
}
