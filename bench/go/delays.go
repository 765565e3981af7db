package main

import (
	"time"

	avastlib "github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	v4 "github.com/cenkalti/backoff/v4"
	v5 "github.com/cenkalti/backoff/v5"
	v7 "github.com/cenkalti/backoff/v7"
	seth "github.com/sethvargo/go-retry"
)

var (
	policy      = must(backoff.ParsePolicy("full:base=100ms,cap=20s"))
	stream      = must(backoff.StreamFromKey(42, "job-1"))
	correlated  = must(backoff.ParsePolicy("decorrelated:base=100ms,cap=20s"))
	around      = must(backoff.ParsePolicy("exponential:base=100ms,cap=20s,jitter=50%")) // as cenkalti spreads its delays
	budget      = must(backoff.ParseBudget("concurrent"))
	policyText  = "full:base=100ms,cap=20s,max_retries=5"
	printed     = must(backoff.ParsePolicy(policyText))
	buffer      = make([]time.Duration, 1_000_000)
	avastConfig = avastlib.New(avastlib.Delay(base), avastlib.MaxDelay(limit))
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func delayWorks() []work {
	return []work{
		{"next", []contestant{{ours, next}, {bySplitMix, nextBySplitMix}, {byMathRand, nextByMathRand}, {byRandV2, nextByRandV2}, {sethvargo(), nextBySethvargo}}},
		{"next, proportional", []contestant{{ours, nextAround}, {cenkalti4(), nextByCenkalti4}, {cenkalti5(), nextByCenkalti5}, {cenkalti7(), nextByCenkalti7}}},
		{"next, decorrelated", []contestant{{ours, nextDecorrelated}, {bySplitMix, nextDecorrelatedByHand}}},
		{"random access", []contestant{{ours, at}, {bySplitMix, atBySplitMix}, {avast(), atByAvast}}},
		newAnd("new and 8 delays", 8),
		newAnd("new and 3 delays", 3),
		newAroundAnd("new and 8 delays, proportional", 8),
		newAroundAnd("new and 3 delays, proportional", 3),
		batch("batch of 16", 16),
		batch("batch of 1000000", 1_000_000),
		{"parse", []contestant{{ours, parse}}},
		{"print", []contestant{{ours, print}}},
		{"decide", []contestant{{ours, func(n int) time.Duration { return decide(n) }}}},
		{"decide with a budget", []contestant{{ours, func(n int) time.Duration { return decide(n, backoff.WithBudget(budget)) }}}},
	}
}

// The indices are 0 to 7; then a success resets.
func isLast(i int) bool { return i&7 == 7 }

func next(n int) (sum time.Duration) { return nextOf(policy, n) }

func nextAround(n int) (sum time.Duration) { return nextOf(around, n) }

func nextOf(policy backoff.Policy, n int) (sum time.Duration) {
	delays := backoff.New(policy, stream)
	for i := range n {
		delay, _ := delays.Next()
		sum += delay
		if isLast(i) {
			delays.Reset()
		}
	}
	return sum
}

func nextBySplitMix(n int) (sum time.Duration) {
	delays := newSplitMix(stream.State())
	for i := range n {
		sum += delays.next()
		if isLast(i) {
			delays.reset()
		}
	}
	return sum
}

func nextByMathRand(n int) (sum time.Duration) {
	delays := mathRand{base}
	for i := range n {
		sum += delays.next()
		if isLast(i) {
			delays.reset()
		}
	}
	return sum
}

func nextByRandV2(n int) (sum time.Duration) {
	delays := randV2{base}
	for i := range n {
		sum += delays.next()
		if isLast(i) {
			delays.reset()
		}
	}
	return sum
}

func newCenkalti4() *v4.ExponentialBackOff {
	return v4.NewExponentialBackOff(v4.WithInitialInterval(base), v4.WithMultiplier(2), v4.WithMaxInterval(limit))
}

func nextByCenkalti4(n int) (sum time.Duration) {
	delays := newCenkalti4()
	for i := range n {
		sum += delays.NextBackOff()
		if isLast(i) {
			delays.Reset()
		}
	}
	return sum
}

func newCenkalti5() *v5.ExponentialBackOff {
	delays := v5.NewExponentialBackOff()
	delays.InitialInterval, delays.Multiplier, delays.MaxInterval = base, 2, limit
	delays.Reset()
	return delays
}

func nextByCenkalti5(n int) (sum time.Duration) {
	delays := newCenkalti5()
	for i := range n {
		sum += delays.NextBackOff()
		if isLast(i) {
			delays.Reset()
		}
	}
	return sum
}

func newCenkalti7() *v7.ExponentialBackOff {
	delays := v7.NewExponentialBackOff()
	delays.InitialInterval, delays.Multiplier, delays.MaxInterval = base, 2, limit
	delays.Reset()
	return delays
}

func nextByCenkalti7(n int) (sum time.Duration) {
	delays := newCenkalti7()
	for i := range n {
		sum += delays.NextBackOff()
		if isLast(i) {
			delays.Reset()
		}
	}
	return sum
}

func newSethvargo() seth.Backoff {
	return seth.WithFullJitter(seth.WithCappedDuration(limit, seth.NewExponential(base)))
}

// Its delays cannot be reset, so they go on at the cap.
func nextBySethvargo(n int) (sum time.Duration) {
	delays := newSethvargo()
	for range n {
		delay, _ := delays.Next()
		sum += delay
	}
	return sum
}

func nextDecorrelated(n int) (sum time.Duration) { return nextOf(correlated, n) }

func nextDecorrelatedByHand(n int) (sum time.Duration) {
	delays := decorrelated{stream.State(), uint64(base)}
	for i := range n {
		sum += delays.next()
		if isLast(i) {
			delays.reset()
		}
	}
	return sum
}

func at(n int) (sum time.Duration) {
	for i := range n {
		sum += policy.Delay(stream, uint32(i&7))
	}
	return sum
}

func atBySplitMix(n int) (sum time.Duration) {
	for i := range n {
		sum += splitMixAt(stream.State(), uint(i&7))
	}
	return sum
}

func atByAvast(n int) (sum time.Duration) {
	for i := range n {
		sum += avastlib.FullJitterBackoffDelay(uint(i&7), nil, avastConfig)
	}
	return sum
}

// newAnd is the work of one operation that waits count times.
func newAnd(name string, count int) work {
	return work{name, []contestant{
		{ours, oursNewAnd(policy, count)},
		{bySplitMix, func(n int) (sum time.Duration) {
			for range n {
				delays := newSplitMix(stream.State())
				for range count {
					sum += delays.next()
				}
			}
			return sum
		}},
		{sethvargo(), func(n int) (sum time.Duration) {
			for range n {
				delays := newSethvargo()
				for range count {
					delay, _ := delays.Next()
					sum += delay
				}
			}
			return sum
		}},
	}}
}

// newAroundAnd is newAnd with the jitter of cenkalti.
func newAroundAnd(name string, count int) work {
	return work{name, []contestant{
		{ours, oursNewAnd(around, count)},
		{cenkalti4(), func(n int) (sum time.Duration) {
			for range n {
				delays := newCenkalti4()
				for range count {
					sum += delays.NextBackOff()
				}
			}
			return sum
		}},
		{cenkalti5(), func(n int) (sum time.Duration) {
			for range n {
				delays := newCenkalti5()
				for range count {
					sum += delays.NextBackOff()
				}
			}
			return sum
		}},
		{cenkalti7(), func(n int) (sum time.Duration) {
			for range n {
				delays := newCenkalti7()
				for range count {
					sum += delays.NextBackOff()
				}
			}
			return sum
		}},
	}}
}

func oursNewAnd(policy backoff.Policy, count int) func(n int) time.Duration {
	return func(n int) time.Duration { return newAndNext(policy, count, n) }
}

// newAndNext is a function of its own, because the compiler inlines no calls in a closure that it has itself inlined.
func newAndNext(policy backoff.Policy, count, n int) (sum time.Duration) {
	for range n {
		delays := backoff.New(policy, stream)
		for range count {
			delay, _ := delays.Next()
			sum += delay
		}
	}
	return sum
}

func batch(name string, count int) work {
	return work{name, []contestant{
		{ours, func(n int) (sum time.Duration) {
			for range n {
				policy.Fill(stream, 0, buffer[:count])
			}
			return sum
		}},
		{bySplitMix, func(n int) (sum time.Duration) {
			for range n {
				delays := splitMix{stream.State(), uint64(base)}
				for i := range buffer[:count] {
					buffer[i] = delays.next()
				}
			}
			return sum
		}},
		{byMathRand, func(n int) (sum time.Duration) {
			for range n {
				delays := mathRand{base}
				for i := range buffer[:count] {
					buffer[i] = delays.next()
				}
			}
			return sum
		}},
	}}
}

func parse(n int) (sum time.Duration) {
	for range n {
		must(backoff.ParsePolicy(policyText))
	}
	return sum
}

func print(n int) (sum time.Duration) {
	for range n {
		sum += time.Duration(len(printed.String()))
	}
	return sum
}

// decide fails again and again. A budget that is empty stops the operation, and another begins.
func decide(n int, options ...backoff.BeginOption) (sum time.Duration) {
	operation := must(policy.Begin(stream, 0, options...))
	for range n {
		decision := must(operation.Decide(backoff.OutcomeTransient, 0))
		sum += decision.Delay
		if !decision.Wait {
			must(operation.Decide(backoff.OutcomeSuccess, 0))
			operation = must(policy.Begin(stream, 0, options...))
		}
	}
	return sum
}
