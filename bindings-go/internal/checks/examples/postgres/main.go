// Command example shares a budget in PostgreSQL, and shows what the store is asked:
//
//	DATABASE_URL=postgres://localhost/app example
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffpostgres "github.com/backoff-rs/backoff/bindings-go/adapters/postgres"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
	_ "github.com/jackc/pgx/v5/stdlib"
)

func main() {
	ctx := context.Background()
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	store, err := backoffpostgres.NewStore(db)
	if err != nil {
		log.Fatal(err)
	}
	if err := store.CreateTable(ctx); err != nil {
		log.Fatal(err)
	}
	budget, err := sharedbudget.New(store, "payments", "throttle:max_tokens=4",
		sharedbudget.WithStoreTimeout(5*time.Second), // for the same output on a busy machine; leave it out in production
		sharedbudget.OnExchange(func(exchange sharedbudget.Exchange) {
			for _, step := range exchange.Steps {
				if step.Event.Kind == sharedbudget.RetryRequested {
					fmt.Println("a retry is granted:", step.Granted == 1)
				}
			}
			fmt.Println("stored:", exchange.Stored)
		}))
	if err != nil {
		log.Fatal(err)
	}
	err = backoff.Do(ctx, func() error { return errors.New("unavailable") },
		backoff.WithPolicyString("full:base=1ms,max_retries=3"),
		backoff.RetryIf(backoff.AnyError),
		backoff.WithSharedBudget(budget))
	if err := budget.Flush(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(err)
}
