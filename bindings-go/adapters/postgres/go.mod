module github.com/backoff-rs/backoff/bindings-go/adapters/postgres

go 1.24

require github.com/backoff-rs/backoff/bindings-go v0.1.0
