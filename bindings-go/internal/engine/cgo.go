package engine

/*
#cgo pkg-config: backoff
#cgo noescape backoff_advance
#cgo noescape backoff_delay_ns
#cgo noescape backoff_draw
#cgo noescape backoff_fill_ns
#cgo noescape backoff_stream_from_key
#cgo noescape backoff_window_ns
#cgo nocallback backoff_advance
#cgo nocallback backoff_delay_ns
#cgo nocallback backoff_draw
#cgo nocallback backoff_fill_ns
#cgo nocallback backoff_stream_from_key
#cgo nocallback backoff_window_ns
#include <backoff.h>
*/
import "C"

import (
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
)

// The kinds of growth, of jitter and of the place of the cap.
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
)

// The codes: success, and the rules that a policy or a ratio can break.
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
	if C.backoff_policy_init(&policy.c, &p.c, &refused) == C.BACKOFF_OK {
		return policy, nil
	}
	var message [C.BACKOFF_TEXT_SIZE]C.char
	C.backoff_error_message(&refused, &message[0], C.BACKOFF_TEXT_SIZE)
	return Policy{}, &Refusal{
		Code:    uint32(refused.code),
		Field:   FieldName(Field(refused.field)),
		Value:   uint64(refused.value),
		Limit:   uint64(refused.limit),
		Message: C.GoString(&message[0]),
	}
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
	chars := (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
	code = uint32(C.backoff_ratio_parse(chars, C.uint64_t(len(text)), &n, &d))
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

// LibraryVersion returns the version of the library that is linked.
func LibraryVersion() uint32 {
	return uint32(C.backoff_version())
}
