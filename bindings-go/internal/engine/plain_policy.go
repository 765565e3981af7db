//go:build !backoff_cgo

package engine

import (
	"encoding/binary"
	"time"
)

// Params are the unchecked fields of a policy. No field of the zero value is set.
type Params struct{ bytes [8 * ParamsWords]byte }

// Set sets a field to nanoseconds, a count or the number of a kind. The field must exist and must
// not be a ratio.
func (p *Params) Set(field Field, value uint64) {
	m := take()
	m.put(paramsAt, p.bytes[:])
	m.paramsSet(paramsAt, uint32(field), value)
	m.get(paramsAt, p.bytes[:])
	m.free()
}

// SetRatio sets a field that is a ratio.
func (p *Params) SetRatio(field Field, numerator, denominator uint32) {
	m := take()
	m.put(paramsAt, p.bytes[:])
	m.paramsSetRatio(paramsAt, uint32(field), numerator, denominator)
	m.get(paramsAt, p.bytes[:])
	m.free()
}

// ParseRatio returns the terms of a decimal number, or the error code.
func ParseRatio(text string) (numerator, denominator, code uint32) {
	m := take()
	defer m.free()
	clear(m.memory[numbersAt:][:16])
	code = m.ratioParse(textAt, m.putText(text), numbersAt, numbersAt+8)
	return m.half(numbersAt), m.half(numbersAt + 8), code
}

// Policy is a valid policy, or the zero value, whose delays and windows are 0. It is the numbers from
// which the core computes delays without memory.
type Policy struct{ numbers [policyNumbers]uint64 }

// policy returns the policy at an address, or the error if the core returned its code.
func (m *module) policy(at, code uint32, text string) (Policy, *Error) {
	defer m.free()
	if code != OK {
		return Policy{}, m.error(text)
	}
	var policy Policy
	m.policyToNumbers(at, policyNumbersAt)
	m.words(policyNumbersAt, policy.numbers[:])
	return policy, nil
}

// takeFor returns an instance with a policy in its memory.
func takeFor(policy *Policy) *module {
	m := take()
	m.putPolicy(policy)
	return m
}

// putPolicy puts a policy into the memory, where the zero one is a place without a policy.
func (m *module) putPolicy(policy *Policy) {
	if *policy == (Policy{}) {
		m.emptyPolicy(policyAt)
		return
	}
	m.putWords(policyNumbersAt, policy.numbers[:])
	m.policyFromNumbers(policyAt, policyNumbersAt)
}

// emptyPolicy makes a place for a policy that the core makes: it does not write to all words.
func (m *module) emptyPolicy(at uint32) uint32 {
	clear(m.memory[at:][:8*PolicyWords])
	return at
}

// Build checks the fields and returns their policy.
func (p *Params) Build() (Policy, *Error) {
	m := take()
	m.put(paramsAt, p.bytes[:])
	return m.policy(policyAt, m.policyInit(m.emptyPolicy(policyAt), paramsAt, errorAt), "")
}

// ParsePolicy returns the policy of a policy string.
func ParsePolicy(text string) (Policy, *Error) {
	m := take()
	return m.policy(policyAt, m.policyParse(m.emptyPolicy(policyAt), textAt, m.putText(text), errorAt), text)
}

// AppendText appends the policy string. It reports false for the zero Policy.
func (p *Policy) AppendText(text []byte) ([]byte, bool) {
	m := takeFor(p)
	defer m.free()
	if m.policyPrint(policyAt, printedAt, TextSize) != OK {
		return text, false
	}
	return append(text, m.printed()...), true
}

// Get returns the value of a field that is not a ratio. It reports false if the policy does not use the field.
func (p *Policy) Get(field Field) (uint64, bool) {
	m := takeFor(p)
	defer m.free()
	if m.policyGet(policyAt, uint32(field), numbersAt) != OK {
		return 0, false
	}
	return m.word(numbersAt), true
}

// GetRatio returns the terms of a field that is a ratio. It reports false if the policy does not use the field.
func (p *Policy) GetRatio(field Field) (numerator, denominator uint32, ok bool) {
	m := takeFor(p)
	defer m.free()
	if m.policyGetRatio(policyAt, uint32(field), numbersAt, numbersAt+4) != OK {
		return 0, 0, false
	}
	return m.half(numbersAt), m.half(numbersAt + 4), true
}

// MaxRetries returns the limit on the retries, 2^32 if there is none, and 0 for the zero Policy.
func (p *Policy) MaxRetries() uint64 { return p.numbers[8] }

// Delay returns the delay of an index of a stream, in ns.
func (p *Policy) Delay(stream uint64, index uint32) uint64 {
	f := &p.numbers
	if formulaIsPlain(f[0]) != 0 {
		return plainDelayNs(plainWindowNs(f[1], f[4], index), streamDraw(stream, index))
	}
	return formulaDelayNs(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], stream, index)
}

// Window returns the window of an index, in ns.
func (p *Policy) Window(index uint32) uint64 {
	f := &p.numbers
	return formulaWindowNs(f[0], f[1], f[2], f[3], f[4], index)
}

// Fill writes the delays of first, first + 1, ... and returns how many it wrote.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) int {
	if formulaIsPlain(p.numbers[0]) != 0 {
		return p.fillPlain(stream, first, delays)
	}
	m := takeFor(p)
	defer m.free()
	written := 0
	for index := uint64(first); index < 1<<32 && written < len(delays); index = uint64(first) + uint64(written) {
		count := min(len(delays)-written, delaysWords)
		if m.policyFillNs(policyAt, stream, uint32(index), delaysAt, uint64(count), numbersAt) != OK {
			break
		}
		count = int(m.word(numbersAt))
		memory := m.memory[delaysAt:]
		for i := range delays[written:][:count] {
			delays[written+i] = time.Duration(binary.LittleEndian.Uint64(memory[8*i:]))
		}
		written += count
	}
	return written
}

// fillPlain is Fill of a plain policy, which needs no memory of the core.
func (p *Policy) fillPlain(stream uint64, first uint32, delays []time.Duration) int {
	base, limit := p.numbers[1], p.numbers[4]
	delays = delays[:min(uint64(len(delays)), 1<<32-uint64(first))]
	rest, window := Advance(stream, uint64(first)), plainWindowNs(base, limit, first)
	for i := range delays {
		delays[i] = time.Duration(plainDelayNs(window, streamDraw(rest, 0)))
		rest, window = Advance(rest, 1), plainNextWindowNs(window, limit)
	}
	return len(delays)
}

// FitBase returns the policy with the longest base for which the attempts fit into the total. The
// policy must not be the zero one.
func (p *Policy) FitBase(attempts, total uint64) (Policy, *Error) {
	m := takeFor(p)
	return m.policy(fittedAt, m.policyFitBase(policyAt, attempts, total, m.emptyPolicy(fittedAt), errorAt), "")
}

// FitCap is FitBase for the longest cap.
func (p *Policy) FitCap(attempts, total uint64) (Policy, *Error) {
	m := takeFor(p)
	return m.policy(fittedAt, m.policyFitCap(policyAt, attempts, total, m.emptyPolicy(fittedAt), errorAt), "")
}

// Preview is the position in a preview of a policy. The zero value is at the end.
type Preview struct{ bytes [8 * PreviewWords]byte }

// Preview returns the rows of the policy from the first on.
func (p *Policy) Preview() Preview {
	var preview Preview
	m := takeFor(p)
	m.put(previewAt, preview.bytes[:])
	m.previewInit(previewAt, policyAt)
	m.get(previewAt, preview.bytes[:])
	m.free()
	return preview
}

// Next returns the next row. It reports false at the end.
func (p *Preview) Next() (PreviewRow, bool) {
	m := take()
	defer m.free()
	m.put(previewAt, p.bytes[:])
	if m.previewNext(previewAt, rowAt) != OK {
		return PreviewRow{}, false
	}
	m.get(previewAt, p.bytes[:])
	ns := func(i uint32) time.Duration { return time.Duration(m.word(rowAt + 8*i)) }
	return PreviewRow{ns(0), ns(1), ns(2), ns(3), ns(4), ns(5)}, true
}
