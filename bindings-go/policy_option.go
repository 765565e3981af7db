// WithPolicy and WithPolicyString: the policy of a loop.

package backoff

import (
	"bytes"
	"log"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

var defaultPolicy = sync.OnceValues(func() (Policy, error) { return ParsePolicy("default") })

// WithPolicy sets the policy. Default: the preset "default", which makes 4 attempts.
//
// A policy without max_retries, max_attempts and max_elapsed retries for ever, unless the context has a deadline. The
// first such loop of the process says so with the package log, once.
func WithPolicy(policy Policy) RetryOption {
	return policyOption(policy)
}

type policyOption Policy

func (o policyOption) apply(c retryConfig) (retryConfig, error) {
	c.policy, c.given = Policy(o), nil
	return c, orNoPolicy(o)
}

// orNoPolicy returns the error of the zero Policy.
func orNoPolicy(o policyOption) error {
	if o == (policyOption{}) {
		return ErrNoPolicy
	}
	return nil
}

// WithPolicyString is WithPolicy for a policy string. The loop fails as ParsePolicy does. The process parses a string
// once and keeps its policy, for the first 256 strings.
func WithPolicyString(text string) RetryOption { return policyString(text) }

type policyString string

func (text policyString) apply(c retryConfig) (_ retryConfig, err error) {
	err = c.parse(string(text))
	return c, err
}

// change changes the policy by the fields beside it, as pairs after a preset do (SPEC 11.3, 18.8).
func (c *retryConfig) change(fields []fieldOption) error {
	if len(fields) == 0 {
		return nil
	}
	var room [128]byte
	pairs := room[:0]
	for i, o := range fields {
		isReplaced := func(later fieldOption) bool { return later.field == o.field }
		if slices.ContainsFunc(fields[i+1:], isReplaced) {
			continue
		}
		if len(pairs) > 0 {
			pairs = append(pairs, ',')
		}
		pairs = append(append(pairs, engine.FieldName(o.field)...), '=')
		start := len(pairs)
		pairs = o.value.appendTo(pairs, o.field)
		if kind, ok := o.value.(kindValue); ok && bytes.HasPrefix(pairs[start:], []byte("unknown_")) {
			return unknownKind(o.field, kind)
		}
	}
	policy, err := changedPolicy(c.policy.core(), pairs)
	c.policy, c.given = policy, nil
	return err
}

// unknownKind returns the error of a number that is no kind and so has no text.
func unknownKind(field engine.Field, kind kindValue) error {
	var params engine.Params
	params.Set(engine.Growth, uint64(Constant))
	kind.set(&params, field)
	_, err := policyOf(params.Build())
	return err
}

// changed are the policies of changes, by the policy before and the pairs. A map is never changed.
var changed atomic.Pointer[map[changeKey]Policy]

type changeKey struct {
	policy *engine.Policy
	pairs  string
}

// changedPolicy returns a policy with pairs in place of its own. The process keeps the first 256.
func changedPolicy(policy *engine.Policy, pairs []byte) (Policy, error) {
	known := changed.Load()
	if known != nil {
		if its, ok := (*known)[changeKey{policy, string(pairs)}]; ok {
			return its, nil
		}
	}
	key := changeKey{policy, string(pairs)}
	core, invalid := policy.Change(key.pairs)
	if invalid != nil {
		return Policy{}, policyError(invalid)
	}
	if known != nil && len(*known) >= maxParsed {
		return Policy{core}, nil
	}
	more := make(map[changeKey]Policy)
	if known != nil {
		maps.Copy(more, *known)
	}
	more[key] = Policy{core}
	changed.CompareAndSwap(known, &more)
	return Policy{core}, nil
}

// maxParsed is how many policy strings are kept. A program that makes up more of them parses those each time.
const maxParsed = 256

// parsed are the policies of strings. A map is never changed.
var parsed atomic.Pointer[map[string]*parsedText]

// recent are some of them by the address of the string, which a constant keeps, because most calls have one.
var recent [64]atomic.Pointer[parsedText]

type parsedText struct {
	text   string
	policy Policy
}

// parse sets the policy to that of a string.
func (c *retryConfig) parse(text string) (err error) {
	slot := &recent[uintptr(unsafe.Pointer(unsafe.StringData(text)))/16%uintptr(len(recent))]
	c.given = slot.Load()
	if c.given == nil || c.given.text != text {
		if c.given, err = parsedPolicy(text); err != nil {
			return err
		}
		slot.Store(c.given)
	}
	c.policy = c.given.policy
	return nil
}

// parsedPolicy returns a string with its policy.
func parsedPolicy(text string) (*parsedText, error) {
	known := parsed.Load()
	if known != nil {
		if its, ok := (*known)[text]; ok {
			return its, nil
		}
	}
	policy, err := ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	its := &parsedText{strings.Clone(text), policy}
	if known != nil && len(*known) >= maxParsed {
		return its, nil
	}
	more := make(map[string]*parsedText)
	if known != nil {
		maps.Copy(more, *known)
	}
	more[its.text] = its
	parsed.CompareAndSwap(known, &more) // if another string was faster, this one is kept the next time
	return its, nil
}

// saidNoLimit is whether a loop of this process has said that its policy has no limit.
var saidNoLimit atomic.Bool

// noRetryLimit is the max_retries of a policy without one.
const noRetryLimit = 1 << 32

// warnOfNoLimit says, once in the process, that a loop without any limit has begun to wait.
func (l *loop) warnOfNoLimit() {
	if saidNoLimit.Load() || l.policy.MaxRetries() != noRetryLimit || l.deadline != engine.NoTime {
		return
	}
	fields := fieldsOf{l.policy.core()}
	if fields.duration(engine.MaxElapsed) != NoLimit || saidNoLimit.Swap(true) {
		return
	}
	instead := "off for no retries"
	ns := fields.count(engine.Base)
	// NewPolicy would make every field and its errors part of all programs.
	if base, err := ParsePolicy("constant:base=" + strconv.FormatUint(ns, 10) + "ns"); err == nil && ns != 0 {
		instead = "default:" + strings.TrimPrefix(base.String(), "constant:") + " to change only the base"
	}
	asGiven := l.policy.String()
	if l.given != nil {
		asGiven = l.given.text
	}
	log.Printf("backoff: the policy %q has no limit, so the loop retries for ever; add max_retries=3 (or write %s)", asGiven, instead)
}
