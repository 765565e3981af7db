"""PolicyError, which the extension raises."""


class PolicyError(ValueError):
    """A policy, a string or an argument breaks a rule.

    str() is the message, such as "cap 1s is below base 2s". code is the name of the rule, one of
    SPEC 8.6 or 8.7. field, value and limit are those of the message: a duration is an int of
    nanoseconds, a ratio n/d is n * 2**32 + d, an unknown kind is 0 (SPEC 8.1). If no 64-bit int
    can hold the value, or it would round to 0, value is the argument itself.

    For a policy string or budget string, at is the position of the error, counted in
    characters from 0, and found is the text there; field is None if the rule concerns no field.
    Otherwise at and found are None.
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
