// Policy: made of fields or of a string, printed, and its delays.

package backoff

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Policy says how long to wait before each retry, how often to retry, and how to treat the wait
// that a server asks for. It is validated once and immutable.
//
// It holds no state and no randomness: with a stream and an index it always gives the same delay, in
// every language. It is a plain value: copy it, compare it with ==, use it as a map key, share it
// between goroutines. Policies are equal if all their fields are, whether set or by default.
//
// Its text form is a policy string (SPEC 11), so it works in JSON, in YAML and in flags:
// flag.TextVar(&policy, "retry", policy, "how to retry"). The zero Policy has no text, but is null in
// JSON.
//
// The zero Policy is not valid but never panics: its delays and windows are 0, Fill writes nothing,
// a Backoff over it ends at once, its preview has no rows, and every method with an error result
// returns ErrNoPolicy.
type Policy struct{ given *engine.Policy }

var (
	_ encoding.TextAppender    = Policy{}
	_ encoding.TextMarshaler   = Policy{}
	_ encoding.TextUnmarshaler = (*Policy)(nil)
)

// NewPolicy returns the policy of a growth, a base (the window of index 0 for most growths) and
// options that set the other fields. Steps has no base: NewPolicy(Steps, 0, WithWaits(...)).
//
// On failure it returns the zero Policy, and either an *ArgumentError for the first value that is
// rejected before it reaches the core, or a *PolicyError for the first rule of SPEC 8 that is
// broken.
func NewPolicy(growth Growth, base time.Duration, options ...Option) (Policy, error) {
	var params engine.Params
	required := [...]Option{setKind(engine.Growth, uint32(growth)), setDuration(engine.Base, base)}
	if growth == Steps && base == 0 {
		required[1] = required[0]
	}
	for _, option := range append(required[:], options...) {
		if err := notNil("option", option == nil); err != nil {
			return Policy{}, err
		}
		if err := option.set(&params); err != nil {
			return Policy{}, err
		}
	}
	return policyOf(params.Build())
}

// ParsePolicy returns the policy of a policy string, such as
// "full:base=100ms,cap=20s,max_retries=5" or the preset "aws-sdk-standard:max_retries=5"
// (SPEC 11, 12). Any text is safe to pass.
//
// On failure it returns the zero Policy and a *PolicyError with the broken rule, its place in the
// text and what was found there.
func ParsePolicy(text string) (Policy, error) { return policyOf(engine.ParsePolicy(text)) }

func policyOf(core *engine.Policy, err *engine.Error) (Policy, error) {
	if err != nil {
		return Policy{}, policyError(err)
	}
	return Policy{core}, nil
}

// core returns the policy of the core, which the zero Policy has, too.
func (p Policy) core() *engine.Policy {
	if p.given == nil {
		return engine.NoPolicy
	}
	return p.given
}

// String returns the policy string: the growth and each field that differs from its default
// (SPEC 11.8). ParsePolicy returns an equal policy for it. Equal policies have equal strings. For
// the zero Policy it returns "no policy", which ParsePolicy rejects.
func (p Policy) String() string {
	text, ok := p.core().AppendText(nil)
	if !ok {
		return "no policy"
	}
	return string(text)
}

// AppendText appends the policy string. It fails with ErrNoPolicy.
func (p Policy) AppendText(text []byte) ([]byte, error) {
	text, ok := p.core().AppendText(text)
	if !ok {
		return text, ErrNoPolicy
	}
	return text, nil
}

// MarshalText returns the policy string. It fails with ErrNoPolicy.
func (p Policy) MarshalText() ([]byte, error) { return p.AppendText(nil) }

// MarshalJSON returns the policy string as JSON, and null for the zero Policy. Decoding null changes
// nothing. To leave a zero field out, tag it with omitzero.
func (p Policy) MarshalJSON() ([]byte, error) {
	if p.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(p.String())
}

// GoString returns the call that makes the policy, such as backoff.ParsePolicy("constant:base=1s"), for the
// verb %#v.
func (p Policy) GoString() string {
	if p.IsZero() {
		return "backoff.Policy{}"
	}
	return fmt.Sprintf("backoff.ParsePolicy(%q)", p)
}

// LogValue returns String, for slog.
func (p Policy) LogValue() slog.Value { return slog.StringValue(p.String()) }

// IsZero reports whether this is the zero Policy, which is not valid.
func (p Policy) IsZero() bool { return p == Policy{} }

// UnmarshalText sets the policy to that of a policy string. It fails as ParsePolicy does, with a message that
// quotes the text, and with ErrNoPolicy for a nil receiver; the policy is then unchanged.
func (p *Policy) UnmarshalText(text []byte) error {
	if p == nil {
		return ErrNoPolicy
	}
	policy, err := ParsePolicy(string(text))
	if err != nil {
		return textError("policy", text, err)
	}
	*p = policy
	return nil
}

// textError says which text of a configuration, perhaps of many, is wrong.
func textError(what string, text []byte, err error) error {
	const limit = 128
	if len(text) <= limit {
		return fmt.Errorf("%s %q: %w", what, text, err)
	}
	return fmt.Errorf("%s %q...: %w", what, text[:limit], err)
}

// UnmarshalYAML sets the policy to that of a policy string, for libraries of YAML, some of which decode a
// mapping to the zero Policy otherwise. It fails as UnmarshalText does.
func (p *Policy) UnmarshalYAML(unmarshal func(any) error) error { return unmarshalYAML(p, unmarshal) }

// unmarshalYAML reads a text, and nothing else, from YAML.
func unmarshalYAML(target encoding.TextUnmarshaler, unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	return target.UnmarshalText([]byte(text))
}

// Delay returns the delay of an index of a stream, a pure function (SPEC 6, 7). Index 0 is the wait
// before the first retry. Indices can be evaluated in any order, at bounded cost.
//
// It ignores the limits of the policy: every index has a delay. MaxRetries says when to stop.
//
// Clients with the same stream wait for identical times: use one key per client or job.
func (p Policy) Delay(stream RandomStream, index uint32) time.Duration {
	return time.Duration(p.core().Delay(stream.state, index))
}

// Window returns the window of an index: the wait before jitter, capped if the cap is on the window
// (SPEC 5.3). Decorrelated jitter does not use it.
func (p Policy) Window(index uint32) time.Duration {
	return time.Duration(p.core().Window(index))
}

// MaxRetries returns the maximum number of retries: 2^32 if the policy has no limit, and 0 for the zero
// Policy. A caller of Delay stops when index >= MaxRetries.
func (p Policy) MaxRetries() uint64 { return p.core().MaxRetries() }

// Fill writes the delays of the indices first, first + 1, ... and returns how many it wrote: all of
// delays, or fewer if the indices end at 2^32 - 1. It ignores the limits of the policy. It costs far less
// than calling Delay for each.
func (p Policy) Fill(stream RandomStream, first uint32, delays []time.Duration) int {
	return p.core().Fill(stream.state, first, delays)
}
