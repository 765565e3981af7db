"""Replays a shared budget: fleet.py STORE ADDRESS NAME BUDGET KILLED LOG...

STORE is redis or postgres, which holds the final state at ADDRESS. KILLED processes have not recorded their last
exchange. Each LOG has a JSON line for each exchange of a process. It prints a line of JSON with what it counted, or what disagrees.
"""

import json
import sys
from pathlib import Path

import psycopg
import redis

sys.path.insert(0, str(Path(__file__).parent.parent))

from integrations import replay
from reference import printing, strings


def in_redis(address, key):
    with redis.Redis.from_url(address, decode_responses=True) as client:
        return client.get(key)


def in_postgres(address, key):
    query = "SELECT state FROM backoff_budgets WHERE key = %s"
    with psycopg.connect(address) as connection:
        return connection.execute(query, [key]).fetchone()[0]


STORES = {"redis": in_redis, "postgres": in_postgres}


def main():
    store, address, name, budget, killed, *logs = sys.argv[1:]
    canonical = printing.printed("budget", strings.parse("budget", budget))
    final = STORES[store](address, f"backoff:{name}:{canonical}")
    texts = [Path(log).read_text(encoding="utf-8") for log in logs]
    # The last line of a process that was killed may have no end.
    lines = [line for text in texts for line in text[: text.rfind("\n") + 1].splitlines()]
    try:
        print(json.dumps(replay.replay(budget, final, map(json.loads, lines), gaps=int(killed))))
    except replay.Disagreement as disagreement:
        sys.exit(str(disagreement))


if __name__ == "__main__":
    main()
