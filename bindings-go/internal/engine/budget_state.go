package engine

// BudgetState is the state of a budget as a value. The zero value is no state.
type BudgetState struct {
	bytes [8 * UsedBudgetStateWords]byte
}

// Full sets the state to that of a full budget. It returns an error code for the zero and a damaged budget.
func (s *BudgetState) Full(budget *Budget) uint32 {
	m := take()
	defer m.free()
	at := m.empty(8 * BudgetStateWords)
	code := uint32(m.Xbackoff_budget_state_full(at, m.copyOf(budget)))
	if code == OK {
		m.get(at, s.bytes[:])
	}
	return code
}

// Parse sets the state to that of a text for a budget. It returns an error code if it is the text of no state,
// and for the zero and a damaged budget; the state is then unchanged.
func (s *BudgetState) Parse(budget *Budget, text string) uint32 {
	m := take()
	defer m.free()
	at := m.empty(8 * BudgetStateWords)
	textAt, length := m.putText(text, TextRoom)
	code := uint32(m.Xbackoff_budget_state_parse(at, m.copyOf(budget), textAt, length))
	if code == OK {
		m.get(at, s.bytes[:])
	}
	return code
}

// AppendText appends the text of the state, or returns an error code for the zero one.
func (s *BudgetState) AppendText(text []byte) ([]byte, uint32) {
	m := take()
	defer m.free()
	printed := m.reserve(TextSize)
	if code := m.Xbackoff_budget_state_print(m.put(s.bytes[:]), printed, TextSize, 0); code != OK {
		return text, uint32(code)
	}
	return append(text, m.terminated(printed)...), OK
}

// Step changes the state by an event. It returns whether a retry is granted and what the operation then holds;
// and an error code for the zero state, an unknown event and an outcome that the event does not take.
func (s *BudgetState) Step(event, outcome uint32, held, now uint64) (granted bool, holds uint64, code uint32) {
	m := take()
	defer m.free()
	at, answer := m.put(s.bytes[:]), m.reserve(8*BudgetAnswerWords)
	if code := m.Xbackoff_budget_state_step(at, m.putEvent(event, outcome, held), int64(now), answer); code != OK {
		return false, 0, uint32(code)
	}
	m.get(at, s.bytes[:])
	return m.half(answer) != 0, m.word(answer + 8), OK
}

// putEvent puts a backoff_budget_event into the memory.
func (m *instance) putEvent(event, outcome uint32, held uint64) int32 {
	var value [8 * BudgetEventWords]byte
	order.PutUint32(value[:], event)
	order.PutUint32(value[4:], outcome)
	order.PutUint64(value[8:], held)
	return m.put(value[:])
}
