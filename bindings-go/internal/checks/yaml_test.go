package checks

import (
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml"
	yaml "gopkg.in/yaml.v3"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

var yamls = map[string]struct {
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}{
	"yaml.v3": {yaml.Marshal, yaml.Unmarshal},
	"goccy": {
		func(value any) ([]byte, error) { return goccy.Marshal(value) },
		func(text []byte, value any) error { return goccy.Unmarshal(text, value) },
	},
}

// What a program configures, in YAML.
type settings struct {
	Retry  backoff.Policy         `yaml:"retry,omitempty"`
	Budget *backoff.Budget        `yaml:"budget,omitempty"`
	Stream backoff.RandomStream   `yaml:"stream,omitempty"`
	Growth backoff.Growth         `yaml:"growth,omitempty"`
	Jitter backoff.Jitter         `yaml:"jitter,omitempty"`
	CapOn  backoff.CapOn          `yaml:"cap_on,omitempty"`
	After  backoff.RetryAfterMode `yaml:"after,omitempty"`
	Stop   backoff.StopReason     `yaml:"stop,omitempty"`
	Kind   backoff.Outcome        `yaml:"kind,omitempty"`
}

const inYAML = `retry: exponential:base=1s,jitter=full
budget: quota:cost=7
stream: "18446744073709551615"
growth: linear
jitter: full
cap_on: delay
after: exact
stop: budget
kind: timeout
`

func TestTextsInYAML(t *testing.T) {
	for name, library := range yamls {
		t.Run(name, func(t *testing.T) {
			var read settings
			if err := library.unmarshal([]byte(inYAML), &read); err != nil {
				t.Fatal(err)
			}
			if read.Stream.State() != 1<<64-1 || read.Growth != backoff.Linear || read.Kind != backoff.OutcomeTimeout {
				t.Errorf("read %+v", read)
			}
			if written, err := library.marshal(&read); err != nil || string(written) != inYAML {
				t.Errorf("wrote %s, %v", written, err)
			}
			const number = "stream: 42\n"
			if err := library.unmarshal([]byte(number), &read); err != nil || read.Stream.State() != 42 {
				t.Errorf("%s is read as %v, %v", number, read.Stream, err)
			}
			before := read.Retry
			const null = "retry:\nbudget: null\n"
			if err := library.unmarshal([]byte(null), &read); err != nil || read.Retry != before && !read.Retry.IsZero() {
				t.Errorf("null is read as %v, %v", read.Retry, err)
			}
		})
	}
}

// What is not a text must not become a zero value.
func TestMappingsInYAML(t *testing.T) {
	for name, library := range yamls {
		for _, value := range []string{"{}", "{base: 1s}", "[]", "[full, 1s]", "constant", "{cap: 1s, state: 5}"} {
			for member := range strings.Lines(inYAML) {
				member, _, _ = strings.Cut(member, ":")
				t.Run(name+"/"+member+"/"+value, func(t *testing.T) {
					if member == "growth" && value == "constant" {
						return
					}
					var read settings
					if err := library.unmarshal([]byte(member+": "+value), &read); err == nil {
						t.Errorf("read %+v", read)
					}
				})
			}
		}
	}
}
