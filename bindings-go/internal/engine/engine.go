// Package engine is the only door to the core. It copies values into the memory of an instance of the core and back.
// There are two cores with the same functions:
//
//   - The default is plain Go. core.go is the core, translated from its WebAssembly, and plain.go has short ways for
//     delays and decisions without a budget, which need no instance.
//   - With the build tag backoff_cgo, cgo_functions.go and cgo.go call the installed C library. No other files of the
//     module import "C".
//
// The engine validates nothing: package backoff does, before it calls.
package engine

import "time"

// TextRoom is how much of a text the core needs: it refuses texts of more than 1024 bytes without reading them.
const TextRoom = 1025

// FieldsRoom is how much of the header fields of a response the core gets: one value of each name, and two of RateLimit.
const FieldsRoom = 6400

// A Field is the number of a field of a policy or a budget (SPEC 5.1, 15.1).
type Field uint32

// An Error is why the core rejected a policy, a policy or budget string, or a fit.
type Error struct {
	Code         uint32
	Field        string // empty if the broken rule concerns no field
	Value, Limit uint64
	At           int // the byte offset in the string, -1 if there is no string
	Found        string
	Message      string
}

// A PreviewRow holds the possible delays of one retry.
type PreviewRow struct {
	Min, Mean, Max                time.Duration
	TotalMin, TotalMean, TotalMax time.Duration
}

// RetryStatsCounts are the counts of a RetryStats: operations by attempts and by reason.
type RetryStatsCounts struct {
	Operations, Attempts, Retries uint64
	Bounds                        [11]uint64
	Buckets                       [12]uint64
	Stops                         [7]uint64
}

// A MemberState is what a Member knows at a time: whether the store is away, in how many nanoseconds an exchange is to
// begin, or NoTime, whether the store does not know all, and how long a request may wait.
type MemberState struct {
	IsAway    bool
	DueIn     uint64
	HasUnsent bool
	Timeout   uint64
}

// MemberStats are the counts of a Member.
type MemberStats struct{ Exchanges, FailedExchanges, LostSwaps, LocalDecisions, Processes uint64 }

// An ExchangeStep is a step of an exchange of a Member, which happened Count times in a row.
type ExchangeStep struct {
	Event, Outcome       uint32
	Held, Count, Granted uint64
}

// ExchangeAnswers are the answers of an exchange, by outcome: transient, throttled, timeout.
type ExchangeAnswers struct{ Granted, Refused, Held [3]uint64 }
