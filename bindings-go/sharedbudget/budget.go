// Package sharedbudget limits the retries of many processes together: they keep one account of a budget in a store, such
// as Redis or PostgreSQL (the modules adapters/redis and adapters/postgres). backoff.WithSharedBudget makes a loop take
// part.
//
// A State is such an account as a value, for loops of your own, simulations and checks.
package sharedbudget

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// A Store keeps the states of budgets, as texts under keys, for many processes.
//
// Any number of goroutines may use a Store at once. A Budget calls it from a goroutine of its own, where a panic ends the
// program. The deadline of ctx is 1 s after the exchange began, or the timeout if that is longer. A loop waits no longer
// than the timeout. A call that ends later does no harm.
type Store interface {
	// Load returns the text that is stored under a key, nil if there is none, and the time of the store's clock, which
	// all processes share.
	Load(ctx context.Context, key string) (state *string, now time.Time, err error)
	// CompareAndSwap stores a text under a key if the text there is the expected one; nil means that there is none. It
	// reports whether it has, and must do both in one atomic step.
	CompareAndSwap(ctx context.Context, key string, expected *string, state string) (bool, error)
}

// A Budget limits the retries of many processes together (SPEC 15.7). backoff.WithSharedBudget makes a loop take part.
//
// Each process also keeps a local budget. If the store fails, does not answer within the timeout, or has a text that is
// not a state of the budget, the local budget decides at once, for a second; then the next retry asks the store again. No
// error reaches the loops: the member BudgetIsLocal of a backoff.Event says which budget decided, and LastError what the
// store's last error was.
//
// Only a retry waits for the store. Starts, failures and successes join the next request of a retry, or are sent in the
// background when there are 100 of them, or with the first one after 30 s.
//
// Any number of goroutines may use a Budget at once. It has a goroutine only during an exchange, so it need not be closed.
// Call Flush before the process ends, to send what the store does not know. A Budget must not be copied (go vet reports
// copies), and New makes the only valid ones.
type Budget struct {
	store Store
	key   string
	hook  func(Exchange)

	mutex   sync.Mutex
	member  engine.Member
	waiting []*request // in the order in which they came
	flushes []chan error
	paused  chan struct{} // ends the pause between two exchanges; nil if there is none
	hooked  chan error    // is closed when the hook of the last exchange returns; nil if none runs
	running bool          // a goroutine makes exchanges
	lastErr error
}

// maxName is the length of the longest name in bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes.
const maxName = 255

// New returns the budget of a name and a budget string in a store. All processes with the same store, name and budget
// string share one account, which begins full. Other options may differ. The key in the store is "backoff:NAME:BUDGET"
// with the budget string that backoff.Budget.String returns, so another budget string begins a new account.
//
// It does not ask the store for anything. It fails with a *backoff.PolicyError for an invalid budget string, and with a
// *backoff.ArgumentError for a nil store, a name that is not 1 to 255 bytes of UTF-8 without control characters, an
// invalid option, and a budget of kind concurrent, because a process that is killed would hold its slots for ever.
func New(store Store, name, budget string, options ...Option) (*Budget, error) {
	switch {
	case store == nil:
		return nil, invalid(backoff.ErrMissing, "store", nil, "is nil")
	case shared.IsNil(store): // whose panic would end the program from another goroutine
		return nil, invalid(backoff.ErrMissing, "store", nil, fmt.Sprintf("is a nil %T", store))
	case name == "":
		return nil, invalid(backoff.ErrMissing, "name", nil, "is empty")
	case len(name) > maxName:
		return nil, invalid(backoff.ErrTooLarge, "length of the name", len(name), "is above 255 bytes")
	case !utf8.ValidString(name):
		return nil, invalid(backoff.ErrNotUnicode, "name", name, "is not valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return nil, invalid(backoff.ErrNotUnicode, "name", name, "has a control character")
	}
	global, err := parse(budget, "budget", "is of kind concurrent, which cannot be shared: a process that is killed would hold its slots for ever")
	if err != nil {
		return nil, err
	}
	config, err := configured(options)
	if err != nil {
		return nil, err
	}
	local := config.local
	if local == "" {
		local = global
	}
	b := &Budget{store: store, key: "backoff:" + name + ":" + global, hook: config.hook}
	var core, localCore engine.Budget
	_, _ = core.Parse(global), localCore.Parse(local) // both have been parsed
	if code := b.member.Init(&core, &localCore, uint64(config.lease), config.fallback, uint64(config.timeout), rand.Uint64()); code != engine.OK {
		return nil, backoff.ErrNoBudget
	}
	return b, nil
}

// parse returns the canonical string of a budget of a kind that needs no end of each operation.
func parse(text, field, rule string) (string, error) {
	budget, err := backoff.ParseBudget(text)
	switch {
	case err != nil:
		return "", err
	case budget.Kind() == "concurrent":
		return "", invalid(backoff.ErrUnused, field, text, rule)
	}
	return budget.String(), nil
}

func invalid(code backoff.Code, field string, value any, rule string) error {
	return &backoff.ArgumentError{Code: code, Field: field, Value: value, Rule: rule}
}

// Key returns the key of the account in the store; empty for the zero Budget.
func (b *Budget) Key() string {
	if b == nil {
		return ""
	}
	return b.key
}

// LastError returns the last error of the store, nil if there was none so far.
func (b *Budget) LastError() error {
	if b == nil {
		return nil
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.lastErr
}

// Stats are what a process has exchanged with the store of a Budget.
type Stats struct {
	// Exchanges is how many began, and FailedExchanges how many of them failed.
	Exchanges       uint64 `json:"exchanges"`
	FailedExchanges uint64 `json:"failed_exchanges"`
	// LostSwaps is how often another process was faster.
	LostSwaps uint64 `json:"lost_swaps"`
	// LocalDecisions is how many requests of retries the local budget answered, because the store was away.
	LocalDecisions uint64 `json:"local_decisions"`
	// Processes is how many processes the account has told of, with this one.
	Processes uint64 `json:"processes"`
}

// Stats returns what has happened so far, for metrics.
func (b *Budget) Stats() Stats {
	if b == nil || b.store == nil {
		return Stats{}
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return Stats(b.member.Stats())
}

// Level returns what the account in the store has left, for a gauge (SPEC 15.9): without what this process has not sent
// yet. It asks the store, with ctx, and changes nothing.
//
// It fails as the store does; with a *backoff.ArgumentError of backoff.ErrNotAState for a text that is no state of the
// budget, and of backoff.ErrTooSmall for a time before 1970; and with backoff.ErrNoBudget for the zero Budget.
func (b *Budget) Level(ctx context.Context) (backoff.BudgetLevel, error) {
	if b == nil || b.store == nil {
		return backoff.BudgetLevel{}, backoff.ErrNoBudget
	}
	text, now, err := b.load(ctx)
	if err != nil {
		return backoff.BudgetLevel{}, err
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	level, most, unit, code := b.member.Level(text, shared.UnixNano(now))
	if code != engine.OK {
		return backoff.BudgetLevel{}, b.notOurs(*text)
	}
	return backoff.BudgetLevel{Level: level, Max: most, Unit: unit}, nil
}

// load asks the store, and checks its time.
func (b *Budget) load(ctx context.Context) (text *string, now time.Time, err error) {
	text, now, err = b.store.Load(ctx, b.key)
	if err == nil && now.Unix() < 0 {
		err = invalid(backoff.ErrTooSmall, "time of the store", now, "is before 1970")
	}
	return text, now, err
}

// notOurs returns the error of a text that the store has.
func (b *Budget) notOurs(text string) error {
	return notAState(text, "is not a state of this budget, and the store has it under "+b.key)
}

// String returns the key, for logs; "no budget" for the zero Budget.
func (b *Budget) String() string {
	if key := b.Key(); key != "" {
		return key
	}
	return "no budget"
}

// LogValue returns String, for slog.
func (b *Budget) LogValue() slog.Value { return slog.StringValue(b.String()) }

// GoString returns String, for the verb %#v.
func (b *Budget) GoString() string { return b.String() }

// ForLoops is for backoff.WithSharedBudget, whose package alone knows its type.
func (b *Budget) ForLoops() (any, error) {
	switch {
	case b == nil:
		return nil, nil
	case b.store == nil:
		return nil, backoff.ErrNoBudget
	}
	return account{b}, nil
}
