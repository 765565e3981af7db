package engine

import "sync"

// Budget is the state of a budget, which the core changes under a lock. The zero value is no budget.
type Budget struct {
	bytes [8 * UsedBudgetWords]byte
	mutex sync.Mutex
}

// Parse sets the budget to a full one of a budget string.
func (b *Budget) Parse(text string) *Error {
	m := take()
	defer m.free()
	at, failure := m.empty(8*BudgetWords), m.reserve(8*ErrorWords)
	textAt, length := m.putText(text, TextRoom)
	if m.Xbackoff_budget_parse(at, textAt, length, failure) != OK {
		return m.error(failure, text)
	}
	b.mutex.Lock()
	m.get(at, b.bytes[:])
	b.mutex.Unlock()
	return nil
}

// AppendText appends the budget string, or returns an error code for the zero Budget and a damaged one.
func (b *Budget) AppendText(text []byte) ([]byte, uint32) {
	m := take()
	defer m.free()
	printed := m.reserve(TextSize)
	if code := m.Xbackoff_budget_print(m.copyOf(b), printed, TextSize, 0); code != OK {
		return text, uint32(code)
	}
	return append(text, m.terminated(printed)...), OK
}

// copyOf returns the address of a copy of the budget.
func (m *instance) copyOf(b *Budget) int32 {
	at := m.lock(b)
	b.mutex.Unlock()
	return at
}

// Get returns the value of a field that is not a ratio. It reports false if the kind does not use the field, and
// for the zero Budget and a damaged one.
func (b *Budget) Get(field Field) (uint64, bool) {
	m := take()
	defer m.free()
	value := m.empty(8)
	code := m.Xbackoff_budget_get(m.copyOf(b), int32(field), value)
	return m.word(value), code == OK
}

// GetRatio returns the terms of a field that is a ratio, and otherwise reports what Get does.
func (b *Budget) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	m := take()
	defer m.free()
	ratio := m.empty(8)
	code := m.Xbackoff_budget_get_ratio(m.copyOf(b), int32(field), ratio, ratio+4)
	return m.half(ratio), m.half(ratio + 4), code == OK
}

// lock locks a budget until unlock, and returns its address in the memory: 0 for nil, which is no budget.
func (m *instance) lock(b *Budget) int32 {
	if b == nil {
		return 0
	}
	b.mutex.Lock()
	return m.put(b.bytes[:])
}

func (m *instance) unlock(b *Budget, at int32) {
	if b != nil {
		m.get(at, b.bytes[:])
		b.mutex.Unlock()
	}
}

// Operation is the state of an operation. The zero value is no operation.
type Operation struct{ bytes [8 * UsedOperationWords]byte }

// Begin begins an operation. It returns an error code if the policy or the budget is the zero one, or if
// the budget is damaged; a nil budget is allowed.
func (o *Operation) Begin(policy *Policy, stream, now, deadline uint64, budget *Budget) uint32 {
	m := take()
	defer m.free()
	at, policyAt, budgetAt := m.putInto(8*OperationWords, o.bytes[:]), m.put(policy.bytes[:]), m.lock(budget)
	code := m.Xbackoff_operation_begin(at, policyAt, int64(stream), int64(now), int64(deadline), budgetAt)
	m.unlock(budget, budgetAt)
	m.get(at, o.bytes[:])
	return uint32(code)
}

// Resume makes an operation without a budget as it stands after retries. It returns an error code if the
// policy is the zero one.
func (o *Operation) Resume(policy *Policy, stream, retries, began, deadline uint64) uint32 {
	m := take()
	defer m.free()
	at := m.putInto(8*OperationWords, o.bytes[:])
	code := m.Xbackoff_operation_resume(at, m.put(policy.bytes[:]), int64(stream), int64(retries), int64(began), int64(deadline))
	m.get(at, o.bytes[:])
	return uint32(code)
}

// Decide returns the reason to stop, or 0 to wait; the delay; and an error code.
func (o *Operation) Decide(outcome uint32, retryAfter, now uint64, budget *Budget) (reason uint32, delay uint64, code uint32) {
	m := take()
	defer m.free()
	at, decision, budgetAt := m.put(o.bytes[:]), m.reserve(8*DecisionWords), m.lock(budget)
	code = uint32(m.Xbackoff_operation_decide(at, int32(outcome), int64(retryAfter), int64(now), budgetAt, decision))
	m.unlock(budget, budgetAt)
	if code != OK {
		return 0, 0, code
	}
	m.get(at, o.bytes[:])
	return m.half(decision), m.word(decision + 8), OK
}

// DecideWithDelay is Decide with a delay of the caller in place of that of the policy.
func (o *Operation) DecideWithDelay(outcome uint32, ownDelay, retryAfter, now uint64, budget *Budget) (reason uint32, delay uint64, code uint32) {
	m := take()
	defer m.free()
	at, decision, budgetAt := m.put(o.bytes[:]), m.reserve(8*DecisionWords), m.lock(budget)
	code = uint32(m.Xbackoff_operation_decide_with_delay(at, int32(outcome), int64(ownDelay), int64(retryAfter), int64(now), budgetAt, decision))
	m.unlock(budget, budgetAt)
	if code != OK {
		return 0, 0, code
	}
	m.get(at, o.bytes[:])
	return m.half(decision), m.word(decision + 8), OK
}

// AttemptLimit returns the limit of an attempt that begins now, in ns, or NoTime if there is none.
func (o *Operation) AttemptLimit(now uint64) uint64 {
	return o.limit(now, (*Module).Xbackoff_operation_attempt_limit)
}

// TimeLeft is AttemptLimit with the other limits of time.
func (o *Operation) TimeLeft(now uint64) uint64 {
	return o.limit(now, (*Module).Xbackoff_operation_time_left)
}

func (o *Operation) limit(now uint64, of func(m *Module, operation int32, now int64, limit int32) int32) uint64 {
	m := take()
	defer m.free()
	limit := m.reserve(8)
	if of(m.Module, m.put(o.bytes[:]), int64(now), limit) != OK {
		return NoTime
	}
	return m.word(limit)
}

// RetryIndex returns the index of the delay if the attempt fails now.
func (o *Operation) RetryIndex(now uint64) uint64 {
	m := take()
	defer m.free()
	index := m.empty(8)
	m.Xbackoff_operation_retry_index(m.put(o.bytes[:]), int64(now), index)
	return m.word(index)
}

// Cancel cancels the operation and returns the reason why it stopped, 0 for the zero Operation. If the
// budget cannot be used, it cancels the operation alone.
func (o *Operation) Cancel(budget *Budget) uint32 {
	return o.end(budget, (*Module).Xbackoff_operation_cancel)
}

// RefuseRetry is Cancel for the reason that a budget refused the retry, which then does not count.
func (o *Operation) RefuseRetry(budget *Budget) uint32 {
	return o.end(budget, (*Module).Xbackoff_operation_refuse_retry)
}

func (o *Operation) end(budget *Budget, end func(m *Module, operation, budget, reason int32) int32) uint32 {
	m := take()
	defer m.free()
	at, reason, budgetAt := m.put(o.bytes[:]), m.empty(4), m.lock(budget)
	code := end(m.Module, at, budgetAt, reason)
	m.unlock(budget, budgetAt)
	if code != OK { // no reason is written, but the operation has stopped unless it is the zero one
		m.Xbackoff_operation_state(at, 0, 0, reason)
	}
	m.get(at, o.bytes[:])
	return m.half(reason)
}

// State returns the retries and attempts so far, and the reason why the operation stopped, 0 while
// it goes on. All are 0 for the zero Operation.
func (o *Operation) State() (retries, attempts uint64, reason uint32) {
	m := take()
	defer m.free()
	state := m.empty(24)
	m.Xbackoff_operation_state(m.put(o.bytes[:]), state, state+8, state+16)
	return m.word(state), m.word(state + 8), m.half(state + 16)
}

// HTTPRetryAfter returns the wait that the header fields of a response ask for, in ns. It reports false if
// none of them does.
func HTTPRetryAfter(status uint32, fields string, now uint64) (uint64, bool) {
	m := take()
	defer m.free()
	wait := m.reserve(8)
	at, length := m.putText(fields, FieldsRoom)
	if m.Xbackoff_http_retry_after(int32(status), at, length, int64(now), wait) != OK {
		return 0, false
	}
	return m.word(wait), true
}

// IsIdempotentMethod reports whether a request with this method may be repeated.
func IsIdempotentMethod(method string) bool {
	m := take()
	defer m.free()
	return m.Xbackoff_is_idempotent_method(m.putText(method, TextRoom)) != 0
}

// ParseRetryAfter returns the wait of a Retry-After header, in ns. It reports false if the header
// is not valid.
func ParseRetryAfter(header string, now uint64) (uint64, bool) {
	m := take()
	defer m.free()
	wait := m.reserve(8)
	at, length := m.putText(header, TextRoom)
	if m.Xbackoff_parse_retry_after(at, length, int64(now), wait) != OK {
		return 0, false
	}
	return m.word(wait), true
}
