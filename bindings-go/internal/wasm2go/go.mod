// The translator of WebAssembly to Go with which `cargo xtask generate` makes the core of bindings-go.
module github.com/backoff-rs/backoff/bindings-go/internal/wasm2go

go 1.26.0

tool github.com/ncruces/wasm2go

require (
	github.com/ncruces/wasm2go v0.4.21 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
