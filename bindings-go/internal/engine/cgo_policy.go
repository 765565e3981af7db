//go:build backoff_cgo

package engine

// #include <backoff.h>
import "C"

import (
	"time"
	"unsafe"
)

// Params are the unchecked fields of a policy. No field of the zero value is set.
type Params struct{ c C.backoff_params }

// Set sets a field to nanoseconds, a count or the number of a kind. The field must exist and must
// not be a ratio.
func (p *Params) Set(field Field, value uint64) {
	C.backoff_params_set(&p.c, C.uint32_t(field), C.uint64_t(value))
}

// SetRatio sets a field that is a ratio.
func (p *Params) SetRatio(field Field, numerator, denominator uint32) {
	C.backoff_params_set_ratio(&p.c, C.uint32_t(field), C.uint32_t(numerator), C.uint32_t(denominator))
}

// ParseRatio returns the terms of a decimal number, or the error code.
func ParseRatio(text string) (numerator, denominator, code uint32) {
	var n, d C.uint32_t
	code = uint32(C.backoff_ratio_parse(bytesOf(text), C.uint64_t(len(text)), &n, &d))
	return uint32(n), uint32(d), code
}

// Policy is a valid policy, or the zero value, whose delays and windows are 0.
type Policy struct{ c C.backoff_policy }

// Build checks the fields and returns their policy.
func (p *Params) Build() (Policy, *Error) {
	var policy Policy
	var err C.backoff_error
	if C.backoff_policy_init(&policy.c, &p.c, &err) != C.BACKOFF_OK {
		return Policy{}, errorOf(&err, "")
	}
	return policy, nil
}

// ParsePolicy returns the policy of a policy string.
func ParsePolicy(text string) (Policy, *Error) {
	var policy Policy
	var err C.backoff_error
	if C.backoff_policy_parse(&policy.c, bytesOf(text), C.uint64_t(len(text)), &err) != C.BACKOFF_OK {
		return Policy{}, errorOf(&err, text)
	}
	return policy, nil
}

// AppendText appends the policy string. It reports false for the zero Policy.
func (p *Policy) AppendText(text []byte) ([]byte, bool) {
	var buffer [C.BACKOFF_TEXT_SIZE]byte
	if C.backoff_policy_print(&p.c, chars(&buffer), C.BACKOFF_TEXT_SIZE) != C.BACKOFF_OK {
		return text, false
	}
	return append(text, terminated(&buffer)...), true
}

// Get returns the value of a field that is not a ratio. It reports false if the policy does not use the field.
func (p *Policy) Get(field Field) (uint64, bool) {
	var value C.uint64_t
	code := C.backoff_policy_get(&p.c, C.uint32_t(field), &value)
	return uint64(value), code == C.BACKOFF_OK
}

// GetRatio returns the terms of a field that is a ratio. It reports false if the policy does not use the field.
func (p *Policy) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	var n, d C.uint32_t
	code := C.backoff_policy_get_ratio(&p.c, C.uint32_t(field), &n, &d)
	return uint32(n), uint32(d), code == C.BACKOFF_OK
}

// MaxRetries returns the limit on the retries, 2^32 if there is none, and 0 for the zero Policy.
func (p *Policy) MaxRetries() uint64 {
	var limit C.uint64_t
	C.backoff_policy_max_retries(&p.c, &limit)
	return uint64(limit)
}

// Delay returns the delay of an index of a stream, in ns.
func (p *Policy) Delay(stream uint64, index uint32) uint64 {
	var delay C.uint64_t
	C.backoff_policy_delay_ns(&p.c, C.uint64_t(stream), C.uint32_t(index), &delay)
	return uint64(delay)
}

// Window returns the window of an index, in ns.
func (p *Policy) Window(index uint32) uint64 {
	var window C.uint64_t
	C.backoff_policy_window_ns(&p.c, C.uint32_t(index), &window)
	return uint64(window)
}

// Fill writes the delays of first, first + 1, ... and returns how many it wrote.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) int {
	if len(delays) == 0 {
		return 0
	}
	// No delay of the core exceeds the longest time.Duration, so the sign bit is never set.
	target := (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(delays)))
	var written C.uint64_t
	C.backoff_policy_fill_ns(&p.c, C.uint64_t(stream), C.uint32_t(first), target, C.uint64_t(len(delays)), &written)
	return int(written)
}

// FitBase returns the policy with the longest base for which the attempts fit into the total. The
// policy must not be the zero one.
func (p *Policy) FitBase(attempts, total uint64) (Policy, *Error) {
	var fitted Policy
	var err C.backoff_error
	if C.backoff_policy_fit_base(&p.c, C.uint64_t(attempts), C.uint64_t(total), &fitted.c, &err) != C.BACKOFF_OK {
		return Policy{}, errorOf(&err, "")
	}
	return fitted, nil
}

// FitCap is FitBase for the longest cap.
func (p *Policy) FitCap(attempts, total uint64) (Policy, *Error) {
	var fitted Policy
	var err C.backoff_error
	if C.backoff_policy_fit_cap(&p.c, C.uint64_t(attempts), C.uint64_t(total), &fitted.c, &err) != C.BACKOFF_OK {
		return Policy{}, errorOf(&err, "")
	}
	return fitted, nil
}

// Preview is the position in a preview of a policy. The zero value is at the end.
type Preview struct{ c C.backoff_preview }

// Preview returns the rows of the policy from the first on.
func (p *Policy) Preview() Preview {
	var preview Preview
	C.backoff_preview_init(&preview.c, &p.c)
	return preview
}

// Next returns the next row. It reports false at the end.
func (p *Preview) Next() (PreviewRow, bool) {
	var row C.backoff_preview_row
	code := C.backoff_preview_next(&p.c, &row)
	return PreviewRow{
		Min:       time.Duration(row.min_ns),
		Mean:      time.Duration(row.mean_ns),
		Max:       time.Duration(row.max_ns),
		TotalMin:  time.Duration(row.total_min_ns),
		TotalMean: time.Duration(row.total_mean_ns),
		TotalMax:  time.Duration(row.total_max_ns),
	}, code == C.BACKOFF_OK
}
