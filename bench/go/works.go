package main

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// A work is what everyone does.
type work struct {
	name string
	by   []contestant
}

// A contestant does a work n times. The sum of the delays keeps the compiler from leaving any out.
type contestant struct {
	name string
	do   func(n int) (sum time.Duration)
}

func (c contestant) benchmark(b *testing.B) {
	b.ReportAllocs()
	c.do(b.N)
}

const ours = "ours"

// works returns all works, in the order of bench/README.md.
func works() []work {
	return slices.Concat(delayWorks(), loopWorks(), httpWorks())
}

// libraries returns the modules that are measured beside ours, with their versions.
func libraries() []*debug.Module {
	info, _ := debug.ReadBuildInfo()
	var peers []*debug.Module
	for _, module := range info.Deps {
		for _, owner := range []string{"/cenkalti/", "/avast/", "/sethvargo/", "/failsafe-go/", "/hashicorp/go-retry"} {
			if strings.Contains(module.Path, owner) {
				peers = append(peers, module)
			}
		}
	}
	return peers
}

// versioned returns the name of a peer with its version: "cenkalti v5.0.3".
func versioned(name, path string) string {
	for _, library := range libraries() {
		if library.Path == path {
			return name + " " + library.Version
		}
	}
	return name
}

func cenkalti4() string { return versioned("cenkalti", "github.com/cenkalti/backoff/v4") }
func cenkalti5() string { return versioned("cenkalti", "github.com/cenkalti/backoff/v5") }
func cenkalti7() string { return versioned("cenkalti", "github.com/cenkalti/backoff/v7") }
func avast() string     { return versioned("avast/retry-go", "github.com/avast/retry-go/v5") }
func sethvargo() string { return versioned("sethvargo/go-retry", "github.com/sethvargo/go-retry") }
func failsafe() string  { return versioned("failsafe-go", "github.com/failsafe-go/failsafe-go") }
