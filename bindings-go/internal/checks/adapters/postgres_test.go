package adapters

import (
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffpostgres "github.com/backoff-rs/backoff/bindings-go/adapters/postgres"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// openPostgres returns a database without the table.
func openPostgres(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), "DROP TABLE IF EXISTS backoff_budgets"); err != nil {
		t.Fatal(err)
	}
	return db
}

// connectPostgres returns a store with an empty table.
func connectPostgres(t *testing.T) backoffpostgres.Store {
	t.Helper()
	store := postgresStore(t, openPostgres(t))
	if err := store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func postgresStore(t *testing.T, db *sql.DB) backoffpostgres.Store {
	t.Helper()
	store, err := backoffpostgres.NewStore(db)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestPostgresSwaps(t *testing.T) { checkSwaps(t, connectPostgres(t)) }

// A sql.DB over a pool of pgx is one, too.
func TestPostgresSharing(t *testing.T) {
	store := connectPostgres(t)
	pool, err := pgxpool.New(t.Context(), url(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	checkSharing(t, store, postgresStore(t, db))
}

func TestPostgresOutage(t *testing.T) { checkOutage(t, connectPostgres(t), "postgres") }

// Processes that start together all make the table.
func TestPostgresCreateTableAtOnce(t *testing.T) {
	store := postgresStore(t, openPostgres(t))
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := store.CreateTable(t.Context()); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	checkSwaps(t, store)
}

// A swap that waited for another one of the same row has lost, also where PostgreSQL makes that an error.
func TestPostgresIsolation(t *testing.T) {
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			connectPostgres(t)
			config, err := pgx.ParseConfig(url(t, "postgres"))
			if err != nil {
				t.Fatal(err)
			}
			config.RuntimeParams["default_transaction_isolation"] = level
			db := stdlib.OpenDB(*config)
			defer func() { _ = db.Close() }()
			store := postgresStore(t, db)
			first, second := "0 1", "1 0"
			if swapped, err := store.CompareAndSwap(t.Context(), "key", nil, first); !swapped || err != nil {
				t.Fatal(swapped, err)
			}
			other, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := other.ExecContext(t.Context(), "UPDATE backoff_budgets SET state = $1", second); err != nil {
				t.Fatal(err)
			}
			type result struct {
				swapped bool
				err     error
			}
			results := make(chan result)
			go func() {
				swapped, err := store.CompareAndSwap(t.Context(), "key", &first, "1 5")
				results <- result{swapped, err}
			}()
			for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) {
				if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&waiting); err != nil {
					t.Fatal(err)
				}
			}
			if err := other.Commit(); err != nil {
				t.Fatal(err)
			}
			if got := <-results; got.swapped || got.err != nil {
				t.Errorf("swapped %t, %v", got.swapped, got.err)
			}
			if text, _, err := store.Load(t.Context(), "key"); err != nil || text == nil || *text != second {
				t.Errorf("%v, %v", text, err)
			}
		})
	}
}

// With what the page says about poolers, nothing is prepared: each statement may get another connection.
func TestPostgresPooler(t *testing.T) {
	connectPostgres(t)
	db, err := sql.Open("pgx", url(t, "postgres")+"&default_query_exec_mode=exec")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	checkSwaps(t, postgresStore(t, db))
	prepared := 0
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_prepared_statements").Scan(&prepared); err != nil || prepared != 0 {
		t.Errorf("%d statements are prepared, %v", prepared, err)
	}
}

// Without the table, a loop uses the local budget and the error says why.
func TestPostgresMissingTable(t *testing.T) {
	budget, err := sharedbudget.New(postgresStore(t, openPostgres(t)), "test", "rate")
	if err != nil {
		t.Fatal(err)
	}
	local := false
	_ = backoff.Do(t.Context(), func() error { return errors.New("busy") }, backoff.WithPolicyString("none:max_retries=1"), backoff.RetryIf(backoff.AnyError),
		backoff.WithSharedBudget(budget), backoff.OnRetry(func(event backoff.Event) { local = event.BudgetIsLocal }))
	if err := budget.LastError(); !local || err == nil || err.Error() != `ERROR: relation "backoff_budgets" does not exist (SQLSTATE 42P01)` {
		t.Errorf("%t, %v", local, err)
	}
}

func TestPostgresInvalidStores(t *testing.T) {
	if _, err := backoffpostgres.NewStore(nil); !errors.Is(err, backoff.ErrMissing) || err.Error() != "db is nil" {
		t.Errorf("%v", err)
	}
	var zero backoffpostgres.Store
	if _, _, err := zero.Load(t.Context(), "key"); err == nil {
		t.Error("the zero Store loads")
	}
	if _, err := zero.CompareAndSwap(t.Context(), "key", nil, "1 1"); err == nil {
		t.Error("the zero Store swaps")
	}
	if err := zero.CreateTable(t.Context()); err == nil {
		t.Error("the zero Store makes a table")
	}
}
