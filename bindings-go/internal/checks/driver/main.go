// Command driver answers request lines (tests/README.md), which compare this language with any other.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

func main() {
	log.SetFlags(0)
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func answerAll(requests io.Reader, answers io.Writer) error {
	lines, out := bufio.NewScanner(requests), bufio.NewWriter(answers)
	for lines.Scan() {
		text, err := answer(lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

// answer returns the answer to a request line, or an error if it is not valid.
func answer(line string) (string, error) {
	members := make(map[string]string)
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		members[name] = value
	}
	request, err := takeRequest(members)
	if err != nil {
		return "", err
	}
	params := paramsOf(members)
	core, invalid := params.Build()
	if invalid != nil {
		return fmt.Sprintf("error %s %s %d %d", engine.CodeName(invalid.Code), invalid.Field, invalid.Value, invalid.Limit), nil
	}
	text, _ := core.AppendText(nil)
	policy, err := backoff.ParsePolicy(string(text))
	if err != nil {
		return "", err
	}
	delays, err := request.delays(policy)
	if err != nil {
		return "", err
	}
	text = append(text[:0], "ok"...)
	for _, delay := range delays {
		text = strconv.AppendInt(append(text, ' '), int64(delay), 10)
	}
	return string(text), nil
}

type request struct {
	stream backoff.RandomStream
	via    string
	index  uint32
	count  int
}

// takeRequest removes the members that are not fields of the policy and returns them.
func takeRequest(members map[string]string) (request, error) {
	take := func(name string) string {
		value := members[name]
		delete(members, name)
		return value
	}
	hexKey, hasKey := members["key"]
	key, keyErr := hex.DecodeString(hexKey)
	delete(members, "key")
	seed, seedErr := strconv.ParseUint(take("seed"), 10, 64)
	index, indexErr := strconv.ParseUint(take("index"), 10, 32)
	count, countErr := strconv.Atoi(take("count"))
	stream := backoff.StreamFromSeed(seed)
	if hasKey {
		stream = backoff.StreamFromKeyBytes(seed, key)
	}
	taken := request{stream, take("via"), uint32(index), count}
	return taken, errors.Join(keyErr, seedErr, indexErr, countErr)
}

func (r request) delays(policy backoff.Policy) ([]time.Duration, error) {
	delays := make([]time.Duration, r.count)
	count := 0
	switch r.via {
	case "at":
		for ; count < r.count; count++ {
			delays[count] = policy.Delay(r.stream, r.index+uint32(count))
		}
	case "fill":
		count = policy.Fill(r.stream, r.index, delays)
	case "next":
		count = next(backoff.New(policy, r.stream), delays)
	case "reset":
		b := backoff.New(policy, r.stream)
		next(b, make([]time.Duration, r.index))
		b.Reset()
		count = next(b, delays)
	default:
		return nil, fmt.Errorf("unknown via %q", r.via)
	}
	return delays[:count], nil
}

func next(b *backoff.Backoff, delays []time.Duration) int {
	for i := range delays {
		delay, ok := b.Next()
		if !ok {
			return i
		}
		delays[i] = delay
	}
	return len(delays)
}
