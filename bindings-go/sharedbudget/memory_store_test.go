package sharedbudget_test

import (
	"context"
	"strings"
	"sync"
	"time"
)

// A memoryStore is a Store in memory, whose clock is that of the test. A test may replace what its calls do.
type memoryStore struct {
	mutex  sync.Mutex
	texts  map[string]string
	loads  int
	onLoad func(ctx context.Context) error                            // before a load
	onSwap func(number int, swap func() bool) (swapped bool, _ error) // instead of a swap
	swaps  int
}

func (s *memoryStore) Load(ctx context.Context, key string) (*string, time.Time, error) {
	s.mutex.Lock()
	s.loads++
	onLoad := s.onLoad
	s.mutex.Unlock()
	if onLoad != nil {
		if err := onLoad(ctx); err != nil {
			return nil, time.Time{}, err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if text, ok := s.texts[key]; ok {
		return &text, time.Now(), nil
	}
	return nil, time.Now(), nil
}

func (s *memoryStore) CompareAndSwap(_ context.Context, key string, expected *string, state string) (bool, error) {
	swap := func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if text, ok := s.texts[key]; ok != (expected != nil) || ok && text != *expected {
			return false
		}
		if s.texts == nil {
			s.texts = make(map[string]string)
		}
		s.texts[key] = state
		return true
	}
	s.mutex.Lock()
	s.swaps++
	number := s.swaps
	s.mutex.Unlock()
	if s.onSwap != nil {
		return s.onSwap(number, swap)
	}
	return swap(), nil
}

func (s *memoryStore) put(key, text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.texts = map[string]string{key: text}
}

func (s *memoryStore) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.loads
}

// text returns the state that is stored, without the numbers of processes.
func (s *memoryStore) text(key string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	state, _, _ := strings.Cut(s.texts[key], " | ")
	return state
}
