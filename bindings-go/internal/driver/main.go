// Command driver answers request lines (tests/README.md), so that this language can be put
// beside any other.
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
	"github.com/backoff-rs/backoff/bindings-go/internal/given"
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
		fmt.Fprintln(out, text)
	}
	return errors.Join(lines.Err(), out.Flush())
}

// answer returns the line of one request, or why it is none.
func answer(line string) (string, error) {
	fields := make(map[string]string)
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		fields[name] = value
	}
	asked, err := question(fields)
	if err != nil {
		return "", err
	}
	policy, err := given.Policy(fields)
	if refused := (*backoff.PolicyError)(nil); errors.As(err, &refused) {
		return fmt.Sprintf("error %v %s %d %d", refused.Code, refused.Field, refused.Value, refused.Limit), nil
	}
	if err != nil {
		return "", err
	}
	delays, err := asked.of(policy)
	if err != nil {
		return "", err
	}
	text := []byte("ok")
	for _, delay := range delays {
		text = strconv.AppendInt(append(text, ' '), int64(delay), 10)
	}
	return string(text), nil
}

type request struct {
	stream backoff.Stream
	via    string
	index  uint32
	count  int
}

// question takes the words that are no fields of the policy out of the fields.
func question(fields map[string]string) (request, error) {
	take := func(name string) string {
		value := fields[name]
		delete(fields, name)
		return value
	}
	hexKey, hasKey := fields["key"]
	key, keyErr := hex.DecodeString(hexKey)
	delete(fields, "key")
	seed, seedErr := strconv.ParseUint(take("seed"), 10, 64)
	index, indexErr := strconv.ParseUint(take("index"), 10, 32)
	count, countErr := strconv.Atoi(take("count"))
	stream := backoff.SeedStream(seed)
	if hasKey {
		stream = backoff.BytesKeyStream(seed, key)
	}
	asked := request{stream, take("via"), uint32(index), count}
	return asked, errors.Join(keyErr, seedErr, indexErr, countErr)
}

func (r request) of(policy backoff.Policy) ([]time.Duration, error) {
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
