"""Writes tests/vectors/ from the cases and the reference.

`cargo xtask generate` runs it; `tests/README.md` documents the files.

Usage: write_vectors.py FOLDER
"""

import json
import sys
from pathlib import Path

from cases import (
    articles,
    budget_levels,
    budget_states,
    caps,
    decisions,
    defaults,
    draws,
    errors,
    exchanges,
    fits,
    growths,
    http_requests,
    http_responses,
    jitters,
    loops,
    previews,
    ratios,
    requests,
    resumptions,
    stats,
    string_errors,
    strings,
)

LAYERS = {
    "draws": (draws.draw_cases, "The draw of an index of a stream (SPEC 2)."),
    "streams": (draws.stream_cases, "The stream of a seed and a key (SPEC 3)."),
    "samples": (draws.sample_cases, "Draws sampled from ranges (SPEC 4), each range as a policy."),
    "growths": (growths.growth_cases, "Windows of each growth (SPEC 5), without jitter."),
    "jitters": (jitters.jitter_cases, "Delays of each jitter (SPEC 6)."),
    "caps": (caps.cap_cases, "Caps on the window and on the delay, and floors (SPEC 7)."),
    "articles": (articles.article_cases, "The parameters of published articles."),
    "resets": (articles.reset_cases, "Iterators that are reset between runs (SPEC 9)."),
    "errors": (errors.error_cases, "Invalid policies (SPEC 8)."),
    "ratios": (ratios.ratio_cases, "Floating-point numbers that are ratios (SPEC 8.7)."),
    "texts": (
        strings.text_cases,
        "Valid policy and budget strings, and their canonical form (SPEC 11, 15.1).",
    ),
    "text_errors": (
        string_errors.text_error_cases,
        "Invalid policy and budget strings (SPEC 11.5 to 11.7).",
    ),
    "presets": (strings.preset_cases, "The presets (SPEC 12, 15.1)."),
    "decisions": (decisions.decision_cases, "Operations, step by step (SPEC 13, 15)."),
    "resumptions": (
        resumptions.resumption_cases,
        "Decisions of resumed operations, and refused retries (SPEC 13.7, 13.8).",
    ),
    "budget_states": (
        budget_states.budget_state_cases,
        "States of budgets, step by step (SPEC 15.6).",
    ),
    "budget_state_texts": (
        budget_states.budget_state_text_cases,
        "Texts that are the state of a budget, and texts that are not (SPEC 15.5).",
    ),
    "exchanges": (
        exchanges.exchange_cases,
        "The member of a shared budget, and its exchanges with the store (SPEC 15.7).",
    ),
    "loops": (loops.loop_cases, "Loops, call by call (SPEC 18)."),
    "defaults": (defaults.default_cases, "Defaults of a program that add up (SPEC 18.8)."),
    "retry_after": (http_responses.retry_after_cases, "Values of Retry-After (SPEC 14.1 to 14.3)."),
    "http_statuses": (
        http_responses.http_status_cases,
        "Statuses of HTTP responses (SPEC 14.4, 14.8).",
    ),
    "http_responses": (
        http_responses.http_response_cases,
        "The header fields of HTTP responses (SPEC 14.5).",
    ),
    "http_methods": (http_responses.http_method_cases, "The methods of HTTP requests (SPEC 14.6)."),
    "http_requests": (
        http_requests.http_request_cases,
        "Requests of HTTP clients to a server that fails on purpose (SPEC 19).",
    ),
    "previews": (previews.preview_cases, "Previews of policies (SPEC 16.1 to 16.4)."),
    "fits": (fits.fit_cases, "Policies that are fitted into a time (SPEC 16.5)."),
    "stats": (stats.stats_cases, "Stats and their printed form (SPEC 17)."),
    "stats_labels": (
        stats.stats_label_cases,
        "Stats printed with a prefix and labels (SPEC 17.3).",
    ),
    "budget_levels": (
        budget_levels.budget_level_cases,
        "What budgets have left (SPEC 15.9).",
    ),
}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    vectors = {}
    for layer, (cases, about) in LAYERS.items():
        cases = list(cases())
        assert len({case["id"] for case in cases}) == len(cases), f"{layer}: two cases have one id"
        content = {
            "layer": layer,
            "about": about,
            "generated_by": "tests/write_vectors.py: cargo xtask generate",
            "count": len(cases),
            "cases": cases,
        }
        (folder / f"{layer}.json").write_text(document(content), encoding="utf-8", newline="\n")
        # As they are read from the file.
        vectors[layer] = json.loads(json.dumps(cases))
    rows = "".join(f"{json.dumps(row)}\n" for row in requests.request_rows(vectors))
    (folder / "requests.jsonl").write_text(rows, encoding="utf-8", newline="\n")


def document(content):
    """JSON with a case on each line, so that a difference shows a case."""
    about = (
        f" {json.dumps(name)}: {json.dumps(value)},"
        for name, value in content.items()
        if name != "cases"
    )
    cases = ",\n".join(f"  {json.dumps(case)}" for case in content["cases"])
    return "\n".join(["{", *about, ' "cases": [', cases, " ]", "}", ""])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
