package backoff_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// An object is a JSON object. It is a map, because encoding/json ignores case when it matches the
// members of a struct. Each method panics with errNotARequest if the member is not what it reads.
type object map[string]json.RawMessage

// parseLine returns the object of a line. UTF-8 and surrogates are checked first, because
// encoding/json replaces invalid ones.
func parseLine(line []byte) object {
	check(utf8.Valid(line) && !hasLoneSurrogate(line))
	return parseObject(line)
}

func parseObject(text []byte) (members object) {
	err := json.Unmarshal(text, &members)
	check(err == nil && members != nil) // nil for null
	return members
}

func (o object) objectOf(name string) object { return parseObject(o[name]) }

// list returns a list of objects.
func (o object) list(name string) (objects []object) {
	var list []json.RawMessage
	err := json.Unmarshal(o[name], &list)
	check(err == nil && list != nil)
	for _, text := range list {
		objects = append(objects, parseObject(text))
	}
	return objects
}

func (o object) text(name string) (text string) {
	check(bytes.HasPrefix(o[name], []byte(`"`)) && json.Unmarshal(o[name], &text) == nil)
	return text
}

// isNone reports whether a member is null or left out.
func (o object) isNone(name string) bool { return o[name] == nil || string(o[name]) == "null" }

func (o object) textOrNil(name string) *string {
	if o.isNone(name) {
		return nil
	}
	text := o.text(name)
	return &text
}

// whole returns a whole number up to a limit.
func (o object) whole(name string, limit uint64) uint64 {
	// ParseFloat fails for every JSON value that is not a number.
	number, err := strconv.ParseFloat(string(o[name]), 64)
	check(err == nil && number == math.Trunc(number) && number >= 0 && number <= float64(limit))
	return uint64(number)
}

// word returns digits of a number of 64 bits. ParseUint accepts nothing but digits in base 10.
func (o object) word(name string) uint64 {
	number, err := strconv.ParseUint(o.text(name), 10, 64)
	check(err == nil)
	return number
}

// wordOr is word for a member that may be left out.
func (o object) wordOr(name string, number uint64) uint64 {
	if _, ok := o[name]; !ok {
		return number
	}
	return o.word(name)
}

func isDigits(text string, bits int) bool {
	_, err := strconv.ParseUint(text, 10, bits)
	return err == nil
}

func (o object) boolean(name string) bool {
	text := string(o[name])
	check(text == "true" || text == "false")
	return text == "true"
}

func (o object) time(name string) time.Duration {
	ns := o.word(name)
	check(ns <= math.MaxInt64)
	return time.Duration(ns)
}

// timeOr is time for a member that may be null or left out.
func (o object) timeOr(name string, ns time.Duration) time.Duration {
	if o.isNone(name) {
		return ns
	}
	return o.time(name)
}

// hasLoneSurrogate reports whether an escape in the line is half of a surrogate pair. It ignores
// escapes that are not valid JSON, which the parser rejects.
func hasLoneSurrogate(line []byte) bool {
	for {
		at := bytes.IndexByte(line, '\\')
		if at < 0 || at+2 > len(line) {
			return false
		}
		line = line[at:]
		first, ok := parseEscape(line)
		switch {
		case !ok:
			line = line[2:]
		case !utf16.IsSurrogate(first):
			line = line[6:]
		default:
			second, _ := parseEscape(line[6:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return true
			}
			line = line[12:]
		}
	}
}

// parseEscape returns the code unit of a \uXXXX escape at the beginning of text.
func parseEscape(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}
