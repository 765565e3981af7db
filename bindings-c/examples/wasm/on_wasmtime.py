"""libbackoff.wasm on Wasmtime: delays, decisions with a budget, and the message of an error.

pip install wasmtime
python on_wasmtime.py ../libbackoff.wasm
"""

import sys
import time

from wasmtime import Instance, Module, Store


class Backoff:
    """An instance of the module. All memory behind __heap_base is ours."""

    def __init__(self, path):
        self.store = Store()
        module = Module.from_file(self.store.engine, path)
        self.exports = Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.free = self.exports["__heap_base"].value(self.store)
        self.number = self.place(8)  # where functions write a number
        self.text = self.place(4096)  # where the texts of calls are
        self.error = self.struct("backoff_error")

    def place(self, size):
        """The address of memory that nothing else uses, a multiple of 8."""
        at, self.free = self.free, self.free + (size + 7) // 8 * 8
        missing = self.free - self.memory.data_len(self.store)
        if missing > 0:
            self.memory.grow(self.store, (missing + 65535) // 65536)
        return at

    def struct(self, name):
        return self.place(self.constant(f"sizeof({name})"))

    def constant(self, name):
        return self.number_of("backoff_constant", *self.written(name))

    def written(self, text):
        """Writes a text. Returns its address and its length."""
        data = text.encode()
        self.memory.write(self.store, data, self.text)
        return self.text, len(data)

    def read(self, at, size):
        return int.from_bytes(self.memory.read(self.store, at, at + size), "little")

    def read_text(self, at):
        return bytes(self.memory.read(self.store, at, at + 4096)).split(b"\0")[0].decode()

    def name(self, of, number):
        return self.read_text(self.exports[f"backoff_{of}_name"](self.store, number))

    def call(self, name, *arguments):
        code = self.exports[name](self.store, *arguments)
        if code != 0:
            raise ValueError(f"{name}: {self.name('code', code)}")

    def number_of(self, name, *arguments):
        """The number that a function writes at its last pointer."""
        self.call(name, *arguments, self.number)
        return self.read(self.number, 8)

    def parse(self, of, text):
        parsed = self.struct(of)
        if self.exports[f"{of}_parse"](self.store, parsed, *self.written(text), self.error) != 0:
            self.call("backoff_error_message", self.error, self.text, 4096, 0)
            raise ValueError(self.read_text(self.text))
        return parsed


backoff = Backoff(sys.argv[1])
policy = backoff.parse("backoff_policy", "default")
stream = backoff.number_of("backoff_stream_from_key", 42, *backoff.written("job-1"))
for index in range(3):
    delay_ns = backoff.number_of("backoff_policy_delay_ns", policy, stream, index)
    print(f"delay {index}: {delay_ns} ns")

# Three requests to a server share its budget, in which a retry costs 5 tokens.
budget = backoff.parse("backoff_budget", "quota:max_tokens=20")
no_time = backoff.constant("BACKOFF_NO_TIME")
requests = [backoff.struct("backoff_operation") for _ in range(3)]
decision = backoff.struct("backoff_decision")
for request in requests:
    now_ns = time.monotonic_ns()
    backoff.call("backoff_operation_begin", request, policy, stream, now_ns, no_time, budget)
for number, outcome in enumerate(["TRANSIENT"] * 5 + ["SUCCESS"]):
    outcome, now_ns = backoff.constant(f"BACKOFF_OUTCOME_{outcome}"), time.monotonic_ns()
    request = requests[number % 3]
    backoff.call("backoff_operation_decide", request, outcome, no_time, now_ns, budget, decision)
    reason, delay_ns = backoff.read(decision, 4), backoff.read(decision + 8, 8)
    next = f"stop, {backoff.name('reason', reason)}" if reason else f"wait {delay_ns} ns"
    print(f"request {number % 3}: {next}")

try:
    backoff.parse("backoff_policy", "full:base=30s,cap=20s")
except ValueError as error:
    print(error)
