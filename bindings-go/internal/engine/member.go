package engine

// Member is what one process knows of a shared budget. The zero value is none.
type Member struct {
	bytes [8 * UsedBudgetMemberWords]byte
}

// Init sets the member to one of two budgets: the shared one, and the one that decides while the store is away.
func (b *Member) Init(budget, local *Budget, lease, fallback, timeout, seed uint64) (code uint32) {
	b.call(func(m *instance, at int32) {
		code = uint32(m.Xbackoff_budget_member_init(at, m.copyOf(budget), m.copyOf(local), int64(lease), int64(fallback), int64(timeout), int64(seed)))
	})
	return code
}

// call lets the core work on the member.
func (b *Member) call(work func(m *instance, at int32)) {
	m := take()
	defer m.free()
	at := m.putInto(8*BudgetMemberWords, b.bytes[:])
	work(m, at)
	m.get(at, b.bytes[:])
}

// Note notes an event of an operation.
func (b *Member) Note(event uint32, held uint64, isLocal bool, now uint64) {
	b.call(func(m *instance, at int32) {
		m.Xbackoff_budget_member_note(at, m.putEvent(event, 0, held), bit(isLocal), int64(now))
	})
}

// Request requests a retry. It returns one of RequestGranted, RequestRefused and RequestWaits, or 0 for an unknown
// outcome.
func (b *Member) Request(outcome uint32, now uint64) (answer uint32, isLocal bool, held uint64) {
	b.call(func(m *instance, at int32) {
		answers := m.reserve(8 * MemberAnswerWords)
		if m.Xbackoff_budget_member_request(at, int32(outcome), int64(now), answers) == OK {
			answer, isLocal, held = m.half(answers), m.half(answers+4) != 0, m.word(answers+8)
		}
	})
	return answer, isLocal, held
}

// Cancel cancels a request that waits.
func (b *Member) Cancel(outcome uint32) {
	b.call(func(m *instance, at int32) { m.Xbackoff_budget_member_cancel(at, int32(outcome)) })
}

// State returns what the member knows at a time.
func (b *Member) State(now uint64) (state MemberState) {
	b.call(func(m *instance, at int32) {
		answers := m.reserve(32)
		m.Xbackoff_budget_member_state(at, int64(now), answers, answers+8, answers+16, answers+24)
		state = MemberState{
			IsAway:    m.half(answers) != 0,
			DueIn:     m.word(answers + 8),
			HasUnsent: m.half(answers+16) != 0,
			Timeout:   m.word(answers + 24),
		}
	})
	return state
}

// Stats returns what has happened so far.
func (b *Member) Stats() (stats MemberStats) {
	b.call(func(m *instance, at int32) {
		answers := m.reserve(8 * SharedBudgetStatsWords)
		m.Xbackoff_budget_member_stats(at, answers)
		stats = MemberStats{
			Exchanges:       m.word(answers),
			FailedExchanges: m.word(answers + 8),
			LostSwaps:       m.word(answers + 16),
			LocalDecisions:  m.word(answers + 24),
			Processes:       m.word(answers + 32),
		}
	})
	return stats
}

// Begin begins an exchange.
func (b *Member) Begin(now uint64) {
	b.call(func(m *instance, at int32) { m.Xbackoff_budget_member_begin(at, int64(now)) })
}

// Step steps a text of the store, nil for none. It returns the text to swap for it, and whether there is a need to.
func (b *Member) Step(text *string, storeNow uint64) (after string, isChanged bool, code uint32) {
	b.call(func(m *instance, at int32) {
		textAt, length := int32(0), int64(0)
		if text != nil {
			textAt, length = m.putText(*text, TextRoom)
		}
		printed, changed := m.reserve(TextSize), m.reserve(4)
		code = uint32(m.Xbackoff_budget_member_step(at, textAt, length, int64(storeNow), printed, TextSize, 0, changed))
		if code == OK {
			after, isChanged = string(m.terminated(printed)), m.half(changed) != 0
		}
	})
	return after, isChanged, code
}

// Level returns what is left of a text of the store, nil for none: the level, the highest one, and the parts of a token. It
// changes nothing.
func (b *Member) Level(text *string, storeNow uint64) (level, most, unit uint64, code uint32) {
	b.call(func(m *instance, at int32) {
		textAt, length := int32(0), int64(0)
		if text != nil {
			textAt, length = m.putText(*text, TextRoom)
		}
		levelAt := m.empty(8 * BudgetLevelWords)
		code = uint32(m.Xbackoff_budget_member_get_level(at, textAt, length, int64(storeNow), levelAt))
		level, most, unit = m.word(levelAt), m.word(levelAt+8), m.word(levelAt+16)
	})
	return level, most, unit, code
}

// ExchangeSteps appends the steps of the exchange under way.
func (b *Member) ExchangeSteps(steps []ExchangeStep) []ExchangeStep {
	b.call(func(m *instance, at int32) {
		step := m.reserve(8 * ExchangeStepWords)
		for index := int64(0); m.Xbackoff_budget_member_exchange_step(at, index, step) == OK; index++ {
			steps = append(steps, ExchangeStep{
				Event:   m.half(step),
				Outcome: m.half(step + 4),
				Held:    m.word(step + 8),
				Count:   m.word(step + 16),
				Granted: m.word(step + 24),
			})
		}
	})
	return steps
}

// Stored ends an exchange that the store has.
func (b *Member) Stored(now uint64) (answers ExchangeAnswers) {
	b.call(func(m *instance, at int32) {
		answersAt := m.reserve(8 * ExchangeAnswersWords)
		m.Xbackoff_budget_member_stored(at, int64(now), answersAt)
		for i := range int32(3) {
			at := answersAt + 8*(OutcomeTransient+i)
			answers.Granted[i], answers.Refused[i], answers.Held[i] = m.word(at), m.word(at+64), m.word(at+128)
		}
	})
	return answers
}

// Lost returns how long to wait before the state is loaded again, and false if the exchange has failed.
func (b *Member) Lost(now uint64) (wait uint64, ok bool) {
	b.call(func(m *instance, at int32) {
		waitAt := m.reserve(8)
		if ok = m.Xbackoff_budget_member_lost(at, int64(now), waitAt) == OK; ok {
			wait = m.word(waitAt)
		}
	})
	return wait, ok
}

// Failed ends an exchange that failed.
func (b *Member) Failed(mayBeStored bool, now uint64) {
	b.call(func(m *instance, at int32) { m.Xbackoff_budget_member_failed(at, bit(mayBeStored), int64(now)) })
}

// Late lets the local budget decide because a request has waited for too long.
func (b *Member) Late(now uint64) {
	b.call(func(m *instance, at int32) { m.Xbackoff_budget_member_late(at, int64(now)) })
}

func bit(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
