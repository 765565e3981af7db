package backoff_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

type config struct {
	Retry  backoff.Policy  `json:"retry"`
	Budget *backoff.Budget `json:"budget"`
	Named  map[backoff.Policy]int
}

func TestTextsInJSON(t *testing.T) {
	const text = `{"retry":"constant:base=2s,max_retries=3","budget":"quota:cost=7","Named":{"constant:base=1s":4}}`
	var read config
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if read.Retry != parsePolicy(t, "polly-v8") || read.Named[parsePolicy(t, "constant:base=1s")] != 4 {
		t.Errorf("read %+v", read)
	}
	if written, err := json.Marshal(read); err != nil || string(written) != text {
		t.Errorf("wrote %s, %v", written, err)
	}
}

// The message of a text that is part of a configuration quotes it, or the beginning of a long one.
func TestMessagesQuoteTexts(t *testing.T) {
	long := "full:" + strings.Repeat("x", 1000)
	want := fmt.Sprintf(`policy "%.128s"...: at 5: unknown key "xxx`, long)
	if err := new(backoff.Policy).UnmarshalText([]byte(long)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("UnmarshalText: %v, want %s", err, want)
	}
	err := json.Unmarshal([]byte(`{"budget": "ratio:"}`), new(config))
	if want := `budget "ratio:": at 6: unknown key ""`; err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, backoff.ErrUnknownKey) {
		t.Errorf("JSON: %v, want %s", err, want)
	}
}

// The text of a stream is its State, so settings that hold one keep it, also as a key of a map.
func TestStreamsInJSON(t *testing.T) {
	type settings struct {
		Stream backoff.RandomStream
		Named  map[backoff.RandomStream]int
	}
	const text = `{"Stream":"18446744073709551615","Named":{"0":4}}`
	var read settings
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if read.Stream != backoff.StreamFromSeed(math.MaxUint64) || read.Named[backoff.RandomStream{}] != 4 {
		t.Errorf("read %+v", read)
	}
	if written, err := json.Marshal(read); err != nil || string(written) != text {
		t.Errorf("wrote %s, %v", written, err)
	}
	for _, text := range []string{`{"Stream":{}}`, `{"Stream":42}`, `{"Stream":""}`} {
		if err := json.Unmarshal([]byte(text), &read); err == nil {
			t.Errorf("%s is read", text)
		}
	}
	stream := backoff.StreamFromSeed(7)
	for text, want := range map[string]struct {
		code    backoff.Code
		message string
	}{
		"":                     {backoff.ErrNotACount, `stream "" is not a whole number`},
		"-1":                   {backoff.ErrNotACount, `stream "-1" is not a whole number`},
		"+1":                   {backoff.ErrNotACount, `stream "+1" is not a whole number`},
		"1_0":                  {backoff.ErrNotACount, `stream "1_0" is not a whole number`},
		"0x10":                 {backoff.ErrNotACount, `stream "0x10" is not a whole number`},
		"1 ":                   {backoff.ErrNotACount, `stream "1 " is not a whole number`},
		"18446744073709551616": {backoff.ErrTooLarge, `stream "18446744073709551616" is above 18446744073709551615`},
	} {
		checkArgument(t, stream.UnmarshalText([]byte(text)), want.code, "stream", want.message)
	}
	if stream != backoff.StreamFromSeed(7) {
		t.Errorf("the stream is changed to %v", stream)
	}
}

// The zero Policy and the zero Budget are null in JSON, or left out.
func TestZeroTextsInJSON(t *testing.T) {
	const text = `{"retry":null,"budget":null,"Named":null}`
	written, err := json.Marshal(config{})
	if err != nil || string(written) != text {
		t.Errorf("wrote %s, %v", written, err)
	}
	read := config{Retry: parsePolicy(t, "default")}
	if err := json.Unmarshal(written, &read); err != nil || read.Retry != parsePolicy(t, "default") || read.Budget != nil {
		t.Errorf("read %+v, %v", read, err)
	}
	var values struct {
		Retry   backoff.Policy `json:",omitzero"`
		Budget  backoff.Budget
		Pointer *backoff.Policy `json:",omitempty"`
	}
	if written, err := json.Marshal(&values); err != nil || string(written) != `{"Budget":null}` {
		t.Errorf("wrote %s, %v", written, err)
	}
	if !values.Retry.IsZero() || parsePolicy(t, "none").IsZero() {
		t.Error("IsZero is wrong")
	}
}

// A Budget field is written if its struct is passed by pointer.
func TestBudgetFieldOfAStructPassedByPointer(t *testing.T) {
	var config struct{ Budget backoff.Budget }
	const text = `{"Budget":"quota:cost=7"}`
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if written, err := json.Marshal(&config); err != nil || string(written) != text {
		t.Errorf("wrote %s, %v", written, err)
	}
	if printed := fmt.Sprint(&config.Budget); printed != "quota:cost=7" {
		t.Errorf("printed %s", printed)
	}
}

func TestTextsInFlags(t *testing.T) {
	var policy backoff.Policy
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.TextVar(&policy, "retry", parsePolicy(t, "polly-v8"), "how to retry")
	budget := parseBudget(t, "ratio")
	flags.TextVar(budget, "budget", parseBudget(t, "ratio"), "how much to retry")
	if err := flags.Parse(nil); err != nil || policy.String() != "constant:base=2s,max_retries=3" {
		t.Errorf("by default %v, %v", policy, err)
	}
	if err := flags.Parse([]string{"-retry", "constant:base=9s", "-budget=rate"}); err != nil || policy.String() != "constant:base=9s" || budget.String() != "rate" {
		t.Errorf("read %v and %v, %v", policy, budget, err)
	}
	if err := flags.Parse([]string{"-retry", "constant:bse=9s"}); err == nil || !strings.Contains(err.Error(), `at 9: unknown key "bse"`) {
		t.Errorf("read %v, %v", policy, err)
	}
}

// The verb %#v, with which tests show a difference, shows how to make the value.
func TestGoSyntax(t *testing.T) {
	policy := parsePolicy(t, "polly-v8")
	budget := parseBudget(t, "ratio:max_tokens=7")
	for _, row := range []struct {
		value any
		want  string
	}{
		{policy, `backoff.ParsePolicy("constant:base=2s,max_retries=3")`},
		{&policy, `backoff.ParsePolicy("constant:base=2s,max_retries=3")`},
		{struct{ Retry backoff.Policy }{policy}, `struct { Retry backoff.Policy }{Retry:backoff.ParsePolicy("constant:base=2s,max_retries=3")}`},
		{backoff.Policy{}, `backoff.Policy{}`},
		{budget, `backoff.ParseBudget("ratio:max_tokens=7")`},
		{new(backoff.Budget), `&backoff.Budget{}`},
		{(*backoff.Budget)(nil), `(*backoff.Budget)(nil)`},
		{backoff.StreamFromSeed(42), `backoff.StreamFromSeed(42)`},
	} {
		if got := fmt.Sprintf("%#v", row.value); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

// The documentation needs no name that is not in it.
func TestDocumentationShowsNoInternals(t *testing.T) {
	for _, name := range []string{".", "./backoffhttp", "./cenkalti", "./sharedbudget"} {
		text, err := exec.Command("go", "doc", "-all", name).Output()
		if err != nil || !strings.HasPrefix(string(text), "package ") {
			t.Fatalf("go doc %s: %v", name, err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "engine.") || strings.Contains(line, " shared.") || strings.Contains(line, "internal/") {
				t.Errorf("go doc %s shows %s", name, line)
			}
		}
	}
}

const modulePath = "github.com/backoff-rs/backoff/bindings-go"

// go vet reports copies of the types that must not be copied.
func TestVetReportsCopies(t *testing.T) {
	folder := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.mod": "module copies\n\ngo 1.24\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + here + "\n",
	}
	for _, kind := range []string{"Budget", "Operation", "RetryStats"} {
		files[kind+".go"] = "package copies\n\nimport backoff \"" + modulePath + "\"\n\nfunc " + kind + "(b *backoff." + kind + ") { _ = *b }\n"
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.Command("go", "vet", ".")
	vet.Dir = folder
	found, err := vet.CombinedOutput()
	for _, kind := range []string{"Budget", "Operation", "RetryStats"} {
		if err == nil || !strings.Contains(string(found), "assignment copies lock value to _: "+modulePath+"."+kind) {
			t.Errorf("go vet reports no copy of %s: %v\n%s", kind, err, found)
		}
	}
}
