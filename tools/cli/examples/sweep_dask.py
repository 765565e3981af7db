#!/usr/bin/env python3
"""Runs a sweep of `backoff simulate` on a Dask cluster.

Each task runs one shard of the sweep with the program `backoff`, which every worker must have. The
parts come back to this program, and `backoff merge` adds them exactly: the output is that of the
same command without a cluster.

    pip install distributed
    python tools/cli/examples/sweep_dask.py --shards 16 -- occ --clients 10-190:10 --runs 1000
    python tools/cli/examples/sweep_dask.py --scheduler tcp://head:8786 --shards 400 \\
        --merge='--svg occ.svg --csv occ.csv' -- occ --clients 1000-10000:1000 --runs 10000
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from distributed import Client, LocalCluster, as_completed


def run_shard(command: list[str], shard: str) -> bytes:
    """Runs on a worker. Returns the part, a line of JSON for each point."""
    run = subprocess.run([*command, "--shard", shard, "--quiet"], capture_output=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"shard {shard}: {run.stderr.decode(errors='replace').strip()}")
    return run.stdout


def sweep(client: Client, command: list[str], shards: int, folder: Path) -> list[Path]:
    """Runs all shards and writes each part to a file as soon as it comes back."""
    names = [f"{number}/{shards}" for number in range(1, shards + 1)]
    # Equal tasks have equal results, but a sweep is run because somebody wants it to be run.
    tasks = client.map(run_shard, [command] * shards, names, pure=False, retries=2)
    paths = {task.key: folder / f"{number}.part" for number, task in enumerate(tasks, start=1)}
    for done, (task, part) in enumerate(as_completed(tasks, with_results=True), start=1):
        paths[task.key].write_bytes(part)
        task.release()
        if sys.stderr.isatty():
            print(f"\r{done} of {shards} shards", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return list(paths.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scheduler", help="its address [default: a cluster on this machine]")
    parser.add_argument("--workers", type=int, default=2, help="of the cluster on this machine")
    parser.add_argument("--shards", type=int, default=8, help="at least one for each worker")
    parser.add_argument("--backoff", default="backoff", help="the program, on every worker")
    parser.add_argument("--merge", default="", help="options of `backoff merge`: --merge=--json")
    parser.add_argument("simulation", nargs="+", help="arguments of `backoff simulate`, after --")
    arguments = parser.parse_args()
    if arguments.shards < 1 or arguments.workers < 1:
        parser.error("at least one shard and one worker")
    command = [arguments.backoff, "simulate", *arguments.simulation]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.scheduler:
            with Client(arguments.scheduler) as client:
                parts = sweep(client, command, arguments.shards, Path(folder))
        else:
            # Each worker has one task, and the simulation one thread.
            command += ["--threads", "1"]
            with (
                LocalCluster(
                    n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None
                ) as cluster,
                Client(cluster) as client,
            ):
                parts = sweep(client, command, arguments.shards, Path(folder))
        merge = [arguments.backoff, "merge", *parts, *shlex.split(arguments.merge)]
        return subprocess.run(merge, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
