package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// An object is a JSON object. It is a map, because encoding/json ignores case when it matches the
// members of a struct. Each method reports false if the member is not what it reads.
type object map[string]json.RawMessage

// parseLine returns the object of a line. UTF-8 and surrogates are checked first, because
// encoding/json replaces invalid ones.
func parseLine(line []byte) (object, bool) {
	if !utf8.Valid(line) || hasLoneSurrogate(line) {
		return nil, false
	}
	return parseObject(line)
}

func parseObject(text []byte) (object, bool) {
	var members object
	err := json.Unmarshal(text, &members)
	return members, err == nil && members != nil // nil for null
}

func (o object) object(name string) (object, bool) { return parseObject(o[name]) }

// list returns a list of objects.
func (o object) list(name string) ([]object, bool) {
	var list []json.RawMessage
	if json.Unmarshal(o[name], &list) != nil || list == nil {
		return nil, false
	}
	objects := make([]object, len(list))
	for i, text := range list {
		var ok bool
		if objects[i], ok = parseObject(text); !ok {
			return nil, false
		}
	}
	return objects, true
}

func (o object) text(name string) (string, bool) {
	var text string
	ok := bytes.HasPrefix(o[name], []byte(`"`)) && json.Unmarshal(o[name], &text) == nil
	return text, ok
}

// optionalText is text for a member that may be null or left out, and then is not present.
func (o object) optionalText(name string) (text string, present, ok bool) {
	if member := o[name]; member == nil || string(member) == "null" {
		return "", false, true
	}
	text, ok = o.text(name)
	return text, true, ok
}

// whole returns a whole number up to a limit.
func (o object) whole(name string, limit uint64) (uint64, bool) {
	// ParseFloat fails for every JSON value that is not a number.
	number, err := strconv.ParseFloat(string(o[name]), 64)
	if err != nil || number != math.Trunc(number) || number < 0 || number > float64(limit) {
		return 0, false
	}
	return uint64(number), true
}

// count returns a whole number from 1 up to a limit, or 1 if it is left out.
func (o object) count(name string, limit uint64) (uint64, bool) {
	if _, ok := o[name]; !ok {
		return 1, true
	}
	number, ok := o.whole(name, limit)
	return number, ok && number > 0
}

// word returns digits of a number of 64 bits.
func (o object) word(name string) (uint64, bool) {
	digits, isText := o.text(name)
	number, isDigits := parseDigits(digits, 64)
	return number, isText && isDigits
}

func (o object) boolean(name string) (is, ok bool) {
	text := string(o[name])
	return text == "true", text == "true" || text == "false"
}

func (o object) time(name string) (time.Duration, bool) {
	digits, isText := o.text(name)
	ns, isDigits := parseDigits(digits, 63)
	return time.Duration(ns), isText && isDigits
}

func (o object) optionalTime(name string) (ns time.Duration, present, ok bool) {
	if _, present, _ := o.optionalText(name); !present {
		return 0, false, true
	}
	ns, ok = o.time(name)
	return ns, true, ok
}

// stream returns the stream of the seed and the key.
func (o object) stream() (backoff.RandomStream, bool) {
	seed := uint64(0)
	if _, ok := o["seed"]; ok {
		if seed, ok = o.word("seed"); !ok {
			return backoff.RandomStream{}, false
		}
	}
	key, hasKey, ok := o.optionalText("key")
	if !ok || !hasKey {
		return backoff.StreamFromSeed(seed), ok
	}
	stream, err := backoff.StreamFromKey(seed, key)
	return stream, err == nil
}

// parseDigits returns a number of a number of bits. ParseUint accepts nothing but digits in base 10.
func parseDigits(digits string, bits int) (uint64, bool) {
	number, err := strconv.ParseUint(digits, 10, bits)
	return number, err == nil
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
