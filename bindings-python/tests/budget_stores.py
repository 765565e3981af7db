"""A store of shared budgets in memory, which fails on purpose."""

import threading


class MemoryStore:
    """Counts its calls. Each item of `faults` takes effect at the next call of its method:

    an exception     is raised instead
    "lost answer"    the swap takes effect, then it raises
    "faster"         another process changes the state before the swap
    a threading.Event  the call waits for it
    """

    def __init__(self):
        self.states = {}
        self.now_ns = 1_700_000_000 * 10**9
        self.calls = []
        self.faults = {"load": [], "swap": []}
        #: What another process stores.
        self.faster = []
        self._lock = threading.Lock()

    def state(self):
        """The only state that is stored, without the numbers of processes."""
        (text,) = self.states.values()
        return text.split(" | ")[0]

    def load(self, key):
        self._before("load")
        with self._lock:
            return self.states.get(key), self.now_ns

    def compare_and_swap(self, key, expected, new):
        fault = self._before("swap")
        with self._lock:
            if fault == "faster":
                self.states[key] = self.faster.pop(0)
            if self.states.get(key) != expected:
                return False
            self.states[key] = new
        if fault == "lost answer":
            raise ConnectionError("the answer did not come")
        return True

    def _before(self, method):
        self.calls.append(method)
        fault = self.faults[method].pop(0) if self.faults[method] else None
        if isinstance(fault, BaseException):
            raise fault
        if isinstance(fault, threading.Event):
            fault.wait(60)
        return fault
