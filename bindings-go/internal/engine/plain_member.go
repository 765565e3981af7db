//go:build !backoff_cgo

package engine

import "encoding/binary"

// Member is what one process knows of a shared budget. The zero value is none.
type Member struct{ bytes [8 * BudgetMemberWords]byte }

// Where the values of a member are: no call for one prints stats.
const (
	memberAt  = (printedAt + TextSize + 7) / 8 * 8
	localAt   = memberAt + 8*BudgetMemberWords
	answersAt = localAt + 8*BudgetWords
)

// Init sets the member to one of two budgets: the shared one, and the one that decides while the store is away.
func (b *Member) Init(budget, local *Budget, lease, fallback, timeout, seed uint64) uint32 {
	m := take()
	defer m.free()
	at := m.lock(budget)
	budget.mutex.Unlock()
	local.mutex.Lock()
	m.put(localAt, local.bytes[:])
	local.mutex.Unlock()
	code := m.budgetMemberInit(memberAt, at, localAt, lease, fallback, timeout, seed)
	m.get(memberAt, b.bytes[:])
	return code
}

// call lets the core work on the member.
func (b *Member) call(work func(m *module)) {
	m := take()
	defer m.free()
	m.put(memberAt, b.bytes[:])
	work(m)
	m.get(memberAt, b.bytes[:])
}

// Note notes an event of an operation.
func (b *Member) Note(event uint32, held uint64, isLocal bool, now uint64) {
	b.call(func(m *module) {
		binary.LittleEndian.PutUint32(m.memory[numbersAt:], event)
		binary.LittleEndian.PutUint64(m.memory[numbersAt+8:], held)
		m.budgetMemberNote(memberAt, numbersAt, bit(isLocal), now)
	})
}

// Request requests a retry. It returns one of RequestGranted, RequestRefused and RequestWaits, or 0 for an unknown
// outcome.
func (b *Member) Request(outcome uint32, now uint64) (answer uint32, isLocal bool, held uint64) {
	b.call(func(m *module) {
		if m.budgetMemberRequest(memberAt, outcome, now, answersAt) == OK {
			answer, isLocal, held = m.half(answersAt), m.half(answersAt+4) != 0, m.word(answersAt+8)
		}
	})
	return answer, isLocal, held
}

// Cancel cancels a request that waits.
func (b *Member) Cancel(outcome uint32) {
	b.call(func(m *module) { m.budgetMemberCancel(memberAt, outcome) })
}

// State returns what the member knows at a time.
func (b *Member) State(now uint64) (state MemberState) {
	b.call(func(m *module) {
		m.budgetMemberState(memberAt, now, answersAt, answersAt+8, answersAt+16, answersAt+24)
		state = MemberState{
			IsAway:    m.half(answersAt) != 0,
			DueIn:     m.word(answersAt + 8),
			HasUnsent: m.half(answersAt+16) != 0,
			Timeout:   m.word(answersAt + 24),
		}
	})
	return state
}

// Stats returns what has happened so far.
func (b *Member) Stats() (stats MemberStats) {
	b.call(func(m *module) {
		m.budgetMemberStats(memberAt, answersAt)
		stats = MemberStats{
			Exchanges:       m.word(answersAt),
			FailedExchanges: m.word(answersAt + 8),
			LostSwaps:       m.word(answersAt + 16),
			LocalDecisions:  m.word(answersAt + 24),
			Processes:       m.word(answersAt + 32),
		}
	})
	return stats
}

// Begin begins an exchange.
func (b *Member) Begin(now uint64) {
	b.call(func(m *module) { m.budgetMemberBegin(memberAt, now) })
}

// Step steps a text of the store, nil for none. It returns the text to swap for it, and whether there is a need to.
func (b *Member) Step(text *string, storeNow uint64) (after string, isChanged bool, code uint32) {
	b.call(func(m *module) {
		at, length := uint32(0), uint64(0)
		if text != nil {
			at, length = textAt, m.putText(*text)
		}
		if code = m.budgetMemberStep(memberAt, at, length, storeNow, printedAt, TextSize, answersAt); code == OK {
			after, isChanged = string(m.printed()), m.half(answersAt) != 0
		}
	})
	return after, isChanged, code
}

// ExchangeSteps appends the steps of the exchange under way.
func (b *Member) ExchangeSteps(steps []ExchangeStep) []ExchangeStep {
	b.call(func(m *module) {
		for index := uint64(0); m.budgetMemberExchangeStep(memberAt, index, answersAt) == OK; index++ {
			steps = append(steps, ExchangeStep{
				Event:   m.half(answersAt),
				Outcome: m.half(answersAt + 4),
				Held:    m.word(answersAt + 8),
				Count:   m.word(answersAt + 16),
				Granted: m.word(answersAt + 24),
			})
		}
	})
	return steps
}

// Stored ends an exchange that the store has.
func (b *Member) Stored(now uint64) (answers ExchangeAnswers) {
	b.call(func(m *module) {
		m.budgetMemberStored(memberAt, now, answersAt)
		m.words(answersAt, answers.Granted[:])
		m.words(answersAt+24, answers.Refused[:])
		m.words(answersAt+48, answers.Held[:])
	})
	return answers
}

// Lost returns how long to wait before the state is loaded again, and false if the exchange has failed.
func (b *Member) Lost(now uint64) (wait uint64, ok bool) {
	b.call(func(m *module) {
		ok = m.budgetMemberLost(memberAt, now, answersAt) == OK
		if ok {
			wait = m.word(answersAt)
		}
	})
	return wait, ok
}

// Failed ends an exchange that failed.
func (b *Member) Failed(mayBeStored bool, now uint64) {
	b.call(func(m *module) { m.budgetMemberFailed(memberAt, bit(mayBeStored), now) })
}

// Late lets the local budget decide because a request has waited for too long.
func (b *Member) Late(now uint64) {
	b.call(func(m *module) { m.budgetMemberLate(memberAt, now) })
}

func bit(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}
