package backoff

import (
	"encoding"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Policy is how long to wait before each retry, how often to retry and what to make of a
// server's hint, checked once and never changed.
//
// It holds no state and no randomness: with a stream and an index it gives a delay, always
// the same one, in every language. It is a plain value: copy it, compare it with ==, use it as
// the key of a map, share it between any number of goroutines. Policies with the same fields,
// given or by default, are equal.
//
// As text it is a line (SPEC 11), so it can stand in JSON, in YAML and in flags:
// flag.TextVar(&policy, "retry", policy, "how to retry").
//
// The zero Policy is no policy, and it never panics: its delays and windows are 0, Fill writes
// nothing, a Backoff over it ends at once, its preview has no rows, and what can fail fails
// with ErrNoPolicy.
type Policy struct{ checked engine.Policy }

var (
	_ encoding.TextAppender    = Policy{}
	_ encoding.TextMarshaler   = Policy{}
	_ encoding.TextUnmarshaler = (*Policy)(nil)
)

// NewPolicy returns the policy of a growth, a base (the window of index 0 for most growths)
// and the options that give its other fields.
//
// It fails with a *PolicyError, the first rule of SPEC 8 that is broken, or before that with
// an *ArgumentError, the first argument that no rule applies to. Then the policy is the zero
// Policy.
func NewPolicy(growth Growth, base time.Duration, options ...Option) (Policy, error) {
	var params engine.Params
	given := [...]Option{word(engine.Growth, uint64(growth)), duration(engine.Base, base)}
	for _, option := range append(given[:], options...) {
		if option == nil {
			return Policy{}, &ArgumentError{Field: "option", Value: nil, Rule: "gives no field"}
		}
		if err := option(&params); err != nil {
			return Policy{}, err
		}
	}
	return policyOf(params.Build())
}

// ParsePolicy returns the policy of a line such as "full:base=100ms,cap=20s,max_retries=5", or
// the name of a preset such as "aws-sdk-standard" and what is changed of it (SPEC 11, 12). Any
// text may be given.
//
// It fails with a *PolicyError that says which rule was broken, where, and what was found
// there. Then the policy is the zero Policy.
func ParsePolicy(line string) (Policy, error) { return policyOf(engine.ParsePolicy(line)) }

// policyOf returns what the core made, or its refusal as an error.
func policyOf(checked engine.Policy, refused *engine.Refusal) (Policy, error) {
	if refused != nil {
		return Policy{}, policyError(refused)
	}
	return Policy{checked}, nil
}

// String returns the line of the policy, which ParsePolicy reads as an equal one: its growth
// and each field that is not as if it were not given (SPEC 11.8). Equal policies have equal
// lines. That of the zero Policy is "no policy", which is no line.
func (p Policy) String() string {
	line, ok := p.checked.AppendLine(nil)
	if !ok {
		return "no policy"
	}
	return string(line)
}

// AppendText appends the line of the policy. It fails with ErrNoPolicy.
func (p Policy) AppendText(text []byte) ([]byte, error) {
	text, ok := p.checked.AppendLine(text)
	if !ok {
		return text, ErrNoPolicy
	}
	return text, nil
}

// MarshalText returns the line of the policy. It fails with ErrNoPolicy.
func (p Policy) MarshalText() ([]byte, error) { return p.AppendText(nil) }

// UnmarshalText makes this the policy of a line. It fails as ParsePolicy does, and with
// ErrNoPolicy for nil; then the policy stays as it was.
func (p *Policy) UnmarshalText(line []byte) error {
	if p == nil {
		return ErrNoPolicy
	}
	policy, err := ParsePolicy(string(line))
	if err == nil {
		*p = policy
	}
	return err
}

// Delay returns the delay of an index of a stream: a pure function (SPEC 6, 7). Index 0 is the
// wait before the first retry. Any index may be asked for at any time; the cost is bounded.
//
// Everyone with the same stream waits the same: give each client or job a key of its own.
func (p Policy) Delay(stream Stream, index uint32) time.Duration {
	return time.Duration(p.checked.Delay(stream.state, index))
}

// Window returns the window of an index: the wait before jitter, under the cap if the cap is
// on the window (SPEC 5.3). Decorrelated jitter does not use it.
func (p Policy) Window(index uint32) time.Duration {
	return time.Duration(p.checked.Window(index))
}

// Fill writes the delays of the indices first, first + 1, ... and returns how many: all of
// delays, or fewer where the indices end at 2^32 - 1. It costs far less than as many calls of
// Delay.
func (p Policy) Fill(stream Stream, first uint32, delays []time.Duration) int {
	if left := 1<<32 - uint64(first); uint64(len(delays)) > left {
		delays = delays[:left]
	}
	if !p.checked.Fill(stream.state, first, delays) {
		return 0
	}
	return len(delays)
}
