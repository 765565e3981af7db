"""What to write instead of arguments that other libraries have."""

from __future__ import annotations

import functools

from ._backoff import Policy
from ._options import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, TypeVar

    _F = TypeVar("_F", bound=Callable[..., None])

#: The names of the fields of policies.
FIELDS: Final = frozenset(
    name
    for name, kind in vars(Policy).items()
    if isinstance(kind, property) and not name.startswith("_")
)

#: What the option of another library is here, by its name in lower case without underscores.
_PEERS: Final = {
    **dict.fromkeys(
        ["retries", "maxretry", "numretries", "nretries", "total", "retrykwargs"], "max_retries=N"
    ),
    **dict.fromkeys(["retry"], "on=E or max_retries=N"),
    **dict.fromkeys(
        ["tries", "attempts", "maxtries", "maxattempt", "stopmaxattemptnumber"], "max_attempts=N"
    ),
    **dict.fromkeys(["stop"], "max_attempts=N or max_elapsed=SECONDS"),
    **dict.fromkeys(
        ["maxtime", "stopmaxdelay", "totaltimeout", "maxelapsedtime"], "max_elapsed=SECONDS"
    ),
    **dict.fromkeys(["timeout", "pertrytimeout"], "attempt_timeout=SECONDS or max_elapsed=SECONDS"),
    **dict.fromkeys(
        [
            "delay",
            "initialdelay",
            "mindelay",
            "waitinitial",
            "initial",
            "interval",
            "backofffactor",
            "mintimeout",
            "waitfixed",
            "basedelay",
            "minwait",
            "minbackoff",
            "retrybackoff",
            "waitexponentialmultiplier",
        ],
        "base=SECONDS",
    ),
    **dict.fromkeys(
        [
            "maxdelay",
            "waitmax",
            "maxwait",
            "maxtimeout",
            "maxvalue",
            "maximum",
            "maxbackoff",
            "backoffmax",
            "retrybackoffmax",
            "waitexponentialmax",
        ],
        "cap=SECONDS",
    ),
    **dict.fromkeys(
        ["wait", "waitgen", "backoff"], 'a policy such as "full:base=100ms,cap=20s", or delays='
    ),
    **dict.fromkeys(["factor", "exponent", "waitexpbase", "expbase"], "multiplier=N"),
    **dict.fromkeys(
        ["waitjitter", "randomize", "jitterfactor", "backoffjitter", "retryjitter"], 'jitter="full"'
    ),
    **dict.fromkeys(
        [
            "exceptions",
            "exception",
            "retryon",
            "retryonexception",
            "expectedexception",
            "onexception",
            "autoretryfor",
        ],
        "on=E",
    ),
    **dict.fromkeys(
        ["giveup", "ignore", "unless", "noton", "statusforcelist", "retrywhen"],
        "on= with a predicate of the failure",
    ),
    **dict.fromkeys(["retryonresult", "predicate"], "on_result= with a predicate of the value"),
    **dict.fromkeys(["beforesleep", "onbackoff", "onfailedattempt", "after"], "on_retry="),
    **dict.fromkeys(["ongiveup", "onsuccess"], "on_stop="),
    **dict.fromkeys(["retryerrorcallback", "default"], "fallback="),
    **dict.fromkeys(["raiseongiveup"], "fallback=None"),
    **dict.fromkeys(["retryerrorcls"], "reraise=False"),
    **dict.fromkeys(["logger", "beforelog", "beforesleeplog", "backofflog"], "log="),
    **dict.fromkeys(["loglevel", "backoffloglevel", "giveuploglevel"], "log_levels=(RETRY, STOP)"),
}


def did_you_mean(name: str, known: frozenset[str] = FIELDS) -> str:
    """The advice about an unknown name, such as "; did you mean max_retries=N?"; "" if there is none."""
    plain = name.replace("_", "").lower()
    meant = next((one for one in known if one.replace("_", "") == plain), None) or _PEERS.get(plain)
    if meant is None:
        import difflib

        meant = next(iter(difflib.get_close_matches(name, known, 1, 0.8)), None)
    return "" if meant is None else f"; did you mean {meant}?"


def with_advice(init: _F) -> _F:
    """The __init__ of a loop. Its TypeErrors say what to write, and it keeps what it was given."""
    options = frozenset({"policy", *(init.__kwdefaults__ or ()), "on"})

    def checked(self: Any, *args: Any, **given: Any) -> None:
        if args and callable(args[0]) and "on" not in given:
            raise TypeError("retry needs the failures that may be retried: write @retry(on=E)")
        if not given.keys() <= options:
            reject_unknown("retry", given, options)
        if "on" not in given:
            raise TypeError(
                "on is missing, the failures that may be retried: write @retry(on=E, max_retries=5)"
            )
        given = kept(given)
        self._given = {**given, "policy": args[0]} if args else given
        init(self, *args, **given)

    wrapped: Any = functools.wraps(init)(checked)
    decorated: _F = wrapped
    return decorated


def reject_unknown(function: str, given: dict[str, Any], options: frozenset[str]) -> None:
    """Raises TypeError for a name that is neither one of the options nor a field of policies."""
    for name in given:
        if name not in options and name not in FIELDS:
            others = ", ".join(sorted(options))
            advice = did_you_mean(name, options | FIELDS) or "."
            raise TypeError(
                f"{name} is no option of {function}{advice} The options are {others}, and "
                f"the fields of policies: {', '.join(sorted(FIELDS))}"
            )
