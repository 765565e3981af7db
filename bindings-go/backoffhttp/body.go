// The bodies of responses: what closes them, and what is read of those that nobody wants.

package backoffhttp

import (
	"context"
	"io"
	"reflect"
)

// maxDrained is how much of a body is read so that its connection can be used again.
const maxDrained = 64 << 10

// drain reads the rest of the last response while the loop waits. The next attempt, or the end of the loop, ends it. A
// body that is not read to its end closes its connection.
func (e *exchange) drain() {
	if e.response == nil {
		return
	}
	body := e.response.Body
	e.response = nil
	if e.content != nil {
		return // it was read in the attempt
	}
	// Closing ends the reading also over a RoundTripper that dropped the context.
	stop := context.AfterFunc(e.attempted, func() { closeQuietly(body) })
	go func() {
		readQuietly(body)
		if stop() {
			closeQuietly(body)
		}
	}()
}

// readQuietly reads a body that nobody waits for. A panic here would end the process, because no caller could recover it.
func readQuietly(body io.Reader) {
	defer func() { _ = recover() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(body, maxDrained))
}

func closeQuietly(body io.Closer) {
	defer func() { _ = recover() }()
	_ = body.Close()
}

// isEmpty reports whether a body is http.NoBody, or that of HTTP/2, which net/http does not export: it holds nothing, not even
// its connection. When the http.Transport returns it, the attempt is over, except that HTTP/2 may still send a request that
// has a body itself.
func isEmpty(body io.ReadCloser) bool { return reflect.TypeOf(body).Size() == 0 }

// bodyOf returns a body that frees the context of its attempt at its end.
func bodyOf(inner io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	b := &body{inner, cancel}
	switch inner := inner.(type) { // of 101 Switching Protocols
	case halfCloser:
		return struct {
			*body
			halfCloser
		}{b, inner}
	case io.Writer:
		return struct {
			*body
			io.Writer
		}{b, inner}
	}
	return b
}

// A halfCloser can end what it writes and read on.
type halfCloser interface {
	io.Writer
	CloseWrite() error
}

type body struct {
	inner  io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if err != nil {
		b.cancel(nil)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.inner.Close()
	b.cancel(nil)
	return err
}
