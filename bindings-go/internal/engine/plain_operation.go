//go:build !backoff_cgo

package engine

import "sync"

// Budget is the state of a budget, which the core changes under a lock. The zero value is no budget.
type Budget struct {
	bytes [8 * BudgetWords]byte
	mutex sync.Mutex
}

// Parse sets the budget to a full one of a budget string.
func (b *Budget) Parse(text string) *Error {
	m := take()
	defer m.free()
	if m.budgetParse(budgetAt, textAt, m.putText(text), errorAt) != OK {
		return m.error(text)
	}
	b.mutex.Lock()
	m.get(budgetAt, b.bytes[:])
	b.mutex.Unlock()
	return nil
}

// AppendText appends the budget string, or returns an error code for the zero Budget and a damaged one.
func (b *Budget) AppendText(text []byte) ([]byte, uint32) {
	m := take()
	defer m.free()
	m.lock(b)
	b.mutex.Unlock()
	if code := m.budgetPrint(budgetAt, printedAt, TextSize); code != OK {
		return text, code
	}
	return append(text, m.printed()...), OK
}

// Get returns the value of a field that is not a ratio. It reports false if the kind does not use the field, and
// for the zero Budget and a damaged one.
func (b *Budget) Get(field Field) (uint64, bool) {
	m := take()
	defer m.free()
	m.lock(b)
	b.mutex.Unlock()
	if m.budgetGet(budgetAt, uint32(field), numbersAt) != OK {
		return 0, false
	}
	return m.word(numbersAt), true
}

// GetRatio returns the terms of a field that is a ratio, and otherwise reports what Get does.
func (b *Budget) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	m := take()
	defer m.free()
	m.lock(b)
	b.mutex.Unlock()
	if m.budgetGetRatio(budgetAt, uint32(field), numbersAt, numbersAt+4) != OK {
		return 0, 0, false
	}
	return m.half(numbersAt), m.half(numbersAt + 4), true
}

// lock locks a budget until unlock, and returns its address in the memory: 0 for nil, which is no budget.
func (m *module) lock(b *Budget) uint32 {
	if b == nil {
		return 0
	}
	b.mutex.Lock()
	m.put(budgetAt, b.bytes[:])
	return budgetAt
}

func (m *module) unlock(b *Budget) {
	if b != nil {
		m.get(budgetAt, b.bytes[:])
		b.mutex.Unlock()
	}
}

// Operation is the state of an operation. The zero value is no operation.
type Operation struct{ bytes [8 * OperationWords]byte }

// Begin begins an operation. It returns an error code if the policy or the budget is the zero one, or if
// the budget is damaged; a nil budget is allowed.
func (o *Operation) Begin(policy *Policy, stream, now, deadline uint64, budget *Budget) uint32 {
	m := take()
	m.putPolicy(policy)
	m.put(operationAt, o.bytes[:])
	code := m.operationBegin(operationAt, policyAt, stream, now, deadline, m.lock(budget))
	m.unlock(budget)
	m.get(operationAt, o.bytes[:])
	m.free()
	return code
}

// Resume makes an operation without a budget as it stands after retries. It returns an error code if the
// policy is the zero one.
func (o *Operation) Resume(policy *Policy, stream, retries, began, deadline uint64) uint32 {
	m := take()
	defer m.free()
	m.putPolicy(policy)
	code := m.operationResume(operationAt, policyAt, stream, retries, began, deadline)
	if code == OK {
		m.get(operationAt, o.bytes[:])
	}
	return code
}

// Decide returns the reason to stop, or 0 to wait; the delay; and an error code.
func (o *Operation) Decide(outcome uint32, retryAfter, now uint64, budget *Budget) (reason uint32, delay uint64, code uint32) {
	m := take()
	defer m.free()
	m.put(operationAt, o.bytes[:])
	code = m.operationDecide(operationAt, outcome, retryAfter, now, m.lock(budget), decisionAt)
	m.unlock(budget)
	if code != OK {
		return 0, 0, code
	}
	m.get(operationAt, o.bytes[:])
	return m.half(decisionAt), m.word(decisionAt + 8), OK
}

// Cancel cancels the operation and returns the reason why it stopped, 0 for the zero Operation. If the
// budget cannot be used, it cancels the operation alone.
func (o *Operation) Cancel(budget *Budget) uint32 {
	return o.end(budget, (*module).operationCancel)
}

// RefuseRetry is Cancel for the reason that a budget refused the retry, which then does not count.
func (o *Operation) RefuseRetry(budget *Budget) uint32 {
	return o.end(budget, (*module).operationRefuseRetry)
}

func (o *Operation) end(budget *Budget, end func(m *module, operation, budget, reason uint32) uint32) uint32 {
	m := take()
	defer m.free()
	m.put(operationAt, o.bytes[:])
	code := end(m, operationAt, m.lock(budget), numbersAt)
	m.unlock(budget)
	if code != OK {
		code = end(m, operationAt, 0, numbersAt)
	}
	if code != OK {
		return 0
	}
	m.get(operationAt, o.bytes[:])
	return m.half(numbersAt)
}

// State returns the retries and attempts so far, and the reason why the operation stopped, 0 while
// it goes on. All are 0 for the zero Operation.
func (o *Operation) State() (retries, attempts uint64, reason uint32) {
	m := take()
	defer m.free()
	m.put(operationAt, o.bytes[:])
	if m.operationState(operationAt, numbersAt, numbersAt+8, numbersAt+16) != OK {
		return 0, 0, 0
	}
	return m.word(numbersAt), m.word(numbersAt + 8), m.half(numbersAt + 16)
}

// LoneOperation is an operation without a budget that is not used after a stop.
type LoneOperation struct{ stream, began, deadline, retries uint64 }

// Begin begins the operation.
func (o *LoneOperation) Begin(_ *Policy, stream, now, deadline uint64) {
	*o = LoneOperation{stream: stream, began: now, deadline: deadline}
}

// Decide is that of an Operation, for known outcomes.
func (o *LoneOperation) Decide(policy *Policy, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	p := &policy.numbers
	delay = decisionDelayNs(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[10], p[11], p[12], p[13], o.stream, o.retries, outcome, retryAfter)
	reason = decisionReason(outcome, delay, p[9], o.began, o.deadline, now)
	if delay == None {
		delay = 0
	}
	o.retries++
	return reason, delay
}

// HTTPRetryAfter returns the wait that the header fields of a response ask for, in ns. It reports false if
// none of them does.
func HTTPRetryAfter(status uint32, fields string, now uint64) (uint64, bool) {
	m := take()
	defer m.free()
	// Fields need more room than a text. Nothing is printed meanwhile.
	length := uint64(copy(m.memory[textAt:][:FieldsRoom], fields))
	if m.httpRetryAfter(status, textAt, length, now, numbersAt) != OK {
		return 0, false
	}
	return m.word(numbersAt), true
}

// IsIdempotentMethod reports whether a request with this method may be repeated.
func IsIdempotentMethod(method string) bool {
	m := take()
	defer m.free()
	return m.isIdempotentMethod(textAt, m.putText(method)) != 0
}

// ParseRetryAfter returns the wait of a Retry-After header, in ns. It reports false if the header
// is not valid.
func ParseRetryAfter(header string, now uint64) (uint64, bool) {
	m := take()
	defer m.free()
	if m.parseRetryAfter(textAt, m.putText(header), now, numbersAt) != OK {
		return 0, false
	}
	return m.word(numbersAt), true
}
