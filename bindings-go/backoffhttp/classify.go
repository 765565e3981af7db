package backoffhttp

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// verdictOfResponse returns the verdict of a response, permanent for the nil of a broken RoundTripper.
func verdictOfResponse(response *http.Response) backoff.Verdict {
	if response == nil {
		return backoff.OutcomePermanent
	}
	return backoff.HTTPVerdict(response.StatusCode, response.Header, time.Now())
}

// verdictOfError returns the verdict of an error of a RoundTripper, nil if it is neither a timeout nor a failure of
// the network.
func verdictOfError(err error) backoff.Verdict {
	var (
		certificate *tls.CertificateVerificationError
		address     *net.AddrError
		stream      streamError
		name        *net.DNSError
		operation   *net.OpError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &address):
		return nil
	case errors.As(err, &timeout) && timeout.Timeout():
		return backoff.OutcomeTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &stream), errors.As(err, &name):
		return backoff.OutcomeTransient
	case errors.As(err, &operation) && slices.Contains([]string{"dial", "read", "write", "proxyconnect"}, operation.Op):
		return backoff.OutcomeTransient // other operations are those of TLS
	case slices.ContainsFunc(lostConnections, func(text string) bool { return strings.Contains(err.Error(), text) }):
		return backoff.OutcomeTransient
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

// The errors of lost connections that net/http does not export.
var lostConnections = []string{
	"net/http: HTTP/1.x transport connection broken",
	"http: server closed idle connection",
	"http2: client connection lost",
	"http2: server sent GOAWAY",
}
