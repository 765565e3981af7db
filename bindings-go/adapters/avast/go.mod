module github.com/backoff-rs/backoff/bindings-go/adapters/avast

go 1.24

require (
	github.com/avast/retry-go/v5 v5.0.0
	github.com/backoff-rs/backoff/bindings-go v0.1.0
)
