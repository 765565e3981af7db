module github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp

go 1.24

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	github.com/hashicorp/go-retryablehttp v0.7.7
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
