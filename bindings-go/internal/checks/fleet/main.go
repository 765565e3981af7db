// Command fleet is a process of a fleet that shares a budget:
//
//	fleet redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG
//
// Its loops fail until the store has decided about REQUESTS retries. It writes each exchange with the store as a line
// of JSON into LOG, and prints what it counted.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sync/atomic"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffpostgres "github.com/backoff-rs/backoff/bindings-go/adapters/postgres"
	backoffredis "github.com/backoff-rs/backoff/bindings-go/adapters/redis"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
)

const (
	loops  = 4
	policy = "constant:base=1ns,max_retries=20"
	// pause is that after an operation whose retry the local budget decided.
	pause   = 10 * time.Millisecond
	timeout = time.Second
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 8 {
		return errors.New("usage: fleet redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG")
	}
	var lease int
	var requests int64
	if _, err := fmt.Sscan(os.Args[5]+" "+os.Args[6], &lease, &requests); err != nil {
		return err
	}
	store, err := open(ctx, os.Args[1], os.Args[2])
	if err != nil {
		return err
	}
	file, err := os.Create(os.Args[7])
	if err != nil {
		return err
	}
	record := recorder{output: bufio.NewWriter(file)}
	budget, err := sharedbudget.New(store, os.Args[3], os.Args[4], sharedbudget.WithLease(lease), sharedbudget.WithStoreTimeout(timeout), sharedbudget.OnExchange(record.write))
	if err != nil {
		return err
	}
	counts := counter{budget: budget, limit: requests}
	ended := make(chan error)
	for range loops {
		go func() { ended <- counts.run(ctx) }()
	}
	for range loops {
		err = errors.Join(err, <-ended)
	}
	if err := errors.Join(err, budget.Flush(ctx), record.err, record.output.Flush(), file.Close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"requests": counts.requests.Load(), "granted": counts.granted.Load(), "local": counts.local.Load(),
	})
}

func open(ctx context.Context, kind, address string) (sharedbudget.Store, error) {
	switch kind {
	case "redis":
		options, err := redis.ParseURL(address)
		if err != nil {
			return nil, err
		}
		options.ContextTimeoutEnabled = true
		return backoffredis.NewStore(redis.NewClient(options))
	case "postgres":
		db, err := sql.Open("pgx", address)
		if err != nil {
			return nil, err
		}
		store, err := backoffpostgres.NewStore(db)
		if err != nil {
			return nil, err
		}
		return store, store.CreateTable(ctx)
	}
	return nil, fmt.Errorf("%s is no store", kind)
}

// A recorder writes exchanges. They come one at a time.
type recorder struct {
	output *bufio.Writer
	err    error
}

func (r *recorder) write(exchange sharedbudget.Exchange) {
	if exchange.Stored == sharedbudget.SwapNone {
		return
	}
	line, err := json.Marshal(exchange)
	if err == nil {
		_, err = r.output.Write(append(line, '\n'))
	}
	if err == nil {
		err = r.output.Flush() // whoever reads the file counts its lines
	}
	r.err = errors.Join(r.err, err)
}

// A counter runs loops and counts who decided on their retries.
type counter struct {
	budget                   *sharedbudget.Budget
	limit                    int64
	requests, granted, local atomic.Int64
}

func (c *counter) run(ctx context.Context) error {
	busy := errors.New("busy")
	for c.requests.Load() < c.limit {
		wasLocal := false
		count := func(event backoff.Event) {
			switch {
			case event.BudgetIsLocal:
				c.local.Add(1)
				wasLocal = true
			case event.Reason == 0:
				c.requests.Add(1)
				c.granted.Add(1)
			case event.Reason == backoff.StopBudget:
				c.requests.Add(1)
			}
		}
		err := backoff.Do(ctx, func() error { return busy }, backoff.WithPolicyString(policy), backoff.RetryIf(backoff.AnyError),
			backoff.WithSharedBudget(c.budget), backoff.OnRetry(count), backoff.OnStop(count))
		if !errors.Is(err, busy) {
			return err
		}
		if wasLocal {
			time.Sleep(pause)
		}
	}
	return nil
}
