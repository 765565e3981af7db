"""The types of arguments."""

from collections.abc import Awaitable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from ._types import BudgetEvent, Outcome

T = TypeVar("T")

Seconds: TypeAlias = float | Decimal | Fraction
Duration: TypeAlias = Seconds | timedelta
OutcomeOrName: TypeAlias = (
    Outcome | Literal["success", "transient", "throttled", "timeout", "permanent"]
)
BudgetEventOrName: TypeAlias = (
    BudgetEvent
    | Literal[
        "operation_began",
        "attempt_over",
        "attempt_failed",
        "retry_requested",
        "operation_succeeded",
        "operation_ended",
    ]
)
#: The result of a hook or a predicate: only an async loop can await it.
Maybe: TypeAlias = T | Awaitable[T]
