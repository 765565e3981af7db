// The options of a Budget.

package sharedbudget

import (
	"fmt"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Option configures a Budget.
type Option func(*config) error

type config struct {
	local        string // empty for that of the shared budget
	fallback     uint64 // as the core has it
	fallbackName Fallback
	processes    int // 0 if it is not set
	lease        int
	timeout      time.Duration
	hook         func(Exchange)
}

// configured returns the defaults with the options.
func configured(options []Option) (config, error) {
	c := config{fallback: engine.FallbackShare, fallbackName: FallbackShare, lease: 1, timeout: 100 * time.Millisecond}
	for _, option := range options {
		if option == nil {
			return c, invalid(backoff.ErrMissing, "option", nil, "is nil")
		}
		if err := option(&c); err != nil {
			return c, err
		}
	}
	switch {
	case c.processes == 0:
	case c.fallback != engine.FallbackShare:
		return c, invalid(backoff.ErrUnused, "processes", c.processes, "is only for the fallback share, and the fallback is "+string(c.fallbackName))
	default:
		c.fallback = uint64(c.processes)
	}
	return c, nil
}

// A Fallback says what a process grants while the store is away.
type Fallback string

const (
	// FallbackShare: its part of the local budget, as if each process did what this one does, so that all together grant
	// about one budget. It is the default.
	FallbackShare Fallback = "share"
	// FallbackWhole: the whole local budget, so that n processes grant up to n budgets.
	FallbackWhole Fallback = "whole"
	// FallbackRefuse: none.
	FallbackRefuse Fallback = "refuse"
)

// WithFallback sets what this process grants while the store is away. Default: FallbackShare. The account counts the
// processes that have exchanged something lately, unless WithProcesses sets their number. A process that has not exchanged
// anything yet assumes that it is alone.
func WithFallback(fallback Fallback) Option {
	return func(c *config) error {
		c.fallbackName = fallback
		switch fallback {
		case FallbackShare:
			c.fallback = engine.FallbackShare
		case FallbackWhole:
			c.fallback = engine.FallbackWhole
		case FallbackRefuse:
			c.fallback = engine.FallbackRefuse
		default:
			return invalid(backoff.ErrUnknownKind, "fallback", string(fallback), "is not share, whole or refuse")
		}
		return nil
	}
}

// WithLocalBudget sets the budget string of the local budget, which decides while the store is away. Default: that of
// the shared budget.
func WithLocalBudget(budget string) Option {
	return func(c *config) (err error) {
		c.local, err = parse(budget, "local budget", "is of kind concurrent: a local budget of this kind cannot know when an operation ends that the store counts")
		if _, isPolicyError := err.(*backoff.PolicyError); isPolicyError {
			err = fmt.Errorf("local budget: %w", err)
		}
		return err
	}
}

// WithLease sets how many retries a granted request asks for: later requests of this process after the same outcome use the
// others without asking the store. Default: 1; at most 1000. While processes lose swaps to each other, a request takes up
// to 15 more along, whatever the lease, but at most a sixteenth of what the account would grant.
//
// A lease costs exactness. While another process is refused, up to lease - 1 retries of each outcome that were granted
// to this process may lie unused, and a process that ends loses them. Under a throttle, a process makes the retries of a
// lease although failures of others count meanwhile. Unused retries do not expire: a process may make them in addition to
// what the account grants when it has filled again.
func WithLease(lease int) Option {
	return func(c *config) error {
		c.lease = lease
		return checkRange("lease", lease, 1000)
	}
}

// WithProcesses sets how many processes share the budget, from 1 to 1,000,000, for FallbackShare. Default: as many as the
// account counts.
func WithProcesses(processes int) Option {
	return func(c *config) error {
		c.processes = processes
		return checkRange("processes", processes, 1_000_000)
	}
}

// checkRange returns an error for a number that is not from 1 to a limit.
func checkRange(name string, value, limit int) error {
	switch {
	case value < 1:
		return invalid(backoff.ErrTooSmall, name, value, "is below 1")
	case value > limit:
		return invalid(backoff.ErrTooLarge, name, value, fmt.Sprintf("is above %d", limit))
	}
	return nil
}

// WithStoreTimeout sets how long a retry waits for the store before the local budget decides. Default: 100 ms. Until the
// first exchange has ended, it is at least a second, because the store needs a connection.
func WithStoreTimeout(timeout time.Duration) Option {
	return func(c *config) error {
		c.timeout = timeout
		if timeout <= 0 {
			return invalid(backoff.ErrTooSmall, "store timeout", timeout, "is not above 0s")
		}
		return nil
	}
}

// OnExchange sets a hook that is called after each exchange with the store, also after one that failed. The loops have
// their answers by then. The exchanges and their hooks have one goroutine: a hook that takes long makes the next retries
// wait for the local budget, one that calls Flush waits for itself until the limit of Flush, and one that panics ends the
// program, as in any goroutine.
func OnExchange(hook func(Exchange)) Option {
	return func(c *config) error {
		c.hook = hook
		if hook == nil {
			return invalid(backoff.ErrMissing, "argument of OnExchange", nil, "is nil")
		}
		return nil
	}
}
