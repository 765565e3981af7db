"""Redis: a store of shared budgets. `backoff-rs[redis]` installs it.

budget = SharedBudget(RedisStore(redis.Redis(...)), "payments", "quota")
"""

from __future__ import annotations

import redis

from .._backoff import _type_name
from ._statements import REDIS_COMPARE_AND_SWAP, REDIS_LOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RedisStore:
    """A BudgetStore in Redis: a key for each account. Its time is that of the server.

    client  a redis.Redis, also one of Sentinel.master_for, or a redis.RedisCluster. Give it a
            socket_timeout, after which a server that is silent counts as lost. This store sends each
            command once, whatever the client's own retries: a swap that was sent again could count
            twice. Without Redis(..., retry=Retry(NoBackoff(), 0)) redis-py repeats a connection that is
            refused, and last_error is only that the store did not answer in time.

    Raises TypeError for any other client, such as a redis.asyncio.Redis.
    """

    def __init__(self, client: redis.Redis | redis.RedisCluster) -> None:
        # Untyped callers pass anything.
        found: object = client
        if not isinstance(found, (redis.Redis, redis.RedisCluster)):
            kinds = "a redis.Redis or a redis.RedisCluster"
            raise TypeError(f"client must be {kinds}, not {_type_name(found)}")
        self._client = client

    def load(self, key: str) -> tuple[str | None, int]:
        """The text under a key, or None, and the server's time, in one round trip."""
        text, (seconds, microseconds) = self._run(REDIS_LOAD, key)
        if text is not None:
            text = _text(text)
        return text, (int(seconds) * 10**6 + int(microseconds)) * 1000

    def compare_and_swap(self, key: str, expected: str | None, new: str) -> bool:
        """Stores the new text if the expected one is there. Returns whether it did."""
        texts = [new] if expected is None else [new, expected]
        return bool(self._run(REDIS_COMPARE_AND_SWAP, key, *texts))

    def _run(self, script: str, key: str, *arguments: str) -> Any:
        command = ("EVAL", script, 1, key, *arguments)
        client: Any = self._client
        if isinstance(client, redis.Redis):
            return _send_once(client.connection_pool, command)
        # To a node that it is given, it sends a command once, and again only where another node has
        # the key.
        return client.execute_command(*command, target_nodes=client.get_node_from_key(key))


def _send_once(pool: Any, command: tuple[Any, ...]) -> Any:
    connection = _connection_of(pool)
    try:
        connection.send_command(*command)
        return connection.read_response()
    except BaseException:
        # Its answer could be read by whoever uses the connection next. And if the server says that it
        # is a replica now, a new connection may lead to the master.
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def _connection_of(pool: Any) -> Any:
    try:
        return pool.get_connection()
    except TypeError:
        # Before redis 5.3, it wants to know the command.
        return pool.get_connection("EVAL")


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode()
