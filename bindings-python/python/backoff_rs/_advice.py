"""What to write instead of arguments that other libraries have."""

from __future__ import annotations

import functools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, TypeVar

    _F = TypeVar("_F", bound=Callable[..., None])

_EXAMPLE: Final = 'retry("default:max_retries=5", on=E)'


def with_advice(init: _F) -> _F:
    """The __init__ of a loop. Its TypeErrors say what to write."""
    known = {"on", "policy", *(init.__kwdefaults__ or ())}

    def checked(self: object, *args: Any, **options: Any) -> None:
        if args and callable(args[0]):
            raise TypeError("retry needs the failures that may be retried: write @retry(on=E)")
        for option in options:
            if option not in known:
                others = ", ".join(sorted(known))
                raise TypeError(
                    f"{option} is no option of retry. The policy has the limits and the delays: "
                    f"write {_EXAMPLE}. The options are {others}"
                )
        if "on" not in options:
            raise TypeError(f"on is missing, the failures that may be retried: write {_EXAMPLE}")
        init(self, *args, **options)

    wrapped: Any = functools.wraps(init)(checked)
    decorated: _F = wrapped
    return decorated
