package backoffredis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffredis "github.com/backoff-rs/backoff/bindings-go/adapters/redis"
	"github.com/backoff-rs/backoff/bindings-go/internal/page"
	"github.com/backoff-rs/backoff/bindings-go/internal/servers"
	"github.com/backoff-rs/backoff/bindings-go/internal/storetest"
	"github.com/redis/go-redis/v9"
)

// started are the servers of all tests, nil without a program that starts them.
var started *servers.Servers

func TestMain(m *testing.M) {
	var err error
	if started, err = servers.Start("redis"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if started != nil {
		if err := started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// connect returns a store over a server that has no keys.
func connect(t *testing.T) backoffredis.Store {
	t.Helper()
	client := newClient(t, func(*redis.Options) {})
	if err := client.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return storeOf(t, client)
}

func newClient(t *testing.T, set func(*redis.Options)) *redis.Client {
	t.Helper()
	if started == nil {
		t.Skip(servers.Variable + " is not set")
	}
	options, err := redis.ParseURL(started.URLs["redis"])
	if err != nil {
		t.Fatal(err)
	}
	options.ContextTimeoutEnabled = true
	set(options)
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func storeOf(t *testing.T, client redis.UniversalClient) backoffredis.Store {
	t.Helper()
	store, err := backoffredis.NewStore(client)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestSwaps(t *testing.T) { storetest.Swaps(t, connect(t)) }

func TestSharing(t *testing.T) { storetest.Sharing(t, connect(t), connect(t), connect(t)) }

func TestOutage(t *testing.T) {
	storetest.Outage(t, connect(t), func(command string) {
		if err := started.Do(command + " redis"); err != nil {
			t.Fatal(err)
		}
	})
}

// A swap whose answer is lost happens once, although go-redis sends most commands again.
func TestLostAnswers(t *testing.T) {
	store := connect(t)
	var isLossy atomic.Bool
	client := newClient(t, func(options *redis.Options) {
		address := options.Addr
		options.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
			connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			return &lossy{connection, &isLossy}, err
		}
	})
	over := storeOf(t, client)
	if isSwapped, err := over.CompareAndSwap(t.Context(), "key", nil, "1 1"); err != nil || !isSwapped {
		t.Fatal(isSwapped, err)
	}
	isLossy.Store(true)
	old := "1 1"
	if isSwapped, err := over.CompareAndSwap(t.Context(), "key", &old, "2 2"); err == nil || isSwapped || isLossy.Load() {
		t.Errorf("%t, %v", isSwapped, err)
	}
	if text, _, err := store.Load(t.Context(), "key"); err != nil || *text != "2 2" {
		t.Errorf("%v, %v", text, err)
	}
}

// A lossy connection loses one answer.
type lossy struct {
	net.Conn
	isLossy *atomic.Bool
}

func (l *lossy) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err == nil && l.isLossy.CompareAndSwap(true, false) {
		_ = l.Conn.Close()
		return 0, io.EOF
	}
	return n, err
}

// A server that answers something else is away.
func TestForeignServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				buffer := make([]byte, 1<<16)
				for {
					n, err := connection.Read(buffer)
					if err != nil {
						return
					}
					answer := "-ERR unknown command\r\n"
					if strings.Contains(strings.ToLower(string(buffer[:n])), "eval") {
						answer = "*2\r\n$-1\r\n$1\r\nx\r\n"
					}
					if _, err := io.WriteString(connection, strings.Repeat(answer, max(1, strings.Count(string(buffer[:n]), "*")))); err != nil {
						return
					}
				}
			}()
		}
	}()
	client := redis.NewClient(&redis.Options{Addr: listener.Addr().String(), MaxRetries: -1, DisableIdentity: true, Protocol: 2, ContextTimeoutEnabled: true})
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, _, err := storeOf(t, client).Load(ctx, "key"); err == nil || err.Error() != "redis answered [<nil> x] instead of a value and a time" {
		t.Errorf("%v", err)
	}
}

func TestProgramOfThePage(t *testing.T) {
	connect(t)
	page.Program(t, "REDIS_URL="+started.URLs["redis"])
}

func TestInvalidStores(t *testing.T) {
	for _, none := range []redis.UniversalClient{nil, (*redis.Client)(nil), (*redis.ClusterClient)(nil), (*redis.Ring)(nil)} {
		if _, err := backoffredis.NewStore(none); !errors.Is(err, backoff.ErrMissing) || err.Error() != "client is nil" {
			t.Errorf("%T: %v", none, err)
		}
	}
	var zero backoffredis.Store
	if _, _, err := zero.Load(t.Context(), "key"); err == nil {
		t.Error("the zero Store loads")
	}
	if _, err := zero.CompareAndSwap(t.Context(), "key", nil, "1 1"); err == nil {
		t.Error("the zero Store swaps")
	}
}
