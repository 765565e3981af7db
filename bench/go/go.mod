// The harness of benchmarks (bench/README.md). A module of its own, so that the peers are no
// dependencies of ours.
module github.com/backoff-rs/backoff/bench/go

go 1.25

replace github.com/backoff-rs/backoff/bindings-go => ../../bindings-go

require (
	github.com/avast/retry-go/v5 v5.1.1
	github.com/backoff-rs/backoff/bindings-go v0.0.0
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/cenkalti/backoff/v7 v7.0.3
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/sethvargo/go-retry v0.5.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
)
