//go:build backoff_cgo

package engine

/*
#cgo pkg-config: backoff
#cgo noescape backoff_budget_get
#cgo noescape backoff_budget_get_ratio
#cgo noescape backoff_budget_member_begin
#cgo noescape backoff_budget_member_cancel
#cgo noescape backoff_budget_member_exchange_step
#cgo noescape backoff_budget_member_failed
#cgo noescape backoff_budget_member_init
#cgo noescape backoff_budget_member_late
#cgo noescape backoff_budget_member_lost
#cgo noescape backoff_budget_member_note
#cgo noescape backoff_budget_member_request
#cgo noescape backoff_budget_member_state
#cgo noescape backoff_budget_member_step
#cgo noescape backoff_budget_member_stored
#cgo noescape backoff_budget_parse
#cgo noescape backoff_budget_print
#cgo noescape backoff_budget_state_full
#cgo noescape backoff_budget_state_parse
#cgo noescape backoff_budget_state_print
#cgo noescape backoff_budget_state_step
#cgo noescape backoff_error_message
#cgo noescape backoff_http_outcome
#cgo noescape backoff_operation_begin
#cgo noescape backoff_operation_cancel
#cgo noescape backoff_operation_decide
#cgo noescape backoff_operation_refuse_retry
#cgo noescape backoff_operation_resume
#cgo noescape backoff_operation_state
#cgo noescape backoff_parse_retry_after
#cgo noescape backoff_policy_delay_ns
#cgo noescape backoff_policy_fill_ns
#cgo noescape backoff_policy_fit_base
#cgo noescape backoff_policy_fit_cap
#cgo noescape backoff_policy_get
#cgo noescape backoff_policy_get_ratio
#cgo noescape backoff_policy_max_retries
#cgo noescape backoff_policy_parse
#cgo noescape backoff_policy_print
#cgo noescape backoff_policy_window_ns
#cgo noescape backoff_preview_init
#cgo noescape backoff_preview_next
#cgo noescape backoff_stats_init
#cgo noescape backoff_stats_merge
#cgo noescape backoff_stats_print
#cgo noescape backoff_stats_read
#cgo noescape backoff_stats_record
#cgo noescape backoff_stream_advance
#cgo noescape backoff_stream_draw
#cgo noescape backoff_stream_from_key
#cgo noescape backoff_stream_nth
#cgo nocallback backoff_budget_get
#cgo nocallback backoff_budget_get_ratio
#cgo nocallback backoff_budget_member_begin
#cgo nocallback backoff_budget_member_cancel
#cgo nocallback backoff_budget_member_exchange_step
#cgo nocallback backoff_budget_member_failed
#cgo nocallback backoff_budget_member_init
#cgo nocallback backoff_budget_member_late
#cgo nocallback backoff_budget_member_lost
#cgo nocallback backoff_budget_member_note
#cgo nocallback backoff_budget_member_request
#cgo nocallback backoff_budget_member_state
#cgo nocallback backoff_budget_member_step
#cgo nocallback backoff_budget_member_stored
#cgo nocallback backoff_budget_parse
#cgo nocallback backoff_budget_print
#cgo nocallback backoff_budget_state_full
#cgo nocallback backoff_budget_state_parse
#cgo nocallback backoff_budget_state_print
#cgo nocallback backoff_budget_state_step
#cgo nocallback backoff_error_message
#cgo nocallback backoff_http_outcome
#cgo nocallback backoff_operation_begin
#cgo nocallback backoff_operation_cancel
#cgo nocallback backoff_operation_decide
#cgo nocallback backoff_operation_refuse_retry
#cgo nocallback backoff_operation_resume
#cgo nocallback backoff_operation_state
#cgo nocallback backoff_parse_retry_after
#cgo nocallback backoff_policy_delay_ns
#cgo nocallback backoff_policy_fill_ns
#cgo nocallback backoff_policy_fit_base
#cgo nocallback backoff_policy_fit_cap
#cgo nocallback backoff_policy_get
#cgo nocallback backoff_policy_get_ratio
#cgo nocallback backoff_policy_max_retries
#cgo nocallback backoff_policy_parse
#cgo nocallback backoff_policy_print
#cgo nocallback backoff_policy_window_ns
#cgo nocallback backoff_preview_init
#cgo nocallback backoff_preview_next
#cgo nocallback backoff_stats_init
#cgo nocallback backoff_stats_merge
#cgo nocallback backoff_stats_print
#cgo nocallback backoff_stats_read
#cgo nocallback backoff_stats_record
#cgo nocallback backoff_stream_advance
#cgo nocallback backoff_stream_draw
#cgo nocallback backoff_stream_from_key
#cgo nocallback backoff_stream_nth
#include <backoff.h>
*/
import "C"

import (
	"bytes"
	"sync/atomic"
	"unsafe"
)

// An aligned field, the first of a struct, aligns the struct to 8 bytes also where Go aligns uint64 to 4.
// C requires it, and the core changes these structs atomically.
type aligned [0]atomic.Uint64

// The installed header must be that of the constants: another version does not compile.
var _ = [1]struct{}{}[C.BACKOFF_VERSION-Version]

// CoreVersion returns the version of the library that is linked.
func CoreVersion() uint32 {
	return uint32(C.backoff_version())
}

// FieldName returns the name of a field, such as "jitter_max".
func FieldName(field Field) string {
	return C.GoString(C.backoff_field_name(C.uint32_t(field)))
}

// KindName returns the name of a kind of a field, such as "exponential" of Growth.
func KindName(field Field, kind uint32) string {
	return C.GoString(C.backoff_kind_name(C.uint32_t(field), C.uint64_t(kind)))
}

// CodeName returns the name of an error code, such as "cap_below_base".
func CodeName(code uint32) string {
	return C.GoString(C.backoff_code_name(C.uint32_t(code)))
}

// OutcomeName returns the name of an outcome, such as "throttled".
func OutcomeName(outcome uint32) string {
	return C.GoString(C.backoff_outcome_name(C.uint32_t(outcome)))
}

// BudgetEventName returns the name of an event of a budget, such as "retry_requested".
func BudgetEventName(event uint32) string {
	return C.GoString(C.backoff_budget_event_name(C.uint32_t(event)))
}

// ReasonName returns the name of a stop reason, such as "max_retries".
func ReasonName(reason uint32) string {
	return C.GoString(C.backoff_reason_name(C.uint32_t(reason)))
}

// errorOf copies an error of the core. text is the string that was parsed, if any.
func errorOf(c *C.backoff_error, text string) *Error {
	var message [C.BACKOFF_TEXT_SIZE]byte
	C.backoff_error_message(c, chars(&message), C.BACKOFF_TEXT_SIZE)
	err := &Error{
		Code:    uint32(c.code),
		Value:   uint64(c.value),
		Limit:   uint64(c.limit),
		At:      -1,
		Message: string(terminated(&message)),
	}
	if c.field != 0 {
		err.Field = FieldName(Field(c.field))
	}
	if c.text_kind != C.BACKOFF_TEXT_KIND_NONE {
		err.At = int(c.at)
		err.Found = text[c.at:][:c.found_length]
	}
	return err
}

// bytesOf returns the bytes of a text for C, which refuses NULL even with length 0.
func bytesOf(text string) *C.char {
	if text == "" {
		text = "empty"
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
}

func chars(buffer *[C.BACKOFF_TEXT_SIZE]byte) *C.char {
	return (*C.char)(unsafe.Pointer(buffer))
}

// terminated returns the bytes before the terminating zero.
func terminated(buffer *[C.BACKOFF_TEXT_SIZE]byte) []byte {
	text, _, _ := bytes.Cut(buffer[:], []byte{0})
	return text
}
