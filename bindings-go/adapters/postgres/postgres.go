// Package backoffpostgres keeps the states of shared budgets in PostgreSQL, through database/sql.
package backoffpostgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

// CreateTable is the statement that makes the table of a Store.
const CreateTable = createTableText

const serializationFailure = "40001"

// A Store is a sharedbudget.Store in the table backoff_budgets of a PostgreSQL database. Any number of goroutines may
// use it at once, at any isolation level. The time is that of the server.
type Store struct{ db *sql.DB }

var _ sharedbudget.Store = Store{}

// NewStore returns the store of a database, with any driver of PostgreSQL. With pgx, stdlib.OpenDBFromPool makes a
// sql.DB from a pool. Closing it is up to its owner.
//
// It fails with a *backoff.ArgumentError for a nil db.
func NewStore(db *sql.DB) (Store, error) {
	if db == nil {
		return Store{}, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "db", Rule: "is nil"}
	}
	return Store{db}, nil
}

// CreateTable makes the table, unless there is one. Several processes may do so at once.
func (s Store) CreateTable(ctx context.Context) error {
	if s.db == nil {
		return errZeroStore
	}
	_, err := s.db.ExecContext(ctx, CreateTable)
	if err != nil {
		// The statement fails if another process makes the table at the same moment.
		_, err = s.db.ExecContext(ctx, CreateTable)
	}
	return err
}

// Load returns the text under a key, nil if there is none, and the time of the server.
func (s Store) Load(ctx context.Context, key string) (state *string, now time.Time, err error) {
	if s.db == nil {
		return nil, time.Time{}, errZeroStore
	}
	var micros int64
	if err := s.db.QueryRowContext(ctx, loadText, key).Scan(&state, &micros); err != nil {
		return nil, time.Time{}, err
	}
	return state, time.UnixMicro(micros), nil
}

// CompareAndSwap stores a text under a key if the text there is the expected one, or if there is none for nil.
func (s Store) CompareAndSwap(ctx context.Context, key string, expected *string, state string) (bool, error) {
	if s.db == nil {
		return false, errZeroStore
	}
	var result sql.Result
	var err error
	if expected == nil {
		result, err = s.db.ExecContext(ctx, insertText, key, state)
	} else {
		result, err = s.db.ExecContext(ctx, updateText, key, state, *expected)
	}
	// Under repeatable read and serializable, the slower of two fails instead of changing no row.
	var failure interface{ SQLState() string }
	if errors.As(err, &failure) && failure.SQLState() == serializationFailure {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 1, err
}

var errZeroStore = errors.New("the zero Store is not valid")
