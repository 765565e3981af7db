module github.com/backoff-rs/backoff/bindings-go

go 1.24
