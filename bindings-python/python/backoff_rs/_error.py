"""Why a policy was refused."""


class PolicyError(ValueError):
    """Why a policy or an argument was refused: which rule, which field, its value, the limit.

    str() is the message, such as "cap 1s is below base 2s". code is the name of the rule:
    those of SPEC 8.6 and, for what no policy can be given, "negative", "not_finite" and
    "not_unicode". value and limit are the ints of SPEC 8.1: a duration in nanoseconds, a ratio
    n/d as n * 2**32 + d, 0 for an unknown kind. Where no 64-bit int can hold the value, or it
    would be rounded to 0, value is the argument as it was given.
    """

    __module__ = "backoff_rs"

    code: str
    field: str
    value: object
    limit: int

    def __init__(self, message: str, code: str, field: str, value: object, limit: int) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.value = value
        self.limit = limit

    def __reduce__(self) -> tuple[type["PolicyError"], tuple[str, str, str, object, int]]:
        return PolicyError, (str(self), self.code, self.field, self.value, self.limit)
