// Command evaluate answers lines of JSON (tests/README.md): a line of a policy, a stream and an
// index in, the line as it is printed and the delay out.
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
	asked, ok := read(line)
	if !ok {
		return append(answer, `{"error":"not_a_request","at":0}`+"\n"...)
	}
	policy, err := backoff.ParsePolicy(asked.policy)
	if refused := (*backoff.PolicyError)(nil); errors.As(err, &refused) {
		return fmt.Appendf(answer, `{"error":"%v","at":%d}`+"\n", refused.Code, refused.At)
	}
	answer = append(answer, `{"canonical":"`...)
	answer, _ = policy.AppendText(answer) // a policy that was made has a line
	answer = append(answer, `","delay_ns":"`...)
	answer = strconv.AppendInt(answer, int64(policy.Delay(asked.stream, asked.index)), 10)
	return append(answer, "\"}\n"...)
}

type request struct {
	policy string
	stream backoff.Stream
	index  uint32
}

// read returns the request of a line, if it is one.
func read(line []byte) (request, bool) {
	// Members of a map, because those of a struct are found in any case of their letters. And
	// encoding/json puts replacement characters for what is no Unicode.
	var members map[string]json.RawMessage
	if !utf8.Valid(line) || hasLoneSurrogate(line) || json.Unmarshal(line, &members) != nil {
		return request{}, false
	}
	policy, isPolicy := text(members["policy"])
	seed, isSeed := seedOf(members["seed"])
	index, isIndex := indexOf(members["index"])
	stream, isKey := streamOf(seed, members["key"])
	return request{policy, stream, index}, isPolicy && isSeed && isIndex && isKey
}

func seedOf(member json.RawMessage) (uint64, bool) {
	if member == nil {
		return 0, true
	}
	digits, ok := text(member)
	seed, err := strconv.ParseUint(digits, 10, 64)
	return seed, ok && err == nil
}

func indexOf(member json.RawMessage) (uint32, bool) {
	if member == nil {
		return 0, true
	}
	// Of all JSON, only a number begins as one that ParseFloat reads.
	index, err := strconv.ParseFloat(string(member), 64)
	return uint32(index), err == nil && index == math.Trunc(index) && index >= 0 && index <= math.MaxUint32
}

func streamOf(seed uint64, member json.RawMessage) (backoff.Stream, bool) {
	if member == nil || string(member) == "null" {
		return backoff.SeedStream(seed), true
	}
	key, ok := text(member)
	if !ok {
		return backoff.Stream{}, false
	}
	stream, err := backoff.KeyStream(seed, key)
	return stream, err == nil
}

// text returns what a member holds, if it is a string.
func text(member json.RawMessage) (string, bool) {
	var text string
	ok := bytes.HasPrefix(member, []byte(`"`)) && json.Unmarshal(member, &text) == nil
	return text, ok
}

// hasLoneSurrogate looks at the escapes of a line; those that are no JSON are left to its reader.
func hasLoneSurrogate(line []byte) bool {
	for {
		at := bytes.IndexByte(line, '\\')
		if at < 0 || at+2 > len(line) {
			return false
		}
		line = line[at:]
		first, ok := escaped(line)
		switch {
		case !ok:
			line = line[2:]
		case !utf16.IsSurrogate(first):
			line = line[6:]
		default:
			second, _ := escaped(line[6:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return true
			}
			line = line[12:]
		}
	}
}

// escaped returns the unit of an escape of four digits that text begins with, if it does.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}
