package engine

import (
	"bytes"
	"sync"
)

// RetryStats are counts that the core changes under a lock. The zero value must be initialised with Init.
type RetryStats struct {
	bytes [8 * UsedStatsWords]byte
	mutex sync.Mutex
}

// putStats puts a copy of the counts into the memory.
func (m *instance) putStats(s *RetryStats) int32 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return m.put(s.bytes[:])
}

// update lets the core change the counts.
func (s *RetryStats) update(m *instance, change func(at int32) int32) int32 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := m.putInto(8*StatsWords, s.bytes[:])
	code := change(at)
	m.get(at, s.bytes[:])
	return code
}

// Init sets all counts to 0.
func (s *RetryStats) Init() {
	m := take()
	defer m.free()
	s.update(m, m.Xbackoff_stats_init)
}

// Record counts an operation. It reports false for an unknown reason.
func (s *RetryStats) Record(attempts uint64, reason uint32) bool {
	m := take()
	defer m.free()
	return s.update(m, func(at int32) int32 { return m.Xbackoff_stats_record(at, int64(attempts), int32(reason)) }) == OK
}

// Merge adds the counts of other.
func (s *RetryStats) Merge(other *RetryStats) {
	m := take()
	defer m.free()
	otherAt := m.putStats(other) // before the lock of s, because the other may be s
	s.update(m, func(at int32) int32 { return m.Xbackoff_stats_merge(at, otherAt) })
}

// Counts returns the counts so far.
func (s *RetryStats) Counts() (counts RetryStatsCounts) {
	m := take()
	defer m.free()
	stats, at := m.putStats(s), m.empty(8*StatsCountsWords)
	m.Xbackoff_stats_read(stats, at)
	counts.Operations, counts.Attempts, counts.Retries = m.word(at), m.word(at+8), m.word(at+16)
	for i := range counts.Buckets {
		m.Xbackoff_stats_bucket(stats, int64(i), at, at+8)
		if i < len(counts.Bounds) {
			counts.Bounds[i] = m.word(at)
		}
		counts.Buckets[i] = m.word(at + 8)
	}
	for i := range counts.Stops {
		m.Xbackoff_stats_stopped(stats, int32(i)+ReasonSuccess, at)
		counts.Stops[i] = m.word(at)
	}
	return counts
}

// Text returns the counts in the text format of Prometheus.
func (s *RetryStats) Text() []byte {
	m := take()
	defer m.free()
	printed := m.reserve(StatsSize)
	m.Xbackoff_stats_print(m.putStats(s), printed, StatsSize, 0)
	return bytes.Clone(m.terminated(printed))
}
