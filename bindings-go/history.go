package backoff

import (
	"io"
	"sync"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A History counts operations that have ended: how many attempts they made and why they
// stopped (SPEC 17). No count goes beyond 2^64 - 1.
//
// Any number of goroutines may use one at once; what is read while others record may lack a
// part of an operation, but no count ever goes down. The zero History has counted nothing and is
// ready to use; a nil one keeps nothing of what it is told. It must not be copied, which go vet
// tells.
type History struct {
	once sync.Once
	core engine.History
}

// HistoryCounts is what a History has counted.
type HistoryCounts struct {
	// Operations is how many have ended, Attempts the sum of their attempts, and Retries that
	// without the first attempt of each.
	Operations, Attempts, Retries uint64
	// Buckets are the operations by their attempts: Buckets[i] made at most HistoryBounds()[i]
	// attempts, and more than the bound before; the last made more than all bounds.
	Buckets [12]uint64
	// Stops are the operations by the reason for which they stopped: Stops[StopBudget].
	Stops [StopCancelled + 1]uint64
}

// HistoryBounds returns the most attempts of each bucket but the last.
func HistoryBounds() [11]uint64 { return [...]uint64{1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50} }

// Record counts an operation that has ended after so many attempts, of which 0 count as 1:
//
//	err := history.Record(operation.Attempts(), operation.Stopped())
//
// It fails with an *ArgumentError if the reason is none, as of an operation that goes on; then
// nothing is counted.
func (h *History) Record(attempts uint64, reason StopReason) error {
	if !h.ready().Record(attempts, uint32(reason)) {
		return &ArgumentError{Field: "reason", Value: reason, Rule: "is unknown"}
	}
	return nil
}

// Merge adds the counts of another history.
func (h *History) Merge(other *History) { h.ready().Merge(other.ready()) }

// Counts returns what was counted so far.
func (h *History) Counts() HistoryCounts {
	read := h.ready().Counts()
	counts := HistoryCounts{
		Operations: read.Operations,
		Attempts:   read.Attempts,
		Retries:    read.Retries,
		Buckets:    read.Buckets,
	}
	copy(counts.Stops[StopSuccess:], read.Stops[:])
	return counts
}

// String returns the counts in the text format of Prometheus (SPEC 17.2).
func (h *History) String() string { return string(h.ready().Text()) }

// WriteTo writes the counts in the text format of Prometheus, as io.WriterTo. It fails with
// what the writer fails with.
func (h *History) WriteTo(writer io.Writer) (int64, error) {
	written, err := writer.Write(h.ready().Text())
	return int64(written), err
}

// ready returns the core's history, begun.
func (h *History) ready() *engine.History {
	h = orZero(h)
	h.once.Do(h.core.Init)
	return &h.core
}
