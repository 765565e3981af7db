"""Clause 9: iterators."""

from itertools import islice

from reference.delays import delays
from reference.numbers import WORD, G


class Iterator:
    def __init__(self, policy, stream):
        self.policy, self.stream = policy, stream
        self.begin()

    def begin(self):
        self.index = 0
        self.rest = delays(self.policy, self.stream, 0, self.policy["max_retries"])

    def take(self, count):
        """The next delays, fewer if the iterator ends."""
        found = list(islice(self.rest, count))
        self.index += len(found)
        return found

    def reset(self):  # 9.2
        self.stream = (self.stream + self.index * G) % WORD
        self.begin()
