package adapters

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	backoffretryablehttp "github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp"
	"github.com/hashicorp/go-retryablehttp"
)

func TestRetryableHTTP(t *testing.T) {
	answer := func(status int, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
		}
	}
	aborted := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, row := range map[string]struct {
		policy  string
		answers []http.HandlerFunc
		delays  []time.Duration
	}{
		"max_retries":    {"full:base=1ms,max_retries=3", []http.HandlerFunc{answer(500), aborted, answer(502), answer(500)}, short},
		"no retries":     {"full:base=1ms,max_retries=0", []http.HandlerFunc{answer(500)}, nil},
		"no limit":       {"full:base=1ms", []http.HandlerFunc{answer(500), answer(500), answer(500), answer(200)}, short},
		"Retry-After":    {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(500), answer(503, "Retry-After", "1"), answer(429, "Retry-After-Ms", "6"), answer(200)}, []time.Duration{short[0], 9 * time.Millisecond, 6 * time.Millisecond}},
		"quotas":         {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(429, "RateLimit", `"default";r=0;t=1`), answer(429, "X-RateLimit-Reset", "1"), answer(200)}, []time.Duration{9 * time.Millisecond, 9 * time.Millisecond}},
		"throttled":      {"full:base=0.5ms,throttled_base=1ms", []http.HandlerFunc{answer(429), answer(503), answer(200)}, short[:2]},
		"another status": {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(507, "Retry-After-Ms", "6"), answer(507), answer(200)}, []time.Duration{6 * time.Millisecond, short[1]}},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				row.answers[requests-1](w, r)
			}))
			defer server.Close()
			client := retryablehttp.NewClient()
			client.Logger = nil
			must(t, backoffretryablehttp.New, row.policy).Configure(client)
			var got []time.Duration
			inner := client.Backoff
			client.Backoff = func(shortest, longest time.Duration, attempt int, response *http.Response) time.Duration {
				delay := inner(shortest, longest, attempt, response)
				got = append(got, delay)
				return delay
			}
			client.ErrorHandler = retryablehttp.PassthroughErrorHandler
			client.HTTPClient.Transport = &http.Transport{DisableKeepAlives: true}
			response, err := client.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, row.delays) || requests != len(row.answers) {
				t.Errorf("%d requests, delays %d", requests, got)
			}
		})
	}
}
