package engine

import (
	"testing"
	"unsafe"
)

func TestLibraryMatchesHeader(t *testing.T) {
	if LibraryVersion() != HeaderVersion {
		t.Errorf("library version %d, header version %d", LibraryVersion(), HeaderVersion)
	}
}

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

// Set and SetRatio return no error, because every field accepts the unit that this module uses.
func TestEveryFieldAcceptsItsUnit(t *testing.T) {
	rows := map[Field]struct {
		name    string
		isRatio bool
	}{
		Growth:             {"growth", false},
		Base:               {"base", false},
		Increment:          {"increment", false},
		Multiplier:         {"multiplier", true},
		Power:              {"power", false},
		Origin:             {"origin", false},
		Offset:             {"offset", false},
		Cap:                {"cap", false},
		CapOn:              {"cap_on", false},
		Floor:              {"floor", false},
		Jitter:             {"jitter", false},
		JitterBelow:        {"jitter_below", true},
		JitterAbove:        {"jitter_above", true},
		JitterMax:          {"jitter_max", false},
		JitterIncrement:    {"jitter_increment", false},
		JitterSlot:         {"jitter_slot", false},
		MaxRetries:         {"max_retries", false},
		MaxAttempts:        {"max_attempts", false},
		MaxElapsed:         {"max_elapsed", false},
		ThrottledBase:      {"throttled_base", false},
		RetryAfter:         {"retry_after", false},
		RetryAfterMax:      {"retry_after_max", false},
		RetryAfterMaxExtra: {"retry_after_max_extra", false},
	}
	for field, row := range rows {
		var params Params
		if row.isRatio {
			params.SetRatio(field, 8, 5)
		} else {
			params.Set(field, 7)
		}
		if params == (Params{}) {
			t.Errorf("%s was not set", row.name)
		}
		if FieldName(field) != row.name {
			t.Errorf("field %d is named %s, want %s", field, FieldName(field), row.name)
		}
	}
}
