package main

import (
	"fmt"
	"slices"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The first delays of policy and stream, as in docs/programs.md.
var want = []time.Duration{11399434, 83043876, 229309811}

// check does every work once and compares the delays of ours, and those by hand, with those of docs/programs.md.
func check() error {
	for _, work := range works() {
		for _, contestant := range work.by {
			contestant.do(1)
		}
	}
	iterator, byHand := backoff.New(policy, stream), newSplitMix(stream.State())
	chain, chainByHand := backoff.New(correlated, stream), decorrelated{stream.State(), uint64(base)}
	var delays [8][]time.Duration
	add := func(i int, delay time.Duration) { delays[i] = append(delays[i], delay) }
	for index := range 8 {
		delay, _ := iterator.Next()
		add(0, delay)
		add(1, byHand.next())
		add(2, policy.Delay(stream, uint32(index)))
		add(3, splitMixAt(stream.State(), uint(index)))
		delay, _ = chain.Next()
		add(4, delay)
		add(5, chainByHand.next())
	}
	filled := make([]time.Duration, 8)
	policy.Fill(stream, 0, filled)
	if got := delays[0][:len(want)]; !slices.Equal(got, want) {
		return fmt.Errorf("the delays are %v, want %v", got, want)
	}
	for _, others := range [][]time.Duration{delays[1], delays[2], delays[3], filled} {
		if !slices.Equal(others, delays[0]) {
			return fmt.Errorf("delays %v and %v", others, delays[0])
		}
	}
	if !slices.Equal(delays[4], delays[5]) {
		return fmt.Errorf("decorrelated delays %v, by hand %v", delays[4], delays[5])
	}
	return nil
}
