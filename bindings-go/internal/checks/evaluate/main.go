// Command evaluate answers lines of JSON (tests/README.md): delays, decisions, previews, fits, steps of
// budgets, exchanges of shared ones, and the waits that HTTP responses ask for.
package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"math"
	"os"
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
