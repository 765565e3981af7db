"""Celery: a base class of tasks. `backoff-rs[celery]` installs it.

@app.task(base=RetryingTask, policy="full:base=1s,cap=5m,max_retries=8", on=ConnectionError)
def deliver(message): ...
"""

from __future__ import annotations

import difflib
from typing import Final

import celery
from celery.exceptions import TaskPredicate

from .._verdict import Verdict, mark_of
from ._decisions import Jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any, ClassVar, NoReturn, SupportsIndex, TypeAlias

    from .._backoff import Decision, Policy
    from .._retrying import _Failures

    _Task: TypeAlias = celery.Task[..., Any]
else:
    _Task = celery.Task


#: Celery's own retries, which would be made besides those of the policy, or do nothing.
_OF_CELERY: Final = frozenset(
    {
        "autoretry_for",
        "dont_autoretry_for",
        "retry_kwargs",
        "retry_backoff",
        "retry_backoff_max",
        "retry_jitter",
        "default_retry_delay",
    }
)


class RetryingTask(_Task):
    """A task that is retried after the delays of a policy. The delay of a retry follows from the
    policy, the seed, the id of the task and the number of its retries: no worker keeps anything.

    These are options of `@app.task`, or attributes of a subclass:

    policy  a Policy or a policy string, without max_elapsed.
    on      the failures that may be retried, as for retrying(); by default none. Others, and those
            that are marked with permanent(), fail the task at once.
    seed    the seed; the id of the task is the key.

    `raise self.retry(exc=error)` in a bound task also waits as the policy says, whatever `on` says;
    one with a countdown or an eta does what Celery does. A task that gives up raises its last
    failure. A countdown is a whole number of microseconds, rounded up.

    Raises PolicyError, ValueError and TypeError for invalid options when Celery creates the task:
    at its first use, or when a worker starts.
    """

    abstract = True
    policy: ClassVar[Policy | str] = "default"
    on: ClassVar[_Failures] = ()
    seed: ClassVar[SupportsIndex] = 0
    #: Celery's own limit is off: the policy has one.
    max_retries: int | None = None

    def __init__(self) -> None:
        super().__init__()
        kind = type(self)
        try:
            _check_options(kind)
            # A predicate of the class, not a method of this instance.
            self._jobs = Jobs(kind.policy, kind.on, kind.seed)
        except (TypeError, ValueError) as error:
            error.add_note(f"in the options of the task {self.name}")
            raise
        self._run: Callable[..., Any] = self.run
        # As Celery does for autoretry_for.
        self.run: Callable[..., Any] = self._run_and_retry

    def _run_and_retry(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._run(*args, **kwargs)
        except TaskPredicate:
            # A retry, ignored or rejected: decided already.
            raise
        except Exception as error:
            request = self.request
            if request.called_directly:
                raise
            decision = self._jobs.after(error, _id_of(request), request.retries)
            if not decision:
                raise
            self._warn_if_unlimited(self.max_retries)
            raise super().retry(exc=error, countdown=_countdown(decision)) from error

    def retry(
        self,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        exc: Exception | None = None,
        throw: bool = True,
        eta: datetime | None = None,
        countdown: float | None = None,
        max_retries: int | None = None,
        **options: Any,
    ) -> Any:
        """Celery's method; without a countdown and an eta the policy decides."""
        request = self.request
        if eta is None and countdown is None and not request.called_directly:
            mark = None if exc is None else mark_of(exc)
            verdict = mark or Verdict("transient")
            decision = self._jobs.decide(verdict, _id_of(request), request.retries)
            if not decision:
                self._give_up(exc)
            self._warn_if_unlimited(self.max_retries if max_retries is None else max_retries)
            countdown = _countdown(decision)
        return super().retry(args, kwargs, exc, throw, eta, countdown, max_retries, **options)

    def _warn_if_unlimited(self, max_retries: int | None) -> None:
        if max_retries is None and self.request.expires is None:
            self._jobs.warn_if_unlimited()

    def _give_up(self, error: Exception | None) -> NoReturn:
        if error is not None:
            raise error
        raise self.MaxRetriesExceededError(f"Can't retry {self.name}[{self.request.id}]")


def _check_options(kind: type[RetryingTask]) -> None:
    """Raises TypeError for options that would do nothing. Celery makes an attribute of any option of
    a task, so others are the caller's own."""
    # Not those of Celery's Task and of RetryingTask.
    classes = kind.__mro__[: kind.__mro__.index(RetryingTask)]
    for option in {option: None for one in classes for option in vars(one)}:
        if option in _OF_CELERY:
            raise TypeError(f"{option} is of Celery's own retries: the option policy replaces it")
        near = difflib.get_close_matches(option, ["policy", "seed"], cutoff=0.75)
        if near and option not in near:
            raise TypeError(f"{option} is no option of RetryingTask: write {near[0]}")


def _id_of(request: Any) -> str:
    job_id: str = request.id
    return job_id


def _countdown(decision: Decision) -> float:
    """The delay in seconds, to the microsecond, which is the resolution of Celery's times."""
    return -(-decision.delay_ns // 1000) / 10**6
