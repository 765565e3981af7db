package engine

import "time"

// Delays of a sequence that are fetched ahead: a call of the core costs many times one delay. They are few at first,
// because most operations succeed after few retries. Fetching has no side effects, so unused delays are dropped.
type ahead struct {
	first, count uint64
	delays       [16]time.Duration
}

// delay returns the delay of an index below the end.
func (a *ahead) delay(policy *Policy, stream, index, end uint64) uint64 {
	if index-a.first >= a.count {
		batch := min(max(2*a.count, 4), uint64(len(a.delays)), end-index)
		a.first = index
		a.count = uint64(policy.Fill(stream, uint32(index), a.delays[:batch]))
	}
	return uint64(a.delays[index-a.first])
}
