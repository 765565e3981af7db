"""PostgreSQL: a store of shared budgets, over psycopg 3. `backoff-rs[postgres]` installs it.

store = PostgresStore(lambda: psycopg.connect(url, autocommit=True))
budget = SharedBudget(store, "payments", "quota")
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from collections.abc import Callable

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from .._backoff import _type_name
from .._functions import is_coroutine_function
from ._statements import POSTGRES_CREATE_TABLE, POSTGRES_INSERT, POSTGRES_LOAD, POSTGRES_UPDATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any, Final, Protocol, TypeAlias

    class _Pool(Protocol):
        """That of psycopg_pool."""

        def connection(self) -> AbstractContextManager[psycopg.Connection[Any]]: ...

    _Client: TypeAlias = psycopg.Connection[Any] | _Pool | Callable[[], psycopg.Connection[Any]]

#: How PostgreSQL says that another process makes the same table at the same time: the table, its
#: type, or the row of either is there.
_MADE_MEANWHILE: Final = (
    psycopg.errors.DuplicateTable,
    psycopg.errors.DuplicateObject,
    psycopg.errors.UniqueViolation,
)

_IDLE: Final = TransactionStatus.IDLE

#: A parameter, which psycopg knows by name.
_NUMBERED: Final = re.compile(r"\$(\d)")


class PostgresStore:
    """A BudgetStore in PostgreSQL: a row of the table backoff_budgets for each account. Its time is
    that of the server.

    client  a function that makes a psycopg.Connection: the store keeps it, and makes a new one after
            a failure and in a forked child; close() closes it. Or a psycopg_pool.ConnectionPool. Or a
            Connection with autocommit, which nothing replaces when it is lost. A forked child can use
            neither of these.

    create_table() makes the table, by CREATE_TABLE.

    Raises TypeError and ValueError for any other client.
    """

    CREATE_TABLE: Final[str] = POSTGRES_CREATE_TABLE

    def __init__(self, client: _Client) -> None:
        #: Those of a function that nobody uses now, and their processes. Nothing locks them: a fork
        #: could leave the lock locked.
        self._idle: deque[tuple[psycopg.Connection[Any], int]] = deque()
        #: A child neither uses nor ends the connections of its parent.
        self._of_parent: list[psycopg.Connection[Any]] = []
        self._client: Any = client
        self._process = os.getpid()
        if isinstance(client, psycopg.Connection):
            if not client.autocommit:
                raise ValueError(
                    "client is a connection without autocommit: nothing would commit its changes"
                )
            self._connected = self._given
        elif callable(getattr(client, "connection", None)) and not _is_async_or_class(client):
            self._connected = self._pooled
        elif callable(client) and not _is_async_or_class(client):
            self._connected = self._made
        else:
            kinds = "a function that makes a connection, a ConnectionPool or a Connection"
            raise TypeError(f"client must be {kinds} of psycopg, not {_type_name(client)}")

    def create_table(self) -> None:
        """Makes the table if there is none."""
        with contextlib.suppress(*_MADE_MEANWHILE):
            self._run(self.CREATE_TABLE)

    def close(self) -> None:
        """Closes the connections that the function made. The store makes new ones if it is used
        again."""
        while (connection := self._kept()) is not None:
            connection.close()

    def load(self, key: str) -> tuple[str | None, int]:
        """The text under a key, or None, and the server's time, in one round trip."""
        row = self._run(POSTGRES_LOAD, key)[1]
        assert row is not None
        return row[0], int(row[1]) * 1000

    def compare_and_swap(self, key: str, expected: str | None, new: str) -> bool:
        """Stores the new text if the expected one is there. Returns whether it did."""
        try:
            if expected is None:
                count, _ = self._run(POSTGRES_INSERT, key, new)
            else:
                count, _ = self._run(POSTGRES_UPDATE, key, new, expected)
        except psycopg.errors.SerializationFailure:
            # Another was faster, in a database whose transactions are serializable.
            return False
        return count == 1

    def _run(self, query: str, *arguments: str) -> tuple[int, tuple[Any, ...] | None]:
        """The rows that a statement changed, and the first row of its result."""
        with (
            self._connected() as connection,
            connection.cursor(row_factory=tuple_row) as cursor,
        ):
            # A pooler may give each statement another server.
            named = {f"_{place}": argument for place, argument in enumerate(arguments, start=1)}
            cursor.execute(_NUMBERED.sub(r"%(_\1)s", query).encode(), named or None, prepare=False)
            return cursor.rowcount, None if cursor.description is None else cursor.fetchone()

    @contextlib.contextmanager
    def _given(self) -> Any:
        self._check_process()
        yield self._client

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(
                "a forked child cannot use the connections of its parent: give PostgresStore a function"
            )

    @contextlib.contextmanager
    def _pooled(self) -> Any:
        self._check_process()
        with self._client.connection() as connection:
            autocommit = connection.autocommit
            if not autocommit:
                # One statement is one transaction, and one round trip.
                connection.autocommit = True
            try:
                yield connection
            finally:
                if not (autocommit or connection.closed):
                    connection.autocommit = False

    @contextlib.contextmanager
    def _made(self) -> Any:
        connection = self._kept()
        if connection is None:
            connection = self._client()
            connection.autocommit = True
        try:
            yield connection
        finally:
            # A statement that failed leaves it as it was, unlike one whose answer did not come.
            if not connection.closed and connection.info.transaction_status == _IDLE:
                self._idle.append((connection, os.getpid()))
            else:
                connection.close()

    def _kept(self) -> psycopg.Connection[Any] | None:
        while self._idle:
            connection, process = self._idle.pop()
            if process != os.getpid():
                self._of_parent.append(connection)
            elif not connection.closed:
                return connection
        return None


def _is_async_or_class(client: object) -> bool:
    return (
        isinstance(client, type)
        or type(client).__name__.startswith("Async")
        or is_coroutine_function(client)
    )
