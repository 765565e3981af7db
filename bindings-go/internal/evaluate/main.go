// Command evaluate answers lines of JSON (tests/README.md). A request holds a policy string, a stream
// and an index; the answer holds the canonical policy string and the delay.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func main() {
	log.SetFlags(0)
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func answerAll(requests io.Reader, answers io.Writer) error {
	lines, out := bufio.NewScanner(requests), bufio.NewWriterSize(answers, 1<<16)
	lines.Buffer(make([]byte, 1<<16), math.MaxInt)
	var answer []byte
	for lines.Scan() {
		answer = appendAnswer(answer[:0], lines.Bytes())
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

func appendAnswer(answer, line []byte) []byte {
	request, ok := parseRequest(line)
	if !ok {
		return append(answer, `{"error":"not_a_request","at":0}`+"\n"...)
	}
	policy, err := backoff.ParsePolicy(request.policy)
	if invalid := (*backoff.PolicyError)(nil); errors.As(err, &invalid) {
		return fmt.Appendf(answer, `{"error":"%v","at":%d}`+"\n", invalid.Code, invalid.At)
	}
	answer = append(answer, `{"canonical":"`...)
	answer, _ = policy.AppendText(answer) // only the zero Policy fails
	answer = append(answer, `","delay_ns":"`...)
	answer = strconv.AppendInt(answer, int64(policy.Delay(request.stream, request.index)), 10)
	return append(answer, "\"}\n"...)
}

type request struct {
	policy string
	stream backoff.RandomStream
	index  uint32
}

// parseRequest returns the request of a line, and whether the line is a valid request.
func parseRequest(line []byte) (request, bool) {
	// A map, because encoding/json ignores case when it matches the members of a struct. UTF-8 and
	// surrogates are checked first, because encoding/json replaces invalid ones.
	var members map[string]json.RawMessage
	if !utf8.Valid(line) || hasLoneSurrogate(line) || json.Unmarshal(line, &members) != nil {
		return request{}, false
	}
	policy, isPolicy := parseText(members["policy"])
	seed, isSeed := parseSeed(members["seed"])
	index, isIndex := parseIndex(members["index"])
	stream, isKey := parseStream(seed, members["key"])
	return request{policy, stream, index}, isPolicy && isSeed && isIndex && isKey
}

func parseSeed(member json.RawMessage) (uint64, bool) {
	if member == nil {
		return 0, true
	}
	digits, ok := parseText(member)
	seed, err := strconv.ParseUint(digits, 10, 64)
	return seed, ok && err == nil
}

func parseIndex(member json.RawMessage) (uint32, bool) {
	if member == nil {
		return 0, true
	}
	// ParseFloat fails for every JSON value that is not a number.
	index, err := strconv.ParseFloat(string(member), 64)
	return uint32(index), err == nil && index == math.Trunc(index) && index >= 0 && index <= math.MaxUint32
}

func parseStream(seed uint64, member json.RawMessage) (backoff.RandomStream, bool) {
	if member == nil || string(member) == "null" {
		return backoff.StreamFromSeed(seed), true
	}
	key, ok := parseText(member)
	if !ok {
		return backoff.RandomStream{}, false
	}
	stream, err := backoff.StreamFromKey(seed, key)
	return stream, err == nil
}

// parseText returns the value of a member that is a string.
func parseText(member json.RawMessage) (string, bool) {
	var text string
	ok := bytes.HasPrefix(member, []byte(`"`)) && json.Unmarshal(member, &text) == nil
	return text, ok
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
