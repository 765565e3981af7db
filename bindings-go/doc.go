// Package backoff retries calls that fail, with jittered backoff: exponential and other growths. Only failures that you
// allow are retried. Most services need twenty names of it:
//
//   - loops: [Retry], [Do], [RetryContext] for a limit of each attempt, and [NewLoop] for range
//   - when to retry: [WithPolicyString], [WithPolicy], [WithMaxRetries]
//   - what to retry: [RetryIf], [AnyError], [RetryOn], [Classify], [HTTPVerdict]; [Permanent], [Transient] and
//     [RetryAfter] mark an error
//   - how much to retry: [ParseBudget], [WithBudget], and [WithSharedBudget] for a budget of many processes, which
//     package sharedbudget makes
//   - what happened: [OnRetry], [OnStop], [OnRetryContext], [OnStopContext], [Event], [RetryError]
//
// A delay is a pure function of a policy, a stream and an index, so every language of the project
// computes identical delays, to the nanosecond. SPEC means
// https://github.com/backoff-rs/backoff/blob/main/SPEC.md.
//
// A Policy can be written as a policy string (ParsePolicy). An Operation decides after each attempt
// whether to wait or to stop: it knows the limits of the policy, a deadline, the wait that a server
// asked for, and a Budget that many operations share. RetryStats count how operations ended.
//
// An Operation reads no clock and never sleeps. The loops do both through a Clock, which tests can
// replace. Only a budget of package sharedbudget has a goroutine, and only while it talks with its store.
//
// Clients that share a seed and use no key wait for identical times, so clients that failed together
// retry together. Use one key per client or job (StreamFromKey), or StreamFromEntropy.
//
// Invalid arguments return errors and never panic: a *PolicyError has the core's code, field, value,
// limit and message, and the place in a policy string; an *ArgumentError reports a value rejected
// before it reaches the core.
//
// The package is plain Go: the core of the project, translated. With the build tag backoff_cgo it calls
// the installed C library instead (libbackoff, found by pkg-config), with the same results.
package backoff
