// Which requests may be repeated (SPEC 19.2).

package backoffhttp

import (
	"context"
	"net/http"
	"slices"
	"strings"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A SentOnce is why a request is sent once (SPEC 19.2); empty if it may be repeated.
type SentOnce string

const (
	// SentOnceCaller: WithoutRetries, or the function of WithMayRepeat, says so.
	SentOnceCaller SentOnce = "caller"
	// SentOnceBody: the body cannot be sent again, because the request has no GetBody.
	SentOnceBody SentOnce = "body"
	// SentOnceMethod: neither the method nor a key allows a repetition. Such a request is repeated all the same if it
	// was never sent.
	SentOnceMethod SentOnce = "method"
)

// WithRetries returns a context whose requests may be repeated, whatever their methods and keys and WithMayRepeat.
func WithRetries(ctx context.Context) context.Context {
	return context.WithValue(ctx, retrySwitch{}, true)
}

// WithoutRetries returns a context whose requests are sent once.
func WithoutRetries(ctx context.Context) context.Context {
	return context.WithValue(ctx, retrySwitch{}, false)
}

type retrySwitch struct{}

// sentOnce returns why a request is sent once.
func (t *Transport) sentOnce(request *http.Request) SentOnce {
	allowed, switched := request.Context().Value(retrySwitch{}).(bool)
	asked := switched || t.mayRepeat != nil
	if asked && !switched {
		allowed = t.mayRepeat(request)
	}
	switch {
	case asked && !allowed:
		return SentOnceCaller
	case hasBody(request) && request.GetBody == nil:
		return SentOnceBody
	case asked || hasKey(request.Header) || t.hasMethod(request.Method):
		return ""
	}
	return SentOnceMethod
}

func (t *Transport) hasMethod(method string) bool {
	if method == "" {
		method = http.MethodGet
	}
	if t.methods == nil {
		return backoff.IsIdempotentMethod(method)
	}
	return slices.Contains(t.methods, method)
}

// hasKey reports whether the server knows a repetition of the request by a key. An empty list of values is the
// convention of net/http for a request that may be repeated and whose key is not sent.
func hasKey(header http.Header) bool {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		values, known := header[name]
		if known && len(values) == 0 || slices.ContainsFunc(values, func(value string) bool { return strings.TrimSpace(value) != "" }) {
			return true
		}
	}
	return false
}

func hasBody(request *http.Request) bool { return request.Body != nil && request.Body != http.NoBody }
