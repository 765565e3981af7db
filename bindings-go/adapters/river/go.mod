module github.com/backoff-rs/backoff/bindings-go/adapters/river

go 1.24

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	github.com/riverqueue/river/rivertype v0.19.0
)
