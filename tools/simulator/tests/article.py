"""The model of Marc Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).

Clients update one row with optimistic concurrency control. This program is a witness for the tests
of the simulator: it was written from a description of the model, in another language, with floats
and Python's random numbers. It prints the mean and the standard deviation of calls and of time:

    python3 article.py --runs 400 --seed 1 > article.csv
"""

import argparse
import heapq
import itertools
import random
import statistics
import time

BASE_MS, CAP_MS = 5.0, 2000.0
JITTERS = ["none", "expo", "full", "equal", "decorrelated"]


class Server:
    """One row with a version, written only by a client that read its latest version."""

    def __init__(self):
        self.version = 0
        self.calls = 0

    def read(self, _payload):
        return self.version

    def write(self, version):
        self.calls += 1
        wins = version == self.version
        self.version += wins
        return wins


class Client:
    """Reads and writes, until a write wins."""

    def __init__(self, server, jitter, chance):
        self.server, self.jitter, self.chance = server, jitter, chance
        self.attempt = 0
        self.sleep = BASE_MS

    def leg(self):
        return abs(self.chance.gauss(10, 2))

    def backoff(self):
        window = min(CAP_MS, BASE_MS * 2**self.attempt)
        if self.jitter == "none":
            return 0
        if self.jitter == "expo":
            return window
        if self.jitter == "full":
            return self.chance.uniform(0, window)
        if self.jitter == "equal":
            return window / 2 + self.chance.uniform(0, window / 2)
        self.sleep = min(CAP_MS, self.chance.uniform(BASE_MS, self.sleep * 3))
        return self.sleep

    # An event is answered by the next one: time, callback, whom it answers to, payload.

    def start(self, now, _reply_to, _payload):
        return now + self.leg(), self.serve_read, self.read_answer, None

    def serve_read(self, now, reply_to, payload):
        return now + self.leg(), reply_to, None, self.server.read(payload)

    def read_answer(self, now, _reply_to, version):
        return now + self.leg(), self.serve_write, self.write_answer, version

    def serve_write(self, now, reply_to, version):
        return now + self.leg(), reply_to, None, self.server.write(version)

    def write_answer(self, now, _reply_to, wins):
        if wins:
            return None
        self.attempt += 1
        return now + self.leg() + self.backoff(), self.serve_read, self.read_answer, None


def simulate(clients, jitter, chance):
    """The calls, the time of the last event in milliseconds, and the number of events of a run."""
    server, tie, now, events = Server(), itertools.count(), 0.0, 0
    start = (Client(server, jitter, chance).start for _ in range(clients))
    queue = [(0.0, next(tie), callback, None, None) for callback in start]
    heapq.heapify(queue)
    while queue:
        now, _, callback, reply_to, payload = heapq.heappop(queue)
        events += 1
        following = callback(now, reply_to, payload)
        if following:
            at, callback, reply_to, payload = following
            heapq.heappush(queue, (at, next(tie), callback, reply_to, payload))
    return server.calls, now, events


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jitters", default=",".join(JITTERS))
    parser.add_argument("--clients", default=",".join(str(n) for n in range(10, 200, 10)))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", action="store_true", help="print the events of a second")
    arguments = parser.parse_args()
    if not arguments.speed:
        print("jitter,clients,runs,calls_mean,calls_sd,time_ms_mean,time_ms_sd")
    began, events = time.perf_counter(), 0
    for jitter in arguments.jitters.split(","):
        for clients in map(int, arguments.clients.split(",")):
            # A row can be made again without those before it.
            chance = random.Random(f"{arguments.seed} {jitter} {clients}")
            runs = [simulate(clients, jitter, chance) for _ in range(arguments.runs)]
            events += sum(run[2] for run in runs)
            if not arguments.speed:
                values = []
                for column in 0, 1:
                    sample = [run[column] for run in runs]
                    values += [statistics.mean(sample), statistics.stdev(sample)]
                row = [jitter, clients, arguments.runs, *(f"{value:.4f}" for value in values)]
                print(*row, sep=",", flush=True)
    if arguments.speed:
        print(events / (time.perf_counter() - began))


if __name__ == "__main__":
    main()
