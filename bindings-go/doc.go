// Package backoff computes how long to wait before a retry: exponential and other backoff
// with jitter, as a pure function of a policy, a stream and an index. Every language of the
// project gives the same nanoseconds for the same three (SPEC.md of the project is normative).
//
// A Policy can be written as a line (ParsePolicy). An Operation decides after each attempt whether
// to wait or to stop, within limits, a deadline, a server's hint and a Budget that many operations
// share; a History counts how they ended.
//
// It decides and never sleeps: there is no clock, no goroutine and no global state in it.
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
