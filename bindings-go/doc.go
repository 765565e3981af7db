// Package backoff retries what fails, with exponential and other backoff and jitter. Retry is the
// loop, and Attempts the same for range; nothing is repeated that the caller did not say may be.
//
// A delay is a pure function of a policy, a stream and an index: every language of the project
// gives the same nanoseconds for the same three (SPEC.md of the project is normative).
//
// A Policy can be written as a line (ParsePolicy). An Operation decides after each attempt whether
// to wait or to stop, within limits, a deadline, a server's hint and a Budget that many operations
// share; a History counts how they ended.
//
// An Operation reads no clock and never sleeps; the loops do, by a Clock that can be handed in. Only
// a Ticker has a goroutine.
//
// Delays are reproducible, which is also the danger: everyone with the same seed and no key
// waits the same, so a crowd that failed together retries together. Give each client or job a
// key of its own (KeyStream), or take EntropyStream.
//
// Arguments out of range are errors, never panics: a *PolicyError with the core's code, field,
// value, limit and message, and its place in a line, or an *ArgumentError for what no rule
// applies to.
//
// It needs the installed C library (libbackoff, found by pkg-config) and cgo.
package backoff
