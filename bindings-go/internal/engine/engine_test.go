package engine

import "testing"

func TestTheLibraryIsTheOneOfTheHeader(t *testing.T) {
	if LibraryVersion() != HeaderVersion {
		t.Errorf("the library is version %d, its header %d", LibraryVersion(), HeaderVersion)
	}
}

// Set and SetRatio return nothing because no call of this module can fail; here is why.
func TestEveryFieldHasItsUnit(t *testing.T) {
	rows := map[Field]struct {
		name    string
		isRatio bool
	}{
		Growth:          {"growth", false},
		Base:            {"base", false},
		Increment:       {"increment", false},
		Multiplier:      {"multiplier", true},
		Power:           {"power", false},
		Origin:          {"origin", false},
		Offset:          {"offset", false},
		Cap:             {"cap", false},
		CapOn:           {"cap_on", false},
		Floor:           {"floor", false},
		Jitter:          {"jitter", false},
		JitterBelow:     {"jitter_below", true},
		JitterAbove:     {"jitter_above", true},
		JitterMax:       {"jitter_max", false},
		JitterIncrement: {"jitter_increment", false},
		JitterSlot:      {"jitter_slot", false},
		MaxRetries:      {"max_retries", false},
		MaxAttempts:     {"max_attempts", false},
		MaxElapsed:      {"max_elapsed", false},
		ThrottledBase:   {"throttled_base", false},
		Hint:            {"hint", false},
		HintMax:         {"hint_max", false},
		HintMaxExtra:    {"hint_max_extra", false},
	}
	for field, row := range rows {
		var params Params
		if row.isRatio {
			params.SetRatio(field, 8, 5)
		} else {
			params.Set(field, 7)
		}
		if params == (Params{}) {
			t.Errorf("%s was not taken", row.name)
		}
		if FieldName(field) != row.name {
			t.Errorf("field %d is %s, want %s", field, FieldName(field), row.name)
		}
	}
}
