module github.com/backoff-rs/backoff/bindings-go/internal/checks

go 1.24.0

require (
	github.com/backoff-rs/backoff/bindings-go v0.0.0-00010101000000-000000000000
	github.com/goccy/go-yaml v1.19.2
	github.com/tetratelabs/wazero v1.11.0
	golang.org/x/mod v0.31.0
	gopkg.in/yaml.v3 v3.0.1
)

require golang.org/x/sys v0.38.0 // indirect

replace github.com/backoff-rs/backoff/bindings-go => ../..
