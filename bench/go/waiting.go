package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A footprint is a line of output: the bytes of a loop that waits, without and with a context that can be cancelled.
type footprint struct {
	By         string `json:"by"`
	Cancelable bool   `json:"cancelable"`
	Heap       int64  `json:"heap"` // without what every goroutine has
	Stack      int64  `json:"stack"`
}

// waiting prints the footprint of everyone. Each has a process, because the goroutines of another would be used again.
func waiting() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for i := range loops(0) {
		for _, cancelable := range []string{"false", "true"} {
			command := exec.Command(program, "waiting", strconv.Itoa(i), cancelable)
			command.Stdout, command.Stderr = os.Stdout, os.Stderr
			if err := command.Run(); err != nil {
				return err
			}
		}
	}
	return nil
}

func waitingOf(number, cancelable string) error {
	i, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	if cancelable == "true" {
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
	}
	loop := loops(10 * time.Minute)[i] // cenkalti v5 and v7 end after 15
	heap, _ := memoryOf(func(call call) { call(); select {} })
	line := footprint{By: loop.name, Cancelable: cancelable == "true"}
	line.Heap, line.Stack = memoryOf(func(call call) { loop.run(call) })
	line.Heap -= heap
	return json.NewEncoder(os.Stdout).Encode(line)
}

// memoryOf returns the bytes of each of 10,000 goroutines that wait after a call.
func memoryOf(wait func(call)) (heap, stack int64) {
	const count = 10_000
	memory := func() (heap, stack int64) {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc), int64(stats.StackInuse)
	}
	heapBefore, stackBefore := memory()
	var called sync.WaitGroup
	called.Add(count)
	for range count {
		go wait(func() (int, error) {
			defer called.Done()
			return 0, errBusy
		})
	}
	called.Wait()
	time.Sleep(time.Second) // until they wait
	heap, stack = memory()
	return (heap - heapBefore) / count, (stack - stackBefore) / count
}
