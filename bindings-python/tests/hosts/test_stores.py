"""The stores of shared budgets, on Redis and PostgreSQL."""

import contextlib
import os
import socket
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg
import psycopg_pool
import pytest
import redis as redis_client
import redis.asyncio
from backoff_rs import SharedBudget, retry
from backoff_rs.adapters.postgres import PostgresStore
from backoff_rs.adapters.redis import RedisStore
from processes import PATIENCE, Server
from redis.backoff import NoBackoff
from redis.retry import Retry

#: Five retries.
QUOTA = "quota:max_tokens=25"
POLICY = "constant:base=1ns,max_retries=20"


def redis_store(url, **options):
    return RedisStore(redis_client.Redis.from_url(url, socket_timeout=PATIENCE, **options))


def cluster_store(url, **options):
    client = redis_client.RedisCluster.from_url(url, socket_timeout=PATIENCE, **options)
    return RedisStore(client)


def postgres_store(url):
    store = PostgresStore(lambda: psycopg.connect(url, connect_timeout=PATIENCE))
    store.create_table()
    return store


def serializable(url):
    options = "-c default_transaction_isolation=serializable"
    return psycopg.connect(url, options=options, row_factory=psycopg.rows.dict_row)


#: The server of each kind, and what makes a store, and perhaps a client that is closed after the test.
KINDS = {
    "plain redis": ("redis", redis_store),
    "decoding redis": ("redis", lambda url: redis_store(url, decode_responses=True)),
    "redis cluster": ("redis_cluster", cluster_store),
    "made": ("postgres", postgres_store),
    "pooled": ("postgres", lambda url: psycopg_pool.ConnectionPool(url, min_size=1, open=True)),
    "given": ("postgres", lambda url: psycopg.connect(url, autocommit=True)),
    "serializable": ("postgres", lambda url: PostgresStore(lambda: serializable(url))),
}


def close(store):
    (store if hasattr(store, "close") else store._client).close()


@pytest.fixture(params=KINDS)
def opened(request):
    """A store."""
    name, make = KINDS[request.param]
    url = request.getfixturevalue(f"{name}_server").url
    if name == "postgres":
        postgres_store(url).close()
    made = make(url)
    is_store = hasattr(made, "load")
    yield made if is_store else PostgresStore(made)
    close(made)


ENGINES = {"redis": redis_store, "redis_cluster": cluster_store, "postgres": postgres_store}


@pytest.fixture(params=ENGINES)
def engine(request):
    """A server, and what makes a store that survives its failures."""
    server = request.getfixturevalue(f"{request.param}_server")
    stores = []

    def make(url):
        stores.append(ENGINES[request.param](url))
        return stores[-1]

    yield server, make
    for store in stores:
        close(store)


@pytest.fixture
def name():
    """An account of the test's own."""
    return f"test {uuid.uuid4()}"


def failing(budget, events=None):
    """Runs a loop whose calls all fail, and returns its last event."""
    events = [] if events is None else events
    hooks = {"on_retry": events.append, "on_stop": events.append}
    with contextlib.suppress(ConnectionError):
        retry(POLICY, on=ConnectionError, budget=budget, log=False, **hooks).call(fail)
    return events[-1]


def fail():
    raise ConnectionError("refused")


def test_compare_and_swap(opened, name):
    key = f"backoff:{name}:quota"
    before = time.time_ns()
    text, now_ns = opened.load(key)
    assert text is None
    # The server's clock is that of this machine, in microseconds.
    assert before - 1000 <= now_ns <= time.time_ns()
    assert not opened.compare_and_swap(key, "0 500", "1 495")
    assert opened.compare_and_swap(key, None, "1 495")
    assert not opened.compare_and_swap(key, None, "1 490")
    assert not opened.compare_and_swap(key, "1 490", "2 490")
    assert opened.load(key)[0] == "1 495"
    assert opened.compare_and_swap(key, "1 495", "2 490")
    assert opened.load(key)[0] == "2 490"
    assert opened.load(key + "s")[0] is None


def test_two_processes_share_one_account(engine, name):
    server, make = engine
    stores = [make(server.url) for _ in range(2)]
    first, second = (SharedBudget(store, name, QUOTA, timeout=PATIENCE) for store in stores)
    policy = "constant:base=1ns,max_retries=3"
    with pytest.raises(ConnectionError):
        retry(policy, on=ConnectionError, budget=first, log=False).call(fail)
    end = failing(second)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 3, False)
    assert (first.last_error, second.last_error) == (None, None)
    assert stores[0].load(first.key)[0].startswith("5 0 | ")
    # The success of another process gives one back.
    for _ in range(5):
        retry(on=ConnectionError, budget=first).call(lambda: "fine")
    assert first.flush()
    assert failing(second).attempts == 2


def test_the_fallback_decides_while_the_server_is_gone(engine, name):
    server, make = engine
    store = make(server.url)
    budget = SharedBudget(store, name, QUOTA, timeout=PATIENCE)
    assert failing(budget).attempts == 6
    server.tell("kill")
    try:
        end = failing(budget)
        assert (end.attempts, end.budget_is_local) == (6, True)
        assert budget.last_error is not None
        begun = time.monotonic()
        for _ in range(100):
            assert failing(budget).budget_is_local
        assert time.monotonic() - begun < PATIENCE
    finally:
        server.tell("start")
    # It comes back by itself, and what was stored is still there.
    until = time.monotonic() + PATIENCE
    while (end := failing(budget)).budget_is_local and time.monotonic() < until:
        time.sleep(0.05)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 1, False)
    assert budget.flush()
    assert store.load(budget.key)[0].startswith("5 0 | ")


def test_without_retries_of_redis_a_refused_connection_is_the_last_error():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    client = redis_client.Redis("127.0.0.1", port, retry=Retry(NoBackoff(), 0))
    budget = SharedBudget(RedisStore(client), "gone", QUOTA, timeout=PATIENCE)
    assert failing(budget).budget_is_local
    assert "refused" in str(budget.last_error)


class Once:
    """Forwards to Redis, but ends the connection after a swap before its answer."""

    def __init__(self, port):
        self._port, self._swaps, self._loses = port, 0, None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with (
            contextlib.suppress(OSError),
            connection,
            socket.create_connection(("127.0.0.1", self._port)) as server,
        ):
            arguments = (server, connection)
            threading.Thread(target=self._answer, args=arguments, daemon=True).start()
            while asked := connection.recv(65536):
                if b"SET" in asked.split(b"CLIENT")[0] and b"EVAL" in asked:
                    self._swaps += 1
                    if self._swaps == 1:
                        self._loses = server
                server.sendall(asked)

    def _answer(self, server, connection):
        with contextlib.suppress(OSError):
            while answer := server.recv(65536):
                if self._loses is server:
                    break
                connection.sendall(answer)
            connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listener.close()


def test_redis_sends_a_swap_once(redis_server, name):
    """The client would send it again. The first one took effect, though."""
    proxy = Once(redis_server.port)
    swaps_once(redis_store(f"redis://127.0.0.1:{proxy.port}/0"), name)
    proxy.close()


def test_a_cluster_gets_a_swap_once(redis_cluster_server, name):
    with redis_client.RedisCluster.from_url(redis_cluster_server.url) as client:
        node = client.get_node_from_key(name)
    proxy = Once(node.port)

    def remap(address):
        return (address[0], proxy.port) if address[1] == node.port else address

    swaps_once(cluster_store(redis_cluster_server.url, address_remap=remap), name)
    proxy.close()


def swaps_once(store, name):
    with pytest.raises(redis_client.ConnectionError):
        store.compare_and_swap(name, None, "1 5")
    assert store.load(name)[0] == "1 5"
    assert store.compare_and_swap(name, "1 5", "2 4")


def calls_of_time(client):
    """How often each server of a cluster was asked for its time."""
    found = client.info("commandstats", target_nodes="primaries")
    return {node: stats.get("cmdstat_time", {"calls": 0})["calls"] for node, stats in found.items()}


def test_the_time_is_that_of_the_server_that_has_the_key(redis_cluster_server):
    store = cluster_store(redis_cluster_server.url)
    asked = set()
    # Each is in a slot of another server.
    for key in ("a", "b", "c"):
        before = calls_of_time(store._client)
        store.load(key)
        after = calls_of_time(store._client)
        more = {node for node, calls in after.items() if calls != before[node]}
        assert more == {store._client.get_node_from_key(key).name}
        asked |= more
    assert len(asked) == 3


def test_a_slot_that_moves_to_another_server(redis_cluster_server):
    names = [f"test {uuid.uuid4()}" for _ in range(3)]
    store = cluster_store(redis_cluster_server.url)
    for name in names:
        assert store.compare_and_swap(name, None, "1 5")
    for _ in range(2):
        redis_cluster_server.tell("move")
        for name in names:
            text = store.load(name)[0]
            redis_cluster_server.tell("move")
            assert store.compare_and_swap(name, text, f"{text} more")
    assert [store.load(name)[0] for name in names] == ["1 5 more more"] * 3


def test_a_sentinel_names_another_master_when_one_is_killed(name):
    server = Server("redis-sentinel")
    sentinel = redis_client.Sentinel([("127.0.0.1", server.port)])
    store = RedisStore(sentinel.master_for("backoff", socket_timeout=PATIENCE))
    budget = SharedBudget(store, name, QUOTA, timeout=PATIENCE)
    policy = "constant:base=1ns,max_retries=3"
    with pytest.raises(ConnectionError):
        retry(policy, on=ConnectionError, budget=budget, log=False).call(fail)
    server.tell("kill")
    assert not budget.flush() or failing(budget).budget_is_local
    until = time.monotonic() + PATIENCE
    while (end := failing(budget)).budget_is_local and time.monotonic() < until:
        time.sleep(0.05)
    # The replica had everything.
    assert (end.reason, end.budget_is_local) == ("budget", False)
    assert store.load(budget.key)[0].startswith("5 0 | ")
    server.close()


def test_a_master_that_became_a_replica_is_left(redis_server, name):
    """Its name may already lead to the new one."""
    store = redis_store(redis_server.url)
    with redis_client.Redis.from_url(redis_server.url) as control:
        before = store._client.client_id()
        control.replicaof("127.0.0.1", 1)
        try:
            with pytest.raises(redis_client.ReadOnlyError):
                store.compare_and_swap(name, None, "1 5")
        finally:
            control.replicaof("NO", "ONE")
    assert store._client.client_id() != before
    assert store.compare_and_swap(name, None, "1 5")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_connections_of_its_own(engine, name):
    server, make = engine
    store = make(server.url)
    budget = SharedBudget(store, name, QUOTA, timeout=PATIENCE)
    policy = "constant:base=1ns,max_retries=2"
    fetch = retry(policy, on=ConnectionError, budget=budget, log=False)
    with pytest.raises(ConnectionError):
        fetch.call(fail)
    if (child := os.fork()) == 0:
        os._exit(failing(budget).attempts if budget.last_error is None else 99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    end = failing(budget)
    assert (end.attempts, end.budget_is_local, budget.last_error) == (1, False, None)


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_a_swap_that_waited_for_another_one_has_lost(postgres_server, name, level):
    """Two of the levels make that an error."""
    options = "-c default_transaction_isolation=" + level.replace(" ", "\\ ")

    def connect():
        return psycopg.connect(postgres_server.url, options=options, autocommit=True)

    postgres_store(postgres_server.url).close()
    store = PostgresStore(connect)
    assert store.compare_and_swap(name, None, "0 1")
    with connect() as other, connect() as watch, ThreadPoolExecutor(1) as pool:
        with other.transaction():
            other.execute("UPDATE backoff_budgets SET state = '1 0' WHERE key = %s", [name])
            swap = pool.submit(store.compare_and_swap, name, "0 1", "1 5")
            while not watch.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
                time.sleep(0.001)
        assert swap.result() is False
    assert store.load(name)[0] == "1 0"
    store.close()


def test_two_make_the_table_at_once(postgres_server):
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        for _ in range(50):
            connection.execute("DROP TABLE IF EXISTS backoff_budgets")
            with ThreadPoolExecutor(4) as pool:
                for store in pool.map(lambda _: postgres_store(postgres_server.url), range(4)):
                    store.close()
            assert PostgresStore(connection).load("?")[0] is None


def test_nothing_is_prepared(postgres_server, name):
    """A pooler such as PgBouncer may give each statement another connection."""
    postgres_store(postgres_server.url).close()
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        store = PostgresStore(connection)
        # psycopg would prepare what it sends for the sixth time.
        for version in range(10):
            text, _ = store.load(name)
            assert store.compare_and_swap(name, text, f"{version} 5")
        prepared = "SELECT count(*) FROM pg_prepared_statements"
        assert connection.execute(prepared).fetchone() == (0,)


def test_a_pool_gets_its_connections_back_as_they_were(postgres_server):
    with psycopg_pool.ConnectionPool(postgres_server.url, min_size=1, open=True) as pool:
        PostgresStore(pool).load("?")
        with pool.connection() as connection:
            assert not connection.autocommit


def test_a_forked_child_does_not_use_the_connections_of_its_parent(postgres_server, monkeypatch):
    url = postgres_server.url
    with (
        psycopg.connect(url, autocommit=True) as connection,
        psycopg_pool.ConnectionPool(url, min_size=1, open=True) as pool,
    ):
        stores = [PostgresStore(connection), PostgresStore(pool)]
        monkeypatch.setattr(os, "getpid", lambda: 0)
        for store in stores:
            with pytest.raises(RuntimeError, match="give PostgresStore a function"):
                store.load("?")


def test_clients_that_are_rejected(postgres_server):
    with pytest.raises(TypeError, match=r"client must be a redis.Redis or a .* not redis.asyncio"):
        RedisStore(redis.asyncio.Redis())
    with pytest.raises(TypeError, match=r"a redis.RedisCluster, not str"):
        RedisStore("redis://")
    for client in (5, "postgres://", psycopg.Connection, psycopg.AsyncConnection.connect):
        with pytest.raises(TypeError, match="client must be a function that makes a connection"):
            PostgresStore(client)
    pool = psycopg_pool.AsyncConnectionPool(open=False)
    with pytest.raises(TypeError, match=r"not psycopg_pool.*AsyncConnectionPool"):
        PostgresStore(pool)
    with (
        psycopg.connect(postgres_server.url) as connection,
        pytest.raises(ValueError, match="client is a connection without autocommit"),
    ):
        PostgresStore(connection)
