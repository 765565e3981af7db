module github.com/backoff-rs/backoff/bindings-go/adapters/clientgo

go 1.24

require github.com/backoff-rs/backoff/bindings-go v0.1.0
