module github.com/backoff-rs/backoff/bindings-go/adapters/aws

go 1.24

require (
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/backoff-rs/backoff/bindings-go v0.1.0
)

require github.com/aws/smithy-go v1.28.9 // indirect
