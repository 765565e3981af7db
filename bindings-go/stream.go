// RandomStream: the randomness of one caller, from a seed and a key or from entropy (SPEC 3).

package backoff

import (
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A RandomStream is the source of the randomness of delays: one random 64-bit word for each index.
// It is a plain value: copy it, compare it with ==, share it.
//
// Clients with the same stream wait for identical times, which lets any process compute what another
// waits. Use one key per client or job; otherwise clients that failed together retry together. The zero
// RandomStream is StreamFromSeed(0).
//
// Its text form is its State in decimal, a string in JSON: not all readers of JSON keep 64 bits of a
// number.
type RandomStream struct{ state uint64 }

var (
	_ encoding.TextAppender    = RandomStream{}
	_ encoding.TextMarshaler   = RandomStream{}
	_ encoding.TextUnmarshaler = (*RandomStream)(nil)
)

// StreamFromKey returns the stream of a seed and a key, such as a job's ID. Every language computes
// the same stream from the same two (SPEC 3.2). The empty key is a key.
//
// It fails with an *ArgumentError if the key is not valid UTF-8, because a text must mean the same
// in every language (SPEC 3.3). StreamFromKeyBytes takes any bytes.
func StreamFromKey(seed uint64, key string) (RandomStream, error) {
	if !utf8.ValidString(key) {
		return RandomStream{}, &ArgumentError{Code: ErrNotUnicode, Field: "key", Value: key, Rule: "is not valid UTF-8"}
	}
	return RandomStream{engine.StreamFromKey(seed, key)}, nil
}

// StreamFromKeyBytes returns the stream of a seed and a key of any bytes (SPEC 3.2). The key of a
// client number n is binary.LittleEndian.AppendUint64(nil, n) (SPEC 3.4).
func StreamFromKeyBytes(seed uint64, key []byte) RandomStream {
	return RandomStream{engine.StreamFromKey(seed, unsafe.String(unsafe.SliceData(key), len(key)))}
}

// StreamFromSeed returns the stream of a seed without a key (SPEC 3.1). It is also the inverse of
// State.
//
// Clients that share a seed and use no key wait for identical times: prefer StreamFromKey.
func StreamFromSeed(seed uint64) RandomStream { return RandomStream{seed} }

// StreamFromEntropy returns a new stream, drawn from the generator of the Go runtime, which the operating system
// seeds. The error is nil: without entropy, Go starts no program.
func StreamFromEntropy() (RandomStream, error) { return RandomStream{rand.Uint64()}, nil }

// A process draws one seed for all loops.
var (
	loopSeed  = sync.OnceValue(rand.Uint64)
	loopCount atomic.Uint64
)

// nextLoopStream returns the stream of the next loop of this process that needs one (SPEC 18.1).
func nextLoopStream() RandomStream {
	return RandomStream{engine.NthStream(loopSeed(), loopCount.Add(1)-1)}
}

// Draw returns the random word of an index (SPEC 2.1).
func (s RandomStream) Draw(index uint32) uint64 { return engine.Draw(s.state, index) }

// State returns the stream as a number, from which StreamFromSeed makes the same stream.
func (s RandomStream) State() uint64 { return s.state }

// AppendText appends the State in decimal. It does not fail.
func (s RandomStream) AppendText(text []byte) ([]byte, error) {
	return strconv.AppendUint(text, s.state, 10), nil
}

// MarshalText returns the State in decimal. It does not fail.
func (s RandomStream) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets the stream to the one with this State. It fails with an *ArgumentError for a text
// that is not a whole number or above 2^64 - 1, and for a nil receiver; the stream is then unchanged.
func (s *RandomStream) UnmarshalText(text []byte) error {
	if err := notNil("stream", s == nil); err != nil {
		return err
	}
	state, err := strconv.ParseUint(string(text), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return &ArgumentError{Code: ErrTooLarge, Field: "stream", Value: string(text), Rule: "is above 18446744073709551615"}
	case err != nil:
		return &ArgumentError{Code: ErrNotACount, Field: "stream", Value: string(text), Rule: "is not a whole number"}
	}
	s.state = state
	return nil
}

// UnmarshalYAML sets the stream to the one with this State, for libraries of YAML, some of which decode a
// mapping to an unchanged stream otherwise. It fails as UnmarshalText does.
func (s *RandomStream) UnmarshalYAML(unmarshal func(any) error) error {
	return unmarshalYAML(s, unmarshal)
}

// IsZero reports whether this is the zero RandomStream, which is StreamFromSeed(0). Libraries of YAML ask it
// for omitempty.
func (s RandomStream) IsZero() bool { return s == RandomStream{} }

// GoString returns the call that makes the stream, such as backoff.StreamFromSeed(42), for the verb %#v.
func (s RandomStream) GoString() string { return fmt.Sprintf("backoff.StreamFromSeed(%d)", s.state) }

// LogValue returns the State as text, for slog: JSON numbers are not exact above 2^53.
func (s RandomStream) LogValue() slog.Value {
	return slog.StringValue(strconv.FormatUint(s.state, 10))
}
