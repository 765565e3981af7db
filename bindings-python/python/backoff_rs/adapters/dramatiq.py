"""Dramatiq: the middleware that retries. `backoff-rs[dramatiq]` installs it.

middleware = [Retries(on=ConnectionError) if kind is dramatiq.middleware.Retries else kind()
              for kind in dramatiq.middleware.default_middleware]
broker = RedisBroker(middleware=middleware)
"""

from __future__ import annotations

import time
from datetime import timedelta

from dramatiq import middleware
from dramatiq.errors import Retry

from .._verdict import Verdict
from ._decisions import Jobs, with_advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    import dramatiq
    from dramatiq.broker import Broker, MessageProxy

    from .._backoff import Decision, Policy
    from .._retrying import _Failures

#: How a message ended whose worker interrupted it: an exception that is no Exception.
_INTERRUPTIONS: dict[type[BaseException], Verdict] = {
    middleware.Shutdown: Verdict("transient"),
    middleware.TimeLimitExceeded: Verdict("timeout"),
}


class _Again(Retry):
    """Tells Dramatiq when to retry a message."""


class Retries(middleware.Retries):
    """Takes the place of dramatiq.middleware.Retries: failed messages are retried after the delays
    of a policy. The delay of a retry follows from the policy, the seed, the id of the message and
    the number of its retries: no worker keeps anything.

    policy  a Policy or a policy string. max_elapsed counts from the message's timestamp: the time
            at which it was sent, which its retries keep.
    on      the failures that may be retried, as for retrying(). Others, and those that are marked
            with permanent(), go to the dead-letter queue at once.
    seed    the seed; the id of the message is the key.

    An actor may have its own policy, on and seed, and the options throws and on_retry_exhausted. A
    Retry that an actor raises is always repeated; its delay, as a server's retry_after, is the
    least. So is a message that a shutdown or its time limit interrupted. Delays are whole
    milliseconds, rounded up.

    Raises PolicyError, ValueError and TypeError for invalid options. Declaring an actor with
    invalid options, or on a broker with another Retries, raises MiddlewareError.
    """

    @with_advice
    def __init__(
        self, policy: Policy | str = "default", *, on: _Failures, seed: SupportsIndex = 0
    ) -> None:
        self._options: dict[str, Any] = {"policy": policy, "on": on, "seed": seed}
        self._default = Jobs(policy, on, seed, keeps_begin=True)
        super().__init__(retry_when=lambda _retries, error: isinstance(error, _Again))
        # Dramatiq passes it to on_retry_exhausted.
        self.max_retries: Any = self._default.max_retries
        self._jobs: dict[str, Jobs] = {}

    @property
    def actor_options(self) -> set[str]:
        return {*self._options, "throws", "on_retry_exhausted"}

    def before_declare_actor(self, broker: Broker, actor: dramatiq.Actor[..., Any]) -> None:
        own = {name: actor.options[name] for name in self._options if name in actor.options}
        try:
            if sum(isinstance(part, middleware.Retries) for part in broker.middleware) > 1:
                raise TypeError("the broker has two Retries: each would enqueue a failed message")
            if own:
                jobs = Jobs(**{**self._options, **own}, keeps_begin=True)
                self._jobs[actor.actor_name] = jobs
                actor.options["max_retries"] = jobs.max_retries
        except (TypeError, ValueError) as error:
            # Dramatiq logs any other failure and goes on.
            raise middleware.MiddlewareError(f"{actor.actor_name}: {error}") from error

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        host: Any = super()
        try:
            if exception is not None and not _is_thrown(broker, message, exception):
                decision = self._decide(message, exception)
                if decision:
                    if not _is_limited(broker, message):
                        self._jobs_of(message).warn_if_unlimited()
                    exception = _Again(str(exception), delay=-(-decision.delay_ns // 10**6))
            host.after_process_message(broker, message, result=result, exception=exception)
        except BaseException:
            # Dramatiq logs it, and would count the message as done, also one that it could not
            # enqueue again because the server is gone.
            message.fail()
            raise

    def _jobs_of(self, message: MessageProxy) -> Jobs:
        return self._jobs.get(message.actor_name, self._default)

    def _decide(self, message: MessageProxy, error: BaseException) -> Decision | None:
        jobs = self._jobs_of(message)
        elapsed_ns = max(0, time.time_ns() - message.message_timestamp * 10**6)
        job = message.message_id, message.options.get("retries", 0), elapsed_ns
        if isinstance(error, Retry):
            asked = None if error.delay is None else timedelta(milliseconds=error.delay)
            return jobs.decide(Verdict("transient", asked), *job)
        if isinstance(error, Exception):
            return jobs.after(error, *job)
        verdict = _INTERRUPTIONS.get(type(error))
        return None if verdict is None else jobs.decide(verdict, *job)


def _is_thrown(broker: Broker, message: MessageProxy, error: BaseException) -> bool:
    """Whether the option throws, which Dramatiq checks, lists this failure."""
    throws = message.options.get("throws") or broker.get_actor(message.actor_name).options.get(
        "throws"
    )
    return bool(throws and isinstance(error, throws))


def _is_limited(broker: Broker, message: MessageProxy) -> bool:
    """Whether Dramatiq drops this message at some age."""
    ages = [part.max_age for part in broker.middleware if isinstance(part, middleware.AgeLimit)]
    options = broker.get_actor(message.actor_name).options
    return any(message.options.get("max_age") or options.get("max_age", age) for age in ages)
