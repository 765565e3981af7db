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
	m.keyBegin(hasherAt, seed)
	for len(key) > 0 {
		length := m.putText(key)
		m.keyAppend(hasherAt, textAt, length)
		key = key[length:]
	}
	m.keyStream(hasherAt, numbersAt)
	return m.word(numbersAt)
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
func NthStream(seed, n uint64) uint64 { return streamOfNumber(seed, n) }

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 { return streamDraw(stream, index) }

// Advance returns the stream after a number of draws.
func Advance(stream, draws uint64) uint64 { return streamAdvance(stream, draws) }
