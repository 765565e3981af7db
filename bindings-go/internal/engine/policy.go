package engine

import (
	"runtime"
	"sync"
	"time"
	"weak"
)

// Params are the unchecked fields of a policy. No field of the zero value is set.
type Params struct{ bytes [8 * ParamsWords]byte }

// Set sets a field to nanoseconds, a count or the number of a kind. The field must exist and must
// not be a ratio.
func (p *Params) Set(field Field, value uint64) {
	m := take()
	defer m.free()
	at := m.put(p.bytes[:])
	m.Xbackoff_params_set(at, int32(field), int64(value))
	m.get(at, p.bytes[:])
}

// SetRatio sets a field that is a ratio.
func (p *Params) SetRatio(field Field, numerator, denominator uint32) {
	m := take()
	defer m.free()
	at := m.put(p.bytes[:])
	m.Xbackoff_params_set_ratio(at, int32(field), int32(numerator), int32(denominator))
	m.get(at, p.bytes[:])
}

// SetWaits sets the waits, in ns. Of a list that is too long, the core wants to know no more than its length.
func (p *Params) SetWaits(waits []uint64) {
	m := take()
	defer m.free()
	at, list := m.put(p.bytes[:]), m.reserve(8*int(MaxWaits+1))
	for i, wait := range waits[:min(len(waits), int(MaxWaits)+1)] {
		order.PutUint64(m.memory[list+8*int32(i):], wait)
	}
	m.Xbackoff_params_set_waits(at, list, int64(len(waits)))
	m.get(at, p.bytes[:])
}

// ParseRatio returns the terms of a decimal number, or the error code.
func ParseRatio(text string) (numerator, denominator, code uint32) {
	m := take()
	defer m.free()
	terms := m.empty(16)
	at, length := m.putText(text, TextRoom)
	code = uint32(m.Xbackoff_ratio_parse(at, length, terms, terms+8))
	return m.half(terms), m.half(terms + 8), code
}

// Policy is a valid policy, or NoPolicy. Equal policies have one address, so a pointer is all that needs to be copied
// and compared.
type Policy struct {
	bytes      policyBytes
	maxRetries uint64
	// Whether its attempts have a limit, and whether a decision depends on more than the count of retries and the time.
	hasAttemptTimeout, hasProgress, hasMaxElapsed bool
	short                                         // what an engine needs for short ways
}

// policyBytes are a policy without the words that the core does not use.
type policyBytes [8 * UsedPolicyWords]byte

// NoPolicy is the zero value, whose delays and windows are 0.
var NoPolicy = new(Policy)

// The policies of the process. A policy that nobody uses any more is forgotten.
var (
	policies      = make(map[policyBytes]weak.Pointer[Policy])
	policiesMutex sync.Mutex
)

// policy returns the policy at an address, or the error at another if the core returned its code.
func (m *instance) policy(at, code, failure int32, text string) (*Policy, *Error) {
	if code != OK {
		return nil, m.error(failure, text)
	}
	var bytes policyBytes
	m.get(at, bytes[:])
	policiesMutex.Lock()
	defer policiesMutex.Unlock()
	if known := policies[bytes].Value(); known != nil {
		return known, nil
	}
	limit := m.reserve(8)
	m.Xbackoff_policy_max_retries(at, limit)
	policy := &Policy{bytes: bytes, maxRetries: m.word(limit)}
	valueOf := func(field Field) uint64 {
		m.Xbackoff_policy_get(at, int32(field), limit)
		return m.word(limit)
	}
	policy.hasAttemptTimeout = valueOf(AttemptTimeout) != MaxNs
	policy.hasMaxElapsed = valueOf(MaxElapsed) != MaxNs
	policy.hasProgress = valueOf(ResetAfter) != MaxNs || valueOf(ElapsedFrom) != ElapsedFromBegin
	policy.shorten(m, at)
	policies[bytes] = weak.Make(policy)
	runtime.AddCleanup(policy, forget, bytes)
	return policy, nil
}

// forget forgets a policy, unless an equal one was made in the meantime.
func forget(bytes policyBytes) {
	policiesMutex.Lock()
	defer policiesMutex.Unlock()
	if policies[bytes].Value() == nil {
		delete(policies, bytes)
	}
}

// Build checks the fields and returns their policy.
func (p *Params) Build() (*Policy, *Error) {
	m := take()
	defer m.free()
	at, failure := m.empty(8*PolicyWords), m.reserve(8*ErrorWords)
	return m.policy(at, m.Xbackoff_policy_init(at, m.put(p.bytes[:]), failure), failure, "")
}

// ParsePolicy returns the policy of a policy string.
func ParsePolicy(text string) (*Policy, *Error) {
	m := take()
	defer m.free()
	at, failure := m.empty(8*PolicyWords), m.reserve(8*ErrorWords)
	textAt, length := m.putText(text, TextRoom)
	return m.policy(at, m.Xbackoff_policy_parse(at, textAt, length, failure), failure, text)
}

// Change returns the policy with the pairs of a text, such as "max_retries=5", in place of its own. The caller has no
// text, so an error has no place in it.
func (p *Policy) Change(pairs string) (*Policy, *Error) {
	m := take()
	defer m.free()
	at, failure := m.empty(8*PolicyWords), m.reserve(8*ErrorWords)
	textAt, length := m.putText(pairs, TextRoom)
	code := m.Xbackoff_policy_change_text(m.put(p.bytes[:]), textAt, length, at, failure)
	order.PutUint32(m.memory[failure+40:], TextKindNone)
	return m.policy(at, code, failure, "")
}

// HasAttemptTimeout reports whether attempts have a limit.
func (p *Policy) HasAttemptTimeout() bool { return p.hasAttemptTimeout }

// HasMaxElapsed reports whether the time since the start has a limit.
func (p *Policy) HasMaxElapsed() bool { return p.hasMaxElapsed }

// HasProgress reports whether decisions depend on more than the count of retries and the time: DecideAlone does not
// decide under such a policy.
func (p *Policy) HasProgress() bool { return p.hasProgress }

// AppendText appends the policy string. It reports false for the zero Policy.
func (p *Policy) AppendText(text []byte) ([]byte, bool) {
	m := take()
	defer m.free()
	printed := m.reserve(TextSize)
	if m.Xbackoff_policy_print(m.put(p.bytes[:]), printed, TextSize, 0) != OK {
		return text, false
	}
	return append(text, m.terminated(printed)...), true
}

// Get returns the value of a field that is not a ratio. It reports false if the policy does not use the field.
func (p *Policy) Get(field Field) (uint64, bool) {
	m := take()
	defer m.free()
	value := m.empty(8)
	code := m.Xbackoff_policy_get(m.put(p.bytes[:]), int32(field), value)
	return m.word(value), code == OK
}

// GetRatio returns the terms of a field that is a ratio. It reports false if the policy does not use the field.
func (p *Policy) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	m := take()
	defer m.free()
	ratio := m.empty(8)
	code := m.Xbackoff_policy_get_ratio(m.put(p.bytes[:]), int32(field), ratio, ratio+4)
	return m.half(ratio), m.half(ratio + 4), code == OK
}

// Waits returns the waits of steps in ns, nil for another growth.
func (p *Policy) Waits() []uint64 {
	m := take()
	defer m.free()
	list, count := m.reserve(8*int(MaxWaits)), m.empty(8)
	if m.Xbackoff_policy_get_waits(m.put(p.bytes[:]), list, int64(MaxWaits), count) != OK {
		return nil
	}
	waits := make([]uint64, m.word(count))
	for i := range waits {
		waits[i] = m.word(list + 8*int32(i))
	}
	return waits
}

// MaxRetries returns the limit on the retries, 2^32 if there is none, and 0 for the zero Policy.
func (p *Policy) MaxRetries() uint64 { return p.maxRetries }

// Window returns the window of an index, in ns.
func (p *Policy) Window(index uint32) uint64 {
	m := take()
	defer m.free()
	window := m.empty(8)
	m.Xbackoff_policy_window_ns(m.put(p.bytes[:]), int32(index), window)
	return m.word(window)
}

// FitBase returns the policy with the longest base for which the attempts fit into the total. The
// policy must not be the zero one.
func (p *Policy) FitBase(attempts, total uint64) (*Policy, *Error) {
	return p.fit((*Module).Xbackoff_policy_fit_base, attempts, total)
}

// FitCap is FitBase for the longest cap.
func (p *Policy) FitCap(attempts, total uint64) (*Policy, *Error) {
	return p.fit((*Module).Xbackoff_policy_fit_cap, attempts, total)
}

func (p *Policy) fit(fit func(m *Module, policy int32, attempts, total int64, fitted, failure int32) int32, attempts, total uint64) (*Policy, *Error) {
	m := take()
	defer m.free()
	at, failure := m.empty(8*PolicyWords), m.reserve(8*ErrorWords)
	return m.policy(at, fit(m.Module, m.put(p.bytes[:]), int64(attempts), int64(total), at, failure), failure, "")
}

// Preview is the position in a preview of a policy. The zero value is at the end.
type Preview struct{ bytes [8 * UsedPreviewWords]byte }

// Preview returns the rows of the policy from the first on.
func (p *Policy) Preview() (preview Preview) {
	m := take()
	defer m.free()
	at := m.putInto(8*PreviewWords, preview.bytes[:])
	m.Xbackoff_preview_init(at, m.put(p.bytes[:]))
	m.get(at, preview.bytes[:])
	return preview
}

// Next returns the next row. It reports false at the end.
func (p *Preview) Next() (PreviewRow, bool) {
	m := take()
	defer m.free()
	at, row := m.put(p.bytes[:]), m.reserve(8*PreviewRowWords)
	if m.Xbackoff_preview_next(at, row) != OK {
		return PreviewRow{}, false
	}
	m.get(at, p.bytes[:])
	ns := func(i int32) time.Duration { return time.Duration(m.word(row + 8*i)) }
	return PreviewRow{ns(0), ns(1), ns(2), ns(3), ns(4), ns(5)}, true
}
