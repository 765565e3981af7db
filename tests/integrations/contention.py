"""`cargo xtask scenario contention`: clients that contend for one shared budget, beside those of a script in Redis that
each request calls."""

import json
import subprocess

import programs
import servers

SECONDS = 5
CLIENTS = (8, 64)
LEASES = (1, 10, 100)
#: As fast as it can, and 100 times a second.
PAUSES_US = (0, 10_000)
#: Fleets whose clients together ask 2000 times a second. PostgreSQL has a process for each client.
FLEETS = (8, 64, 256, 1000)
MAX_OF_POSTGRES = 256
PAUSE_OF_CLIENT_US = 500
HEADING = ("clients", "lease", "pause", "requests/s", "local", "", "calls/exch.", "p50", "p99")
WIDTHS = (8, 7, 10, 12, 9, 8, 12, 10, 10)


def plans(kind):
    """The clients, their lease and their pause."""
    max_clients = MAX_OF_POSTGRES if kind == "postgres" else max(FLEETS)
    yield from ((n, 1, n * PAUSE_OF_CLIENT_US) for n in FLEETS if n <= max_clients)
    leases = LEASES[:1] if kind == "script" else LEASES
    yield from ((n, lease, pause) for n in CLIENTS for lease in leases for pause in PAUSES_US)


def line(kind, cells):
    padded = (f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
    return f"{kind:<10}{''.join(padded)}"


def main():
    print(line("store", HEADING))
    for kind in ("script", "redis", "postgres"):
        store = "postgres" if kind == "postgres" else "redis"
        with servers.running(store) as running:
            for clients, lease, pause_us in plans(kind):
                arguments = (kind, running[store].url, clients, lease, pause_us, SECONDS)
                call = programs.call(programs.of("contention")["rust"], *arguments)
                done = subprocess.run(**call, stdout=subprocess.PIPE, check=True)
                counts = json.loads(done.stdout)
                requests, local, exchanges = (
                    counts[name] for name in ("requests", "local", "exchanges")
                )
                each = share = "-"
                if exchanges:
                    each = f"{counts['calls'] / exchanges:.2f}"
                    share = f"{local * 100 // max(requests, 1)}%"
                speed = (f"{counts['p50_us']}us", f"{counts['p99_us']}us")
                pause = f"{pause_us // 1000}ms"
                cells = (clients, lease, pause, requests // SECONDS, local, share, each, *speed)
                print(line(kind, cells), flush=True)


if __name__ == "__main__":
    main()
