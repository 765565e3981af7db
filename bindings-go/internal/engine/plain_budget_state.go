//go:build !backoff_cgo

package engine

import "encoding/binary"

// BudgetState is the state of a budget as a value. The zero value is no state.
type BudgetState struct{ bytes [8 * BudgetStateWords]byte }

// Full sets the state to that of a full budget. It returns an error code for the zero and a damaged budget.
func (s *BudgetState) Full(budget *Budget) uint32 {
	m := take()
	defer m.free()
	at := m.lock(budget)
	budget.mutex.Unlock()
	code := m.budgetStateFull(budgetStateAt, at)
	if code == OK {
		m.get(budgetStateAt, s.bytes[:])
	}
	return code
}

// Parse sets the state to that of a text for a budget. It returns an error code if it is the text of no state,
// and for the zero and a damaged budget; the state is then unchanged.
func (s *BudgetState) Parse(budget *Budget, text string) uint32 {
	m := take()
	defer m.free()
	at := m.lock(budget)
	budget.mutex.Unlock()
	code := m.budgetStateParse(budgetStateAt, at, textAt, m.putText(text))
	if code == OK {
		m.get(budgetStateAt, s.bytes[:])
	}
	return code
}

// AppendText appends the text of the state, or returns an error code for the zero one.
func (s *BudgetState) AppendText(text []byte) ([]byte, uint32) {
	m := take()
	defer m.free()
	m.put(budgetStateAt, s.bytes[:])
	if code := m.budgetStatePrint(budgetStateAt, printedAt, TextSize); code != OK {
		return text, code
	}
	return append(text, m.printed()...), OK
}

// Step changes the state by an event. It returns whether a retry is granted and what the operation then holds;
// and an error code for the zero state, an unknown event and an outcome that the event does not take.
func (s *BudgetState) Step(event, outcome uint32, held, now uint64) (granted bool, holds uint64, code uint32) {
	m := take()
	defer m.free()
	m.put(budgetStateAt, s.bytes[:])
	binary.LittleEndian.PutUint32(m.memory[numbersAt:], event)
	binary.LittleEndian.PutUint32(m.memory[numbersAt+4:], outcome)
	binary.LittleEndian.PutUint64(m.memory[numbersAt+8:], held)
	if code := m.budgetStateStep(budgetStateAt, numbersAt, now, numbersAt+16); code != OK {
		return false, 0, code
	}
	m.get(budgetStateAt, s.bytes[:])
	return m.half(numbersAt+16) != 0, m.word(numbersAt + 24), OK
}
