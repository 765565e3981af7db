package backoff_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain makes the tests an evaluator (tests/README.md) if a variable says so: a program that answers lines of JSON about
// delays, decisions, previews, fits, steps of budgets, exchanges of shared ones, and the waits that HTTP responses ask for.
func TestMain(m *testing.M) {
	if os.Getenv("BACKOFF_EVALUATE") == "" {
		os.Exit(m.Run())
	}
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// Every request of the reference has its answer.
func TestEveryRequest(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors(t), "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(text)) {
		var c struct {
			ID    string
			Asked [][3]json.RawMessage // what it asks for, the request, the answer
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		for _, row := range c.Asked {
			asked++
			t.Run(c.ID+string(row[0]), func(t *testing.T) {
				var request, want string
				var bytes []rune // of a request that is no text
				if json.Unmarshal(row[1], &request) != nil && json.Unmarshal(row[1], &bytes) != nil || json.Unmarshal(row[2], &want) != nil {
					t.Fatalf("no request: %s", row)
				}
				line := []byte(request)
				for _, b := range bytes {
					line = append(line, byte(b))
				}
				if got := answer(line); got != want {
					t.Errorf("%s is answered with\n%s, want\n%s", row[1], got, want)
				}
			})
		}
	}
	if asked < 4500 {
		t.Errorf("only %d requests", asked)
	}
}

func answerAll(requests io.Reader, answers io.Writer) error {
	lines, out := bufio.NewScanner(requests), bufio.NewWriterSize(answers, 1<<16)
	lines.Buffer(make([]byte, 1<<16), math.MaxInt)
	for lines.Scan() {
		if _, err := out.WriteString(answer(lines.Bytes()) + "\n"); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

// errNotARequest is what every reader of a member panics with.
var errNotARequest = errors.New("not a request")

func check(ok bool) {
	if !ok {
		panic(errNotARequest)
	}
}

// answer returns the answer to a line.
func answer(line []byte) (text string) {
	defer func() {
		switch found := recover(); found {
		case nil:
		case errNotARequest:
			text = `{"error":"not_a_request","at":0}`
		default:
			panic(found)
		}
	}()
	request := request{object: parseLine(line)}
	form := delay
	for _, known := range forms {
		if _, ok := request.object[known.name]; ok {
			form = known.form
			break
		}
	}
	text = form(&request)
	if request.refused != "" {
		return request.refused
	}
	return text
}
