package engine

import "testing"

func TestCoreHasTheVersionOfTheConstants(t *testing.T) {
	if CoreVersion() != Version {
		t.Errorf("core version %d, constants of version %d", CoreVersion(), Version)
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
