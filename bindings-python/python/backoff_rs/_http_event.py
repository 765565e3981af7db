"""HttpEvent, which the hooks of HTTP adapters receive."""

from dataclasses import dataclass
from typing import Any, Literal

from ._event import RetryEvent
from ._types import StopReason


@dataclass(frozen=True, init=False)
class HttpEvent(RetryEvent):
    """The state of a request, passed to the hooks of an HTTP adapter (SPEC 19.9): a RetryEvent,
    whose value is the response of the client, and

    method     the method of the request.
    url        its URL without user information, query and fragment.
    status     the status of the last response; None after a failure.
    sent_once  why the request is sent once: "caller" (a switch or may_repeat), "body" (it can be
               sent only once) or "method" (it is not one of methods, and there is no
               Idempotency-Key); None if it may be repeated.
    request    the request of the client.
    """

    __module__ = "backoff_rs"

    method: str
    url: str
    status: int | None
    sent_once: Literal["caller", "body", "method"] | None
    request: Any

    def __init__(
        self,
        *of_loop: Any,
        method: str,
        url: str,
        status: int | None,
        sent_once: Literal["caller", "body", "method"] | None,
        request: Any,
    ) -> None:
        super().__init__(*of_loop)
        self.__dict__.update(
            method=method, url=url, status=status, sent_once=sent_once, request=request
        )

    def _summary(self) -> str:
        # A request that was never sent is repeated all the same.
        ended_it = self.sent_once and self.reason == StopReason.PERMANENT
        return super()._summary() + (f", not repeatable ({self.sent_once})" if ended_it else "")
