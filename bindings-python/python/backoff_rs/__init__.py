"""Backoff with jitter as a pure function of (policy, stream, index).

Policy says how long to wait before each retry, Stream where the randomness comes from, and
Backoff gives the delays one after another. The same policy and stream give the same
nanoseconds in Rust, C, Go, Python and JavaScript.
"""

from ._backoff import Backoff, Policy, Stream, __version__
from ._error import PolicyError

__all__ = ["Backoff", "Policy", "PolicyError", "Stream", "__version__"]
