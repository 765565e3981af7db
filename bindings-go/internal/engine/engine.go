// Package engine is the door to the core: every number of a delay comes through it.
//
// An engine is one file that gives the names of the core's fields, kinds and codes, the types
// Params, Policy, Preview, Budget, Operation and History, and the functions on them; today that
// is cgo.go, over the installed C library, the only file that imports "C". Nothing else in the
// module knows how the core is reached.
package engine

import "time"

// A Field is the number of a policy's field (SPEC 5.1).
type Field uint32

// A Refusal says which rule a policy, a line or a fit broke, in the core's words.
type Refusal struct {
	Code         uint32
	Field        string // empty if it is no rule of a field
	Value, Limit uint64
	At           int // in the line, -1 if there is none
	Found        string
	Message      string
}

// A PreviewRow is a retry as it can be.
type PreviewRow struct {
	Smallest, Mean, Largest                time.Duration
	TotalSmallest, TotalMean, TotalLargest time.Duration
}

// HistoryCounts is what a history counted: the operations of each bucket, and by each reason.
type HistoryCounts struct {
	Operations, Attempts, Retries uint64
	Buckets                       [12]uint64
	Stops                         [7]uint64
}
