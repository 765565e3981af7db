package main

import (
	"strings"
	"testing"
)

const (
	notARequest = `{"error":"not_a_request","at":0}`
	// The answer for "constant:base=1s", whatever the stream and the index.
	second = `{"canonical":"constant:base=1s","delay_ns":"1000000000"}`
)

// The rules for requests are those of tests/README.md.
func TestDelays(t *testing.T) {
	check(t, []row{
		{`{"policy":"constant:base=1s"}`, second},
		{" \t{ \"policy\" : \"constant:base=1s\" } \r", second},
		{`{"policy":"constant:base=1s","seed":"18446744073709551615","key":"job-1","index":4294967295}`, second},
		{`{"policy":"constant:base=1s","seed":"00000000000000000000000000000007","key":null,"index":-0}`, second},
		{`{"policy":"constant:base=1s","index":1e2}`, second},
		{`{"index" : 3 , "policy" : "constant:base=1s" }`, second},
		{`{"policy":"constant:base=1s","index":42949672950e-1}`, second},
		{`{"policy":"x","policy":"constant:base=1s"}`, second},
		{`{"p\u006flicy":"constant\u003abase=1s","key":"\ud83d\ude00"}`, second},
		{`{"policy":"constant:base=1s","Policy":"x","other":[{"policy":1}],"POLICY":null}`, second},
		{`{"policy":"constant:base=1s","key":"\\ud800"}`, second},
		{`{"policy":"full:base=1s","seed":"42","key":"job-1","index":2}`, `{"canonical":"exponential:base=1s,jitter=full","delay_ns":"2293098112"}`},
		{`{"policy":"","seed":"0"}`, `{"error":"unknown_head","at":0}`},
		{`{"policy":"constant:base=1\u0000"}`, `{"error":"unknown_unit","at":15}`},

		{``, notARequest},
		{`{}`, notARequest},
		{`null`, notARequest},
		{`["constant:base=1s"]`, notARequest},
		{`{"policy":null}`, notARequest},
		{`{"policy":["constant:base=1s"]}`, notARequest},
		{`{"Policy":"constant:base=1s"}`, notARequest},
		{`{"policy":"constant:base=1s"}{}`, notARequest},
		{`{"policy":"constant:base=1s",}`, notARequest},
		{`{"policy":"constant:base=1s","policy":1}`, notARequest},
		{"\xef\xbb\xbf" + `{"policy":"constant:base=1s"}`, notARequest},
		{`{"policy":"constant:base=1s","key":"` + "\xff" + `"}`, notARequest},
		{`{"policy":"constant:base=1s","key":"` + "\xed\xa0\x80" + `"}`, notARequest},
		{`{"policy":"constant:base=1s","key":"` + "\t" + `"}`, notARequest},
		{`{"policy":"constant:base=1s","key":"\ud800"}`, notARequest},
		{`{"policy":"constant:base=1s","key":"\ude00\ud83d"}`, notARequest},
		{`{"policy":"constant:base=1s","other":"\ud83d\\ude00"}`, notARequest},
		{`{"policy":"constant:base=1s","\udc00":0}`, notARequest},
		{`{"policy":"constant:base=1s","key":7}`, notARequest},
		{`{"policy":"constant:base=1s","seed":7}`, notARequest},
		{`{"policy":"constant:base=1s","seed":null}`, notARequest},
		{`{"policy":"constant:base=1s","seed":""}`, notARequest},
		{`{"policy":"constant:base=1s","seed":"+7"}`, notARequest},
		{`{"policy":"constant:base=1s","seed":"1_0"}`, notARequest},
		{`{"policy":"constant:base=1s","seed":"18446744073709551616"}`, notARequest},
		{`{"policy":"constant:base=1s","index":"7"}`, notARequest},
		{`{"policy":"constant:base=1s","index":null}`, notARequest},
		{`{"policy":"constant:base=1s","index":0.5}`, notARequest},
		{`{"policy":"constant:base=1s","index":-1}`, notARequest},
		{`{"policy":"constant:base=1s","index":4294967296}`, notARequest},
		{`{"policy":"constant:base=1s","index":1e400}`, notARequest},
		{`{"policy":"constant:base=1s","index":NaN}`, notARequest},
		{`{"policy":"constant:base=1s","index":Infinity}`, notARequest},
		{`{"policy":"constant:base=1s","index":0x10}`, notARequest},
		{`{"policy":"constant:base=1s","key":"\`, notARequest},
		{`{"policy":"constant:base=1s","key":"\ud800`, notARequest},
	})
}

type row struct{ line, want string }

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, row := range rows {
		if got := string(appendAnswer(nil, []byte(row.line))); got != row.want {
			t.Errorf("%q: answer %s, want %s", row.line, got, row.want)
		}
	}
}

func TestEveryLineGetsAnAnswer(t *testing.T) {
	long := `{"policy":"constant:base=1s","other":"` + strings.Repeat("x", 1<<20) + `"}`
	for requests, want := range map[string][]string{
		"":                      {},
		"\n":                    {notARequest},
		"\r\n\n" + long:         {notARequest, notARequest, second},
		long + "\n" + "x\r\n":   {second, notARequest},
		long + "\n" + long + "": {second, second},
	} {
		var answers strings.Builder
		if err := answerAll(strings.NewReader(requests), &answers); err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(append(want, ""), "\n"); answers.String() != want {
			t.Errorf("answers %q, want %q", answers.String(), want)
		}
	}
}
