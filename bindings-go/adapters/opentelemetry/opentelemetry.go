// Package backoffotel records what loops do in OpenTelemetry (go.opentelemetry.io/otel): events of spans, and metrics.
package backoffotel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

const scope = "github.com/backoff-rs/backoff/bindings-go/adapters/opentelemetry"

var seconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}

// methods are those that http.request.method may have.
var methods = []string{
	http.MethodConnect, http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut, "QUERY", http.MethodTrace,
}

// Telemetry makes the hooks of loops. It is safe for any number of goroutines.
//
// The span of the context gets an event "backoff.retry" before each wait, and an event "backoff.stop" when a loop gives up
// at a limit. The metrics are the counter backoff.retries and, of each loop when it ends, the histograms
// backoff.operation.attempts and backoff.operation.duration in seconds. Attributes are those of the semantic conventions,
// where they have them, such as error.type. The text of an error and the value of a call, which may be secret, are left
// out.
type Telemetry struct {
	attributes []attribute.KeyValue
	retries    metric.Int64Counter
	attempts   metric.Int64Histogram
	duration   metric.Float64Histogram
}

// An Option configures Telemetry.
type Option func(*options)

type options struct {
	meters     metric.MeterProvider
	attributes []attribute.KeyValue
}

// WithMeterProvider sets where the metrics go. By default, and for nil, it is the global provider.
func WithMeterProvider(provider metric.MeterProvider) Option {
	return func(o *options) { o.meters = provider }
}

// WithName sets the attribute backoff.name: which loop it is.
func WithName(name string) Option { return WithAttributes(attribute.String("backoff.name", name)) }

// WithAttributes adds attributes to every event and every metric.
func WithAttributes(attributes ...attribute.KeyValue) Option {
	return func(o *options) { o.attributes = append(o.attributes, attributes...) }
}

// New returns a Telemetry. Make one for each kind of loop, not for each loop.
//
// It fails with an *backoff.ArgumentError for a nil option, and with what the provider says about the instruments.
func New(given ...Option) (*Telemetry, error) {
	var o options
	for _, option := range given {
		if option == nil {
			return nil, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "option", Rule: "is nil"}
		}
		option(&o)
	}
	if o.meters == nil {
		o.meters = otel.GetMeterProvider()
	}
	meter := o.meters.Meter(scope)
	t := &Telemetry{attributes: slices.Clip(o.attributes)}
	bounds := make([]float64, 0, 11)
	for _, bound := range new(backoff.RetryStats).Counts().Bounds {
		bounds = append(bounds, float64(bound))
	}
	var errs [3]error
	t.retries, errs[0] = meter.Int64Counter("backoff.retries",
		metric.WithUnit("{retry}"), metric.WithDescription("Retries of operations."))
	t.attempts, errs[1] = meter.Int64Histogram("backoff.operation.attempts",
		metric.WithUnit("{attempt}"), metric.WithDescription("Attempts of an operation."),
		metric.WithExplicitBucketBoundaries(bounds...))
	t.duration, errs[2] = meter.Float64Histogram("backoff.operation.duration",
		metric.WithUnit("s"), metric.WithDescription("The time of an operation, with its waits."),
		metric.WithExplicitBucketBoundaries(seconds...))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return t, nil
}

// Options returns the hooks of a loop, or of all loops of the program for backoff.SetDefaults. The span of the loop's
// context gets the events.
func (t *Telemetry) Options() []backoff.RetryOption {
	return []backoff.RetryOption{
		backoff.OnRetryContext(func(ctx context.Context, event backoff.Event) { t.onRetry(ctx, backoffhttp.Event{Event: event}) }),
		backoff.OnStopContext(func(ctx context.Context, event backoff.Event) { t.onStop(ctx, backoffhttp.Event{Event: event}) }),
	}
}

// HTTPOptions returns the hooks of a transport. The span of the request's context gets the events.
func (t *Telemetry) HTTPOptions() []backoffhttp.Option {
	return []backoffhttp.Option{
		backoffhttp.OnRetry(func(event backoffhttp.Event) { t.onRetry(event.Request.Context(), event) }),
		backoffhttp.OnStop(func(event backoffhttp.Event) { t.onStop(event.Request.Context(), event) }),
	}
}

func (t *Telemetry) onRetry(ctx context.Context, event backoffhttp.Event) {
	common := t.common(event)
	t.retries.Add(ctx, 1, metric.WithAttributes(common...))
	t.record(ctx, "backoff.retry", common, event)
}

func (t *Telemetry) onStop(ctx context.Context, event backoffhttp.Event) {
	common := append(t.common(event), attribute.String("backoff.stop_reason", event.Reason.String()))
	all := metric.WithAttributes(common...)
	// Stats count a loop without a call so, too (SPEC 17.1).
	t.attempts.Record(ctx, int64(max(event.Attempts, 1)), all)
	t.duration.Record(ctx, event.Elapsed.Seconds(), all)
	switch event.Reason {
	case backoff.StopSuccess, backoff.StopPermanent, backoff.StopCancelled:
	default:
		t.record(ctx, "backoff.stop", common, event)
	}
}

// record adds an event to the span of a context.
func (t *Telemetry) record(ctx context.Context, name string, common []attribute.KeyValue, event backoffhttp.Event) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	attributes := append(common,
		attribute.Int64("backoff.attempts", int64(event.Attempts)),
		attribute.Float64("backoff.delay", event.Delay.Seconds()),
		attribute.Float64("backoff.elapsed", event.Elapsed.Seconds()))
	if event.BudgetIsLocal {
		attributes = append(attributes, attribute.Bool("backoff.budget_is_local", true))
	}
	if event.Method != "" {
		attributes = append(attributes, attribute.String("url.full", event.URL))
		if event.Attempts > 1 {
			attributes = append(attributes, attribute.Int64("http.request.resend_count", int64(event.Attempts-1)))
		}
		if !slices.Contains(methods, event.Method) {
			attributes = append(attributes, attribute.String("http.request.method_original", event.Method))
		}
	}
	span.AddEvent(name, trace.WithAttributes(attributes...))
}

// common returns the attributes with few values.
func (t *Telemetry) common(event backoffhttp.Event) []attribute.KeyValue {
	attributes := t.attributes
	if event.Outcome != 0 {
		attributes = append(attributes, attribute.String("backoff.outcome", event.Outcome.String()))
		if event.Outcome != backoff.OutcomeSuccess {
			attributes = append(attributes, attribute.String("error.type", errorType(event)))
		}
	}
	if event.Method != "" {
		method := event.Method
		if !slices.Contains(methods, method) {
			method = "_OTHER"
		}
		attributes = append(attributes, attribute.String("http.request.method", method))
	}
	if event.Status != 0 {
		attributes = append(attributes, attribute.Int("http.response.status_code", event.Status))
	}
	return attributes
}

// errorType returns the class of a failure: a status, the type of an error beneath what fmt.Errorf puts around it, or the
// outcome of a value.
func errorType(event backoffhttp.Event) string {
	if event.Status >= 400 {
		return strconv.Itoa(event.Status)
	}
	if event.Err == nil {
		return event.Outcome.String()
	}
	err := event.Err
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if err = inner; fmt.Sprintf("%T", err) != "*fmt.wrapError" {
			break
		}
	}
	return fmt.Sprintf("%T", err)
}
