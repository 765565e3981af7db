package main

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A request is a line that is one.
type request interface{ appendAnswer(text []byte) []byte }

// parseRequest returns the request of a line, and whether the line is one.
func parseRequest(line []byte) (request, bool) {
	members, ok := parseLine(line)
	if !ok {
		return nil, false
	}
	for _, form := range forms {
		if _, ok := members[form.name]; ok {
			return form.parse(members)
		}
	}
	evaluate, ok := parseEvaluate(members)
	policy, isPolicy := members.text("policy")
	return onPolicy{policy, evaluate}, ok && isPolicy
}

// forms are those without a policy, in the order in which they are looked for.
var forms = []struct {
	name  string
	parse func(members object) (request, bool)
}{
	{"retry_after", parseRetryAfter},
	{"response", parseResponse},
	{"state", parseState},
	{"exchange", parseExchange},
}

// A retryAfter asks for the wait of a Retry-After header.
type retryAfter struct {
	value string
	now   time.Duration
}

func parseRetryAfter(members object) (request, bool) {
	asked, isObject := members.object("retry_after")
	value, isText := asked.text("value")
	now, isTime := asked.time("now")
	return retryAfter{value, now}, isObject && isText && isTime
}

func (r retryAfter) appendAnswer(text []byte) []byte {
	wait, ok := backoff.ParseRetryAfter(r.value, time.Unix(0, int64(r.now)))
	return append(appendNumber(append(text, `{"retry_after":`...), uint64(wait), ok), '}')
}

// A response asks for the outcome of a status, and for the wait of header fields.
type response struct {
	status uint64
	fields string
	now    time.Duration
}

func parseResponse(members object) (request, bool) {
	asked, isObject := members.object("response")
	status, isStatus := asked.whole("status", math.MaxUint16)
	fields, isText := asked.text("fields")
	now, isTime := asked.time("now")
	return response{status, fields, now}, isObject && isStatus && isText && isTime
}

func (r response) appendAnswer(text []byte) []byte {
	header := http.Header{}
	for line := range strings.SplitSeq(r.fields, "\n") {
		if name, value, found := strings.Cut(strings.TrimSuffix(line, "\r"), ":"); found {
			header.Add(name, value)
		}
	}
	outcome, wait, ok := backoff.HTTPVerdict(int(r.status), header, time.Unix(0, int64(r.now))).Verdict()
	text = fmt.Appendf(text, `{"outcome":"%v","retry_after":`, outcome)
	return append(appendNumber(text, uint64(wait), ok), '}')
}

// An onPolicy asks something of a policy.
type onPolicy struct {
	policy   string
	evaluate evaluate
}

// An evaluate appends the answer of a valid policy.
type evaluate func(text []byte, policy backoff.Policy) []byte

func (o onPolicy) appendAnswer(text []byte) []byte {
	policy, err := backoff.ParsePolicy(o.policy)
	if err != nil {
		code, at := parseError(err)
		return fmt.Appendf(text, `{"error":"%v","at":%d}`, code, at)
	}
	return o.evaluate(text, policy)
}

func parseError(err error) (backoff.Code, int) {
	var invalid *backoff.PolicyError
	if !errors.As(err, &invalid) {
		panic(err)
	}
	return invalid.Code, invalid.At
}

// parseEvaluate returns what a request asks of its policy.
func parseEvaluate(members object) (evaluate, bool) {
	if _, ok := members["steps"]; ok {
		return parseSteps(members)
	}
	if _, ok := members["fit"]; ok {
		return parseFit(members)
	}
	if _, ok := members["preview"]; ok {
		return parsePreview(members)
	}
	return parseDelay(members)
}

func parseDelay(members object) (evaluate, bool) {
	stream, isStream := members.stream()
	index, isIndex := uint64(0), true
	if _, ok := members["index"]; ok {
		index, isIndex = members.whole("index", math.MaxUint32)
	}
	return func(text []byte, policy backoff.Policy) []byte {
		return fmt.Appendf(text, `{"canonical":"%v","delay_ns":"%d"}`, policy, policy.Delay(stream, uint32(index)))
	}, isStream && isIndex
}

func parsePreview(members object) (evaluate, bool) {
	asked, isObject := members.object("preview")
	first, isFirst := asked.whole("first", 10_000)
	count, isCount := asked.whole("count", 1000)
	return func(text []byte, policy backoff.Policy) []byte {
		text, index := append(text, `{"rows":[`...), uint64(0)
		for row := range policy.Preview() {
			if index >= first+count {
				break
			}
			if index > first {
				text = append(text, ',')
			}
			if index >= first {
				text = fmt.Appendf(text, `["%d","%d","%d","%d","%d","%d"]`, row.Min, row.Mean, row.Max, row.TotalMin, row.TotalMean, row.TotalMax)
			}
			index++
		}
		return append(text, "]}"...)
	}, isObject && isFirst && isCount
}

func parseFit(members object) (evaluate, bool) {
	asked, isObject := members.object("fit")
	field, _ := asked.text("field")
	attempts, isCount := asked.whole("attempts", math.MaxUint32)
	total, isTime := asked.time("total")
	return func(text []byte, policy backoff.Policy) []byte {
		fit := policy.FitBase
		if field == "cap" {
			fit = policy.FitCap
		}
		fitted, err := fit(attempts, total)
		if invalid := (*backoff.PolicyError)(nil); errors.As(err, &invalid) {
			return fmt.Appendf(text, `{"error":"%v","field":"%s","value":"%d","limit":"%d"}`, invalid.Code, invalid.Field, invalid.Value, invalid.Limit)
		}
		return fmt.Appendf(text, `{"canonical":"%v"}`, fitted)
	}, isObject && isCount && isTime && (field == "base" || field == "cap")
}

// appendNumber appends a number as digits, or null.
func appendNumber(text []byte, number uint64, ok bool) []byte {
	return appendText(text, strconv.FormatUint(number, 10), ok)
}

// appendText appends a JSON string without characters that need an escape, or null for no text.
func appendText(text []byte, value string, ok bool) []byte {
	if !ok {
		return append(text, "null"...)
	}
	return strconv.AppendQuote(text, value)
}
