package backoff

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Stream is where the randomness of delays comes from: one random word for each index. It is
// a plain value: copy it, compare it, share it.
//
// Everyone with the same stream waits the same, so that any process can tell what another
// waits. Give each client or job a key of its own, or a crowd that failed together retries
// together. The zero Stream is that of seed 0, the same for everyone.
type Stream struct{ state uint64 }

// KeyStream returns the stream of a seed and a key, such as a job's id: what every language
// computes from the same two (SPEC 3.2). An empty key is a key.
//
// It fails with an *ArgumentError if the key is not valid UTF-8, because text means the same
// in every language (SPEC 3.3); BytesKeyStream takes any bytes.
func KeyStream(seed uint64, key string) (Stream, error) {
	if !utf8.ValidString(key) {
		return Stream{}, &ArgumentError{Field: "key", Value: key, Rule: "is not valid UTF-8"}
	}
	return Stream{engine.KeyStream(seed, key)}, nil
}

// BytesKeyStream returns the stream of a seed and a key of any bytes (SPEC 3.2). The key of a
// client number n is binary.LittleEndian.AppendUint64(nil, n) (SPEC 3.4).
func BytesKeyStream(seed uint64, key []byte) Stream {
	return Stream{engine.KeyStream(seed, unsafe.String(unsafe.SliceData(key), len(key)))}
}

// SeedStream returns the stream of a seed alone, and the stream whose State is the seed
// (SPEC 3.1).
//
// Every client with the same seed and no key waits the same: prefer KeyStream.
func SeedStream(seed uint64) Stream { return Stream{seed} }

// EntropyStream returns a stream that nobody else has, from the operating system. It fails
// with ErrNoEntropy.
func EntropyStream() (Stream, error) {
	state, ok := engine.EntropyStream()
	if !ok {
		return Stream{}, ErrNoEntropy
	}
	return Stream{state}, nil
}

// Loops ask for entropy once in a process, because that costs as much as the rest of a loop does.
var (
	entropy = sync.OnceValues(EntropyStream)
	loops   atomic.Uint64
)

// loopStream returns the stream of entropy and of the number of a loop (SPEC 3.4).
func loopStream() (Stream, error) {
	seed, err := entropy()
	if err != nil {
		return Stream{}, err
	}
	var key [8]byte
	binary.LittleEndian.PutUint64(key[:], loops.Add(1))
	return BytesKeyStream(seed.state, key[:]), nil
}

// Draw returns the random word of an index (SPEC 2.1).
func (s Stream) Draw(index uint32) uint64 { return engine.Draw(s.state, index) }

// State returns the word that the stream is. SeedStream makes the stream of it again.
func (s Stream) State() uint64 { return s.state }
