package backoffretryablehttp

import (
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/hashicorp/go-retryablehttp"
)

var _ retryablehttp.Backoff = (*Delays)(nil).Backoff

func TestClient(t *testing.T) {
	delays := []time.Duration{113994, 830439, 2293098} // of the reference, with 1 ms
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
		"max_retries":    {"full:base=1ms,max_retries=3", []http.HandlerFunc{answer(500), aborted, answer(502), answer(500)}, delays},
		"no retries":     {"full:base=1ms,max_retries=0", []http.HandlerFunc{answer(500)}, nil},
		"no limit":       {"full:base=1ms", []http.HandlerFunc{answer(500), answer(500), answer(500), answer(200)}, delays},
		"Retry-After":    {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(500), answer(503, "Retry-After", "1"), answer(429, "Retry-After-Ms", "6"), answer(200)}, []time.Duration{delays[0], 9 * time.Millisecond, 6 * time.Millisecond}},
		"quotas":         {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(429, "RateLimit", `"default";r=0;t=1`), answer(429, "X-RateLimit-Reset", "1"), answer(200)}, []time.Duration{9 * time.Millisecond, 9 * time.Millisecond}},
		"throttled":      {"full:base=0.5ms,throttled_base=1ms", []http.HandlerFunc{answer(429), answer(503), answer(200)}, delays[:2]},
		"another status": {"full:base=1ms,retry_after_max=9ms", []http.HandlerFunc{answer(507, "Retry-After-Ms", "6"), answer(507), answer(200)}, []time.Duration{6 * time.Millisecond, delays[1]}},
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
			fixed(t, row.policy).Configure(client)
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

func TestRetryMax(t *testing.T) {
	for policy, want := range map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": math.MaxInt32} {
		if got := fixed(t, policy).RetryMax(); got != want {
			t.Errorf("%s: %d, not %d", policy, got, want)
		}
	}
}

// fixed returns delays with the stream of the numbers of docs/programs.md.
func fixed(t *testing.T, policy string) *Delays {
	t.Helper()
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	delays, err := New(policy, WithStream(stream))
	if err != nil {
		t.Fatal(err)
	}
	return delays
}

func TestInvalidOptions(t *testing.T) {
	for want, create := range map[string]func() (*Delays, error){
		"at 11: base has no unit; the units are d, h, m, s, ms, us, ns":     func() (*Delays, error) { return New("full:base=1") },
		"max_elapsed is unused: go-retryablehttp limits the time by itself": func() (*Delays, error) { return New("full:base=1s,max_elapsed=1m") },
		"option is nil": func() (*Delays, error) { return New("default", nil) },
	} {
		if delays, err := create(); delays != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", delays, err, want)
		}
	}
}
