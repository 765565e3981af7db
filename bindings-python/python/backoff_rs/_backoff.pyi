from collections.abc import Awaitable, Generator, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import (
    Any,
    Final,
    Literal,
    Never,
    Self,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    Unpack,
    final,
)
from uuid import UUID

from typing_extensions import Buffer

from ._aliases import BudgetEventOrName, Duration, OutcomeOrName, Seconds
from ._budget_store import BudgetLevel, BudgetTransition
from ._cancellation import Cancellations
from ._types import StopReason

_Growth: TypeAlias = Literal[
    "constant", "linear", "exponential", "polynomial", "fibonacci", "steps"
]
_Jitter: TypeAlias = Literal[
    "none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"
]
_CapOn: TypeAlias = Literal["window", "delay"]
_BudgetKind: TypeAlias = Literal["quota", "throttle", "ratio", "rate", "ttl", "concurrent"]
_ElapsedFrom: TypeAlias = Literal["begin", "failure"]
_RetryAfterMode: TypeAlias = Literal["at_least", "exact", "spread"]
_Format: TypeAlias = Literal[
    "grpc", "envoy", "istio", "temporal", "step-functions", "k8s-job", "nginx"
]
_Reason: TypeAlias = (
    StopReason
    | Literal[
        "success", "permanent", "max_retries", "max_elapsed", "deadline", "budget", "cancelled"
    ]
)
_Ratio: TypeAlias = float | Decimal | Fraction | tuple[int, int]

__all__ = [
    "Backoff",
    "Budget",
    "BudgetState",
    "Decision",
    "Operation",
    "Policy",
    "PreviewRow",
    "RandomStream",
    "RetryStats",
    "_Member",
    "_Watched",
    "__version__",
    "_begin",
    "_checked_clock_ns",
    "_checked_deadline_ns",
    "_checked_delays",
    "_checked_retry_after",
    "_checked_time_ns",
    "_first_package",
    "_http_retry_after_ns",
    "_outcome_of_http_status",
    "_parse_retry_after_ns",
    "_type_name",
    "is_idempotent_method",
    "parse_retry_after",
]

__version__: str

def parse_retry_after(
    header: str | bytes | None, *, now: Seconds | datetime | None = None
) -> float | None: ...
def _parse_retry_after_ns(
    header: str | bytes | None, *, now: Seconds | datetime | None = None
) -> int | None: ...
def is_idempotent_method(method: str) -> bool: ...
def _http_retry_after_ns(
    status: SupportsIndex, fields: str, now: Seconds | datetime | None
) -> int | None: ...
def _outcome_of_http_status(status: SupportsIndex) -> str: ...
def _checked_clock_ns(now_ns: SupportsIndex) -> int: ...
def _checked_deadline_ns(deadline_ns: SupportsIndex) -> int: ...
def _checked_delays(delays: Iterable[Duration]) -> tuple[Duration, ...]: ...
def _checked_time_ns(time_ns: SupportsIndex) -> int: ...
def _checked_retry_after(
    outcome: OutcomeOrName, retry_after: Duration | None
) -> Duration | None: ...
def _first_package(package: ModuleType) -> ModuleType: ...
def _begin(
    policy: Policy,
    stream: RandomStream | None,
    now_ns: int,
    deadline_ns: int | None,
    budget: Budget | None,
) -> Operation: ...
def _type_name(object: object) -> str: ...

class _PolicyFields(TypedDict, total=False):
    # fields of policies, from core/src/field/table.rs
    growth: _Growth
    base: Duration | None
    increment: Duration | None
    multiplier: _Ratio | None
    power: SupportsIndex | None
    origin: SupportsIndex | None
    offset: Duration | None
    cap: Duration | None
    cap_on: _CapOn | None
    floor: Duration | None
    jitter: _Jitter | None
    jitter_below: _Ratio | None
    jitter_above: _Ratio | None
    jitter_max: Duration | None
    jitter_increment: Duration | None
    jitter_slot: Duration | None
    max_retries: SupportsIndex | None
    max_attempts: SupportsIndex | None
    max_elapsed: Duration | None
    throttled_base: Duration | None
    retry_after: _RetryAfterMode | None
    retry_after_max: Duration | None
    retry_after_max_extra: Duration | None
    waits: Iterable[Duration] | None
    attempt_timeout: Duration | None
    reset_after: Duration | None
    elapsed_from: _ElapsedFrom | None
    # end

@final
class Policy:
    def __new__(
        cls,
        # arguments of Policy, from core/src/field/table.rs
        growth: _Growth,
        *,
        base: Duration | None = None,
        increment: Duration | None = None,
        multiplier: _Ratio | None = None,
        power: SupportsIndex | None = None,
        origin: SupportsIndex | None = None,
        offset: Duration | None = None,
        cap: Duration | None = None,
        cap_on: _CapOn | None = None,
        floor: Duration | None = None,
        jitter: _Jitter | None = None,
        jitter_below: _Ratio | None = None,
        jitter_above: _Ratio | None = None,
        jitter_max: Duration | None = None,
        jitter_increment: Duration | None = None,
        jitter_slot: Duration | None = None,
        max_retries: SupportsIndex | None = None,
        max_attempts: SupportsIndex | None = None,
        max_elapsed: Duration | None = None,
        throttled_base: Duration | None = None,
        retry_after: _RetryAfterMode | None = None,
        retry_after_max: Duration | None = 3600,
        retry_after_max_extra: Duration | None = None,
        waits: Iterable[Duration] | None = None,
        attempt_timeout: Duration | None = None,
        reset_after: Duration | None = None,
        elapsed_from: _ElapsedFrom | None = None,
        # end
    ) -> Self: ...
    @staticmethod
    def parse(text: str) -> Policy: ...
    def replace(self, **fields: Unpack[_PolicyFields]) -> Policy: ...
    def __replace__(self, **fields: Unpack[_PolicyFields]) -> Policy: ...
    def delay(self, stream: RandomStream, index: SupportsIndex) -> float: ...
    def delay_ns(self, stream: RandomStream, index: SupportsIndex) -> int: ...
    def window(self, index: SupportsIndex) -> float: ...
    def window_ns(self, index: SupportsIndex) -> int: ...
    def delays(
        self, stream: RandomStream, count: SupportsIndex, first: SupportsIndex = 0
    ) -> list[float]: ...
    def fill_ns(self, stream: RandomStream, buffer: Buffer, first: SupportsIndex = 0) -> int: ...
    def preview(self, count: SupportsIndex | None = None) -> Iterator[PreviewRow]: ...
    def fit_base(self, attempts: SupportsIndex, total: Duration) -> Policy: ...
    def fit_cap(self, attempts: SupportsIndex, total: Duration) -> Policy: ...
    def export(self, format: _Format, budget: Budget | None = None) -> str: ...
    @staticmethod
    def from_export(format: _Format, text: str) -> tuple[Policy, Budget | None]: ...
    # properties of Policy, from core/src/field/table.rs
    @property
    def growth(self) -> _Growth: ...
    @property
    def base(self) -> float | None: ...
    @property
    def increment(self) -> float | None: ...
    @property
    def multiplier(self) -> Fraction | None: ...
    @property
    def power(self) -> int | None: ...
    @property
    def origin(self) -> int | None: ...
    @property
    def offset(self) -> float | None: ...
    @property
    def cap(self) -> float | None: ...
    @property
    def cap_on(self) -> _CapOn: ...
    @property
    def floor(self) -> float: ...
    @property
    def jitter(self) -> _Jitter: ...
    @property
    def jitter_below(self) -> Fraction | None: ...
    @property
    def jitter_above(self) -> Fraction | None: ...
    @property
    def jitter_max(self) -> float | None: ...
    @property
    def jitter_increment(self) -> float | None: ...
    @property
    def jitter_slot(self) -> float | None: ...
    @property
    def max_retries(self) -> int | None: ...
    @property
    def max_attempts(self) -> int | None: ...
    @property
    def max_elapsed(self) -> float | None: ...
    @property
    def throttled_base(self) -> float | None: ...
    @property
    def retry_after(self) -> _RetryAfterMode: ...
    @property
    def retry_after_max(self) -> float | None: ...
    @property
    def retry_after_max_extra(self) -> float | None: ...
    @property
    def waits(self) -> tuple[float, ...] | None: ...
    @property
    def attempt_timeout(self) -> float | None: ...
    @property
    def reset_after(self) -> float | None: ...
    @property
    def elapsed_from(self) -> _ElapsedFrom: ...
    # end
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RandomStream:
    def __new__(cls, seed: SupportsIndex, key: str | Buffer | int | UUID = ...) -> Self: ...
    @staticmethod
    def from_entropy() -> RandomStream: ...
    state: Final[int]
    def draw(self, index: SupportsIndex) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Backoff(Iterator[float]):
    def __new__(cls, policy: Policy, stream: RandomStream | None = None) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> float: ...
    def next_ns(self) -> int: ...
    def reset(self) -> None: ...
    index: Final[int]
    stream: Final[RandomStream]
    policy: Final[Policy]

@final
class Budget:
    # There is no constructor: no argument has the type Never.
    def __new__(cls, use_parse: Never, /) -> Self: ...
    @staticmethod
    def parse(text: str) -> Budget: ...
    kind: Final[_BudgetKind]
    def level(self, now_ns: SupportsIndex | None = None) -> BudgetLevel: ...
    # properties of Budget, from core/src/field/table.rs
    @property
    def max_tokens(self) -> int | None: ...
    @property
    def cost(self) -> int | None: ...
    @property
    def cost_throttled(self) -> int | None: ...
    @property
    def cost_timeout(self) -> int | None: ...
    @property
    def ratio(self) -> Fraction | None: ...
    @property
    def per(self) -> float | None: ...
    @property
    def ttl(self) -> float | None: ...
    @property
    def min_per_second(self) -> int | None: ...
    @property
    def min_concurrent(self) -> int | None: ...
    # end

@final
class BudgetState:
    # The same: full() and parse() make states.
    def __new__(cls, use_full: Never, /) -> Self: ...
    @staticmethod
    def full(budget: Budget) -> BudgetState: ...
    @staticmethod
    def parse(budget: Budget, text: str) -> BudgetState: ...
    @staticmethod
    def _restore(budget: str, text: str) -> BudgetState: ...
    def step(
        self,
        event: BudgetEventOrName,
        *,
        now_ns: SupportsIndex,
        outcome: OutcomeOrName | None = None,
        held: SupportsIndex = 0,
    ) -> BudgetTransition: ...
    def level(self, now_ns: SupportsIndex) -> BudgetLevel: ...
    version: Final[int]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class _Member:
    def __new__(
        cls,
        budget: Budget,
        local: Budget,
        lease: int,
        fallback: int,
        timeout_ns: int,
        seed: int,
    ) -> Self: ...
    def note(
        self, event: BudgetEventOrName, held: SupportsIndex, is_local: bool, now_ns: SupportsIndex
    ) -> None: ...
    def request(
        self, outcome: OutcomeOrName, now_ns: SupportsIndex
    ) -> tuple[bool, int, bool] | None: ...
    def cancel(self, outcome: OutcomeOrName) -> None: ...
    def is_away(self, now_ns: SupportsIndex) -> bool: ...
    def due_in(self, now_ns: SupportsIndex) -> int | None: ...
    def has_unsent(self) -> bool: ...
    def timeout_ns(self) -> int: ...
    def stats(self) -> list[tuple[str, int]]: ...
    def begin(self, now_ns: SupportsIndex) -> None: ...
    def step(self, text: str | None, store_ns: SupportsIndex) -> tuple[str, bool] | None: ...
    def level(self, text: str | None, store_ns: SupportsIndex) -> BudgetLevel | None: ...
    def steps(self) -> list[tuple[str, str | None, int, int, int | None]]: ...
    def stored(self, now_ns: SupportsIndex) -> list[tuple[str, int, int, int]]: ...
    def lost(self, now_ns: SupportsIndex) -> int | None: ...
    def failed(self, may_be_stored: bool, now_ns: SupportsIndex) -> None: ...
    def late(self, now_ns: SupportsIndex) -> None: ...

@final
class Operation:
    def __new__(
        cls,
        policy: Policy,
        stream: RandomStream,
        *,
        now_ns: SupportsIndex,
        deadline_ns: SupportsIndex | None = None,
        budget: Budget | None = None,
    ) -> Self: ...
    @staticmethod
    def resume(
        policy: Policy,
        stream: RandomStream,
        retries: SupportsIndex,
        *,
        began_ns: SupportsIndex,
        deadline_ns: SupportsIndex | None = None,
    ) -> Operation: ...
    def decide(
        self,
        outcome: OutcomeOrName,
        *,
        now_ns: SupportsIndex,
        retry_after: Duration | None = None,
        delay: Duration | None = None,
    ) -> Decision: ...
    def _decide(
        self,
        outcome: OutcomeOrName,
        now_ns: int,
        retry_after: Duration | None,
        delay: Duration | None = None,
        /,
    ) -> Decision: ...
    def attempt_limit_ns(self, now_ns: SupportsIndex) -> int | None: ...
    def _time_left_ns(self, now_ns: SupportsIndex) -> int | None: ...
    def retry_index(self, now_ns: SupportsIndex) -> int: ...
    def cancel(self) -> StopReason: ...
    def refuse_retry(self) -> StopReason: ...
    retries: Final[int]
    attempts: Final[int]
    reason: Final[StopReason | None]
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

@final
class Decision:
    def __new__(cls, delay_ns: SupportsIndex, reason: _Reason | None = None) -> Self: ...
    delay: Final[float]
    delay_ns: Final[int]
    reason: Final[StopReason | None]
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class PreviewRow:
    def __new__(
        cls,
        min_ns: SupportsIndex,
        mean_ns: SupportsIndex,
        max_ns: SupportsIndex,
        total_min_ns: SupportsIndex,
        total_mean_ns: SupportsIndex,
        total_max_ns: SupportsIndex,
    ) -> Self: ...
    min: Final[float]
    min_ns: Final[int]
    mean: Final[float]
    mean_ns: Final[int]
    max: Final[float]
    max_ns: Final[int]
    total_min: Final[float]
    total_min_ns: Final[int]
    total_mean: Final[float]
    total_mean_ns: Final[int]
    total_max: Final[float]
    total_max_ns: Final[int]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RetryStats:
    BOUNDS: Final[tuple[int, ...]]
    def __new__(cls) -> Self: ...
    def record(self, attempts: SupportsIndex, reason: _Reason) -> None: ...
    def merge(self, other: RetryStats) -> None: ...
    def __iadd__(self, other: RetryStats, /) -> Self: ...
    operations: Final[int]
    attempts: Final[int]
    retries: Final[int]
    buckets: Final[list[int]]
    stops: Final[dict[StopReason, int]]
    def prometheus(
        self, *, prefix: str = "backoff", labels: Mapping[str, str] | None = None
    ) -> str: ...

@final
class _Watched:
    def __new__(cls, call: Awaitable[Any], cancellations: Cancellations) -> Self: ...
    def __await__(self) -> Generator[Any, Any, Any]: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Any: ...
    def send(self, value: Any) -> Any: ...
    def throw(self, *thrown: Any) -> Any: ...
    def close(self) -> None: ...
