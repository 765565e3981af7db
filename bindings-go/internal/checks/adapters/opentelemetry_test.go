package adapters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffotel "github.com/backoff-rs/backoff/bindings-go/adapters/opentelemetry"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A recorder is the SDK of OpenTelemetry, which keeps its data in memory.
type recorder struct {
	t         *testing.T
	spans     *tracetest.InMemoryExporter
	traces    *sdktrace.TracerProvider
	reader    *metric.ManualReader
	telemetry *backoffotel.Telemetry
}

func newRecorder(t *testing.T, options ...backoffotel.Option) recorder {
	t.Helper()
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	telemetry, err := backoffotel.New(append(options, backoffotel.WithMeterProvider(provider))...)
	if err != nil {
		t.Fatal(err)
	}
	return recorder{t, spans, sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), reader, telemetry}
}

// events runs a function in a span, and returns the events of the span, as maps with the name.
func (r recorder) events(run func(ctx context.Context)) []map[string]any {
	ctx, span := r.traces.Tracer("test").Start(context.Background(), "work")
	run(ctx)
	span.End()
	var events []map[string]any
	for _, span := range r.spans.GetSpans() {
		for _, event := range span.Events {
			all := values(event.Attributes)
			all["name"] = event.Name
			events = append(events, all)
		}
	}
	r.spans.Reset()
	return events
}

func values(attributes []attribute.KeyValue) map[string]any {
	all := make(map[string]any)
	for _, each := range attributes {
		all[string(each.Key)] = each.Value.AsInterface()
	}
	return all
}

// metrics returns the metrics by name.
func (r recorder) metrics() map[string]metricdata.Metrics {
	r.t.Helper()
	var data metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &data); err != nil || len(data.ScopeMetrics) != 1 {
		r.t.Fatalf("%d scopes, %v", len(data.ScopeMetrics), err)
	}
	metrics := make(map[string]metricdata.Metrics)
	for _, each := range data.ScopeMetrics[0].Metrics {
		metrics[each.Name] = each
	}
	return metrics
}

// attempts returns the only point of the histogram of attempts, with its attributes.
func (r recorder) attempts() (metricdata.HistogramDataPoint[int64], map[string]any) {
	r.t.Helper()
	points := r.metrics()["backoff.operation.attempts"].Data.(metricdata.Histogram[int64]).DataPoints
	if len(points) != 1 {
		r.t.Fatalf("%d points", len(points))
	}
	return points[0], values(points[0].Attributes.ToSlice())
}

const telemetryPolicy = "constant:base=1ms,max_retries=2"

// all returns the options of a loop that repeats every error.
func (r recorder) all() []backoff.RetryOption {
	return append(r.telemetry.Options(), backoff.WithPolicyString(telemetryPolicy), backoff.RetryIf(backoff.AnyError))
}

func wantEqual(t *testing.T, got, want map[string]any) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOpenTelemetryOfALoop(t *testing.T) {
	r := newRecorder(t, backoffotel.WithName("fetch"), backoffotel.WithAttributes(attribute.String("peer.service", "payments")))
	refused := errors.New("refused: token=secret")
	events := r.events(func(ctx context.Context) {
		err := backoff.Do(ctx, func() error { return fmt.Errorf("again: %w", refused) }, r.all()...)
		if !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	})
	common := map[string]any{
		"peer.service":    "payments",
		"backoff.name":    "fetch",
		"backoff.outcome": "transient",
		"error.type":      "*errors.errorString",
	}
	if len(events) != 3 {
		t.Fatalf("got %v", events)
	}
	for position, event := range events {
		want := maps.Clone(common)
		want["name"], want["backoff.attempts"], want["backoff.delay"] = "backoff.retry", int64(position+1), 0.001
		if position == 2 {
			want["name"], want["backoff.delay"], want["backoff.stop_reason"] = "backoff.stop", 0.0, "max_retries"
		}
		if elapsed := event["backoff.elapsed"].(float64); elapsed < 0.001*float64(position) {
			t.Errorf("event %d came after %v s", position, elapsed)
		}
		delete(event, "backoff.elapsed")
		wantEqual(t, event, want)
	}

	metrics := r.metrics()
	retries := metrics["backoff.retries"].Data.(metricdata.Sum[int64]).DataPoints
	if len(retries) != 1 || retries[0].Value != 2 {
		t.Errorf("retries: %v", retries)
	}
	wantEqual(t, values(retries[0].Attributes.ToSlice()), common)
	common["backoff.stop_reason"] = "max_retries"
	attempts, attributes := r.attempts()
	wantEqual(t, attributes, common)
	if bounds := []float64{1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50}; attempts.Sum != 3 || attempts.Count != 1 || !slices.Equal(attempts.Bounds, bounds) {
		t.Errorf("attempts: %v", attempts)
	}
	durations := metrics["backoff.operation.duration"].Data.(metricdata.Histogram[float64]).DataPoints
	if len(durations) != 1 || durations[0].Sum < 0.002 {
		t.Errorf("durations: %v", durations)
	}
	for name, unit := range map[string]string{"backoff.retries": "{retry}", "backoff.operation.attempts": "{attempt}", "backoff.operation.duration": "s"} {
		if metrics[name].Unit != unit {
			t.Errorf("%s is in %s", name, metrics[name].Unit)
		}
	}
}

func TestOpenTelemetryOfASuccess(t *testing.T) {
	r := newRecorder(t)
	events := r.events(func(ctx context.Context) {
		if err := backoff.Do(ctx, func() error { return nil }, r.all()...); err != nil {
			t.Error(err)
		}
	})
	if len(events) != 0 {
		t.Errorf("got %v", events)
	}
	attempts, attributes := r.attempts()
	wantEqual(t, attributes, map[string]any{"backoff.outcome": "success", "backoff.stop_reason": "success"})
	if attempts.Sum != 1 {
		t.Errorf("attempts: %v", attempts)
	}
}

type ownError struct{}

func (*ownError) Error() string { return "own" }

func TestOpenTelemetryErrorTypes(t *testing.T) {
	for want, err := range map[string]error{
		"*adapters.ownError":            fmt.Errorf("a: %w", fmt.Errorf("b: %w", new(ownError))),
		"*net.OpError":                  &net.OpError{Op: "dial", Err: errors.New("x")},
		"*fmt.wrapError":                fmt.Errorf("of nothing: %w", error(nil)),
		"context.deadlineExceededError": context.DeadlineExceeded,
	} {
		r := newRecorder(t)
		ctx := context.Background()
		if got := backoff.Do(ctx, func() error { return backoff.Permanent(err) }, r.all()...); got == nil {
			t.Error("no error")
		}
		if _, attributes := r.attempts(); attributes["error.type"] != want {
			t.Errorf("got %v, want %s", attributes["error.type"], want)
		}
	}
}

func TestOpenTelemetryOfRequests(t *testing.T) {
	answers := []int{503, 429, 500, 503, 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0])
		answers = answers[1:]
	}))
	defer server.Close()
	r := newRecorder(t)
	mayRepeat := backoffhttp.WithMayRepeat(func(*http.Request) bool { return true })
	options := append(r.telemetry.HTTPOptions(), mayRepeat, backoffhttp.WithRetry(backoff.WithPolicyString(telemetryPolicy)))
	transport, err := backoffhttp.New(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	send := func(ctx context.Context, method string) {
		request, err := http.NewRequestWithContext(ctx, method, server.URL+"/a?token=secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}

	events := r.events(func(ctx context.Context) { send(ctx, http.MethodGet) })
	var shown []string
	for _, event := range events {
		shown = append(shown, fmt.Sprint(event["name"], event["error.type"], event["http.request.resend_count"]))
		if event["http.request.method"] != "GET" || event["url.full"] != server.URL+"/a" {
			t.Errorf("got %v", event)
		}
	}
	if want := []string{"backoff.retry503<nil>", "backoff.retry4291", "backoff.stop5002"}; !slices.Equal(shown, want) {
		t.Errorf("got %q", shown)
	}
	_, attributes := r.attempts()
	if attributes["http.response.status_code"] != int64(500) || strings.Contains(fmt.Sprint(attributes), "url") {
		t.Errorf("got %v", attributes)
	}

	events = r.events(func(ctx context.Context) { send(ctx, "REPORT") })
	if len(events) != 1 || events[0]["http.request.method"] != "_OTHER" || events[0]["http.request.method_original"] != "REPORT" {
		t.Errorf("got %v", events)
	}
}

// As defaults of the program the hooks record in the span of each loop.
func TestOpenTelemetryOfTheProgram(t *testing.T) {
	r := newRecorder(t)
	restore, err := backoff.SetDefaults(r.all()...)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	for range 2 {
		events := r.events(func(ctx context.Context) {
			_ = backoff.Do(ctx, func() error { return new(ownError) })
		})
		if len(events) != 3 || events[0]["name"] != "backoff.retry" || events[2]["name"] != "backoff.stop" {
			t.Errorf("got %v", events)
		}
	}
}

func TestOpenTelemetryWithoutAnSDK(t *testing.T) {
	telemetry, err := backoffotel.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := backoff.Do(t.Context(), func() error { return nil }, telemetry.Options()...); err != nil {
		t.Error(err)
	}
	if _, err := backoffotel.New(nil); !errors.Is(err, backoff.ErrMissing) {
		t.Errorf("got %v", err)
	}
}

// One Telemetry serves goroutines, each with a span of its own.
func TestOpenTelemetryOfGoroutines(t *testing.T) {
	r := newRecorder(t)
	const goroutines = 8
	done := make(chan struct{})
	for range goroutines {
		go func() {
			defer func() { done <- struct{}{} }()
			ctx, span := r.traces.Tracer("test").Start(context.Background(), "work")
			defer span.End()
			_ = backoff.Do(ctx, func() error { return new(ownError) }, r.all()...)
		}()
	}
	for range goroutines {
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("a goroutine hangs")
		}
	}
	ended := r.spans.GetSpans()
	if len(ended) != goroutines {
		t.Errorf("%d spans", len(ended))
	}
	for _, span := range ended {
		if len(span.Events) != 3 {
			t.Errorf("%d events", len(span.Events))
		}
	}
}
