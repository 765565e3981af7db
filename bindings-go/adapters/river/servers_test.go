package backoffriver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// serversVariable has the program that starts servers, as a JSON array of words: see tests/hosts/servers.py of
// the repository.
const serversVariable = "BACKOFF_SERVERS"

// A servers is the program that runs the servers of the tests.
type servers struct {
	urls    map[string]string
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// startServers starts servers. Nil without an error means that no program is known.
func startServers(names ...string) (*servers, error) {
	variable := os.Getenv(serversVariable)
	if variable == "" {
		return nil, nil
	}
	var words []string
	if err := json.Unmarshal([]byte(variable), &words); err != nil || len(words) == 0 {
		return nil, fmt.Errorf("%s=%s: %w", serversVariable, variable, err)
	}
	words = append(words, names...)
	s := &servers{command: exec.Command(words[0], words[1:]...)}
	s.command.Stderr = os.Stderr
	output, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.input, err = s.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	s.output = bufio.NewReader(output)
	line, err := s.output.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the servers did not start: %w", err)
	}
	return s, json.Unmarshal(line, &s.urls)
}

// do runs a command, such as "kill postgres".
func (s *servers) do(t *testing.T, command string) {
	t.Helper()
	if _, err := fmt.Fprintln(s.input, command); err != nil {
		t.Fatal(err)
	}
	if answer, err := s.output.ReadString('\n'); err != nil || strings.TrimSpace(answer) != "done" {
		t.Fatalf("%s: %q, %v", command, answer, err)
	}
}

// stop stops the servers.
func (s *servers) stop() error {
	if err := s.input.Close(); err != nil {
		return err
	}
	return s.command.Wait()
}
