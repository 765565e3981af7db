// Responses without content, whose bodies nobody needs to close.

package backoffhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// startEither starts a server that speaks HTTP/1.1, or HTTP/2, and returns a client of it and the contexts of its attempts.
func startEither(t *testing.T, isHTTP2 bool, options []backoffhttp.Option, answers ...http.HandlerFunc) (*server, *client, *[]context.Context) {
	t.Helper()
	server := newServer(t, answers...)
	var base http.RoundTripper = &http.Transport{}
	if isHTTP2 {
		server.EnableHTTP2 = true
		server.StartTLS()
		base = server.Client().Transport
	} else {
		server.Start()
	}
	contexts := new([]context.Context)
	client := newClientOver(t, closing{roundTripper(func(request *http.Request) (*http.Response, error) {
		*contexts = append(*contexts, request.Context())
		return base.RoundTrip(request)
	}), base.(*http.Transport)}, options...)
	t.Cleanup(func() {
		until(t, "a connection is in use", func() bool { client.CloseIdleConnections(); return server.isUnused() })
	})
	return server, client, contexts
}

type closing struct {
	http.RoundTripper
	*http.Transport
}

func (c closing) RoundTrip(request *http.Request) (*http.Response, error) {
	return c.RoundTripper.RoundTrip(request)
}

// An attempt leaves nothing behind in the context of the caller if its response has no content, also if nobody closes the
// body; as without retries.
func TestResponsesWithoutContent(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		for _, row := range []struct {
			method  string
			status  int
			headers []string
		}{
			{"HEAD", 200, []string{"Content-Length", "7"}},
			{"GET", 200, []string{"Content-Length", "0"}},
			{"GET", 204, nil},
			{"GET", 304, []string{"Etag", `"a"`}},
			{"DELETE", 404, []string{"Content-Length", "0"}},
		} {
			t.Run(fmt.Sprintf("HTTP/2 %t %s %d", isHTTP2, row.method, row.status), func(t *testing.T) {
				answer := func(w http.ResponseWriter, _ *http.Request) {
					for i := 0; i < len(row.headers); i += 2 {
						w.Header().Set(row.headers[i], row.headers[i+1])
					}
					w.WriteHeader(row.status)
				}
				server, client, contexts := startEither(t, isHTTP2, nil, answer, answer)
				for i := range 2 {
					response, err := client.Do(newRequest(t, t.Context(), row.method, server.URL, nil))
					if err != nil {
						t.Fatal(err)
					}
					if response.StatusCode != row.status || response.ProtoMajor == 2 != isHTTP2 {
						t.Errorf("%s by %s", response.Status, response.Proto)
					}
					if !isHTTP2 && response.Body != http.NoBody {
						t.Errorf("the body is a %T", response.Body)
					}
					if len(*contexts) != i+1 || (*contexts)[i].Err() == nil {
						t.Errorf("%d attempts, and the context of the last one lives", len(*contexts))
					}
					if content, err := io.ReadAll(response.Body); len(content) > 0 || err != nil {
						t.Errorf("read %q, %v", content, err)
					}
				}
				if server.connections != 1 {
					t.Errorf("%d connections", server.connections)
				}
			})
		}
	}
}

// A request with content has been sent before its context ends.
func TestAResponseWithoutContentToARequestWithContent(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		server, client, contexts := startEither(t, isHTTP2, nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
		response, err := client.Do(newRequest(t, t.Context(), "PUT", server.URL, strings.NewReader("text")))
		if err != nil || response.StatusCode != 204 {
			t.Fatalf("%v, %v", response, err)
		}
		// A server of HTTP/2 may have answered before it got everything, and still wants it.
		if isDone := (*contexts)[0].Err() != nil; isDone == isHTTP2 {
			t.Errorf("HTTP/2 %t: the context has ended: %t", isHTTP2, isDone)
		}
		if err := response.Body.Close(); err != nil || (*contexts)[0].Err() == nil {
			t.Errorf("closed with %v", err)
		}
		if got := server.bodies(); len(got) != 1 || got[0] != "text" {
			t.Errorf("the server got %q", got)
		}
	}
}

// A response without content may have trailers, which come after its head.
func TestTrailersWithoutContent(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		for name, options := range map[string][]backoffhttp.Option{"": nil, "WithReadBody": {backoffhttp.WithReadBody()}} {
			read := make(chan struct{})
			server, client, contexts := startEither(t, isHTTP2, options, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "Checksum")
				w.WriteHeader(200)
				w.(http.Flusher).Flush()
				if options == nil {
					<-read // the head has arrived
				}
				w.Header().Set("Checksum", "abc")
			})
			response, err := client.Get(server.URL)
			close(read)
			if err != nil {
				t.Fatal(err)
			}
			if options == nil && (*contexts)[0].Err() != nil {
				t.Error("the context ended before the trailers")
			}
			content, err := io.ReadAll(response.Body)
			if len(content) > 0 || err != nil || response.Trailer.Get("Checksum") != "abc" {
				t.Errorf("HTTP/2 %t %s: read %q, %v with %v", isHTTP2, name, content, err, response.Trailer)
			}
			if (*contexts)[0].Err() == nil {
				t.Error("the context did not end")
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A test double without a body leaves nothing behind either.
func TestATestDoubleWithoutABody(t *testing.T) {
	var attempted context.Context
	transport := newTransport(t, roundTripper(func(request *http.Request) (*http.Response, error) {
		attempted = request.Context()
		return &http.Response{StatusCode: 200}, nil
	}), backoffhttp.WithRetry(backoff.WithMaxRetries(0)))
	response, err := transport.RoundTrip(newRequest(t, t.Context(), "GET", "http://example.com", nil))
	if err != nil || response.Body != http.NoBody || attempted.Err() == nil {
		t.Errorf("%+v, %v, %v", response, err, attempted.Err())
	}
}
