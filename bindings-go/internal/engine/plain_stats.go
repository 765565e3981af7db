//go:build !backoff_cgo

package engine

import (
	"bytes"
	"sync"
)

// RetryStats are counts that the core changes under a lock. The zero value must be initialised with Init.
type RetryStats struct {
	bytes [8 * StatsWords]byte
	mutex sync.Mutex
}

// copyTo copies the counts into the memory.
func (s *RetryStats) copyTo(m *module, at uint32) {
	s.mutex.Lock()
	m.put(at, s.bytes[:])
	s.mutex.Unlock()
}

// update lets the core change the counts, in the memory at statsAt.
func (s *RetryStats) update(m *module, change func() uint32) uint32 {
	s.mutex.Lock()
	m.put(statsAt, s.bytes[:])
	code := change()
	m.get(statsAt, s.bytes[:])
	s.mutex.Unlock()
	return code
}

// Init sets all counts to 0.
func (s *RetryStats) Init() {
	m := take()
	s.update(m, func() uint32 { return m.statsInit(statsAt) })
	m.free()
}

// Record counts an operation. It reports false for an unknown reason.
func (s *RetryStats) Record(attempts uint64, reason uint32) bool {
	m := take()
	defer m.free()
	return s.update(m, func() uint32 { return m.statsRecord(statsAt, attempts, reason) }) == OK
}

// Merge adds the counts of other.
func (s *RetryStats) Merge(other *RetryStats) {
	m := take()
	other.copyTo(m, otherAt) // before the lock of s, because the other may be s
	s.update(m, func() uint32 { return m.statsMerge(statsAt, otherAt) })
	m.free()
}

// Counts returns the counts so far.
func (s *RetryStats) Counts() RetryStatsCounts {
	m := take()
	defer m.free()
	s.copyTo(m, statsAt)
	var counts RetryStatsCounts
	if m.statsRead(statsAt, countsAt) != OK {
		return counts
	}
	counts.Operations = m.word(countsAt)
	counts.Attempts = m.word(countsAt + 8)
	counts.Retries = m.word(countsAt + 16)
	m.words(countsAt+24, counts.Bounds[:])
	m.words(countsAt+24+8*11, counts.Buckets[:])
	m.words(countsAt+24+8*(11+12), counts.Stops[:])
	return counts
}

// Text returns the counts in the text format of Prometheus.
func (s *RetryStats) Text() []byte {
	m := take()
	defer m.free()
	s.copyTo(m, statsAt)
	m.statsPrint(statsAt, printedAt, StatsSize)
	return bytes.Clone(m.printed())
}
