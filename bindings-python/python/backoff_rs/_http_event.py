"""HttpEvent, which the hooks of HTTP adapters receive."""

import re
from typing import Any, Final, Literal

from ._event import RetryEvent
from ._types import StopReason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from ._dataclass import dataclass

#: The query and the fragment of a URL within a text, but not what closes it there, and its user
#: information.
_QUERY: Final = re.compile(r"(?<=\S)[?#](?:\S*[^\s\"')\]>,.;:])?")
_USER: Final = re.compile(r"(?<=//)[^\s/]*@")
#: What the text of an event does not show.
_HELD: Final = ("error", "value", "request")


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
        **named: Any,
    ) -> None:
        super().__init__(*of_loop, **named)
        self.__dict__.update(
            method=method, url=url, status=status, sent_once=sent_once, request=request
        )

    def __repr__(self) -> str:
        """Without the request, the response and the URL of the error, which are places for secrets."""
        shown = {
            name: repr(getattr(self, name)) for name in self.__match_args__ if name not in _HELD
        }
        for name in _HELD:
            held = getattr(self, name)
            shown[name] = "None" if held is None else f"<{type(held).__name__}>"
        if self.error is not None:
            shown["error"] = self._failure()
        fields = (f"{name}={shown[name]}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({', '.join(fields)})"

    def _failure(self) -> str:
        """The error of an HTTP client. Its repr may have the headers of the request, and its text the
        URL: both are places for secrets (SPEC 19.9)."""
        kind = type(self.error).__name__
        try:
            text = _USER.sub("", _QUERY.sub("", str(self.error)))
        except Exception:
            return f"<{kind}, whose text failed>"
        return f"{kind}({text and repr(text)})"

    def _http_fields(self) -> dict[str, object]:
        fields = ("method", "url", "status", "sent_once")
        return {f"backoff_{name}": getattr(self, name) for name in fields}

    def _summary(self) -> str:
        # A request that was never sent is repeated all the same.
        ended_it = self.sent_once and self.reason == StopReason.PERMANENT
        return super()._summary() + (f", not repeatable ({self.sent_once})" if ended_it else "")
