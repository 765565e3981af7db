//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

// BudgetState is the state of a budget as a value. The zero value is no state.
type BudgetState struct{ c C.backoff_budget_state }

// A placedState is a state where C accepts it. A BudgetState itself is copied, which vet reports of an aligned field.
type placedState struct {
	_ aligned
	c C.backoff_budget_state
}

// Full sets the state to that of a full budget. It returns an error code for the zero and a damaged budget.
func (s *BudgetState) Full(budget *Budget) uint32 {
	var placed placedState
	placed.c = s.c
	code := uint32(C.backoff_budget_state_full(&placed.c, budget.pointer()))
	s.c = placed.c
	return code
}

// Parse sets the state to that of a text for a budget. It returns an error code if it is the text of no state,
// and for the zero and a damaged budget; the state is then unchanged.
func (s *BudgetState) Parse(budget *Budget, text string) uint32 {
	var placed placedState
	placed.c = s.c
	code := uint32(C.backoff_budget_state_parse(&placed.c, budget.pointer(), bytesOf(text), C.uint64_t(len(text))))
	s.c = placed.c
	return code
}

// AppendText appends the text of the state, or returns an error code for the zero one.
func (s *BudgetState) AppendText(text []byte) ([]byte, uint32) {
	var buffer [C.BACKOFF_TEXT_SIZE]byte
	var placed placedState
	placed.c = s.c
	if code := C.backoff_budget_state_print(&placed.c, chars(&buffer), C.BACKOFF_TEXT_SIZE); code != C.BACKOFF_OK {
		return text, uint32(code)
	}
	return append(text, terminated(&buffer)...), OK
}

// Step changes the state by an event. It returns whether a retry is granted and what the operation then holds;
// and an error code for the zero state, an unknown event and an outcome that the event does not take.
func (s *BudgetState) Step(event, outcome uint32, held, now uint64) (granted bool, holds uint64, code uint32) {
	step := C.backoff_budget_event{event: C.uint32_t(event), outcome: C.uint32_t(outcome), held: C.uint64_t(held)}
	var answer C.backoff_budget_answer
	var placed placedState
	placed.c = s.c
	code = uint32(C.backoff_budget_state_step(&placed.c, &step, C.uint64_t(now), &answer))
	s.c = placed.c
	return answer.granted != 0, uint64(answer.held), code
}
