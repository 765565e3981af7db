//go:build backoff_cgo

package engine

import (
	"testing"
	"unsafe"
)

// C requires 8 bytes, although Go aligns uint64 to 4 on 32-bit machines.
func TestStructsAreAligned(t *testing.T) {
	var behind struct {
		_         uint32
		budget    Budget
		_         uint32
		operation Operation
		_         uint32
		stats     RetryStats
	}
	for name, offset := range map[string]uintptr{
		"Budget":     unsafe.Offsetof(behind.budget) + unsafe.Offsetof(behind.budget.c),
		"Operation":  unsafe.Offsetof(behind.operation) + unsafe.Offsetof(behind.operation.c),
		"RetryStats": unsafe.Offsetof(behind.stats) + unsafe.Offsetof(behind.stats.c),
	} {
		if offset%8 != 0 {
			t.Errorf("a %s may be at %d", name, offset)
		}
	}
}
