// The verdicts on responses and on the errors of net/http (SPEC 19.3).

package backoffhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// verdict returns the verdict on an attempt, nil if the options of the loop are asked about its error (SPEC 19.3).
func (e *exchange) verdict(response *http.Response, err error) backoff.Verdict {
	verdict, ofHead := e.ofCaller(response, err), e.verdictOfHead()
	if ofHead != nil {
		e.status = e.head.StatusCode
	}
	switch {
	case verdict != nil:
	case ofHead != nil:
		verdict = ofHead
	case err != nil:
		verdict = verdictOfError(err)
	default:
		verdict = e.transport.verdictOfResponse(response)
	}
	if e.once == "" || err == nil && isSuccess(verdict) || e.once == SentOnceMethod && err != nil && e.wasNeverSent(err) {
		return verdict
	}
	return backoff.OutcomePermanent
}

// verdictOfHead returns the verdict on a response whose body is read in the attempt, nil if it needs its body.
func (e *exchange) verdictOfHead() backoff.Verdict {
	if e.head == nil {
		return nil
	}
	verdict := e.transport.verdictOfResponse(e.head)
	if isSuccess(verdict) {
		return nil
	}
	return verdict
}

func isSuccess(verdict backoff.Verdict) bool {
	outcome, _, _ := verdict.Verdict()
	return outcome == backoff.OutcomeSuccess
}

// ofCaller returns the verdict of the function of WithClassify.
func (e *exchange) ofCaller(response *http.Response, err error) backoff.Verdict {
	if e.transport.classify == nil || response == nil && err == nil {
		return nil
	}
	defer e.rewind()
	return e.transport.classify(e.request, response, err)
}

// verdictOfResponse returns the verdict on a response, permanent for the nil of a broken RoundTripper.
func (t *Transport) verdictOfResponse(response *http.Response) backoff.Verdict {
	if response == nil {
		return backoff.OutcomePermanent
	}
	verdict := backoff.HTTPVerdict(response.StatusCode, response.Header, time.Now())
	outcome, isSet := t.statuses[response.StatusCode]
	if !isSet {
		return verdict
	}
	if _, retryAfter, asked := verdict.Verdict(); asked {
		return outcome.WithRetryAfter(retryAfter)
	}
	return outcome
}

// A path is how far an attempt came on its way to the server, by the hooks of net/http/httptrace.
type path struct{ asked, connected, written atomic.Bool }

// trace returns a context in which the http.Transport says how far it comes.
func (p *path) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { p.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { p.connected.Store(true) },
		// The server may have received what was written, even if the error is that of a later connection: of a redirect
		// that a client below follows, or of a dialer inside the body of the request.
		WroteHeaders: func() { p.written.Store(true) },
	})
}

// wasNeverSent reports whether an attempt failed before it could send anything: it got no connection. An error
// of a lookup or of a dialer says so, too, for a RoundTripper without hooks.
func (e *exchange) wasNeverSent(err error) bool {
	var (
		name      *net.DNSError
		operation *net.OpError
	)
	if e.path.written.Load() {
		return false
	}
	return errors.As(err, &name) || errors.As(err, &operation) && operation.Op == "dial" ||
		e.path.asked.Load() && !e.path.connected.Load()
}

// verdictOfError returns the verdict of an error of a RoundTripper, nil if it is neither a timeout nor a failure of
// the network.
func verdictOfError(err error) backoff.Verdict {
	var (
		certificate *tls.CertificateVerificationError
		address     *net.AddrError
		stream      streamError
		body        bodyError
		name        *net.DNSError
		operation   *net.OpError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &address):
		return nil
	case errors.As(err, &timeout) && timeout.Timeout():
		return backoff.OutcomeTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &stream), errors.As(err, &body), errors.As(err, &name):
		return backoff.OutcomeTransient
	case errors.As(err, &operation) && slices.Contains([]string{"dial", "read", "readfrom", "write", "proxyconnect", "socks connect"}, operation.Op):
		return backoff.OutcomeTransient // other operations are those of TLS
	case slices.ContainsFunc(lostConnections, func(text string) bool { return strings.Contains(err.Error(), text) }):
		return backoff.OutcomeTransient
	}
	return verdictOfProxy(err)
}

// verdictOfProxy returns the verdict of the status with which a proxy refused a tunnel. net/http makes the reason phrase
// of its answer the whole error.
func verdictOfProxy(err error) backoff.Verdict {
	for status := http.StatusBadRequest; status <= http.StatusNetworkAuthenticationRequired; status++ {
		if text := http.StatusText(status); text != "" && err.Error() == text {
			return backoff.HTTPOutcome(status)
		}
	}
	return nil
}

// A streamError is the StreamError of HTTP/2, which net/http does not export. Its As method copies it into any
// struct with the same fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream error" }

// The errors of lost connections, and of answers that are not HTTP, that net/http does not export. It decorates the
// second ones as those of a broken connection only if it has already closed the connection, which is a matter of time.
var lostConnections = []string{
	"net/http: HTTP/1.x transport connection broken",
	"http: server closed idle connection",
	"http2: client connection lost",
	"http2: frame too large",
	"http2: response header list larger than advertised limit",
	"http2: server sent GOAWAY",
	"connection error: ", // of HTTP/2, with the name of its code
	"http2: Transport received Server's graceful shutdown GOAWAY",
	"http: persistConn.readLoop exiting",
	"readLoopPeekFailLocked", // an answer before the request
	"malformed HTTP",
	"malformed MIME header",
	"malformed response from server", // of HTTP/2
	"bad Content-Length",
	"invalid empty Content-Length",
	"message cannot contain multiple Content-Length headers",
	"unsupported transfer encoding",
	"net/http: server response headers exceeded",
}
