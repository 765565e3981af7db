package main

import (
	"strings"
	"testing"
)

// notRequests returns rows of lines that are not requests.
func notRequests(lines ...string) []row {
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{line, notARequest}
	}
	return rows
}

// The rows of constant delays.
func TestPreviews(t *testing.T) {
	check(t, []row{
		{`{"policy":"constant:base=1ns,max_retries=2","preview":{"first":0,"count":5}}`, `{"rows":[["1","1","1","1","1","1"],["1","1","1","2","2","2"]]}`},
		{`{"policy":"constant:base=1ns","preview":{"first":1,"count":1}}`, `{"rows":[["1","1","1","2","2","2"]]}`},
		{`{"policy":"constant:base=1ns","preview":{"first":1e4,"count":1.0}}`, `{"rows":[["1","1","1","10001","10001","10001"]]}`},
		{`{"policy":"constant:base=1ns","preview":{"first":3,"count":-0}}`, `{"rows":[]}`},
		{`{"policy":"constant:base=1ns,max_retries=2","preview":{"first":2,"count":1000}}`, `{"rows":[]}`},
		{`{"policy":"","preview":{"first":0,"count":1}}`, `{"error":"unknown_head","at":0}`},
		{`{"policy":"constant:base=1ns","preview":{"first":5,"FIRST":0,"count":9,"first":0,"count":1}}`, `{"rows":[["1","1","1","1","1","1"]]}`},
		{`{"policy":"constant:base=1ns","preview":{"first":0,"count":1},"seed":7,"index":"x"}`, `{"rows":[["1","1","1","1","1","1"]]}`},
	})
	check(t, notRequests(
		`{"policy":"constant:base=1ns","preview":null}`,
		`{"policy":"constant:base=1ns","preview":[]}`,
		`{"policy":"constant:base=1ns","preview":{"first":0}}`,
		`{"policy":"constant:base=1ns","preview":{"count":1}}`,
		`{"policy":"constant:base=1ns","preview":{"First":0,"count":1}}`,
		`{"policy":"constant:base=1ns","preview":{"first":10001,"count":1}}`,
		`{"policy":"constant:base=1ns","preview":{"first":0,"count":1001}}`,
		`{"policy":"constant:base=1ns","preview":{"first":0,"count":0.5}}`,
		`{"policy":"constant:base=1ns","preview":{"first":"0","count":1}}`,
		`{"policy":"constant:base=1ns","preview":{"first":0,"count":null}}`,
		`{"policy":7,"preview":{"first":0,"count":1}}`,
		`{"preview":{"first":0,"count":1}}`,
	))
}

// 3 waits of a constant second take 3 seconds; n waits of 1, 2, 4, 4, ... take 4 n - 5.
func TestFits(t *testing.T) {
	check(t, []row{
		{`{"policy":"constant:base=1ns","fit":{"field":"base","attempts":4,"total":"3000000002"}}`, `{"canonical":"constant:base=1s"}`},
		{`{"policy":"exponential:base=1s,cap=1h","fit":{"field":"cap","attempts":1e1,"total":"31000000000"}}`, `{"canonical":"exponential:base=1s,cap=4s"}`},
		{`{"policy":"constant:base=1s,floor=1s","fit":{"field":"base","attempts":4,"total":"2999999999"}}`, `{"error":"does_not_fit","field":"base","value":"3000000000","limit":"2999999999"}`},
		{`{"policy":"constant:base=1s","fit":{"field":"base","attempts":0,"total":"0"}}`, `{"error":"too_small","field":"max_attempts","value":"0","limit":"1"}`},
		{`{"policy":"x","fit":{"field":"base","attempts":0,"total":"0"}}`, `{"error":"unknown_head","at":0}`},
		{`{"policy":"constant:base=1ns","fit":{"field":"base","attempts":2,"total":"00009223372036854775807"},"preview":7}`, `{"canonical":"constant:base=9223372036854775807ns"}`},
	})
	check(t, notRequests(
		`{"policy":"constant:base=1s","fit":{}}`,
		`{"policy":"constant:base=1s","fit":"base"}`,
		`{"policy":"constant:base=1s","fit":{"field":"floor","attempts":4,"total":"0"}}`,
		`{"policy":"constant:base=1s","fit":{"field":"BASE","attempts":4,"total":"0"}}`,
		`{"policy":"constant:base=1s","fit":{"field":"base","attempts":4294967296,"total":"0"}}`,
		`{"policy":"constant:base=1s","fit":{"field":"base","attempts":"4","total":"0"}}`,
		`{"policy":"constant:base=1s","fit":{"field":"base","attempts":4,"total":0}}`,
		`{"policy":"constant:base=1s","fit":{"field":"base","attempts":4,"total":"9223372036854775808"}}`,
		`{"policy":"constant:base=1s","fit":{"field":"base","attempts":4,"total":null}}`,
	))
}

func TestRetryAfters(t *testing.T) {
	check(t, []row{
		{`{"retry_after":{"value":"120","now":"0"}}`, `{"retry_after":"120000000000"}`},
		{`{"retry_after":{"value":"Thu, 01 Jan 1970 00:00:10 GMT","now":"9999999999"}}`, `{"retry_after":"1"}`},
		{`{"retry_after":{"value":"Thu, 01 Jan 1970 00:00:10 GMT","now":"9223372036854775807"}}`, `{"retry_after":"0"}`},
		{`{"retry_after":{"value":"\u00001","now":"0"},"policy":7,"steps":[]}`, `{"retry_after":null}`},
	})
	check(t, notRequests(
		`{"retry_after":"120"}`,
		`{"retry_after":null,"policy":"constant:base=1s"}`,
		`{"retry_after":{"value":120,"now":"0"}}`,
		`{"retry_after":{"value":"120"}}`,
		`{"retry_after":{"now":"0"}}`,
		`{"retry_after":{"value":"120","now":"9223372036854775808"}}`,
		`{"retry_after":{"value":"120","now":0}}`,
	))
}

func TestSteps(t *testing.T) {
	const begin = `{"operation":0,"do":"begin","now":"0"}`
	steps := func(members string, steps ...string) string {
		return `{"policy":"constant:base=1s,max_retries=2"` + members + `,"steps":[` + strings.Join(steps, ",") + `]}`
	}
	answers := func(budget string, answers ...string) string {
		return `{"canonical":"constant:base=1s,max_retries=2","budget":` + budget + `,"answers":[` + strings.Join(answers, ",") + `]}`
	}
	outcome := func(members string) string { return `{"operation":0,"do":"outcome","now":"0",` + members + `}` }
	failed := outcome(`"outcome":"transient"`)

	check(t, []row{
		{steps(``), answers(`null`)},
		{steps(`,"budget":null`, begin), answers(`null`)},
		{steps(``, begin, failed, failed, failed, failed), answers(`null`,
			`{"wait":"1000000000","retries":1}`, `{"wait":"1000000000","retries":2}`,
			`{"stop":"max_retries","delay":"0","retries":2}`, `{"stop":"max_retries","delay":"0","retries":2}`)},
		{steps(``, begin, `{"operation":-0,"do":"cancel","now":"5"}`, outcome(`"outcome":"success"`)), answers(`null`,
			`{"stop":"cancelled","delay":"0","retries":0}`, `{"stop":"cancelled","delay":"0","retries":0}`)},
		{steps(``, begin, outcome(`"outcome":"throttled","retry_after":"1500000000"`), outcome(`"outcome":"timeout","retry_after":null`), outcome(`"outcome":"success","deadline":5`)), answers(`null`,
			`{"wait":"1500000000","retries":1}`, `{"wait":"1000000000","retries":2}`, `{"stop":"success","delay":"0","retries":2}`)},
		{steps(``, `{"operation":4294967295,"do":"begin","now":"1","deadline":"1000000000"}`, `{"operation":4294967295,"do":"outcome","now":"1","outcome":"transient"}`), answers(`null`,
			`{"stop":"deadline","delay":"1000000000","retries":0}`)},
		{steps(``, `{"operation":7,"do":"begin","now":"1","deadline":null}`, `{"operation":7,"do":"outcome","now":"1","outcome":"permanent"}`), answers(`null`,
			`{"stop":"permanent","delay":"0","retries":0}`)},
		// Two operations share the one token.
		{steps(`,"budget":"quota:cost=1,max_tokens=1"`, begin, `{"operation":1,"do":"begin","now":"0"}`, failed, `{"operation":1,"do":"outcome","now":"0","outcome":"transient"}`), answers(`"quota:max_tokens=1,cost=1"`,
			`{"wait":"1000000000","retries":1}`, `{"stop":"budget","delay":"1000000000","retries":0}`)},
		{`{"policy":"full:base=1s","seed":"42","key":"job-1","steps":[` + begin + `,` + failed + `]}`,
			`{"canonical":"exponential:base=1s,jitter=full","budget":null,"answers":[{"wait":"113994343","retries":1}]}`},

		{steps(`,"budget":"quota:max_tokens=1,x=1"`, begin), `{"error":"unknown_key","at":19,"of":"budget"}`},
		{steps(`,"budget":"","policy":"x"`, begin), `{"error":"unknown_head","at":0}`},
	})
	check(t, notRequests(
		`{"policy":"constant:base=1s","steps":{}}`,
		`{"policy":"constant:base=1s","steps":null}`,
		steps(`,"policy":null`),
		steps(`,"budget":7`),
		steps(`,"seed":"-1"`),
		steps(`,"key":7`),
		steps(``, `null`),
		steps(``, `[]`),
		steps(``, begin, begin),
		steps(``, failed),
		steps(``, begin, `{"operation":1,"do":"cancel","now":"0"}`),
		steps(``, `{"operation":0,"do":"Begin","now":"0"}`),
		steps(``, `{"operation":0,"now":"0"}`),
		steps(``, `{"operation":0,"do":"begin"}`),
		steps(``, `{"operation":0,"do":"begin","now":0}`),
		steps(``, `{"operation":"0","do":"begin","now":"0"}`),
		steps(``, `{"operation":4294967296,"do":"begin","now":"0"}`),
		steps(``, `{"operation":0,"do":"begin","now":"0","deadline":"-1"}`),
		steps(``, `{"operation":0,"do":"begin","now":"9223372036854775808"}`),
		steps(``, begin, `{"operation":0,"do":"cancel"}`),
		steps(``, begin, outcome(`"Outcome":"transient"`)),
		steps(``, begin, outcome(`"outcome":"none"`)),
		steps(``, begin, outcome(`"outcome":"cancelled"`)),
		steps(``, begin, outcome(`"outcome":null`)),
		steps(``, begin, outcome(`"outcome":"transient","retry_after":5`)),
		steps(``, begin, outcome(`"outcome":"transient","retry_after":"1s"`)),
		`{"policy":"constant:base=1s,max_retries=2","steps":[`+begin+`,]}`,
	))
}

func TestResponses(t *testing.T) {
	check(t, []row{
		{`{"response":{"status":5.03e2,"fields":"X: 1\nretry-AFTER: 7\r\nRetry-After: 8","now":"0"}}`, `{"outcome":"throttled","retry_after":"7000000000"}`},
		{`{"response":{"status":404,"fields":"RateLimit-Reset: 7\n","now":"0"},"policy":7,"state":7}`, `{"outcome":"permanent","retry_after":null}`},
		{`{"response":{"status":503,"fields":"Retry-After: 7\r\r\n","now":"0"}}`, `{"outcome":"throttled","retry_after":null}`},
	})
	check(t, notRequests(
		`{"response":null}`,
		`{"response":{"fields":"","now":"0"}}`,
		`{"response":{"status":65536,"fields":"","now":"0"}}`,
		`{"response":{"status":200,"fields":null,"now":"0"}}`,
		`{"response":{"status":200,"fields":"","now":0}}`,
	))
}

// A quota of 5 tokens grants one retry that costs 5.
func TestStates(t *testing.T) {
	state := func(events string) string {
		return `{"budget":"quota:max_tokens=5","state":{"text":"7 5","events":[` + events + `]}}`
	}
	check(t, []row{
		{`{"budget":"sre","state":{"events":[]},"exchange":7}`, `{"budget":"ratio","answers":[]}`},
		{
			state(`{"event":"retry_requested","now":"0","outcome":"transient"},{"event":"retry_requested","now":"0","outcome":"timeout","held":"5"},{"event":"operation_succeeded","now":"0","held":"5","outcome":7}`),
			`{"budget":"quota:max_tokens=5","answers":[{"granted":true,"holds":"5","state":"8 0"},{"granted":false,"holds":"0","state":"8 0"},{"granted":null,"holds":"0","state":"9 5"}]}`,
		},
		{`{"budget":"sre","state":{"text":"","events":[]}}`, `{"error":"not_a_state","at":0,"of":"text"}`},
		{`{"budget":"","state":{"text":"","events":[]}}`, `{"error":"unknown_head","at":0,"of":"budget"}`},
	})
	check(t, notRequests(
		`{"budget":"sre","state":null}`,
		`{"budget":"sre","state":{"text":null}}`,
		`{"budget":null,"state":{"events":[]}}`,
		`{"budget":"sre","state":{"text":7,"events":[]}}`,
		state(`null`),
		state(`{"now":"0"}`),
		state(`{"event":"attempt_over"}`),
		state(`{"event":"none","now":"0"}`),
		state(`{"event":"attempt_over","now":"0","held":null}`),
		state(`{"event":"attempt_over","now":"0","held":"18446744073709551616"}`),
		state(`{"event":"retry_requested","now":"0"}`),
		state(`{"event":"retry_requested","now":"0","outcome":"none"}`),
	))
}

func exchangeOf(budget, members, steps string) string {
	return `{"budget":"` + budget + `","exchange":{"local":"sre","lease":1,"fallback":"1","timeout":"2000000000","seed":"0","steps":[` + steps + `]` + members + `}}`
}

func TestExchanges(t *testing.T) {
	const budget, knows = "quota:max_tokens=5", `"away":false,"due_in":null,"unsent":true,"timeout":"2000000000"}`
	check(t, []row{
		{
			exchangeOf(budget, ``, `{"do":"request","now":"0","outcome":"transient","times":2e0},{"do":"begin","now":"0"},{"do":"begin","now":"9"},{"do":"step","now":"0","text":"4 5 | 2 1 0","store_now":"120000000000"},{"do":"stored","now":"1"},{"do":"stored","now":"1"}`),
			`{"budget":"quota:max_tokens=5","local":"ratio","answers":[{"answer":"waits","held":"0","local":false,"away":false,"due_in":"0","unsent":false,"timeout":"2000000000"},{` + knows + `,{"error":"not_now"},` +
				`{"after":"5 0 | 2 2 0","changed":true,"steps":[{"event":"retry_requested","outcome":"transient","held":"0","count":"2","granted":"1"}],` + knows + `,` +
				`{"granted":["1","0","0"],"refused":["1","0","0"],"held":["5","5","5"],"away":false,"due_in":null,"unsent":false,"timeout":"2000000000"},{"error":"not_now"}],"stats":{"exchanges":"1","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"2"}}`,
		},
		{
			exchangeOf(budget, ``, `{"do":"note","now":"0","event":"attempt_failed"},{"do":"begin","now":"0"},{"do":"step","now":"0","text":"x","store_now":"0"},{"do":"failed","now":"0","stored":false},{"do":"cancel","now":"0","outcome":"success"},{"do":"lost","now":"0"}`),
			`{"budget":"quota:max_tokens=5","local":"ratio","answers":[{` + knows + `,{` + knows + `,{"after":null,"changed":false,"steps":[],` + knows + `,{"away":true` + knows[len(`"away":false`):] + `,{"away":true` + knows[len(`"away":false`):] + `,{"error":"not_now"}],"stats":{"exchanges":"1","failed_exchanges":"1","lost_swaps":"0","local_decisions":"0","processes":"1"}}`,
		},
		{exchangeOf("envoy", ``, ``), `{"error":"not_shared","at":0,"of":"budget"}`},
		{exchangeOf("envoy", `,"local":"sre:x=1"`, ``), `{"error":"unknown_key","at":4,"of":"local"}`},
	})
	check(t, notRequests(
		`{"budget":"sre","exchange":{}}`,
		exchangeOf(budget, `,"local":null`, ``),
		exchangeOf(budget, `,"lease":0`, ``),
		exchangeOf(budget, `,"lease":1001`, ``),
		exchangeOf(budget, `,"fallback":"1000001"`, ``),
		exchangeOf(budget, `,"timeout":"9223372036854775808"`, ``),
		exchangeOf(budget, `,"seed":0`, ``),
		exchangeOf(budget, `,"steps":null`, ``),
		exchangeOf(budget, ``, `{"do":"late"}`),
		exchangeOf(budget, ``, `{"now":"0"}`),
		exchangeOf(budget, ``, `{"do":"Late","now":"0"}`),
		exchangeOf(budget, ``, `{"do":"note","now":"0"}`),
		exchangeOf(budget, ``, `{"do":"note","now":"0","event":"none"}`),
		exchangeOf(budget, ``, `{"do":"note","now":"0","event":"attempt_over","local":null}`),
		exchangeOf(budget, ``, `{"do":"note","now":"0","event":"attempt_over","times":0}`),
		exchangeOf(budget, ``, `{"do":"request","now":"0","outcome":"none"}`),
		exchangeOf(budget, ``, `{"do":"request","now":"0","outcome":"timeout","times":100001}`),
		exchangeOf(budget, ``, `{"do":"cancel","now":"0"}`),
		exchangeOf(budget, ``, `{"do":"step","now":"0"}`),
		exchangeOf(budget, ``, `{"do":"step","now":"0","store_now":"0","text":7}`),
		exchangeOf(budget, ``, `{"do":"failed","now":"0"}`),
		exchangeOf(budget, ``, `{"do":"failed","now":"0","stored":"true"}`),
	))
}
