// Package servers starts the servers of the tests of adapters.
package servers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Variable names the variable of the environment that has the program which starts servers, as a JSON array of words:
// see tests/integrations/servers.py of the repository.
const Variable = "BACKOFF_SERVERS"

// Servers is the program that runs servers.
type Servers struct {
	URLs    map[string]string // by name
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// Start starts servers. Nil without an error means that no program is known.
func Start(names ...string) (*Servers, error) {
	variable := os.Getenv(Variable)
	if variable == "" {
		return nil, nil
	}
	var words []string
	if err := json.Unmarshal([]byte(variable), &words); err != nil || len(words) == 0 {
		return nil, fmt.Errorf("%s=%s: %w", Variable, variable, err)
	}
	words = append(words, names...)
	s := &Servers{command: exec.Command(words[0], words[1:]...)}
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
	return s, json.Unmarshal(line, &s.URLs)
}

// Do runs a command, such as "kill postgres".
func (s *Servers) Do(command string) error {
	if _, err := fmt.Fprintln(s.input, command); err != nil {
		return err
	}
	if answer, err := s.output.ReadString('\n'); err != nil || strings.TrimSpace(answer) != "done" {
		return fmt.Errorf("%s: %q, %w", command, answer, err)
	}
	return nil
}

// Stop stops the servers.
func (s *Servers) Stop() error {
	if err := s.input.Close(); err != nil {
		return err
	}
	return s.command.Wait()
}
