"""libbackoff.wasm like a shared library of ctypes: each call copies its texts and structs into the memory of the module
and back. Its host is Wasmtime, or Chicory if CHICORY is the class path of that.
"""

import ctypes
import os
import subprocess
from pathlib import Path


class Wasmtime:
    def __init__(self, path: str) -> None:
        import wasmtime

        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, path)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.base = self.exports["__heap_base"].value(self.store)

    def call(self, name: str, memory: bytes, arguments: list[int]) -> tuple[int, bytes]:
        self.memory.write(self.store, memory, self.base)
        result = self.exports[name](self.store, *arguments)
        return result, bytes(self.memory.read(self.store, self.base, self.base + len(memory)))

    def text(self, at: int) -> bytes:
        return bytes(self.memory.read(self.store, at, at + 64)).split(b"\0")[0]


class Chicory:
    def __init__(self, path: str) -> None:
        program = Path(__file__).with_name("ModuleOnChicory.java")
        command = ["java", "-cp", os.environ["CHICORY"], program, path]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.java = subprocess.Popen(command, **pipes)
        self.base = int(self.java.stdout.readline())

    def ask(self, *words: str | int) -> str:
        print(*words, sep=",", file=self.java.stdin, flush=True)
        return self.java.stdout.readline().removesuffix("\n")

    def call(self, name: str, memory: bytes, arguments: list[int]) -> tuple[int, bytes]:
        result, after = self.ask(name, memory.hex(), *arguments).split(",")
        return int(result), bytes.fromhex(after)

    def text(self, at: int) -> bytes:
        return self.ask("read", at).encode()


class Module:
    def __init__(self, path: str) -> None:
        self.host = Chicory(path) if "CHICORY" in os.environ else Wasmtime(path)

    def __getattr__(self, name: str) -> "Function":
        return Function(self.host, name)


class Function:
    argtypes: list[type]
    restype: type

    def __init__(self, host: Wasmtime | Chicory, name: str) -> None:
        self.host, self.name = host, name

    def __call__(self, *given) -> int | bytes | None:
        memory, places, arguments = b"", {}, []
        # What ctypes.byref returns has the object.
        for one in (getattr(one, "_obj", one) for one in given):
            if isinstance(one, int) or one is None:
                arguments.append(one or 0)
                continue
            if id(one) not in places:
                places[id(one)] = (len(memory), one)
                memory += bytes(one)
                memory += bytes(-len(memory) % 8)
            arguments.append(self.host.base + places[id(one)][0])
        result, memory = self.host.call(self.name, memory, arguments)
        for at, one in places.values():
            if not isinstance(one, bytes):
                ctypes.memmove(ctypes.addressof(one), memory[at:], ctypes.sizeof(one))
        if self.restype is ctypes.c_char_p:
            return self.host.text(result) if result else None
        return self.restype(result).value
