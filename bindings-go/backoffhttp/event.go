// Event: what hooks receive, without the secrets of URLs.

package backoffhttp

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// An Event is what the hooks of a Transport receive: the event of the loop and the request. Its Value is the
// *http.Response of the last attempt, nil if that had none.
type Event struct {
	backoff.Event
	// Request is the request of the client. A hook must not change it.
	Request *http.Request
	// Method is that of the request.
	Method string
	// URL is that of the request, without user information, query and fragment.
	URL string
	// Status is that of the last response, also of one without success whose body is missing (WithReadBody); 0 after
	// another failure.
	Status int
	// SentOnce is why the request is sent once; empty if it may be repeated.
	SentOnce SentOnce
}

// event returns the event of a request.
func (e *exchange) event(event backoff.Event) Event {
	return Event{
		Event:    event,
		Request:  e.request,
		Method:   cmp.Or(e.request.Method, http.MethodGet),
		URL:      shown(e.request.URL),
		Status:   e.status,
		SentOnce: e.once,
	}
}

// shown returns a URL without user information, query and fragment.
func shown(address *url.URL) string {
	if address.Opaque != "" { // which may have all of them
		parsed, err := url.Parse(address.Scheme + ":" + address.Opaque)
		if err != nil || parsed.Opaque != "" {
			return address.Scheme + "://" + address.Host
		}
		address = parsed
	}
	return (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path, RawPath: address.RawPath}).String()
}

// In a text: the query and the fragment of a URL, but not what closes it there, and its user information.
var (
	query = regexp.MustCompile(`(\S)[?#](?:\S*[^\s"')\]>,.;:])?`)
	user  = regexp.MustCompile(`//[^\s/]*@`)
)

// logged returns the event of the loop for a log. The text of its error may have the URL of the request, such as that of a
// url.Error, or another.
func (e Event) logged() backoff.Event {
	event := e.Event
	if event.Err != nil {
		event.Err = errors.New(user.ReplaceAllString(query.ReplaceAllString(event.Err.Error(), "$1"), "//"))
	}
	return event
}

// String returns a line for a log, such as
// "GET http://example.com/a: attempt 1: status 503: throttled, waiting 20ms". As in LogValue and MarshalJSON, URLs in the text
// of an error have no user information, query and fragment.
func (e Event) String() string {
	text := fmt.Sprintf("%s %s: attempt %d", e.Method, e.URL, e.Attempts)
	if e.Status != 0 {
		text += fmt.Sprintf(": status %d", e.Status)
	}
	if err := e.logged().Err; err != nil {
		text += ": " + err.Error()
	}
	if e.Reason == 0 {
		return fmt.Sprintf("%s: %v, waiting %v", text, e.Outcome, e.Delay)
	}
	if e.SentOnce != "" && e.Reason == backoff.StopPermanent {
		text += ": not repeatable (" + string(e.SentOnce) + ")"
	}
	return fmt.Sprintf("%s: stopped: %v", text, e.Reason)
}

// LogValue returns the members of the event for slog, without the request and the response, which may be large or
// secret.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("method", e.Method), slog.String("url", e.URL)}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.SentOnce != "" {
		attrs = append(attrs, slog.String("sent_once", string(e.SentOnce)))
	}
	return slog.GroupValue(append(attrs, e.logged().LogValue().Group()...)...)
}

// MarshalJSON returns the members of LogValue as JSON, with durations in nanoseconds.
func (e Event) MarshalJSON() ([]byte, error) { return shared.JSON(e.LogValue()) }
