// Command go measures the Go module and its peers for `cargo xtask bench` (bench/README.md):
//
//	go run . works
//	go run . measure WORK
//	go run . waiting
//	go run . check
//	go run . versions
//
// The same works are benchmarks of the go command, for benchstat:
//
//	go test -bench . -count 10 | benchstat -col /by -
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case slices.Equal(arguments, []string{"works"}):
		for _, work := range works() {
			fmt.Println(work.name)
		}
		return nil
	case len(arguments) == 2 && arguments[0] == "measure":
		return measure(arguments[1])
	case slices.Equal(arguments, []string{"waiting"}):
		return waiting()
	case len(arguments) == 3 && arguments[0] == "waiting":
		return waitingOf(arguments[1], arguments[2])
	case slices.Equal(arguments, []string{"check"}):
		return check()
	case slices.Equal(arguments, []string{"versions"}):
		return versions()
	}
	return fmt.Errorf("usage: works | measure WORK | waiting | check | versions")
}

// A measurement is a line of output.
type measurement struct {
	Work        string  `json:"work"`
	By          string  `json:"by"`
	Ns          float64 `json:"ns"`
	Bytes       int64   `json:"bytes"`
	Allocations int64   `json:"allocations"`
}

// measure prints what one operation of a work costs everyone.
func measure(name string) error {
	testing.Init()
	milliseconds := cmp.Or(os.Getenv("BENCH_TIME_MS"), "100")
	if err := flag.Set("test.benchtime", milliseconds+"ms"); err != nil {
		return err
	}
	all := works()
	at := slices.IndexFunc(all, func(work work) bool { return work.name == name })
	if at < 0 {
		return fmt.Errorf("no work is named %q", name)
	}
	contestants := all[at].by
	if os.Getenv("BENCH_REVERSED") == "1" {
		slices.Reverse(contestants)
	}
	for _, contestant := range contestants {
		// testing.Benchmark begins with short runs, which are the warm-up.
		result := testing.Benchmark(contestant.benchmark)
		line := measurement{
			Work:        name,
			By:          contestant.name,
			Ns:          float64(result.T.Nanoseconds()) / float64(result.N),
			Bytes:       result.AllocedBytesPerOp(),
			Allocations: result.AllocsPerOp(),
		}
		if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// versions prints the versions of Go and of all libraries.
func versions() error {
	encoder := json.NewEncoder(os.Stdout)
	line := func(name, version string) error {
		return encoder.Encode(map[string]string{"name": name, "version": version})
	}
	if err := line("go", runtime.Version()); err != nil {
		return err
	}
	for _, library := range libraries() {
		if err := line(library.Path, library.Version); err != nil {
			return err
		}
	}
	return nil
}
