//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

import "unsafe"

// Budget is the state of a budget, which the core changes in place. The zero value is no budget.
type Budget struct {
	_ aligned
	c C.backoff_budget
}

// Parse sets the budget to a full one of a budget string.
func (b *Budget) Parse(text string) *Error {
	var err C.backoff_error
	if C.backoff_budget_parse(&b.c, bytesOf(text), C.uint64_t(len(text)), &err) != C.BACKOFF_OK {
		return errorOf(&err, text)
	}
	return nil
}

// AppendText appends the budget string, or returns an error code for the zero Budget and a damaged one.
func (b *Budget) AppendText(text []byte) ([]byte, uint32) {
	var buffer [C.BACKOFF_TEXT_SIZE]byte
	if code := C.backoff_budget_print(&b.c, chars(&buffer), C.BACKOFF_TEXT_SIZE); code != C.BACKOFF_OK {
		return text, uint32(code)
	}
	return append(text, terminated(&buffer)...), OK
}

// Get returns the value of a field that is not a ratio. It reports false if the kind does not use the field, and
// for the zero Budget and a damaged one.
func (b *Budget) Get(field Field) (uint64, bool) {
	var value C.uint64_t
	code := C.backoff_budget_get(&b.c, C.uint32_t(field), &value)
	return uint64(value), code == C.BACKOFF_OK
}

// GetRatio returns the terms of a field that is a ratio, and otherwise reports what Get does.
func (b *Budget) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	var n, d C.uint32_t
	code := C.backoff_budget_get_ratio(&b.c, C.uint32_t(field), &n, &d)
	return uint32(n), uint32(d), code == C.BACKOFF_OK
}

// pointer returns the budget for C, and NULL for nil, which has no field to point to.
func (b *Budget) pointer() *C.backoff_budget { return (*C.backoff_budget)(unsafe.Pointer(b)) }

// Operation is the state of an operation. The zero value is no operation.
type Operation struct {
	_ aligned
	c C.backoff_operation
}

// Begin begins an operation. It returns an error code if the policy or the budget is the zero one, or if
// the budget is damaged; a nil budget is allowed.
func (o *Operation) Begin(policy *Policy, stream, now, deadline uint64, budget *Budget) uint32 {
	return uint32(C.backoff_operation_begin(&o.c, &policy.c, C.uint64_t(stream), C.uint64_t(now), C.uint64_t(deadline), budget.pointer()))
}

// Resume makes an operation without a budget as it stands after retries. It returns an error code if the
// policy is the zero one.
func (o *Operation) Resume(policy *Policy, stream, retries, began, deadline uint64) uint32 {
	return uint32(C.backoff_operation_resume(&o.c, &policy.c, C.uint64_t(stream), C.uint64_t(retries), C.uint64_t(began), C.uint64_t(deadline)))
}

// Decide returns the reason to stop, or 0 to wait; the delay; and an error code.
func (o *Operation) Decide(outcome uint32, retryAfter, now uint64, budget *Budget) (reason uint32, delay uint64, code uint32) {
	var decision C.backoff_decision
	code = uint32(C.backoff_operation_decide(&o.c, C.uint32_t(outcome), C.uint64_t(retryAfter), C.uint64_t(now), budget.pointer(), &decision))
	return uint32(decision.reason), uint64(decision.delay_ns), code
}

// Cancel cancels the operation and returns the reason why it stopped, 0 for the zero Operation. If the
// budget cannot be used, it cancels the operation alone.
func (o *Operation) Cancel(budget *Budget) uint32 {
	var reason C.uint32_t
	if C.backoff_operation_cancel(&o.c, budget.pointer(), &reason) != C.BACKOFF_OK {
		C.backoff_operation_cancel(&o.c, nil, &reason)
	}
	return uint32(reason)
}

// RefuseRetry is Cancel for the reason that a budget refused the retry, which then does not count.
func (o *Operation) RefuseRetry(budget *Budget) uint32 {
	var reason C.uint32_t
	if C.backoff_operation_refuse_retry(&o.c, budget.pointer(), &reason) != C.BACKOFF_OK {
		C.backoff_operation_refuse_retry(&o.c, nil, &reason)
	}
	return uint32(reason)
}

// State returns the retries and attempts so far, and the reason why the operation stopped, 0 while
// it goes on. All are 0 for the zero Operation.
func (o *Operation) State() (retries, attempts uint64, reason uint32) {
	var retried, attempted C.uint64_t
	var stopped C.uint32_t
	C.backoff_operation_state(&o.c, &retried, &attempted, &stopped)
	return uint64(retried), uint64(attempted), uint32(stopped)
}

// DecideAlone is Resume and Decide of an operation without a budget, for known outcomes and a policy that is not the zero
// one.
func DecideAlone(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	var operation Operation
	operation.Resume(policy, stream, retries, began, deadline)
	reason, delay, _ = operation.Decide(outcome, retryAfter, now, nil)
	return reason, delay
}

// ParseRetryAfter returns the wait of a Retry-After header, in ns. It reports false if the header
// is not valid.
func ParseRetryAfter(header string, now uint64) (uint64, bool) {
	var retryAfter C.uint64_t
	code := C.backoff_parse_retry_after(bytesOf(header), C.uint64_t(len(header)), C.uint64_t(now), &retryAfter)
	return uint64(retryAfter), code == C.BACKOFF_OK
}

// HTTPRetryAfter returns the wait that the header fields of a response ask for, in ns. It reports false if
// none of them does.
func HTTPRetryAfter(status uint32, fields string, now uint64) (uint64, bool) {
	var retryAfter C.uint64_t
	code := C.backoff_http_retry_after(C.uint32_t(status), bytesOf(fields), C.uint64_t(len(fields)), C.uint64_t(now), &retryAfter)
	return uint64(retryAfter), code == C.BACKOFF_OK
}

// IsIdempotentMethod reports whether a request with this method may be repeated.
func IsIdempotentMethod(method string) bool {
	return C.backoff_is_idempotent_method(bytesOf(method), C.uint64_t(len(method))) != 0
}

// HTTPOutcome returns the outcome of an HTTP status.
func HTTPOutcome(status uint32) uint32 { return uint32(C.backoff_http_outcome(C.uint32_t(status))) }
