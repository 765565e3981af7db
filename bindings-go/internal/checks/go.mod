module github.com/backoff-rs/backoff/bindings-go/internal/checks

go 1.24.0

require (
	github.com/avast/retry-go/v5 v5.0.0
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/aws/smithy-go v1.28.9
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	github.com/backoff-rs/backoff/bindings-go/adapters/postgres v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/redis v0.0.0-00010101000000-000000000000
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/cenkalti/backoff/v6 v6.0.1
	github.com/cenkalti/backoff/v7 v7.0.3
	github.com/failsafe-go/failsafe-go v0.9.4
	github.com/goccy/go-yaml v1.19.2
	github.com/hashicorp/go-retryablehttp v0.7.7
	github.com/hibiken/asynq v0.26.0
	github.com/jackc/pgx/v5 v5.7.2
	github.com/redis/go-redis/v9 v9.19.0
	github.com/riverqueue/river v0.19.0
	github.com/riverqueue/river/riverdriver/riverpgxv5 v0.19.0
	github.com/riverqueue/river/rivertype v0.19.0
	go.opentelemetry.io/otel v1.32.0
	go.opentelemetry.io/otel/sdk v1.32.0
	go.opentelemetry.io/otel/sdk/metric v1.32.0
	golang.org/x/mod v0.31.0
	gopkg.in/yaml.v3 v3.0.1
	k8s.io/client-go v0.31.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc // indirect
	github.com/go-logr/logr v1.4.2 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2 // indirect
	github.com/riverqueue/river/riverdriver v0.19.0 // indirect
	github.com/riverqueue/river/rivershared v0.19.0 // indirect
	github.com/robfig/cron/v3 v3.0.1 // indirect
	github.com/spf13/cast v1.10.0 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	github.com/tidwall/gjson v1.18.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.opentelemetry.io/otel/metric v1.32.0 // indirect
	go.opentelemetry.io/otel/trace v1.32.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/time v0.14.0 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
	k8s.io/apimachinery v0.31.0 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
	k8s.io/utils v0.0.0-20240711033017-18e509b52bc8 // indirect
)

require (
	github.com/backoff-rs/backoff/bindings-go/adapters/asynq v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/avast v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/aws v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/clientgo v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/failsafe v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/opentelemetry v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp v0.0.0-00010101000000-000000000000
	github.com/backoff-rs/backoff/bindings-go/adapters/river v0.0.0-00010101000000-000000000000
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.2 // indirect
	go.uber.org/atomic v1.11.0 // indirect
	golang.org/x/crypto v0.31.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/text v0.23.0 // indirect
)

replace github.com/backoff-rs/backoff/bindings-go => ../..

replace github.com/backoff-rs/backoff/bindings-go/adapters/postgres => ../../adapters/postgres

replace github.com/backoff-rs/backoff/bindings-go/adapters/redis => ../../adapters/redis

replace github.com/backoff-rs/backoff/bindings-go/adapters/asynq => ../../adapters/asynq

replace github.com/backoff-rs/backoff/bindings-go/adapters/avast => ../../adapters/avast

replace github.com/backoff-rs/backoff/bindings-go/adapters/aws => ../../adapters/aws

replace github.com/backoff-rs/backoff/bindings-go/adapters/clientgo => ../../adapters/clientgo

replace github.com/backoff-rs/backoff/bindings-go/adapters/failsafe => ../../adapters/failsafe

replace github.com/backoff-rs/backoff/bindings-go/adapters/opentelemetry => ../../adapters/opentelemetry

replace github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp => ../../adapters/retryablehttp

replace github.com/backoff-rs/backoff/bindings-go/adapters/river => ../../adapters/river
