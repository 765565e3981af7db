package main

import "testing"

// Benchmark has a benchmark for each work and everyone.
func Benchmark(b *testing.B) {
	for _, work := range works() {
		b.Run(work.name, func(b *testing.B) {
			for _, contestant := range work.by {
				b.Run("by="+contestant.name, contestant.benchmark)
			}
		})
	}
}

func TestWorks(t *testing.T) {
	if err := check(); err != nil {
		t.Error(err)
	}
}
