package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A size is a line of output: bytes, or nanoseconds.
type size struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes,omitempty"`
	Ns    int64  `json:"ns,omitempty"`
}

// sizes prints what is measured once, because it hardly changes from round to round.
func sizes() error {
	program, err := programSize()
	if err != nil {
		return err
	}
	compilation, err := compilationTime()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	for _, size := range []size{
		{What: "a program over an empty one", Bytes: program},
		{What: "heap of a loop that waits", Bytes: waitingHeap()},
		{What: "compilation of the package", Ns: compilation.Nanoseconds()},
	} {
		if err := encoder.Encode(size); err != nil {
			return err
		}
	}
	return nil
}

// build runs the go command in the folder of this file, which the binary knows.
// It returns the time of all processors.
func build(arguments ...string) (time.Duration, error) {
	_, file, _, _ := runtime.Caller(0)
	command := exec.Command("go", append([]string{"build"}, arguments...)...)
	command.Dir = filepath.Dir(file)
	command.Env = append(os.Environ(), "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, output)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
}

// programSize returns how much a program grows that calls Retry.
func programSize() (int64, error) {
	folder, err := os.MkdirTemp("", "bench-go")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var bytes [2]int64
	for i, name := range []string{"empty", "retry"} {
		path := filepath.Join(folder, name)
		if _, err := build("-o", path, "./programs/"+name); err != nil {
			return 0, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		bytes[i] = info.Size()
	}
	return bytes[1] - bytes[0], nil
}

// compilationTime returns the shortest time of a few compilations of the package and what it imports of the module.
func compilationTime() (time.Duration, error) {
	const module = "github.com/backoff-rs/backoff/bindings-go"
	var shortest time.Duration
	for range 3 {
		// Another flag makes the go command compile it again; the path is of no use to it.
		again := fmt.Sprintf("-gcflags=%s/...=-D=%d", module, time.Now().UnixNano())
		took, err := build(again, module)
		if err != nil {
			return 0, err
		}
		if shortest == 0 || took < shortest {
			shortest = took
		}
	}
	return shortest, nil
}

// waitingHeap returns the bytes of a loop that waits, without its stack and without those of any goroutine.
func waitingHeap() int64 {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// The runtime uses these goroutines again, so that the loops allocate none.
	waiting(func(begun chan<- struct{}) {
		begun <- struct{}{}
		<-ctx.Done()
	}, cancel)
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	policy := must(backoff.ParsePolicy("constant:base=1h,max_retries=5"))
	return waiting(func(begun chan<- struct{}) {
		fail := func() (int, error) {
			begun <- struct{}{}
			return 0, errBusy
		}
		_, _ = backoff.Retry(ctx, fail, backoff.WithPolicy(policy), backoff.RetryIf(backoff.AnyError))
	}, cancel)
}

// waiting returns the bytes of a goroutine that runs this function and waits in it until the end.
func waiting(run func(begun chan<- struct{}), end func()) int64 {
	const count = 10_000
	begun, done := make(chan struct{}, count), make(chan struct{}, count)
	before := heap()
	for range count {
		go func() {
			run(begun)
			done <- struct{}{}
		}()
	}
	wait := func(channel <-chan struct{}) {
		for range count {
			<-channel
		}
	}
	wait(begun)
	time.Sleep(100 * time.Millisecond) // what follows before the wait
	after := heap()
	end()
	wait(done)
	return (after - before) / count
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
