package engine

/*
#cgo pkg-config: backoff
#cgo noescape backoff_advance
#cgo noescape backoff_budget_parse
#cgo noescape backoff_budget_print
#cgo noescape backoff_delay_ns
#cgo noescape backoff_draw
#cgo noescape backoff_error_message
#cgo noescape backoff_fill_ns
#cgo noescape backoff_fit_base
#cgo noescape backoff_fit_cap
#cgo noescape backoff_history_init
#cgo noescape backoff_history_merge
#cgo noescape backoff_history_print
#cgo noescape backoff_history_read
#cgo noescape backoff_history_record
#cgo noescape backoff_http_outcome
#cgo noescape backoff_operation_begin
#cgo noescape backoff_operation_cancel
#cgo noescape backoff_operation_decide
#cgo noescape backoff_operation_state
#cgo noescape backoff_policy_parse
#cgo noescape backoff_policy_print
#cgo noescape backoff_preview_init
#cgo noescape backoff_preview_next
#cgo noescape backoff_retry_after
#cgo noescape backoff_stream_from_key
#cgo noescape backoff_window_ns
#cgo nocallback backoff_advance
#cgo nocallback backoff_budget_parse
#cgo nocallback backoff_budget_print
#cgo nocallback backoff_delay_ns
#cgo nocallback backoff_draw
#cgo nocallback backoff_error_message
#cgo nocallback backoff_fill_ns
#cgo nocallback backoff_fit_base
#cgo nocallback backoff_fit_cap
#cgo nocallback backoff_history_init
#cgo nocallback backoff_history_merge
#cgo nocallback backoff_history_print
#cgo nocallback backoff_history_read
#cgo nocallback backoff_history_record
#cgo nocallback backoff_http_outcome
#cgo nocallback backoff_operation_begin
#cgo nocallback backoff_operation_cancel
#cgo nocallback backoff_operation_decide
#cgo nocallback backoff_operation_state
#cgo nocallback backoff_policy_parse
#cgo nocallback backoff_policy_print
#cgo nocallback backoff_preview_init
#cgo nocallback backoff_preview_next
#cgo nocallback backoff_retry_after
#cgo nocallback backoff_stream_from_key
#cgo nocallback backoff_window_ns
#include <backoff.h>
*/
import "C"

import (
	"bytes"
	"time"
	"unsafe"
)

// The fields of a policy.
const (
	Growth          Field = C.BACKOFF_FIELD_GROWTH
	Base            Field = C.BACKOFF_FIELD_BASE
	Increment       Field = C.BACKOFF_FIELD_INCREMENT
	Multiplier      Field = C.BACKOFF_FIELD_MULTIPLIER
	Power           Field = C.BACKOFF_FIELD_POWER
	Origin          Field = C.BACKOFF_FIELD_ORIGIN
	Offset          Field = C.BACKOFF_FIELD_OFFSET
	Cap             Field = C.BACKOFF_FIELD_CAP
	CapOn           Field = C.BACKOFF_FIELD_CAP_ON
	Floor           Field = C.BACKOFF_FIELD_FLOOR
	Jitter          Field = C.BACKOFF_FIELD_JITTER
	JitterBelow     Field = C.BACKOFF_FIELD_JITTER_BELOW
	JitterAbove     Field = C.BACKOFF_FIELD_JITTER_ABOVE
	JitterMax       Field = C.BACKOFF_FIELD_JITTER_MAX
	JitterIncrement Field = C.BACKOFF_FIELD_JITTER_INCREMENT
	JitterSlot      Field = C.BACKOFF_FIELD_JITTER_SLOT
	MaxRetries      Field = C.BACKOFF_FIELD_MAX_RETRIES
	MaxAttempts     Field = C.BACKOFF_FIELD_MAX_ATTEMPTS
	MaxElapsed      Field = C.BACKOFF_FIELD_MAX_ELAPSED
	ThrottledBase   Field = C.BACKOFF_FIELD_THROTTLED_BASE
	Hint            Field = C.BACKOFF_FIELD_HINT
	HintMax         Field = C.BACKOFF_FIELD_HINT_MAX
	HintMaxExtra    Field = C.BACKOFF_FIELD_HINT_MAX_EXTRA
)

// The kinds of growth, of jitter, of the place of the cap and of what hints do.
const (
	GrowthConstant    = C.BACKOFF_GROWTH_CONSTANT
	GrowthLinear      = C.BACKOFF_GROWTH_LINEAR
	GrowthExponential = C.BACKOFF_GROWTH_EXPONENTIAL
	GrowthPolynomial  = C.BACKOFF_GROWTH_POLYNOMIAL
	GrowthFibonacci   = C.BACKOFF_GROWTH_FIBONACCI

	JitterNone         = C.BACKOFF_JITTER_NONE
	JitterFull         = C.BACKOFF_JITTER_FULL
	JitterEqual        = C.BACKOFF_JITTER_EQUAL
	JitterProportional = C.BACKOFF_JITTER_PROPORTIONAL
	JitterAdditive     = C.BACKOFF_JITTER_ADDITIVE
	JitterDecorrelated = C.BACKOFF_JITTER_DECORRELATED
	JitterSlotted      = C.BACKOFF_JITTER_SLOTTED

	CapOnWindow = C.BACKOFF_CAP_ON_WINDOW
	CapOnResult = C.BACKOFF_CAP_ON_RESULT

	HintAtLeast = C.BACKOFF_HINT_AT_LEAST
	HintExact   = C.BACKOFF_HINT_EXACT
	HintSpread  = C.BACKOFF_HINT_SPREAD
)

// How attempts end, and why operations stop.
const (
	OutcomeSuccess   = C.BACKOFF_OUTCOME_SUCCESS
	OutcomeTransient = C.BACKOFF_OUTCOME_TRANSIENT
	OutcomeThrottled = C.BACKOFF_OUTCOME_THROTTLED
	OutcomeTimeout   = C.BACKOFF_OUTCOME_TIMEOUT
	OutcomePermanent = C.BACKOFF_OUTCOME_PERMANENT

	ReasonSuccess    = C.BACKOFF_REASON_SUCCESS
	ReasonPermanent  = C.BACKOFF_REASON_PERMANENT
	ReasonMaxRetries = C.BACKOFF_REASON_MAX_RETRIES
	ReasonMaxElapsed = C.BACKOFF_REASON_MAX_ELAPSED
	ReasonDeadline   = C.BACKOFF_REASON_DEADLINE
	ReasonBudget     = C.BACKOFF_REASON_BUDGET
	ReasonCancelled  = C.BACKOFF_REASON_CANCELLED
)

// None is no deadline and no hint.
const None uint64 = C.BACKOFF_NONE

// The codes: success, the rules that a policy, a line or a ratio can break, and what else
// callers tell apart.
const (
	OK              = C.BACKOFF_OK
	UnknownKind     = C.BACKOFF_UNKNOWN_KIND
	Missing         = C.BACKOFF_MISSING
	Unused          = C.BACKOFF_UNUSED
	TooLarge        = C.BACKOFF_TOO_LARGE
	TooSmall        = C.BACKOFF_TOO_SMALL
	ZeroDenominator = C.BACKOFF_ZERO_DENOMINATOR
	RatioTooFine    = C.BACKOFF_RATIO_TOO_FINE
	NotExponential  = C.BACKOFF_NOT_EXPONENTIAL
	CapBelowBase    = C.BACKOFF_CAP_BELOW_BASE
	OffsetAboveCap  = C.BACKOFF_OFFSET_ABOVE_CAP
	FloorAboveCap   = C.BACKOFF_FLOOR_ABOVE_CAP
	GrowthStalls    = C.BACKOFF_GROWTH_STALLS
	GivenTwice      = C.BACKOFF_GIVEN_TWICE
	UnknownHead     = C.BACKOFF_UNKNOWN_HEAD
	UnknownKey      = C.BACKOFF_UNKNOWN_KEY
	RepeatedKey     = C.BACKOFF_REPEATED_KEY
	MissingValue    = C.BACKOFF_MISSING_VALUE
	NotADuration    = C.BACKOFF_NOT_A_DURATION
	MissingUnit     = C.BACKOFF_MISSING_UNIT
	UnknownUnit     = C.BACKOFF_UNKNOWN_UNIT
	DurationTooFine = C.BACKOFF_DURATION_TOO_FINE
	NotARatio       = C.BACKOFF_NOT_A_RATIO
	NotACount       = C.BACKOFF_NOT_A_COUNT
	TextTooLong     = C.BACKOFF_TEXT_TOO_LONG
	DoesNotFit      = C.BACKOFF_DOES_NOT_FIT
	UnknownOutcome  = C.BACKOFF_UNKNOWN_OUTCOME
)

// HeaderVersion is the version of the library that this package was compiled for.
const HeaderVersion uint32 = C.BACKOFF_VERSION

// Params are the fields of a policy before they are checked; the zero value has none given.
type Params struct{ c C.backoff_params }

// Set gives a field nanoseconds, a count or a kind. The core refuses the call only for a
// number that is no field or whose field is a ratio, which no caller has.
func (p *Params) Set(field Field, word uint64) {
	C.backoff_params_set(&p.c, C.uint32_t(field), C.uint64_t(word))
}

// SetRatio gives a field that is a ratio its terms.
func (p *Params) SetRatio(field Field, numerator, denominator uint32) {
	C.backoff_params_set_ratio(&p.c, C.uint32_t(field), C.uint32_t(numerator), C.uint32_t(denominator))
}

// Build returns the policy of these fields, or why the core refuses it.
func (p *Params) Build() (Policy, *Refusal) {
	var policy Policy
	var refused C.backoff_error
	if C.backoff_policy_init(&policy.c, &p.c, &refused) != C.BACKOFF_OK {
		return Policy{}, refusal(&refused, "")
	}
	return policy, nil
}

// refusal returns an error of the core with its message; found is in the line, if there is one.
func refusal(refused *C.backoff_error, line string) *Refusal {
	var message [C.BACKOFF_TEXT_SIZE]byte
	C.backoff_error_message(refused, chars(&message), C.BACKOFF_TEXT_SIZE)
	told := &Refusal{
		Code:    uint32(refused.code),
		Value:   uint64(refused.value),
		Limit:   uint64(refused.limit),
		At:      -1,
		Message: string(terminated(&message)),
	}
	if refused.field != 0 {
		told.Field = FieldName(Field(refused.field))
	}
	if refused.line != C.BACKOFF_LINE_NONE {
		told.At = int(refused.at)
		told.Found = line[refused.at:][:refused.found_length]
	}
	return told
}

// Policy is a policy that the core has checked. The zero value is none: its delays and
// windows are 0, and there is nothing to fill.
type Policy struct{ c C.backoff_policy }

// Delay returns the delay of an index of a stream, in ns.
func (p *Policy) Delay(stream uint64, index uint32) uint64 {
	var delay C.uint64_t
	C.backoff_delay_ns(&p.c, C.uint64_t(stream), C.uint32_t(index), &delay)
	return uint64(delay)
}

// Window returns the window of an index, in ns.
func (p *Policy) Window(index uint32) uint64 {
	var window C.uint64_t
	C.backoff_window_ns(&p.c, C.uint32_t(index), &window)
	return uint64(window)
}

// Fill writes the delays of first, first + 1, ... and reports whether it did; it does not if
// there is no policy or if the indices end before the delays.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) bool {
	// The core's longest duration is Go's, so its unsigned words are Go's signed ones.
	words := (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(delays)))
	code := C.backoff_fill_ns(&p.c, C.uint64_t(stream), C.uint32_t(first), words, C.uint64_t(len(delays)))
	return code == C.BACKOFF_OK
}

// ParsePolicy returns the policy of a line, or why the core refuses it.
func ParsePolicy(line string) (Policy, *Refusal) {
	var policy Policy
	var refused C.backoff_error
	if C.backoff_policy_parse(&policy.c, bytesOf(line), C.uint64_t(len(line)), &refused) != C.BACKOFF_OK {
		return Policy{}, refusal(&refused, line)
	}
	return policy, nil
}

// AppendLine appends the line of the policy, and reports whether there is one.
func (p *Policy) AppendLine(text []byte) ([]byte, bool) {
	var line [C.BACKOFF_TEXT_SIZE]byte
	if C.backoff_policy_print(&p.c, chars(&line), C.BACKOFF_TEXT_SIZE) != C.BACKOFF_OK {
		return text, false
	}
	return append(text, terminated(&line)...), true
}

// FitBase returns the policy with the longest base with which so many attempts fit, or why
// the core refuses it. The policy is not the zero one.
func (p *Policy) FitBase(attempts, total uint64) (Policy, *Refusal) {
	var fitted Policy
	var refused C.backoff_error
	if C.backoff_fit_base(&p.c, C.uint64_t(attempts), C.uint64_t(total), &fitted.c, &refused) != C.BACKOFF_OK {
		return Policy{}, refusal(&refused, "")
	}
	return fitted, nil
}

// FitCap is FitBase for the longest cap.
func (p *Policy) FitCap(attempts, total uint64) (Policy, *Refusal) {
	var fitted Policy
	var refused C.backoff_error
	if C.backoff_fit_cap(&p.c, C.uint64_t(attempts), C.uint64_t(total), &fitted.c, &refused) != C.BACKOFF_OK {
		return Policy{}, refusal(&refused, "")
	}
	return fitted, nil
}

// Preview is where a preview of a policy stands; that of the zero value is at its end.
type Preview struct{ c C.backoff_preview }

// Preview returns the rows of the policy from the first on.
func (p *Policy) Preview() Preview {
	var preview Preview
	C.backoff_preview_init(&preview.c, &p.c)
	return preview
}

// Next returns the next row, and whether there is one.
func (p *Preview) Next() (PreviewRow, bool) {
	var row C.backoff_preview_row
	code := C.backoff_preview_next(&p.c, &row)
	return PreviewRow{
		Smallest:      time.Duration(row.smallest),
		Mean:          time.Duration(row.mean),
		Largest:       time.Duration(row.largest),
		TotalSmallest: time.Duration(row.total_smallest),
		TotalMean:     time.Duration(row.total_mean),
		TotalLargest:  time.Duration(row.total_largest),
	}, code == C.BACKOFF_OK
}

// Budget is a budget in the memory of its owner, which the core changes. The zero value is
// none.
type Budget struct{ c C.backoff_budget }

// Parse makes this the budget of a line, full, or returns why the core refuses it.
func (b *Budget) Parse(line string) *Refusal {
	var refused C.backoff_error
	if C.backoff_budget_parse(&b.c, bytesOf(line), C.uint64_t(len(line)), &refused) != C.BACKOFF_OK {
		return refusal(&refused, line)
	}
	return nil
}

// AppendLine appends the line of the budget, and reports whether there is one.
func (b *Budget) AppendLine(text []byte) ([]byte, bool) {
	var line [C.BACKOFF_TEXT_SIZE]byte
	if C.backoff_budget_print(&b.c, chars(&line), C.BACKOFF_TEXT_SIZE) != C.BACKOFF_OK {
		return text, false
	}
	return append(text, terminated(&line)...), true
}

// orNull returns what C takes for the budget, and NULL for nil, which has no field to point to.
func (b *Budget) orNull() *C.backoff_budget { return (*C.backoff_budget)(unsafe.Pointer(b)) }

// Operation is how far an operation has come. The zero value is none.
type Operation struct{ c C.backoff_operation }

// Begin begins an operation, and reports whether the policy and the budget, if there is one,
// are not the zero ones.
func (o *Operation) Begin(policy *Policy, stream, now, deadline uint64, budget *Budget) bool {
	return C.backoff_operation_begin(&o.c, &policy.c, C.uint64_t(stream), C.uint64_t(now), C.uint64_t(deadline), budget.orNull()) == C.BACKOFF_OK
}

// Decide returns why to stop, 0 to wait, the delay, and a code.
func (o *Operation) Decide(outcome uint32, hint, now uint64, budget *Budget) (reason uint32, delay uint64, code uint32) {
	var decision C.backoff_decision
	code = uint32(C.backoff_operation_decide(&o.c, C.uint32_t(outcome), C.uint64_t(hint), C.uint64_t(now), budget.orNull(), &decision))
	return uint32(decision.reason), uint64(decision.delay_ns), code
}

// Cancel gives up and returns why the operation stopped, 0 if it is the zero one.
func (o *Operation) Cancel(budget *Budget) uint32 {
	var reason C.uint32_t
	C.backoff_operation_cancel(&o.c, budget.orNull(), &reason)
	return uint32(reason)
}

// State returns the waits answered so far, and why the operation stopped, 0 if it goes on. It
// reports whether this is an operation.
func (o *Operation) State() (retries uint64, reason uint32, ok bool) {
	var waits C.uint64_t
	var stopped C.uint32_t
	code := C.backoff_operation_state(&o.c, &waits, &stopped)
	return uint64(waits), uint32(stopped), code == C.BACKOFF_OK
}

// RetryAfter returns the hint of a header, in ns, and whether it is one.
func RetryAfter(header string, now uint64) (uint64, bool) {
	var hint C.uint64_t
	code := C.backoff_retry_after(bytesOf(header), C.uint64_t(len(header)), C.uint64_t(now), &hint)
	return uint64(hint), code == C.BACKOFF_OK
}

// HTTPOutcome returns the outcome of the status of an HTTP response.
func HTTPOutcome(status uint32) uint32 { return uint32(C.backoff_http_outcome(C.uint32_t(status))) }

// History is a history in the memory of its owner, which the core changes. The zero value is
// none.
type History struct{ c C.backoff_history }

// Init makes this a history of nothing.
func (h *History) Init() { C.backoff_history_init(&h.c) }

// Record counts an operation, and reports whether the reason is one.
func (h *History) Record(attempts uint64, reason uint32) bool {
	return C.backoff_history_record(&h.c, C.uint64_t(attempts), C.uint32_t(reason)) == C.BACKOFF_OK
}

// Merge adds the counts of another history.
func (h *History) Merge(other *History) { C.backoff_history_merge(&h.c, &other.c) }

// Counts returns what was counted.
func (h *History) Counts() HistoryCounts {
	var counts C.backoff_history_counts
	C.backoff_history_read(&h.c, &counts)
	return HistoryCounts{
		Operations: uint64(counts.operations),
		Attempts:   uint64(counts.attempts),
		Retries:    uint64(counts.retries),
		Buckets:    *(*[12]uint64)(unsafe.Pointer(&counts.buckets)),
		Stops:      *(*[7]uint64)(unsafe.Pointer(&counts.stops)),
	}
}

// Text returns the history in the text format of Prometheus.
func (h *History) Text() []byte {
	text := make([]byte, C.BACKOFF_HISTORY_SIZE)
	C.backoff_history_print(&h.c, (*C.char)(unsafe.Pointer(&text[0])), C.BACKOFF_HISTORY_SIZE)
	return text[:bytes.IndexByte(text, 0)]
}

// KeyStream returns the stream of a seed and the bytes of a key.
func KeyStream(seed uint64, key string) uint64 {
	var stream C.uint64_t
	C.backoff_stream_from_key(C.uint64_t(seed), unsafe.Pointer(unsafe.StringData(key)), C.uint64_t(len(key)), &stream)
	return uint64(stream)
}

// EntropyStream returns a stream from the operating system, and whether it had one to give.
func EntropyStream() (uint64, bool) {
	var stream C.uint64_t
	code := C.backoff_stream_from_entropy(&stream)
	return uint64(stream), code == C.BACKOFF_OK
}

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 {
	return uint64(C.backoff_draw(C.uint64_t(stream), C.uint32_t(index)))
}

// Advance returns the stream after so many draws.
func Advance(stream, draws uint64) uint64 {
	return uint64(C.backoff_advance(C.uint64_t(stream), C.uint64_t(draws)))
}

// ParseRatio returns the terms of a decimal text, or the code that says why it has none.
func ParseRatio(text string) (numerator, denominator, code uint32) {
	var n, d C.uint32_t
	code = uint32(C.backoff_ratio_parse(bytesOf(text), C.uint64_t(len(text)), &n, &d))
	return uint32(n), uint32(d), code
}

// FieldName returns the name of a field, the same in every language.
func FieldName(field Field) string {
	return C.GoString(C.backoff_field_name(C.uint32_t(field)))
}

// CodeName returns the name of a code, the same in every language.
func CodeName(code uint32) string {
	return C.GoString(C.backoff_code_name(C.uint32_t(code)))
}

// OutcomeName returns the name of an outcome, the same in every language.
func OutcomeName(outcome uint32) string {
	return C.GoString(C.backoff_outcome_name(C.uint32_t(outcome)))
}

// ReasonName returns the name of a reason, the same in every language.
func ReasonName(reason uint32) string {
	return C.GoString(C.backoff_reason_name(C.uint32_t(reason)))
}

// LibraryVersion returns the version of the library that is linked.
func LibraryVersion() uint32 {
	return uint32(C.backoff_version())
}

// bytesOf returns what C takes, with a length, for a text: never NULL, which it refuses.
func bytesOf(text string) *C.char {
	if text == "" {
		text = "empty"
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
}

func chars(buffer *[C.BACKOFF_TEXT_SIZE]byte) *C.char {
	return (*C.char)(unsafe.Pointer(buffer))
}

// terminated returns what C wrote before the zero.
func terminated(buffer *[C.BACKOFF_TEXT_SIZE]byte) []byte {
	text, _, _ := bytes.Cut(buffer[:], []byte{0})
	return text
}
