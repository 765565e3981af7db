module github.com/backoff-rs/backoff/bindings-go/adapters/opentelemetry

go 1.24

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	go.opentelemetry.io/otel v1.32.0
	go.opentelemetry.io/otel/metric v1.32.0
	go.opentelemetry.io/otel/trace v1.32.0
)

require (
	github.com/go-logr/logr v1.4.2 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
)
