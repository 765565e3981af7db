module github.com/backoff-rs/backoff/bindings-go/adapters/clientgo

go 1.24

require (
	github.com/backoff-rs/backoff/bindings-go v0.1.0
	k8s.io/client-go v0.31.0
)

require (
	github.com/go-logr/logr v1.4.2 // indirect
	golang.org/x/time v0.3.0 // indirect
	k8s.io/apimachinery v0.31.0 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
	k8s.io/utils v0.0.0-20240711033017-18e509b52bc8 // indirect
)
