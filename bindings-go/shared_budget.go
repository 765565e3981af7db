// SharedBudget: one budget for many processes, and the requests of its loops (SPEC 15.7).

package backoff

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A BudgetStore keeps the states of shared budgets, as texts under keys, for many processes. The modules
// adapters/redis and adapters/postgres have one each.
//
// Any number of goroutines may use a BudgetStore at once. A SharedBudget calls it from a goroutine of its own, where a
// panic ends the program. The deadline of ctx is 1 s after the exchange began, or the timeout if that is longer. A loop
// waits no longer than the timeout. A call that ends later does no harm.
type BudgetStore interface {
	// Load returns the text that is stored under a key, nil if there is none, and the time of the store's clock, which
	// all processes share.
	Load(ctx context.Context, key string) (state *string, now time.Time, err error)
	// CompareAndSwap stores a text under a key if the text there is the expected one; nil means that there is none. It
	// reports whether it has, and must do both in one atomic step.
	CompareAndSwap(ctx context.Context, key string, expected *string, state string) (bool, error)
}

// A SharedBudget limits the retries of many processes together: they keep one account of a budget in a store.
// WithSharedBudget makes a loop take part.
//
// Each process also keeps a local budget, which sees what its loops do. If the store fails, does not answer within
// the timeout, or has a text that is not a state of the budget, the local budget decides at once, for a second, and
// each process grants its share (WithFallback); then the next retry asks the store again. No error reaches the loops:
// Event.BudgetIsLocal says which budget decided, and LastError what the store's last error was.
//
// A retry waits for the store, no longer than the timeout. Nothing else waits: starts, failures and successes are
// counted, and join the next request of a retry, or are sent in the background when there are 100 of them, or with the
// first one after 30 s. While the store is away at most 100 of each are kept. One exchange with the store is under way at
// a time; requests that come meanwhile share the next one.
//
// Any number of goroutines may use a SharedBudget at once. It has a goroutine only during an exchange, so it need not
// be closed. Call Flush before the process ends, to send what the store does not know. A SharedBudget must not be
// copied (go vet reports copies), and NewSharedBudget makes the only valid ones.
type SharedBudget struct {
	_     noCopy
	store BudgetStore
	key   string
	hook  func(BudgetExchange)

	mutex     sync.Mutex
	member    engine.Member
	waiting   []*sharedRequest // in the order in which they came
	flushes   []chan error
	flushing  chan struct{} // ends a pause between exchanges; it has room for one
	hooked    chan error    // is closed when the hook of the last exchange returns; nil if none runs
	isRunning bool          // a goroutine makes exchanges
	lastErr   error
}

// The longest lease, and the highest number of processes.
const (
	leaseMost     = 1000
	processesMost = 1_000_000
)

// A SharedBudgetOption configures a SharedBudget.
type SharedBudgetOption func(*sharedConfig) error

type sharedConfig struct {
	local     *Budget
	fallback  Fallback
	lease     int
	processes *int
	timeout   time.Duration
	hook      func(BudgetExchange)
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
func WithFallback(fallback Fallback) SharedBudgetOption {
	return func(c *sharedConfig) error {
		c.fallback = fallback
		switch fallback {
		case FallbackShare, FallbackWhole, FallbackRefuse:
			return nil
		}
		return &ArgumentError{Code: ErrUnknownKind, Field: "fallback", Value: string(fallback), Rule: "is not share, whole or refuse"}
	}
}

// WithLocalBudget sets the budget string of the local budget, which decides while the store is away. Default: that of
// the shared budget.
func WithLocalBudget(budget string) SharedBudgetOption {
	return func(c *sharedConfig) (err error) {
		c.local, err = parseShared(budget, "local budget", "is of kind concurrent: a local budget of this kind cannot know when an operation ends that the store counts")
		return err
	}
}

// WithLease sets how many retries a granted request asks for: later requests of this process after the same outcome use the
// others without asking the store. Default: 1. While processes lose swaps to each other, a request takes up to 15 more
// along, whatever the lease, but at most a sixteenth of what the account would grant.
//
// A lease costs exactness. While another process is refused, up to lease - 1 retries of each outcome that were granted
// to this process may lie unused, and a process that ends loses them. Under a throttle, a process makes the retries of a
// lease although failures of others count meanwhile. Unused retries do not expire: a process may make them in addition to
// what the account grants when it has filled again.
func WithLease(lease int) SharedBudgetOption {
	return func(c *sharedConfig) error {
		c.lease = lease
		return checkRange("lease", lease, leaseMost)
	}
}

// WithProcesses sets how many processes share the budget, from 1 to 1,000,000, for FallbackShare. Default: as many as the
// account counts.
func WithProcesses(processes int) SharedBudgetOption {
	return func(c *sharedConfig) error {
		c.processes = &processes
		return checkRange("processes", processes, processesMost)
	}
}

// checkRange returns an error for an option that is not from 1 to a limit.
func checkRange(name string, value, most int) error {
	switch {
	case value < 1:
		return &ArgumentError{Code: ErrTooSmall, Field: name, Value: value, Rule: "is below 1"}
	case value > most:
		return &ArgumentError{Code: ErrTooLarge, Field: name, Value: value, Rule: fmt.Sprintf("is above %d", most)}
	}
	return nil
}

// WithStoreTimeout sets how long a retry waits for the store before the local budget decides. Default: 100 ms. Until the
// first exchange has ended, it is at least a second, because the store needs a connection.
func WithStoreTimeout(timeout time.Duration) SharedBudgetOption {
	return func(c *sharedConfig) error {
		c.timeout = timeout
		if timeout <= 0 {
			return &ArgumentError{Code: ErrTooSmall, Field: "store timeout", Value: timeout, Rule: "is not above 0s"}
		}
		return nil
	}
}

// OnExchange sets a hook that is called after each exchange with the store, also after one that failed. The loops have
// their answers by then. The exchanges and their hooks have one goroutine: a hook that takes long makes the next retries
// wait for the local budget, one that calls Flush waits for itself until the limit of Flush, and one that panics ends the
// program, as in any goroutine.
func OnExchange(hook func(BudgetExchange)) SharedBudgetOption {
	return func(c *sharedConfig) error {
		c.hook = hook
		return notNil("argument of OnExchange", hook == nil)
	}
}

// longestName is the longest name in bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes.
const longestName = 255

// NewSharedBudget returns the budget of a name and a budget string in a store. All processes with the same store, name
// and budget string share one account, which begins full. Other options may differ. The key in the store is
// "backoff:NAME:BUDGET" with the budget string that Budget.String returns, so another budget string begins a
// new account.
//
// It does not ask the store for anything. It fails with a *PolicyError for an invalid budget string, and with an
// *ArgumentError for a nil store, a name that is not 1 to 255 bytes of UTF-8 without control characters, an invalid
// option, and a budget of kind concurrent, because a process that is killed would hold its slots for ever.
func NewSharedBudget(store BudgetStore, name, budget string, options ...SharedBudgetOption) (*SharedBudget, error) {
	if err := storeIsThere(store); err != nil {
		return nil, err
	}
	switch {
	case name == "":
		return nil, &ArgumentError{Code: ErrMissing, Field: "name", Rule: "is empty"}
	case len(name) > longestName:
		return nil, &ArgumentError{Code: ErrTooLarge, Field: "length of the name", Value: len(name), Rule: "is above 255 bytes"}
	case !utf8.ValidString(name):
		return nil, &ArgumentError{Code: ErrNotUnicode, Field: "name", Value: name, Rule: "is not valid UTF-8"}
	case strings.ContainsFunc(name, unicode.IsControl):
		return nil, &ArgumentError{Code: ErrNotUnicode, Field: "name", Value: name, Rule: "has a control character"}
	}
	shared, err := parseShared(budget, "budget", "is of kind concurrent, which cannot be shared: a process that is killed would hold its slots for ever")
	if err != nil {
		return nil, err
	}
	config := sharedConfig{local: shared, fallback: FallbackShare, lease: 1, timeout: 100 * time.Millisecond}
	for _, option := range options {
		if err := notNil("option", option == nil); err != nil {
			return nil, err
		}
		if err := option(&config); err != nil {
			return nil, err
		}
	}
	fallback, err := config.number()
	if err != nil {
		return nil, err
	}
	b := &SharedBudget{
		store:    store,
		key:      "backoff:" + name + ":" + shared.String(),
		hook:     config.hook,
		flushing: make(chan struct{}, 1),
	}
	if code := b.member.Init(&shared.core, &config.local.core, uint64(config.lease), fallback, uint64(config.timeout), rand.Uint64()); code != engine.OK {
		return nil, budgetError(code)
	}
	return b, nil
}

// number returns the fallback as the core has it.
func (c *sharedConfig) number() (uint64, error) {
	numbers := map[Fallback]uint64{
		FallbackShare:  engine.FallbackShare,
		FallbackWhole:  engine.FallbackWhole,
		FallbackRefuse: engine.FallbackRefuse,
	}
	switch {
	case c.processes == nil:
		return numbers[c.fallback], nil
	case c.fallback != FallbackShare:
		return 0, &ArgumentError{Code: ErrUnused, Field: "processes", Value: *c.processes, Rule: "is only for the fallback share, and the fallback is " + string(c.fallback)}
	}
	return uint64(*c.processes), nil
}

// storeIsThere refuses a nil store, also a nil pointer, whose panic would end the program from another goroutine.
func storeIsThere(store BudgetStore) error {
	switch value := reflect.ValueOf(store); value.Kind() {
	case reflect.Invalid:
		return notNil("store", true)
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice:
		if value.IsNil() {
			return &ArgumentError{Code: ErrMissing, Field: "store", Rule: fmt.Sprintf("is a nil %T", store)}
		}
	}
	return nil
}

// parseShared returns a budget of a kind that needs no end of each operation.
func parseShared(text, field, rule string) (*Budget, error) {
	budget, err := ParseBudget(text)
	if err != nil {
		if field != "budget" {
			err = fmt.Errorf("%s: %w", field, err)
		}
		return nil, err
	}
	if budget.Kind() == "concurrent" {
		return nil, &ArgumentError{Code: ErrUnused, Field: field, Value: text, Rule: rule}
	}
	return budget, nil
}

// Key returns the key of the account in the store; empty for the zero SharedBudget.
func (b *SharedBudget) Key() string {
	if b == nil {
		return ""
	}
	return b.key
}

// LastError returns the last error of the store, nil if there was none so far.
func (b *SharedBudget) LastError() error {
	if b == nil {
		return nil
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.lastErr
}

// SharedBudgetStats are what a process has exchanged with the store of a SharedBudget.
type SharedBudgetStats struct {
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
func (b *SharedBudget) Stats() SharedBudgetStats {
	if b == nil || b.store == nil {
		return SharedBudgetStats{}
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return SharedBudgetStats(b.member.Stats())
}

// String returns the key, for logs; "no budget" for the zero SharedBudget.
func (b *SharedBudget) String() string {
	if key := b.Key(); key != "" {
		return key
	}
	return "no budget"
}

// LogValue returns String, for slog.
func (b *SharedBudget) LogValue() slog.Value { return slog.StringValue(b.String()) }

// GoString returns String, for the verb %#v.
func (b *SharedBudget) GoString() string { return b.String() }

// Flush sends what the store does not know, and waits for the store and for the hook, no longer than ctx allows, or 2 s,
// or twice a longer timeout. It also asks a store that is away. It returns nil if nothing is left to send, and otherwise
// the error of the store or of ctx. What could not be sent is sent later.
//
// Call it before a process ends, with a context that is not cancelled by then:
//
//	budget.Flush(context.WithoutCancel(ctx))
func (b *SharedBudget) Flush(ctx context.Context) error {
	if err := notNil("ctx", ctx == nil); err != nil {
		return err
	}
	if b == nil || b.store == nil {
		return ErrNoBudget
	}
	b.mutex.Lock()
	done := b.hooked
	state := b.member.State(now())
	limit := exchangeLimit(time.Duration(state.Timeout))
	if state.HasUnsent {
		done = make(chan error, 1)
		b.flushes = append(b.flushes, done)
		select {
		case b.flushing <- struct{}{}:
		default: // the last one was not noticed, which ends the pause as well
		}
		b.start()
	}
	b.mutex.Unlock()
	if done == nil {
		return nil
	}
	patience := 2 * limit
	if patience < 0 { // it is beyond the longest time.Duration
		patience = math.MaxInt64
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
		return err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if err == nil {
		err = b.late(patience)
	}
	b.flushes = slices.DeleteFunc(b.flushes, func(flush chan error) bool { return flush == done })
	return err
}

// timeout returns how long a request may wait now. The mutex is locked.
func (b *SharedBudget) timeout() time.Duration { return time.Duration(b.member.State(now()).Timeout) }

// exchangeLimit returns how long an exchange may take: longer than a request waits, if the store needs a new connection.
func exchangeLimit(timeout time.Duration) time.Duration { return max(timeout, time.Second) }

// noAnswer returns the error of a store that takes too long.
func noAnswer(limit time.Duration) error {
	return fmt.Errorf("the store did not answer within %v: %w", limit, context.DeadlineExceeded)
}

// late returns why a request or a flush has waited for too long. The mutex is locked.
func (b *SharedBudget) late(limit time.Duration) error {
	if b.hooked != nil {
		return fmt.Errorf("the hook of OnExchange did not return within %v: %w", limit, context.DeadlineExceeded)
	}
	return noAnswer(limit)
}

// A sharedGrant is what an operation holds of a shared budget: nothing before its first retry.
type sharedGrant struct {
	held    uint64
	isLocal bool
}

// A sharedAnswer is the answer to a request.
type sharedAnswer struct {
	grant     sharedGrant
	isGranted bool
}

// A sharedRequest waits for an answer.
type sharedRequest struct {
	outcome Outcome
	done    chan sharedAnswer // has room for the answer
}

// report tells the budget what a loop did, without waiting.
func (b *SharedBudget) report(kind BudgetEventKind, grant sharedGrant) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.member.Note(uint32(kind), grant.held, grant.isLocal, now())
	if b.member.State(now()).DueIn != engine.None {
		b.start()
	}
}

// request asks for a retry after an outcome. It waits for the store no longer than the timeout or until ctx is done;
// it then refuses the retry.
func (b *SharedBudget) request(ctx context.Context, outcome Outcome) (grant sharedGrant, isGranted bool) {
	b.mutex.Lock()
	answer, ok := b.ask(outcome)
	if ok {
		b.mutex.Unlock()
		return answer.grant, answer.isGranted
	}
	request := &sharedRequest{outcome: outcome, done: make(chan sharedAnswer, 1)}
	b.waiting = append(b.waiting, request)
	b.start()
	timeout := b.timeout()
	b.mutex.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case answer = <-request.done:
	case <-timer.C:
		b.mutex.Lock()
		if slices.Contains(b.waiting, request) {
			b.member.Late(now())
			b.goAway(b.late(timeout))
		}
		b.mutex.Unlock()
		answer = <-request.done
	case <-ctx.Done():
		b.mutex.Lock()
		defer b.mutex.Unlock()
		if at := slices.Index(b.waiting, request); at >= 0 {
			b.waiting = slices.Delete(b.waiting, at, at+1)
			b.member.Cancel(uint32(outcome))
		}
	}
	return answer.grant, answer.isGranted
}

// ask asks the member. It reports false if the request waits. The mutex is locked.
func (b *SharedBudget) ask(outcome Outcome) (answer sharedAnswer, ok bool) {
	code, isLocal, held := b.member.Request(uint32(outcome), now())
	return sharedAnswer{sharedGrant{held, isLocal}, code == engine.RequestGranted}, code != engine.RequestWaits
}

// goAway lets the local budget decide on the requests that wait. The mutex is locked.
func (b *SharedBudget) goAway(err error) {
	b.lastErr = err
	b.askAgain()
}

func (b *SharedBudget) askAgain() {
	b.answer(func(request *sharedRequest) (sharedAnswer, bool) { return b.ask(request.outcome) })
}

// answer gives the requests that wait the answers that there are. The mutex is locked.
func (b *SharedBudget) answer(answerOf func(*sharedRequest) (sharedAnswer, bool)) {
	b.waiting = slices.DeleteFunc(b.waiting, func(request *sharedRequest) bool {
		answer, ok := answerOf(request)
		if ok {
			request.done <- answer
		}
		return ok
	})
}

func now() uint64 { return uint64(Now()) }
