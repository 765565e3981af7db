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
	var answer []byte
	for lines.Scan() {
		answer = append(appendAnswer(answer[:0], lines.Bytes()), '\n')
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

// appendAnswer appends the answer to a line.
func appendAnswer(text, line []byte) []byte {
	request, ok := parseRequest(line)
	if !ok {
		return append(text, `{"error":"not_a_request","at":0}`...)
	}
	return request.appendAnswer(text)
}
