//go:build !backoff_cgo

package engine

import (
	"strings"
	"testing"
	"unsafe"
)

func TestValuesFitIntoTheMemory(t *testing.T) {
	if size := unsafe.Sizeof(module{}); size > 32<<10 {
		t.Errorf("an instance has %d bytes, for which Go has no size class", size)
	}
	if end := max(endOfMemory, textAt+FieldsRoom, answersAt+72); end > len(module{}.memory) {
		t.Errorf("the last value ends at %d of %d", end, len(module{}.memory))
	}
	for _, row := range []struct {
		name string
		at   uintptr
	}{{"text", textAt}, {"a state", budgetStateAt}, {"a member", memberAt}, {"delays", delaysAt}, {"counts", countsAt}} {
		if row.at%8 != 0 {
			t.Errorf("%s are at %d", row.name, row.at)
		}
	}
	if words := uintptr(countsWords * 8); unsafe.Sizeof(RetryStatsCounts{}) != words {
		t.Errorf("the counts have %d bytes, want %d", unsafe.Sizeof(RetryStatsCounts{}), words)
	}
}

// The calls that need the most of the core's stack leave at least a quarter of it untouched.
func TestStackHasRoom(t *testing.T) {
	m := newModule()
	for i := range m.memory[:topOfStack] {
		m.memory[i] = 0xA5
	}
	m.statsInit(statsAt)
	m.statsPrint(statsAt, printedAt, StatsSize)
	for _, text := range []string{
		"aws-sdk-standard:max_retries=5,retry_after=spread", "decorrelated:base=1ms,cap=1d",
		"exponential:base=" + strings.Repeat("9", 900), "full:base=1s,jitter_below=1/3,jitter_above=7/9",
	} {
		length := m.putText(text)
		m.policyParse(policyAt, textAt, length, errorAt)
		m.errorMessage(errorAt, printedAt, TextSize)
		m.policyPrint(policyAt, printedAt, TextSize)
		m.previewInit(previewAt, policyAt)
		m.previewNext(previewAt, rowAt)
		m.policyFitBase(policyAt, 100, 1<<40, fittedAt, errorAt)
		m.policyFillNs(policyAt, 1, 5, delaysAt, 64, numbersAt)
		m.budgetParse(budgetAt, textAt, m.putText("ttl:min_per_second=1"), errorAt)
		m.operationBegin(operationAt, policyAt, 1, 0, None, budgetAt)
		m.operationDecide(operationAt, OutcomeThrottled, 7, 9, budgetAt, decisionAt)
		m.operationResume(operationAt, policyAt, 1, 1<<40, 0, None)
		m.operationRefuseRetry(operationAt, 0, numbersAt)
		m.budgetStateFull(budgetStateAt, budgetAt)
		m.budgetStateParse(budgetStateAt, budgetAt, textAt, m.putText("9 8 7 -6 5 4 3 2 1 0 -1 -2"))
		m.budgetStateStep(budgetStateAt, numbersAt, 1<<63, numbersAt+16)
		m.budgetStatePrint(budgetStateAt, printedAt, TextSize)
		m.budgetMemberInit(memberAt, budgetAt, budgetAt, 5, 1, 1, 1)
		m.budgetMemberRequest(memberAt, OutcomeThrottled, 1, answersAt)
		m.budgetMemberBegin(memberAt, 1)
		m.budgetMemberStep(memberAt, textAt, m.putText("9 8 7 -6 5 4 3 2 1 0 -1 -2"), 1<<63, printedAt, TextSize, answersAt)
		m.budgetMemberLost(memberAt, 1, answersAt)
		m.budgetMemberStored(memberAt, 9, answersAt)
	}
	untouched := 0
	for m.memory[untouched] == 0xA5 {
		untouched++
	}
	t.Logf("%d of %d bytes are untouched", untouched, topOfStack)
	if untouched < topOfStack/4 || m.stackPointer != topOfStack {
		t.Errorf("%d of %d bytes are untouched; the stack ends at %d", untouched, topOfStack, m.stackPointer)
	}
}

// An instance in the middle of a call is not used again.
func TestPanicsLoseTheInstance(t *testing.T) {
	m := newModule()
	m.stackPointer -= 16
	m.free()
	for range 100 {
		if take() == m {
			t.Fatal("the instance is used again")
		}
	}
}
