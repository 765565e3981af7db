"""Retrying: the public entry point, a decorator, a loop and a call."""

from __future__ import annotations

from types import MethodType

from . import _functions, _wrap
from ._advice import FIELDS, reject_unknown, with_advice
from ._attempts import AsyncAttempts, Attempts
from ._backoff import Budget, Policy, RandomStream, RetryStats, _checked_delays, _type_name
from ._log import checked_levels, checked_log
from ._loop import Loop
from ._options import NO_FALLBACK, Options, checked_deadline, names_retries, policy_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import UnionType
    from typing import (
        Any,
        Final,
        ParamSpec,
        SupportsIndex,
        TypeAlias,
        TypeVar,
        Unpack,
    )

    from ._aliases import Duration, Maybe
    from ._backoff import _PolicyFields
    from ._log import _Level, _Log
    from ._options import _Hook, _Key
    from ._shared_budget import SharedBudget
    from ._verdict import VerdictLike

    _P = ParamSpec("_P")
    _PolicyArguments = ParamSpec("_PolicyArguments")
    _KeyArguments = ParamSpec("_KeyArguments")
    _DeadlineArguments = ParamSpec("_DeadlineArguments")
    _T = TypeVar("_T")
    _F = TypeVar("_F", bound=Callable[..., Any])

    _Types: TypeAlias = type[Exception] | UnionType | tuple["_Types", ...]
    _Failures: TypeAlias = _Types | Callable[[Exception], Maybe[VerdictLike]]
    #: A function of the arguments of a call. Beside `...`, pyright would not know the arguments of a lambda.
    _OfCall: TypeAlias = (
        Callable[_P, _T]
        | Callable[[Any], _T]
        | Callable[[Any, Any], _T]
        | Callable[[Any, Any, Any], _T]
    )
    _Delays: TypeAlias = Iterable[Duration] | Callable[[int, Any], Duration | None]
    _Fallback: TypeAlias = Callable[[Exception], object] | object

    class _LoopOptions(_PolicyFields, total=False):
        """The arguments of retry(), for a function that passes them on."""

        policy: Policy | str | Callable[..., Policy | str]
        on: _Failures
        on_result: Callable[[Any], Maybe[VerdictLike]] | None
        delays: _Delays | None
        fallback: _Fallback
        stream: RandomStream | None
        seed: SupportsIndex | None
        key: _Key | Callable[..., _Key] | None
        budget: Budget | SharedBudget | None
        stats: RetryStats | None
        deadline_ns: int | Callable[..., int | None] | None
        on_retry: _Hook | None
        on_stop: _Hook | None
        reraise: bool
        name: str | None
        log: _Log
        log_levels: tuple[_Level, _Level] | None
        sleep: Callable[[float], Maybe[object]] | None
        clock_ns: Callable[[], int] | None


class Retrying:
    """Retries calls (SPEC 18): a decorator for functions, methods, coroutine functions and
    generators (not for classes), an iterable of attempts for `for` and `async for`, or a call.

    retry and retrying are the same class, so that each use reads well:

        @retry("full:base=100ms,cap=20s,max_retries=5", on=ConnectionError)
        def fetch(): ...

        for attempt in retrying(on=ConnectionError):
            with attempt:
                ...

        retrying(on=ConnectionError).call(fetch, url)

    policy     a Policy or a policy string, or a function of the call's arguments that returns one.
               Without max_retries and max_elapsed it has no limit: the loop retries for ever, and
               the first such loop of a process logs a warning.
    fields     the fields of policies, such as max_retries=5, change the policy, or the default one,
               as Policy.replace() does. With a growth they make a whole policy, in place of the
               default one.
    on         the failures that may be retried: an exception type, a tuple or union (A | B) of
               them, also nested, () for none, or a predicate of the exception that returns a bool
               (True: transient, False: permanent), an Outcome, its name, or a Verdict; any other
               result counts by its truth value. Nothing else is repeated. With types, an
               ExceptionGroup may be retried if each exception in it may.
    on_result  a predicate of the returned value, with the same results; False is a success, and a
               permanent value raises a RetryError at once. In an attempt, set attempt.value.
    delays     delays of your own in place of those of the policy (SPEC 18.9): an iterable of
               durations, which allows as many retries, or fewer if you name a policy or a limit
               with fewer, or a function of the index, 0 before the first retry, and of the failure
               or value. It returns a duration, or None for that
               of the policy. Jitter, cap and floor do not change them.
    fallback   what a call returns when its loop gives up or the failure is permanent: a value, or
               a function of the exception that would be raised. A loop that is cancelled raises.
    stream     the RandomStream of every loop; or
    seed, key  the same as RandomStream(seed, key). The key may be a function of the call's
               arguments. Everyone with the same seed and no key waits the same. Without any of
               the three, each loop has a random stream of its own.
    budget     a Budget that all loops with it share, or a SharedBudget, which many processes share.
    stats      a RetryStats that counts the loops.
    deadline_ns  no wait may end after this time of time.monotonic_ns(); or a function of the
               call's arguments that returns it, or None. One that is more than 10 years away
               raises PolicyError when the loop begins: it is a time of another clock.
    on_retry   called with a RetryEvent before each wait.
    on_stop    called with a RetryEvent once, when the loop ends for any reason.
    reraise    True: giving up raises the last exception, with a note. False: it raises a
               RetryError from it. A permanent failure is always raised itself, with a note.
    name       the loop's name in events and logs; by default that of the function.
    log        False, or a Logger or LoggerAdapter of logging, or a logger of structlog; True is
               structlog if it is configured, otherwise the logger "backoff_rs". Retries of failures, and giving up, are warnings; retries of results are
               information.
    log_levels the levels of retries and of giving up in place of these: ("info", "error").
    sleep      called with a number of seconds instead of the platform's sleep.
    clock_ns   the clock in place of time.monotonic_ns, in nanoseconds. The limits take a wait
               into account only if this clock advances during the sleep.

    In a `for` over attempts, a StopIteration of on_retry or sleep becomes a RuntimeError, because
    it would end the `for` as if the attempts had ended; likewise StopAsyncIteration in `async for`.

    An async loop also awaits the results of on, on_result, on_retry, on_stop and sleep;
    elsewhere coroutine functions raise TypeError. An on_stop that nothing can await, as after a
    `break` outside `with attempt:`, warns (RuntimeWarning).

    Raises PolicyError and TypeError for invalid arguments. It holds no state of a loop: threads
    and tasks may share it. It can be pickled if its options can; a Budget and a lambda cannot.
    """

    __module__ = "backoff_rs"

    #: The arguments themselves.
    _given: dict[str, Any]

    @with_advice
    def __init__(
        self,
        policy: Policy | str | _OfCall[_PolicyArguments, Policy | str] = "default",
        *,
        on: _Failures,
        on_result: Callable[[Any], Maybe[VerdictLike]] | None = None,
        delays: _Delays | None = None,
        fallback: _Fallback = NO_FALLBACK,
        stream: RandomStream | None = None,
        seed: SupportsIndex | None = None,
        key: _Key | _OfCall[_KeyArguments, _Key] | None = None,
        budget: Budget | SharedBudget | None = None,
        stats: RetryStats | None = None,
        deadline_ns: int | _OfCall[_DeadlineArguments, int | None] | None = None,
        on_retry: _Hook | None = None,
        on_stop: _Hook | None = None,
        reraise: bool = True,
        name: str | None = None,
        log: _Log = True,
        log_levels: tuple[_Level, _Level] | None = None,
        sleep: Callable[[float], Maybe[object]] | None = None,
        clock_ns: Callable[[], int] | None = None,
        **fields: Unpack[_PolicyFields],
    ) -> None:
        checked_delays: Any = delays
        if delays is not None and not callable(delays):
            # A set has no order.
            if isinstance(delays, str | set | frozenset) or not hasattr(delays, "__iter__"):
                kinds = "an iterable of durations or a function of the index and the failure"
                raise TypeError(f"delays must be {kinds}, not {_type_name(delays)}")
            checked_delays = _checked_delays(delays)
        given = policy_of(policy, fields)
        if stream is not None and seed is not None:
            raise TypeError("pass a stream or a seed, not both: a seed makes a stream")
        if key is not None and seed is None:
            raise TypeError("key picks a stream under a seed: pass a seed too")
        wrong_budget: object = budget
        if isinstance(wrong_budget, str):
            advice = f'write Budget.parse("{wrong_budget}")'
            raise TypeError(f"budget must be a Budget, not str: {advice}")
        own_budget, shared_budget = _kinds_of_budget(budget)
        for argument, value, expected in [
            ("stream", stream, RandomStream),
            ("budget", own_budget, Budget),
            ("stats", stats, RetryStats),
            ("name", name, str),
            ("reraise", reraise, bool),
        ]:
            optional = argument != "reraise"
            if not (isinstance(value, expected) or (optional and value is None)):
                raise TypeError(
                    f"{argument} must be a {expected.__name__}, not {_type_name(value)}"
                )
        functions: dict[str, Any] = {
            "on_result": on_result,
            "policy": policy if callable(policy) else None,
            "delays": delays if callable(delays) else None,
            "on_retry": on_retry,
            "on_stop": on_stop,
            "sleep": sleep,
            "clock_ns": clock_ns,
        }
        for argument, function in functions.items():
            if function is not None and not callable(function):
                raise TypeError(f"{argument} must be callable, not {_type_name(function)}")
        functions |= {"on": on, "key": key, "deadline_ns": deadline_ns, "fallback": fallback}
        coroutines = [
            name for name in functions if _functions.is_coroutine_function(functions[name])
        ]
        for argument in coroutines:
            if argument in {"policy", "delays", "key", "deadline_ns", "clock_ns"}:
                raise TypeError(f"{argument} is a coroutine function, which no loop awaits")
        # Rejected here, not at the first call.
        deadline_of = deadline_ns if callable(deadline_ns) else None
        checked_ns = None if callable(deadline_ns) else checked_deadline(deadline_ns)
        if seed is not None and not callable(key):
            stream = RandomStream(seed) if key is None else RandomStream(seed, key)
            seed, key = None, None
        elif seed is not None:
            RandomStream(seed)
        self._options = Options(
            given=self._given,
            names_retries=names_retries(self._given),
            policy=Policy.parse("default") if given is None else given,
            policy_text=policy if isinstance(policy, str) and not fields else None,
            policy_of=policy if callable(policy) else None,
            fields=fields,
            delays=checked_delays,
            fallback=fallback,
            on=_checked_failures(on),
            on_result=on_result,
            stream=stream,
            seed=seed,
            key=key,
            budget=own_budget,
            shared_budget=shared_budget,
            stats=stats,
            deadline_ns=checked_ns,
            deadline_of=deadline_of,
            on_retry=on_retry,
            on_stop=on_stop,
            reraise=reraise,
            name=name,
            log=checked_log(log),
            log_levels=None if log_levels is None else checked_levels(log_levels),
            sleep=sleep,
            clock_ns=clock_ns,
            coroutines=tuple(coroutines),
        )

    def __call__(self, function: _F, /) -> _F:
        """The function with retries.

        A generator function is retried until it yields its first item; later exceptions pass
        through, because items that were yielded cannot be taken back. If a plain function returns
        an awaitable that runs by itself, such as a Task or a Future, only the call that creates it
        is retried. A coroutine, which does nothing until it is awaited, raises TypeError, and so does
        the generator of a generator function, such as behind a decorator, which does nothing until
        it is iterated over.

        Raises TypeError for objects that cannot be retried, such as a class or a staticmethod, and
        for hooks that are coroutine functions if this one is not.
        """
        if isinstance(function, type):
            raise TypeError(f"retry decorates functions, not the class {function.__name__}")
        return _wrap.wrap(self._options, function)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls the function with retries and returns its result: for a coroutine function, an
        awaitable."""
        return _wrap.wrap(self._options, function)(*args, **kwargs)

    def with_options(self, **options: Unpack[_LoopOptions]) -> Retrying:
        """The same with these options and fields of policies in place of its own. A policy also
        replaces the fields beside the one that it had, and a stream the seed and the key.

        Raises PolicyError and TypeError as retrying() does."""
        return _with(self._options, options)

    def __iter__(self) -> Attempts:
        self._options.reject_attempts()
        self._options.reject_coroutine_functions()
        self._options.reject_attempt_timeout("a blocking loop")
        return Attempts(Loop(self._options, self._options.name or "loop", awaits=False))

    def __aiter__(self) -> AsyncAttempts:
        self._options.reject_attempts()
        return AsyncAttempts(Loop(self._options, self._options.name or "loop", awaits=True))

    def __repr__(self) -> str:
        return f"<Retrying {self._options.policy}>"


def _kinds_of_budget(
    budget: Budget | SharedBudget | None,
) -> tuple[Budget | None, SharedBudget | None]:
    """The budget as one of this process, unless it is shared."""
    if budget is None or isinstance(budget, Budget):
        return budget, None
    # Imported here, because most programs have no shared budget. The maker of one has imported it.
    from ._shared_budget import SharedBudget

    return (None, budget) if isinstance(budget, SharedBudget) else (budget, None)


def _checked_failures(
    on: _Failures,
) -> tuple[type[Exception], ...] | Callable[[Exception], Maybe[object]]:
    """The types of on=, or its predicate."""
    types = tuple(_alternatives(on))
    if all(isinstance(kind, type) for kind in types):
        for kind in types:
            if not issubclass(kind, Exception):
                raise TypeError(f"{kind.__name__} is never retried: it is not an Exception")
        return types
    if not isinstance(on, tuple) and callable(on):
        return on
    kinds = "an exception type, a tuple of them or a predicate"
    wrong: object = on
    advice = ": write a tuple, on=(A, B)" if isinstance(wrong, list | set | frozenset) else ""
    raise TypeError(f"on must be {kinds}, not {on!r}{advice}")


def _alternatives(kind: object) -> Iterator[Any]:
    """The types of `A | B` and of a tuple; anything else by itself."""
    if isinstance(kind, tuple):
        for part in kind:
            yield from _alternatives(part)
        return
    if isinstance(kind, type) or not hasattr(kind, "__args__"):
        yield kind
        return
    from types import UnionType
    from typing import Union, get_args, get_origin

    yield from get_args(kind) if get_origin(kind) in {UnionType, Union} else (kind,)


def with_options(function: _F, /, **options: Unpack[_LoopOptions]) -> _F:
    """The retrying function with these options and fields of policies in place of its own, for one
    call or many: with_options(fetch, max_retries=9)(url). The function itself stays as it is. A
    policy also replaces the fields beside the one that it had, and a stream the seed and the key.

    Raises PolicyError and TypeError as retry() does; TypeError for a function that @retry did not
    return, such as one with another decorator above @retry.
    """
    if isinstance(function, MethodType):
        bound: Any = MethodType(with_options(function.__func__, **options), function.__self__)
        same_method: _F = bound
        return same_method
    own, called = _wrap.parts_of(function)
    same: Any = _with(own, options)(called)
    changed: _F = same
    return changed


def _with(own: Options, changes: _LoopOptions) -> Retrying:
    """A loop with these options in place of its own."""
    options: dict[str, Any] = dict(changes)
    reject_unknown("with_options", options, OPTIONS)
    given = own.given
    dropped: set[str] = set()
    if "stream" in options:
        dropped |= {"seed", "key"}
    if "seed" in options or "key" in options:
        dropped.add("stream")
    kept = {name: given[name] for name in given if name not in dropped}
    loop = Retrying(**merged([kept, options]))
    # What is merged may name a policy that nobody named.
    if not (own.names_retries or names_retries(options)):
        loop._options = loop._options.changed(names_retries=False)
    return loop


def merged(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """The options of all layers, of which the last one that names an option counts. The fields of a layer
    change the policy with those of the layers before, so they also replace what they exclude. A policy
    takes the place of the policy and the fields before it."""
    whole: dict[str, Any] = {}
    fields: list[dict[str, Any]] = []
    for layer in layers:
        if "policy" in layer:
            whole = {name: whole[name] for name in whole if name not in FIELDS}
            fields = []
        whole |= layer
        fields.append({name: layer[name] for name in layer if name in FIELDS})
    *earlier, last = [*filter(None, fields)] or [{}]
    policy: Any = whole.get("policy", "default")
    if not earlier or callable(policy):
        return whole
    for before in earlier:
        policy = policy_of(policy, before)
    return {name: whole[name] for name in whole if name not in FIELDS} | last | {"policy": policy}


#: The names of the options of a loop, without the fields of policies.
_init: Any = Retrying.__init__
OPTIONS: Final = frozenset({*_init.__wrapped__.__kwdefaults__, "on", "policy"})


retry = Retrying
retrying = Retrying
