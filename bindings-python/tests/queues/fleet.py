"""One of many processes that share a budget: four loops whose calls always fail.

fleet.py redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG

It ends when the store has decided about REQUESTS retries. It writes each exchange with the store into
LOG, a line of JSON, and prints how many retries the store decided about and granted, and about how many
the local budget decided.
"""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from backoff_rs import SharedBudget, retry

LOOPS = 4
POLICY = "constant:base=1ns,max_retries=20"


def store_of(engine, address):
    if engine == "redis":
        import redis
        from backoff_rs.adapters.redis import RedisStore

        return RedisStore(redis.Redis.from_url(address, socket_timeout=2))
    import psycopg
    from backoff_rs.adapters.postgres import PostgresStore

    store = PostgresStore(lambda: psycopg.connect(address, connect_timeout=2))
    store.create_table()
    return store


class Fleet:
    """The loops of this process, and what was decided about their retries."""

    def __init__(self, engine, address, name, budget, lease, requests, log):
        self._log = Path(log).open("w")  # noqa: SIM115
        self._most = int(requests)
        self._lock = threading.Lock()
        self.counts = {"requests": 0, "granted": 0, "local": 0}
        store = store_of(engine, address)
        self.budget = SharedBudget(
            store, name, budget, lease=int(lease), timeout=1, on_exchange=self._write
        )

    def _write(self, exchange):
        if exchange.stored == "no":
            return
        line = {
            "before": exchange.before,
            "now": str(exchange.now_ns),
            "steps": [
                {
                    "event": step.event,
                    "outcome": step.outcome,
                    "held": step.held,
                    "count": step.count,
                    "granted": step.granted,
                }
                for step in exchange.steps
            ],
            "after": exchange.after,
            "stored": exchange.stored,
        }
        self._log.write(json.dumps(line) + "\n")
        self._log.flush()

    def _count(self, event):
        is_granted = event.reason is None
        if not is_granted and event.reason != "budget":
            return
        with self._lock:
            if event.budget_is_local:
                self.counts["local"] += 1
            else:
                self.counts["requests"] += 1
                self.counts["granted"] += is_granted

    def loop(self):
        while self.counts["requests"] < self._most:
            before = self.counts["local"]
            fetch = retry(
                POLICY,
                on=ConnectionError,
                budget=self.budget,
                log=False,
                on_retry=self._count,
                on_stop=self._count,
            )
            try:
                fetch.call(fail)
            except ConnectionError:
                if self.counts["local"] > before:
                    time.sleep(0.01)

    def run(self):
        with ThreadPoolExecutor(LOOPS) as pool:
            for loop in [pool.submit(self.loop) for _ in range(LOOPS)]:
                loop.result()
        # A store that is still away decides later.
        while not self.budget.flush():
            time.sleep(0.1)
        self._log.close()


def fail():
    raise ConnectionError("refused")


fleet = Fleet(*sys.argv[1:])
fleet.run()
print(json.dumps(fleet.counts))
