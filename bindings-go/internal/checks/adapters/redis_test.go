package adapters

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffredis "github.com/backoff-rs/backoff/bindings-go/adapters/redis"
	"github.com/redis/go-redis/v9"
)

// connectRedis returns a store over a server that has no keys.
func connectRedis(t *testing.T) backoffredis.Store {
	t.Helper()
	flushRedis(t)
	return redisStore(t, newRedis(t, func(*redis.Options) {}))
}

func flushRedis(t *testing.T) {
	t.Helper()
	if err := newRedis(t, func(*redis.Options) {}).FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
}

func newRedis(t *testing.T, set func(*redis.Options)) *redis.Client {
	t.Helper()
	options := optionsOf(t, "redis")
	set(options)
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// optionsOf returns the options of a client of a server.
func optionsOf(t *testing.T, name string) *redis.Options {
	t.Helper()
	options, err := redis.ParseURL(url(t, name))
	if err != nil {
		t.Fatal(err)
	}
	options.ContextTimeoutEnabled = true
	return options
}

// connectCluster returns a store over a cluster that has no keys.
func connectCluster(t *testing.T, set func(*redis.ClusterOptions)) backoffredis.Store {
	t.Helper()
	options := &redis.ClusterOptions{Addrs: []string{optionsOf(t, "redis-cluster").Addr}, ContextTimeoutEnabled: true}
	set(options)
	client := redis.NewClusterClient(options)
	t.Cleanup(func() { _ = client.Close() })
	if err := client.ForEachMaster(t.Context(), func(ctx context.Context, master *redis.Client) error {
		return master.FlushDB(ctx).Err()
	}); err != nil {
		t.Fatal(err)
	}
	return redisStore(t, client)
}

func asItIs(*redis.ClusterOptions) {}

func redisStore(t *testing.T, client redis.UniversalClient) backoffredis.Store {
	t.Helper()
	store, err := backoffredis.NewStore(client)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestRedisSwaps(t *testing.T) { checkSwaps(t, connectRedis(t)) }

func TestRedisSharing(t *testing.T) {
	checkSharing(t, connectRedis(t), connectRedis(t), connectRedis(t))
}

func TestRedisOutage(t *testing.T) { checkOutage(t, connectRedis(t), "redis") }

func TestRedisCluster(t *testing.T) {
	checkSwaps(t, connectCluster(t, asItIs))
	checkSharing(t, connectCluster(t, asItIs), connectCluster(t, asItIs))
	checkOutage(t, connectCluster(t, asItIs), "redis-cluster")
}

// A swap goes to the server that has the slot of its key now.
func TestRedisMovedSlots(t *testing.T) {
	store := connectCluster(t, asItIs)
	old := "1 1"
	// Each is in a slot of another server.
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		if swapped, err := store.CompareAndSwap(t.Context(), key, nil, old); err != nil || !swapped {
			t.Fatal(swapped, err)
		}
	}
	tell(t, "move redis-cluster")
	for _, key := range keys {
		if swapped, err := store.CompareAndSwap(t.Context(), key, &old, "2 2"); err != nil || !swapped {
			t.Error(swapped, err)
		}
	}
	tell(t, "move redis-cluster")
	for _, key := range keys {
		if text, _, err := store.Load(t.Context(), key); err != nil || *text != "2 2" {
			t.Errorf("%v, %v", text, err)
		}
	}
}

func TestRedisFailover(t *testing.T) {
	options := optionsOf(t, "redis-sentinel")
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: "backoff", SentinelAddrs: []string{options.Addr}, ContextTimeoutEnabled: true,
	})
	defer func() { _ = client.Close() }()
	checkFailover(t, redisStore(t, client), "redis-sentinel")
}

// A connection to a master that became a replica is closed: a new one may lead to the new master.
func TestRedisReplica(t *testing.T) {
	connectRedis(t)
	client := newRedis(t, func(options *redis.Options) { options.PoolSize = 1 })
	control := newRedis(t, func(*redis.Options) {})
	id := func() int64 {
		id, err := client.ClientID(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	before := id()
	if err := control.ReplicaOf(t.Context(), "127.0.0.1", "1").Err(); err != nil {
		t.Fatal(err)
	}
	swapped, swapErr := redisStore(t, client).CompareAndSwap(t.Context(), "key", nil, "1 1")
	if err := control.ReplicaOf(t.Context(), "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	if swapped || !redis.IsReadOnlyError(swapErr) || id() == before {
		t.Errorf("swapped %t, %v, by the client %d", swapped, swapErr, before)
	}
}

// A swap whose answer is lost happens once, although go-redis sends most commands again.
func TestRedisLostAnswers(t *testing.T) {
	store := connectRedis(t)
	var losing atomic.Bool
	client := newRedis(t, func(options *redis.Options) { options.Dialer = lossyDialer(options.Addr, &losing) })
	loseAnAnswer(t, store, redisStore(t, client), &losing)
}

func TestRedisLostAnswersOfACluster(t *testing.T) {
	var losing atomic.Bool
	over := connectCluster(t, func(options *redis.ClusterOptions) { options.Dialer = lossyDialer("", &losing) })
	loseAnAnswer(t, connectCluster(t, asItIs), over, &losing)
}

// loseAnAnswer tests a store whose connections lose an answer, beside another one of the same server.
func loseAnAnswer(t *testing.T, store, over backoffredis.Store, losing *atomic.Bool) {
	t.Helper()
	if swapped, err := over.CompareAndSwap(t.Context(), "key", nil, "1 1"); err != nil || !swapped {
		t.Fatal(swapped, err)
	}
	losing.Store(true)
	old := "1 1"
	if swapped, err := over.CompareAndSwap(t.Context(), "key", &old, "2 2"); err == nil || swapped || losing.Load() {
		t.Errorf("%t, %v", swapped, err)
	}
	if text, _, err := store.Load(t.Context(), "key"); err != nil || *text != "2 2" {
		t.Errorf("%v, %v", text, err)
	}
}

// lossyDialer connects to an address, or if it is empty to the one that the client knows.
func lossyDialer(address string, losing *atomic.Bool) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, of string) (net.Conn, error) {
		if address != "" {
			of = address
		}
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", of)
		return &lossy{connection, losing}, err
	}
}

// A lossy connection loses one answer.
type lossy struct {
	net.Conn
	losing *atomic.Bool
}

func (l *lossy) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err == nil && l.losing.CompareAndSwap(true, false) {
		_ = l.Conn.Close()
		return 0, io.EOF
	}
	return n, err
}

// A server that answers something else is away.
func TestRedisForeignServer(t *testing.T) {
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
	if _, _, err := redisStore(t, client).Load(ctx, "key"); err == nil || err.Error() != "redis answered [<nil> x] instead of a value and a time" {
		t.Errorf("%v", err)
	}
}

func TestRedisInvalidStores(t *testing.T) {
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
