"""What the adapters of HTTP clients share: a loop for each request, by the rules of SPEC 19."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

from .. import _wrap
from .._backoff import Budget, is_idempotent_method
from .._http import http_verdict
from .._http_event import HttpEvent
from .._options import Options
from .._retry_error import RetryError
from .._retrying import Retrying
from .._types import Outcome
from .._verdict import Verdict, truth, verdict_of_error, verdict_of_value
from ._http_options import HttpRules
from ._http_parts import url_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final, Literal, TypeAlias

    from .._aliases import Maybe
    from .._backoff import Policy
    from ._http_options import HttpOptions
    from ._http_parts import Failure

    _SentOnce: TypeAlias = Literal["caller", "body", "method"] | None
    _Head: TypeAlias = tuple[int, Mapping[str, str]]

#: The origins whose budgets are kept: those that were used last.
_MAX_ORIGINS: Final = 1000

_KEYS: Final = ("Idempotency-Key", "X-Idempotency-Key")


class Library(NamedTuple):
    """What an adapter knows of its client."""

    #: The status and the headers of a response.
    head: Callable[[Any], _Head]
    #: How an attempt ended that raised an error.
    failure: Callable[[Exception], Failure]
    #: Reads and drops the body of a response, for at most N seconds.
    drain: Callable[[Any, Any, float], Maybe[None]]
    #: Gives up a response.
    close: Callable[[Any], Maybe[None]]
    #: Whether the client is async.
    awaits: bool


class Client:
    """An adapter: its options, checked, and the budgets of the origins."""

    def __init__(self, policy: Policy | str, options: HttpOptions, library: Library) -> None:
        self.rules = rules = HttpRules(options, awaits=library.awaits)
        self.library = library
        loop = Retrying(policy, on=(), **{"name": "request", **rules.rest})
        self.options = loop._options
        # The client ends its attempts itself.
        if (limit := self.options.policy.attempt_timeout) is not None:
            rules.attempt_timeout = rules.attempt_timeout or limit
            policy = self.options.policy.replace(attempt_timeout=None)
            self.options = self.options.changed(policy=policy)
        self._lock = threading.Lock()
        self._budgets: OrderedDict[str, Budget] = OrderedDict()
        if isinstance(rules.budget, str):
            Budget.parse(rules.budget)

    def budget(self, origin: str) -> Any:
        """The budget of requests to an origin."""
        if not isinstance(self.rules.budget, str):
            return self.rules.budget
        with self._lock:
            budget = self._budgets.get(origin)
            if budget is None:
                budget = self._budgets[origin] = Budget.parse(self.rules.budget)
                if len(self._budgets) > _MAX_ORIGINS:
                    self._budgets.popitem(last=False)
            else:
                self._budgets.move_to_end(origin)
        return budget


class Request:
    """One request of a client."""

    def __init__(
        self,
        client: Client,
        request: Any,
        url: str,
        *,
        switch: bool | None,
        can_be_sent_again: bool,
    ) -> None:
        self._client = client
        self._request = request
        self._method: str = request.method or ""
        self._url, self._origin = url_parts(url)
        self._sent_once = self._why_once(switch, can_be_sent_again)
        #: The last response.
        self._last: Any = None
        #: The response whose body an attempt reads.
        self._reading: Any = None

    def _why_once(self, switch: bool | None, can_be_sent_again: bool) -> _SentOnce:
        """SPEC 19.2."""
        rules, may_repeat = self._client.rules, switch
        if may_repeat is None and rules.may_repeat is not None:
            answer = rules.may_repeat(self._request)
            may_repeat = None if answer is None else truth("may_repeat", answer)
        if may_repeat is False:
            return "caller"
        if not can_be_sent_again:
            return "body"
        if may_repeat or any((self._request.headers.get(key) or "").strip() for key in _KEYS):
            return None
        is_listed = (
            is_idempotent_method(self._method)
            if rules.methods is None
            else self._method in rules.methods
        )
        return None if is_listed else "method"

    def run(self, attempt: Callable[[], Any]) -> Any:
        """Makes the attempts of a blocking client. Returns the last response."""

        def attempted(_: Any) -> Any:
            self._last = self._reading = None
            self._last = attempt()
            return self._last

        try:
            return _wrap.wrap(self._options(), attempted)(self._request)
        except BaseException as error:
            if self._gave_up(error):
                return self._last
            if self._last is not None:
                self._client.library.close(self._last)
            raise

    async def run_async(self, attempt: Callable[[], Any]) -> Any:
        """The same for an async client."""

        async def attempted(_: Any) -> Any:
            self._last = self._reading = None
            self._last = await attempt()
            return self._last

        try:
            return await _wrap.wrap(self._options(), attempted)(self._request)
        except BaseException as error:
            if self._gave_up(error):
                return self._last
            if (
                self._last is not None
                and (closing := self._client.library.close(self._last)) is not None
            ):
                await closing
            raise

    def _gave_up(self, error: BaseException) -> bool:
        """Whether the loop gave up on the last response. Another loop may have raised the error, such
        as one within the client or within a hook."""
        if self._last is None or not isinstance(error, RetryError):
            return False
        return error.result is self._last

    def _options(self) -> Options:
        budget = self._client.budget(self._origin)
        is_own = budget is None or isinstance(budget, Budget)
        return self._client.options.changed(
            on=self._verdict_of_error,
            on_result=self._verdict_of_response,
            budget=budget if is_own else None,
            shared_budget=None if is_own else budget,
            event=self._event,
            drain=self._drain,
        )

    def reads(self, response: Any) -> None:
        """An attempt begins to read the body of this response."""
        self._reading = response

    def _verdict_without_body(self) -> Verdict | None:
        """The verdict of a response whose body did not arrive. A success needs its body (SPEC 19.7)."""
        if self._reading is None:
            return None
        verdict = self._verdict_of_head(self._reading)
        return None if verdict.outcome == Outcome.SUCCESS else verdict

    def _verdict_of_head(self, response: Any) -> Verdict:
        status, headers = self._client.library.head(response)
        verdict = http_verdict(status, headers)
        outcome = self._client.rules.statuses.get(status, verdict.outcome)
        return Verdict(outcome, verdict.retry_after)

    def _verdict_of_response(self, response: Any) -> Verdict:
        verdict = self._verdict_of_head(response)
        answer = self._classified(response)
        if answer is not None:
            verdict = verdict_of_value(answer, "classify")
        if self._sent_once and verdict.outcome != Outcome.SUCCESS:
            return Verdict(Outcome.PERMANENT)
        return verdict

    def _verdict_of_error(self, error: Exception) -> Verdict:
        failure = self._client.library.failure(error)
        answer = self._classified(error)
        if answer is None:
            verdict = self._verdict_without_body() or verdict_of_error(failure.outcome)
        else:
            verdict = verdict_of_error(answer, "classify")
        if self._sent_once and not (self._sent_once == "method" and failure.never_sent):
            return Verdict(Outcome.PERMANENT)
        return verdict

    def _classified(self, ended: object) -> object:
        classify = self._client.rules.classify
        return None if classify is None else classify(self._request, ended)

    def _event(self, *of_loop: Any) -> HttpEvent:
        came = self._reading if self._verdict_without_body() else self._last
        return HttpEvent(
            *of_loop,
            method=self._method,
            url=self._url,
            status=None if came is None else self._client.library.head(came)[0],
            sent_once=self._sent_once,
            request=self._request,
        )

    def _drain(self, seconds: float) -> Maybe[None]:
        if self._last is None:
            return None
        return self._client.library.drain(self._request, self._last, seconds)
