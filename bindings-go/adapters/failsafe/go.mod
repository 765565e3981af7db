module github.com/backoff-rs/backoff/bindings-go/adapters/failsafe

go 1.24

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	github.com/failsafe-go/failsafe-go v0.9.4
)

require github.com/bits-and-blooms/bitset v1.24.4 // indirect
