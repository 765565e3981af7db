package main

import (
	"math/bits"
	"math/rand"
	randv2 "math/rand/v2"
	"time"
)

// The policy of delays: full:base=100ms,cap=20s.
const (
	base  = 100 * time.Millisecond
	limit = 20 * time.Second
)

const (
	bySplitMix = "by hand (SplitMix64)"
	byMathRand = "by hand (math/rand)"
	byRandV2   = "by hand (math/rand/v2)"
)

const gamma = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// splitMix is full jitter with the random numbers and the delays of ours.
type splitMix struct{ state, window uint64 }

func newSplitMix(state uint64) *splitMix { return &splitMix{state, uint64(base)} }

func (s *splitMix) next() time.Duration {
	s.state += gamma
	delay, _ := bits.Mul64(mix(s.state), s.window+1)
	s.window = min(2*s.window, uint64(limit))
	return time.Duration(delay)
}

func (s *splitMix) reset() { s.window = uint64(base) }

// splitMixAt is a delay of splitMix by random access.
func splitMixAt(state uint64, index uint) time.Duration {
	window := min(uint64(base)<<index, uint64(limit))
	delay, _ := bits.Mul64(mix(state+uint64(index+1)*gamma), window+1)
	return time.Duration(delay)
}

// decorrelated is decorrelated jitter with the random numbers and the delays of ours.
type decorrelated struct{ state, previous uint64 }

func (d *decorrelated) next() time.Duration {
	d.state += gamma
	high := min(3*d.previous, uint64(limit))
	delay, _ := bits.Mul64(mix(d.state), high-uint64(base)+1)
	d.previous = uint64(base) + delay
	return time.Duration(d.previous)
}

func (d *decorrelated) reset() { d.previous = uint64(base) }

// mathRand is full jitter with the global generator of math/rand.
type mathRand struct{ window time.Duration }

func (m *mathRand) next() time.Duration {
	delay := time.Duration(rand.Int63n(int64(m.window) + 1))
	m.window = min(2*m.window, limit)
	return delay
}

func (m *mathRand) reset() { m.window = base }

// randV2 is full jitter with the global generator of math/rand/v2.
type randV2 struct{ window time.Duration }

func (r *randV2) next() time.Duration {
	delay := randv2.N(r.window + 1)
	r.window = min(2*r.window, limit)
	return delay
}

func (r *randV2) reset() { r.window = base }
