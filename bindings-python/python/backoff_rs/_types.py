"""What arguments may be."""

from collections.abc import Awaitable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from ._names import Outcome

T = TypeVar("T")

Seconds: TypeAlias = float | Decimal | Fraction
Duration: TypeAlias = Seconds | timedelta
OutcomeOrName: TypeAlias = (
    Outcome | Literal["success", "transient", "throttled", "timeout", "permanent"]
)
#: What a hook or a predicate may answer: only an async loop can await it.
Maybe: TypeAlias = T | Awaitable[T]
