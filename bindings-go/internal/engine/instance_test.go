//go:build !backoff_cgo

package engine

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestValuesFitIntoTheMemory(t *testing.T) {
	if heapBase%8 != 0 {
		t.Errorf("values are at %d", heapBase)
	}
	// Header fields are the longest.
	if room := len(start.memory) - int(heapBase); room < 2*FieldsRoom {
		t.Errorf("there is room for %d bytes", room)
	}
}

func TestPoliciesHaveNoMoreWords(t *testing.T) {
	m := newInstance()
	for _, text := range []string{"constant:base=1s", "sidekiq", "aws-sdk-2026", "exponential:base=1s,jitter=proportional,jitter_below=1/3,jitter_above=7/9,retry_after=spread"} {
		words := bytes.Repeat([]byte{0xA5}, 8*PolicyWords)
		at := m.put(words)
		textAt, length := m.putText(text, TextRoom)
		if code := m.Xbackoff_policy_parse(at, textAt, length, m.reserve(8*ErrorWords)); code != OK {
			t.Fatalf("%s: %d", text, code)
		}
		used, rest := m.memory[at:][:8*UsedPolicyWords], m.memory[at:][8*UsedPolicyWords:8*PolicyWords]
		if !bytes.Equal(rest, make([]byte, len(rest))) || bytes.HasSuffix(used, words[:8]) {
			t.Errorf("%s ends with %x, followed by %x", text, used[len(used)-8:], rest)
		}
	}
}

// The calls that need the most of the core's stack leave at least a quarter of it untouched.
func TestStackHasRoom(t *testing.T) {
	m := newInstance()
	for i := range m.memory[:stackTop] {
		m.memory[i] = 0xA5
	}
	stats, printed := m.empty(8*StatsWords), m.reserve(StatsSize)
	m.Xbackoff_stats_init(stats)
	m.Xbackoff_stats_print(stats, printed, StatsSize, 0)
	policy, fitted, failure, preview := m.empty(8*PolicyWords), m.empty(8*PolicyWords), m.reserve(8*ErrorWords), m.empty(8*PreviewWords)
	operation, budget, state, member := m.empty(8*OperationWords), m.empty(8*BudgetWords), m.empty(8*BudgetStateWords), m.empty(8*BudgetMemberWords)
	results := m.reserve(8 * ExchangeAnswersWords)
	start := m.top
	for _, text := range []string{
		"aws-sdk-standard:max_retries=5,retry_after=spread", "decorrelated:base=1ms,cap=1d",
		"exponential:base=" + strings.Repeat("9", 900), "full:base=1s,jitter_below=1/3,jitter_above=7/9",
	} {
		m.top = start
		at, length := m.putText(text, TextRoom)
		m.Xbackoff_policy_parse(policy, at, length, failure)
		m.Xbackoff_error_message(failure, printed, TextSize, 0)
		m.Xbackoff_policy_print(policy, printed, TextSize, 0)
		m.Xbackoff_preview_init(preview, policy)
		m.Xbackoff_preview_next(preview, results)
		at, length = m.putText("max_retries=7,throttled_base=1s", TextRoom)
		m.Xbackoff_policy_change_text(policy, at, length, fitted, failure)
		m.Xbackoff_policy_fit_base(policy, 100, 1<<40, fitted, failure)
		at, length = m.putText("ttl:min_per_second=1", TextRoom)
		m.Xbackoff_budget_parse(budget, at, length, failure)
		m.Xbackoff_operation_begin(operation, policy, 1, 0, -1, budget)
		m.Xbackoff_operation_decide(operation, OutcomeThrottled, 7, 9, budget, results)
		m.Xbackoff_operation_resume(operation, policy, 1, 1<<40, 0, -1)
		m.Xbackoff_operation_refuse_retry(operation, 0, results)
		at, length = m.putText("9 8 7 -6 5 4 3 2 1 0 -1 -2", TextRoom)
		m.Xbackoff_budget_state_full(state, budget)
		m.Xbackoff_budget_state_parse(state, budget, at, length)
		m.Xbackoff_budget_state_step(state, m.putEvent(1, 1, 0), 1<<62, results)
		m.Xbackoff_budget_state_print(state, printed, TextSize, 0)
		m.Xbackoff_budget_member_init(member, budget, budget, 5, 1, 1, 1)
		m.Xbackoff_budget_member_request(member, OutcomeThrottled, 1, results)
		m.Xbackoff_budget_member_begin(member, 1)
		m.Xbackoff_budget_member_step(member, at, length, 1<<62, printed, TextSize, 0, results)
		m.Xbackoff_budget_member_get_level(member, at, length, 1<<62, results)
		m.Xbackoff_budget_member_lost(member, 1, results)
		m.Xbackoff_budget_member_stored(member, 9, results)
	}
	untouched := int32(0)
	for m.memory[untouched] == 0xA5 {
		untouched++
	}
	t.Logf("%d of %d bytes are untouched", untouched, stackTop)
	if untouched < stackTop/4 || m.g0 != stackTop {
		t.Errorf("%d of %d bytes are untouched; the stack ends at %d", untouched, stackTop, m.g0)
	}
}

// An instance in the middle of a call is not used again.
func TestPanicsLoseTheInstance(t *testing.T) {
	m := newInstance()
	m.g0 -= 16
	m.free()
	for range 100 {
		if take() == m {
			t.Fatal("the instance is used again")
		}
	}
}

func TestUnusedPoliciesAreForgotten(t *testing.T) {
	known := func() int {
		policiesMutex.Lock()
		defer policiesMutex.Unlock()
		return len(policies)
	}
	kept, _ := ParsePolicy("constant:base=1s")
	for i := range 1000 {
		ParsePolicy(fmt.Sprintf("constant:base=%dms", i))
	}
	for deadline := time.Now().Add(time.Minute); known() > 100; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%d policies", known())
		}
	}
	if again, _ := ParsePolicy("constant:base=1000ms"); again != kept {
		t.Error("a policy in use was forgotten")
	}
}
