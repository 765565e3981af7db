// RetryStats: counts of operations by attempts and by reason.

package backoff

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// RetryStats count operations that have stopped: how many attempts they made and why they stopped
// (SPEC 17). Counts saturate at 2^64 - 1.
//
// Any number of goroutines may use the same RetryStats at once. A read may see only a part of an
// operation that is being recorded, but no count ever decreases. The zero value is empty and ready
// to use; nil discards what is recorded. RetryStats must not be copied (go vet reports copies). Declare
// fields as *RetryStats: only the pointer has the methods, so plain RetryStats in a struct passed by
// value are encoded as {}.
type RetryStats struct {
	once sync.Once
	core engine.RetryStats
}

// RetryStatsCounts are the counts of RetryStats. The names of the members in JSON are those of the fields in
// lower case.
type RetryStatsCounts struct {
	// Operations is the number of operations.
	Operations uint64 `json:"operations"`
	// Attempts is the sum of their attempts.
	Attempts uint64 `json:"attempts"`
	// Retries is the same sum without the first attempt of each.
	Retries uint64 `json:"retries"`
	// Buckets counts operations by attempts: those of Buckets[i] made at most Bounds[i] attempts and
	// more than Bounds[i-1]. The last bucket has no bound.
	Buckets [12]uint64 `json:"buckets"`
	// Bounds are the upper bounds of the buckets, the same for all RetryStats.
	Bounds [11]uint64 `json:"bounds"`
	// Stops counts operations by stop reason, such as Stops[StopBudget].
	Stops StopCounts `json:"stops"`
}

// StopCounts are counts by StopReason. In JSON they are an object with the names of the reasons.
type StopCounts [StopCancelled + 1]uint64

// MarshalJSON returns the count of each reason by its name. "none" is left out if it is 0.
func (c StopCounts) MarshalJSON() ([]byte, error) {
	names := make(map[StopReason]uint64)
	for reason, count := range c {
		if reason > 0 || count > 0 {
			names[StopReason(reason)] = count
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON sets the counts of the names, and the others to 0. It fails with an *ArgumentError for an
// unknown name and for a nil receiver; the counts are then unchanged. Decoding null changes nothing.
func (c *StopCounts) UnmarshalJSON(text []byte) error {
	if err := notNil("stops", c == nil); err != nil {
		return err
	}
	var names map[StopReason]uint64
	if err := json.Unmarshal(text, &names); err != nil || names == nil {
		return err
	}
	for reason := range c {
		c[reason] = names[StopReason(reason)]
	}
	return nil
}

// Record counts an operation that has stopped. An operation of 0 attempts, such as a loop whose context
// was done before the first call, counts as one of 1 attempt:
//
//	err := stats.Record(operation.Attempts(), operation.Reason())
//
// It fails with an *ArgumentError, and counts nothing, if the reason is unknown, such as 0, the reason
// of an operation still in progress.
func (s *RetryStats) Record(attempts uint64, reason StopReason) error {
	if !s.ready().Record(attempts, uint32(reason)) {
		return &ArgumentError{Code: ErrUnknownReason, Field: "reason", Value: uint32(reason), Rule: "is unknown"}
	}
	return nil
}

// Merge adds the counts of other.
func (s *RetryStats) Merge(other *RetryStats) { s.ready().Merge(other.ready()) }

// Counts returns the counts so far.
func (s *RetryStats) Counts() RetryStatsCounts {
	core := s.ready().Counts()
	counts := RetryStatsCounts{
		Operations: core.Operations,
		Attempts:   core.Attempts,
		Retries:    core.Retries,
		Buckets:    core.Buckets,
		Bounds:     core.Bounds,
	}
	copy(counts.Stops[StopSuccess:], core.Stops[:])
	return counts
}

// String returns the counts in the text format of Prometheus (SPEC 17.2).
func (s *RetryStats) String() string { return string(s.ready().Text()) }

// MarshalJSON returns Counts as JSON, for logs. Decode it into RetryStatsCounts: RetryStats cannot be set.
func (s *RetryStats) MarshalJSON() ([]byte, error) { return json.Marshal(s.Counts()) }

// WriteTo writes the counts in the text format of Prometheus. It implements io.WriterTo and returns
// the writer's error.
func (s *RetryStats) WriteTo(writer io.Writer) (int64, error) {
	written, err := writer.Write(s.ready().Text())
	return int64(written), err
}

// ready returns the core's counts, initialised.
func (s *RetryStats) ready() *engine.RetryStats {
	s = orZero(s)
	s.once.Do(s.core.Init)
	return &s.core
}
