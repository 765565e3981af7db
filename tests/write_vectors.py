"""Writes tests/vectors/*.json from the reference: the cases are in `cases/`.

Run by `cargo xtask generate`; `tests/README.md` documents the files field by field.
"""

import json
import sys
from pathlib import Path

from cases import decisions, delays, errors, http_responses, previews, stats, texts

LAYERS = {
    "draws": (delays.draw_cases, "The draw of an index of a stream (SPEC 2)."),
    "streams": (delays.stream_cases, "The stream of a seed and a key (SPEC 3)."),
    "samples": (
        delays.sample_cases,
        "A draw spread over a range (SPEC 4), each range as a policy.",
    ),
    "growths": (delays.growth_cases, "Windows of each growth (SPEC 5), without jitter."),
    "jitters": (delays.jitter_cases, "Delays of each jitter (SPEC 6)."),
    "caps": (delays.cap_cases, "Both places of the cap, and the floor (SPEC 7)."),
    "articles": (
        delays.article_cases,
        "The parameters that published articles use, as written there.",
    ),
    "resets": (delays.reset_cases, "Iterators that are reset between runs (SPEC 9)."),
    "errors": (errors.error_cases, "Policies that are refused (SPEC 8)."),
    "texts": (
        texts.text_cases,
        "Policy and budget strings (SPEC 11, 15.1), and how they are printed.",
    ),
    "text_errors": (
        texts.text_error_cases,
        "Policy and budget strings that are refused (SPEC 11.5 to 11.7).",
    ),
    "presets": (texts.preset_cases, "The presets (SPEC 12, 15.1)."),
    "decisions": (decisions.decision_cases, "Operations, step by step (SPEC 13, 15)."),
    "retry_after": (http_responses.retry_after_cases, "Values of Retry-After (SPEC 14.1 to 14.3)."),
    "http_statuses": (http_responses.http_status_cases, "Statuses of HTTP responses (SPEC 14.4)."),
    "previews": (previews.preview_cases, "What the delays can be (SPEC 16.1 to 16.4)."),
    "fits": (previews.fit_cases, "Policies that fit into a time (SPEC 16.5)."),
    "stats": (stats.stats_cases, "Stats as they are printed (SPEC 17)."),
}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for layer, (cases, about) in LAYERS.items():
        cases = list(cases())
        assert len({case["id"] for case in cases}) == len(cases), f"{layer}: an id twice"
        content = {
            "layer": layer,
            "about": about,
            "generated_by": "tests/write_vectors.py: cargo xtask generate",
            "count": len(cases),
            "cases": cases,
        }
        (folder / f"{layer}.json").write_text(
            pretty(content) + "\n", encoding="utf-8", newline="\n"
        )


WIDTH = 120
ONE_PER_LINE = {"cases", "steps", "rows"}


def pretty(value, name=None, depth=0):
    """JSON in which a step, a row or a short value takes one line."""
    one_line = json.dumps(value)
    if not isinstance(value, dict | list) or not value:
        return one_line
    is_case = name == "cases" and isinstance(value, dict)
    is_element = name in ("steps", "rows") and isinstance(value, dict)
    fits = len(one_line) + depth <= WIDTH and depth > 1 and name not in ONE_PER_LINE
    if is_element or (fits and not is_case):
        return one_line
    indent, end = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}: {pretty(v, key, depth + 1)}" for key, v in value.items())
        return "{" + indent + ("," + indent).join(members) + end + "}"
    elements = (pretty(element, name, depth + 1) for element in value)
    return "[" + indent + ("," + indent).join(elements) + end + "]"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
