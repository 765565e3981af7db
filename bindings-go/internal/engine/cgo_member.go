//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

// Member is what one process knows of a shared budget. The zero value is none.
type Member struct {
	_ aligned
	c C.backoff_budget_member
}

// Init sets the member to one of two budgets: the shared one, and the one that decides while the store is away.
func (b *Member) Init(budget, local *Budget, lease, fallback, timeout, seed uint64) uint32 {
	return uint32(C.backoff_budget_member_init(&b.c, budget.pointer(), local.pointer(), C.uint64_t(lease), C.uint64_t(fallback), C.uint64_t(timeout), C.uint64_t(seed)))
}

// Note notes an event of an operation.
func (b *Member) Note(event uint32, held uint64, isLocal bool, now uint64) {
	noted := C.backoff_budget_event{event: C.uint32_t(event), held: C.uint64_t(held)}
	C.backoff_budget_member_note(&b.c, &noted, bit(isLocal), C.uint64_t(now))
}

// Request requests a retry. It returns one of RequestGranted, RequestRefused and RequestWaits, or 0 for an unknown
// outcome.
func (b *Member) Request(outcome uint32, now uint64) (answer uint32, isLocal bool, held uint64) {
	var c C.backoff_member_answer
	C.backoff_budget_member_request(&b.c, C.uint32_t(outcome), C.uint64_t(now), &c)
	return uint32(c.answer), c.is_local != 0, uint64(c.held)
}

// Cancel cancels a request that waits.
func (b *Member) Cancel(outcome uint32) { C.backoff_budget_member_cancel(&b.c, C.uint32_t(outcome)) }

// State returns what the member knows at a time.
func (b *Member) State(now uint64) MemberState {
	var away, unsent C.uint32_t
	var due, timeout C.uint64_t
	C.backoff_budget_member_state(&b.c, C.uint64_t(now), &away, &due, &unsent, &timeout)
	return MemberState{IsAway: away != 0, DueIn: uint64(due), HasUnsent: unsent != 0, Timeout: uint64(timeout)}
}

// Stats returns what has happened so far.
func (b *Member) Stats() MemberStats {
	var c C.backoff_shared_budget_stats
	C.backoff_budget_member_stats(&b.c, &c)
	return MemberStats{
		Exchanges:       uint64(c.exchanges),
		FailedExchanges: uint64(c.failed_exchanges),
		LostSwaps:       uint64(c.lost_swaps),
		LocalDecisions:  uint64(c.local_decisions),
		Processes:       uint64(c.processes),
	}
}

// Begin begins an exchange.
func (b *Member) Begin(now uint64) { C.backoff_budget_member_begin(&b.c, C.uint64_t(now)) }

// Step steps a text of the store, nil for none. It returns the text to swap for it, and whether there is a need to.
func (b *Member) Step(text *string, storeNow uint64) (after string, isChanged bool, code uint32) {
	var buffer [C.BACKOFF_TEXT_SIZE]byte
	var at *C.char
	var length C.uint64_t
	if text != nil {
		// NULL would be no text.
		terminated := *text + "\x00"
		at, length = bytesOf(terminated), C.uint64_t(len(*text))
	}
	var changed C.uint32_t
	code = uint32(C.backoff_budget_member_step(&b.c, at, length, C.uint64_t(storeNow), chars(&buffer), C.BACKOFF_TEXT_SIZE, &changed))
	if code != OK {
		return "", false, code
	}
	return string(terminated(&buffer)), changed != 0, OK
}

// ExchangeSteps appends the steps of the exchange under way.
func (b *Member) ExchangeSteps(steps []ExchangeStep) []ExchangeStep {
	var c C.backoff_exchange_step
	for index := C.uint64_t(0); C.backoff_budget_member_exchange_step(&b.c, index, &c) == C.BACKOFF_OK; index++ {
		steps = append(steps, ExchangeStep{
			Event:   uint32(c.event),
			Outcome: uint32(c.outcome),
			Held:    uint64(c.held),
			Count:   uint64(c.count),
			Granted: uint64(c.granted),
		})
	}
	return steps
}

// Stored ends an exchange that the store has.
func (b *Member) Stored(now uint64) (answers ExchangeAnswers) {
	var c C.backoff_exchange_answers
	C.backoff_budget_member_stored(&b.c, C.uint64_t(now), &c)
	for i := range answers.Granted {
		answers.Granted[i], answers.Refused[i], answers.Held[i] = uint64(c.granted[i]), uint64(c.refused[i]), uint64(c.held[i])
	}
	return answers
}

// Lost returns how long to wait before the state is loaded again, and false if the exchange has failed.
func (b *Member) Lost(now uint64) (wait uint64, ok bool) {
	var c C.uint64_t
	ok = C.backoff_budget_member_lost(&b.c, C.uint64_t(now), &c) == C.BACKOFF_OK
	return uint64(c), ok
}

// Failed ends an exchange that failed.
func (b *Member) Failed(mayBeStored bool, now uint64) {
	C.backoff_budget_member_failed(&b.c, bit(mayBeStored), C.uint64_t(now))
}

// Late lets the local budget decide because a request has waited for too long.
func (b *Member) Late(now uint64) { C.backoff_budget_member_late(&b.c, C.uint64_t(now)) }

func bit(is bool) C.uint32_t {
	if is {
		return 1
	}
	return 0
}
