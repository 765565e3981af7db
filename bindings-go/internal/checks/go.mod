module github.com/backoff-rs/backoff/bindings-go/internal/checks

go 1.24.0

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	github.com/backoff-rs/backoff/bindings-go/adapters/postgres v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/redis v0.0.0-00010101000000-000000000000
	github.com/goccy/go-yaml v1.19.2
	github.com/jackc/pgx/v5 v5.7.2
	github.com/redis/go-redis/v9 v9.19.0
	github.com/tetratelabs/wazero v1.11.0
	golang.org/x/mod v0.31.0
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.2 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/rogpeppe/go-internal v1.10.0 // indirect
	go.uber.org/atomic v1.11.0 // indirect
	golang.org/x/crypto v0.31.0 // indirect
	golang.org/x/sync v0.10.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/text v0.21.0 // indirect
)

replace github.com/backoff-rs/backoff/bindings-go => ../..

replace github.com/backoff-rs/backoff/bindings-go/adapters/postgres => ../../adapters/postgres

replace github.com/backoff-rs/backoff/bindings-go/adapters/redis => ../../adapters/redis
