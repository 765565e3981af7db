// Package adapters tests the adapters on the libraries that they adapt. They are modules of their own, whose zip files
// have no tests.
package adapters

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// serversVariable names the variable of the environment that has the program which starts servers, as a JSON array of
// words: see tests/integrations/servers.py.
const serversVariable = "BACKOFF_SERVERS"

const patience = time.Minute

var errBusy = errors.New("busy")

// started are the servers of all tests, nil without a program that starts them.
var started *servers

func TestMain(m *testing.M) {
	if queue := os.Getenv(workerVariable); queue != "" {
		fmt.Fprintln(os.Stderr, work(queue))
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if started, err = startServers("redis", "redis-cluster", "redis-sentinel", "postgres"); err == nil && started != nil {
		defer func() { _ = started.stop() }()
		err = prepareRiver()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// servers is the program that runs servers.
type servers struct {
	urls    map[string]string // by name
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// url returns the address of a server that is needed.
func url(t *testing.T, name string) string {
	t.Helper()
	if started == nil {
		t.Skip(serversVariable + " is not set")
	}
	return started.urls[name]
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

// tell runs commands, such as "kill postgres".
func tell(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if _, err := fmt.Fprintln(started.input, command); err != nil {
			t.Fatal(err)
		}
		if answer, err := started.output.ReadString('\n'); err != nil || strings.TrimSpace(answer) != "done" {
			t.Fatalf("%s: %q, %v", command, answer, err)
		}
	}
}

func (s *servers) stop() error { return errors.Join(s.input.Close(), s.command.Wait()) }
