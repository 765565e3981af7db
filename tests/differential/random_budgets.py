"""Random budget strings, valid and invalid."""

from differential.random_strings import STRANGE, mutated, pick
from reference import fields, presets, strings
from reference.budget_fields import DEFAULTS

KINDS, PRESETS = fields.KINDS["budget"], list(presets.PRESETS["budget"])


def value(rng, key, kind):
    """Small budgets, so that they refuse retries; and some values at the limits and above them."""
    rare = rng.random() < 0.04
    match key:
        case "max_tokens" if rare:
            return pick(rng, "0 1000 1001 100000 100001 1000000 1000001")
        case "max_tokens":
            return str(rng.randint(2, 40) if kind == "quota" else rng.randint(1, 8))
        case "cost" | "cost_throttled" | "cost_timeout" if rare:
            return pick(rng, "0 500 501 1000000 18446744073709551616")
        case "cost" | "cost_throttled" | "cost_timeout":
            return str(rng.randint(1, 12))
        case "ratio" if rare:
            return pick(rng, "0 1 1.000001 3/2 101% 1/1000001 1/0 0.0000001 2/2 1000000/1000000")
        case "ratio":
            return pick(rng, "0 0.1 0.2 1/3 50% 0.999 1 1/7 0.0004 999999/1000000")
        case "per" if rare:
            return pick(rng, "0s 1ns 1d 86400000000001ns 2ns 0.5ns 24h")
        case "per":
            return pick(rng, "1s 7s 1m 90s 10ns 1h 3us")
        case "ttl" if rare:
            return pick(rng, "999999999ns 1000000000ns 60s 60000000001ns 1m 0s")
        case "ttl":
            return pick(rng, "1s 3s 10s 1000000009ns 1.5s 1800ms 59.999999999s")
        case "min_per_second" if rare:
            return pick(rng, "1000000 1000001 99999999999999999999")
        case "min_per_second":
            return str(rng.choice([0, 0, 1, 1, 2, 10]))
        case "min_concurrent" if rare:
            return pick(rng, "4294967295 4294967296 1000")
        case "min_concurrent":
            return str(rng.randint(0, 3))


def budget(rng, kind=None):
    """Mostly valid: fields that the kind uses, each once."""
    head = kind or rng.choice([*KINDS * 5, *PRESETS])
    kind = strings.HEADS["budget"][head]["budget"]
    pairs = {}
    for key, defaults in DEFAULTS.items():
        often = 0.6 if kind in defaults else 0.003
        if rng.random() < often:
            pairs[key] = value(rng, key, kind)
    tokens = pairs.get("max_tokens", "500")
    if kind == "quota" and rng.random() < 0.95:
        # A cost above max_tokens is an error.
        pairs |= {
            key: min(pairs.get(key, "5"), tokens, key=int)
            for key in ("cost", "cost_throttled", "cost_timeout")
            if key in pairs or key == "cost"
        }
    pairs = [f"{key}={text if rng.random() < 0.98 else 'none'}" for key, text in pairs.items()]
    rng.shuffle(pairs)
    if pairs and rng.random() < 0.01:
        pairs.append(rng.choice(pairs))
    return head + ":" * bool(pairs) + ",".join(pairs)


def text(rng):
    line, chance = budget(rng), rng.random()
    if chance < 0.82:
        return line
    if chance < 0.97:
        return mutated(rng, line, "budget")
    if chance < 0.985:
        return rng.choice([*KINDS, *PRESETS, *STRANGE, "full", "default"])
    zeros = rng.choice([1000, 1024 - len(line) - 12, 1025 - len(line) - 12])
    return f"{line}{',' if ':' in line else ':'}max_tokens={'0' * zeros}9"
