"""What the adapters of HTTP clients share: their options, and a loop for each request."""

from __future__ import annotations

import ssl
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Final, SupportsIndex, TypedDict

from .._backoff import Budget, Policy, RandomStream, RetryStats, _type_name, is_idempotent_method
from .._event import RetryEvent
from .._retrying import Retrying
from .._shared_budget import SharedBudget
from .._verdict import Verdict
from .._wrap import is_coroutine_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging

    from .._aliases import Maybe
    from .._options import _Key

#: The origins whose budgets are kept: those that were used last.
_MOST_ORIGINS: Final = 1000

#: A longer body is not read before a retry: its connection is closed.
LONGEST_DRAINED: Final = 65_536

ONE_SHOT: Final = (
    "the body of this request can be sent only once, and the request may be repeated: "
    "pass bytes or a seekable file, or send the request without retries"
)


class Options(TypedDict, total=False):
    """The options of the adapters of HTTP clients. They are those of retrying(), except:

    key, deadline_ns  may be functions of the client's request.
    budget            a budget string, of which each origin (scheme, host and port) has a budget of
                      its own; a Budget or a SharedBudget for all; or None.
    attempt_timeout   how long an attempt may take, in seconds.
    """

    stream: RandomStream | None
    seed: SupportsIndex | None
    key: _Key | Callable[..., _Key] | None
    budget: Budget | SharedBudget | str | None
    attempt_timeout: float | None
    stats: RetryStats | None
    deadline_ns: int | Callable[..., int | None] | None
    on_retry: Callable[[RetryEvent], Maybe[object]] | None
    on_stop: Callable[[RetryEvent], Maybe[object]] | None
    name: str | None
    log: bool | logging.Logger
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None


class Client:
    """The options of an adapter, checked, and the budgets of the origins."""

    def __init__(
        self,
        policy: Policy | str,
        options: Options,
        *,
        on: Callable[[Exception], Verdict],
        on_result: Callable[[Any], Verdict],
        before_wait: Callable[[RetryEvent], Maybe[object]],
        awaits: bool,
    ) -> None:
        for name in options:
            if name not in Options.__annotations__:
                known = ", ".join(sorted(Options.__annotations__))
                raise TypeError(f"{name} is no option of this adapter; the options are {known}")
        arguments: dict[str, Any] = dict(options)
        self._budget: Budget | SharedBudget | str | None = arguments.pop("budget", "grpc-retry")
        if not isinstance(self._budget, Budget | SharedBudget | str | None):
            kinds = "a budget string, a Budget, a SharedBudget or None"
            raise TypeError(f"budget must be {kinds}, not {_type_name(self._budget)}")
        self.attempt_timeout: float | None = arguments.pop("attempt_timeout", None)
        _check_timeout(self.attempt_timeout)
        #: The hook of the caller; the adapter's own calls it.
        self.on_retry: Callable[[RetryEvent], Maybe[object]] | None
        self.on_retry = arguments.pop("on_retry", None)
        if self.on_retry is not None:
            # It rejects anything but a function.
            Retrying(on=(), on_retry=self.on_retry)
        for argument in ("on_retry", "on_stop", "sleep"):
            if not awaits and is_coroutine_function(options.get(argument)):
                raise TypeError(f"{argument} is a coroutine function, which nothing awaits here")
        defaults = {"name": "request"}
        self._arguments = {**defaults, **arguments, "on": on, "on_result": on_result}
        self._policy = policy
        self._before_wait = before_wait
        self._lock = threading.Lock()
        self._loops: OrderedDict[str, Retrying] = OrderedDict()
        self._new_loop()

    def _new_loop(self) -> Retrying:
        budget = self._budget
        if isinstance(budget, str):
            budget = Budget.parse(budget)
        return Retrying(self._policy, on_retry=self._before_wait, budget=budget, **self._arguments)

    def loop(self, origin: str) -> Retrying:
        """The loops of requests to an origin."""
        key = origin if isinstance(self._budget, str) else ""
        with self._lock:
            loop = self._loops.get(key)
            if loop is None:
                loop = self._loops[key] = self._new_loop()
                if len(self._loops) > _MOST_ORIGINS:
                    self._loops.popitem(last=False)
            else:
                self._loops.move_to_end(key)
        return loop


def _check_timeout(timeout: object) -> None:
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"attempt_timeout must be a number of seconds, not {_type_name(timeout)}")
    if not 0 < timeout < float("inf"):
        raise ValueError(f"attempt_timeout {timeout} is not a positive number of seconds")


def may_be_repeated(method: str, idempotency_key: object) -> bool:
    """Whether a request with this method and value of its Idempotency-Key is safe to repeat."""
    return bool(idempotency_key) or is_idempotent_method(method)


#: A connection that was lost during its handshake. Nothing is wrong with the TLS of either side.
_LOST: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)


def is_about_tls(error: BaseException, *kinds: type[Exception]) -> bool:
    """Whether an error says that the TLS of the two sides does not fit, such as a certificate that
    is not valid: another attempt would fail, too. kinds are such errors of the client."""
    errors = list(_behind(error))
    wrong: tuple[type[Exception], ...] = (ssl.SSLError, *kinds)
    return any(isinstance(part, wrong) for part in errors) and not any(
        isinstance(part, _LOST) for part in errors
    )


def _behind(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it holds. Its context may be an error of the caller, which says
    nothing about the request."""
    left: list[object] = [error]
    seen: set[int] = set()
    while left:
        part = left.pop()
        if isinstance(part, BaseException) and id(part) not in seen:
            seen.add(id(part))
            yield part
            left += [part.__cause__, getattr(part, "reason", None), *part.args]
