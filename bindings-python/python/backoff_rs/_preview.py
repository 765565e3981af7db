"""What the delays of a policy can be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A retry as it can be (SPEC 16): its smallest, mean and largest delay, and the totals of
    each up to here.

    In nanoseconds, and without _ns in float seconds. Under decorrelated jitter the mean is that
    after the mean of the retry before: an upper estimate where the cap can be reached.
    """

    __module__ = "backoff_rs"

    smallest_ns: int
    mean_ns: int
    largest_ns: int
    total_smallest_ns: int
    total_mean_ns: int
    total_largest_ns: int

    @property
    def smallest(self) -> float:
        """The smallest delay in float seconds."""
        return self.smallest_ns / 10**9

    @property
    def mean(self) -> float:
        """The mean of the delays in float seconds."""
        return self.mean_ns / 10**9

    @property
    def largest(self) -> float:
        """The largest delay in float seconds."""
        return self.largest_ns / 10**9

    @property
    def total_smallest(self) -> float:
        """The smallest delays up to here together, in float seconds."""
        return self.total_smallest_ns / 10**9

    @property
    def total_mean(self) -> float:
        """The means up to here together, in float seconds."""
        return self.total_mean_ns / 10**9

    @property
    def total_largest(self) -> float:
        """The largest delays up to here together, in float seconds."""
        return self.total_largest_ns / 10**9
