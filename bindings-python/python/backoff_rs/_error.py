"""Why a policy was refused."""


class PolicyError(ValueError):
    """Why a policy, a line or an argument was refused: which rule, which field, its value, the
    limit.

    str() is the message, such as "cap 1s is below base 2s". code is the name of the rule:
    those of SPEC 8.6 and, for what the core cannot be given, "negative", "not_finite",
    "not_unicode", "unknown_outcome" and "unknown_reason". value and limit are the ints of SPEC
    8.1: a duration in nanoseconds, a ratio n/d as n * 2**32 + d, 0 for an unknown kind. Where
    no 64-bit int can hold the value, or it would be rounded to 0, value is the argument as it
    was given.

    Of a line, at is where in it, in characters from 0, and found what was found there; field
    is None if the rule is of no field. Both are None for what was no line.
    """

    __module__ = "backoff_rs"

    code: str
    field: str | None
    value: object
    limit: int
    at: int | None
    found: str | None

    def __init__(
        self,
        message: str,
        code: str,
        field: str | None,
        value: object,
        limit: int,
        at: int | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.value = value
        self.limit = limit
        self.at = at
        self.found = found

    def __reduce__(self) -> tuple[type["PolicyError"], tuple[object, ...]]:
        parts = (self.code, self.field, self.value, self.limit, self.at, self.found)
        return PolicyError, (str(self), *parts)
