"""A call of each function that can fail, and calls that fail: for calls.py."""

from library import N

#: A call of each function that can fail. A text is a place in memory: `>` before a struct that the call initialises.
#: Lengths and sizes are right.
CALLS = {
    "params_set": ["params", N.FIELD_BASE, 1],
    "params_set_ratio": ["params", N.FIELD_MULTIPLIER, 2, 1],
    "params_set_waits": ["params", "numbers", 2],
    "ratio_parse": [b"2", 1, "u32", "other_u32"],
    "duration_parse": [b"1s", 2, "u64"],
    "policy_init": [">policy", "params", "error"],
    "policy_parse": [">policy", b"none", 4, "error"],
    "policy_change_text": ["policy", b"cap=1h", 6, ">other_policy", "error"],
    "policy_print": ["policy", "text", 900, "length"],
    "policy_get": ["policy", N.FIELD_BASE, "u64"],
    "policy_get_ratio": ["exponential", N.FIELD_MULTIPLIER, "u32", "other_u32"],
    "policy_get_waits": ["steps", "numbers", 2, "u64"],
    "policy_change": ["policy", N.FIELD_CAP, 60 * N.SECOND, ">other_policy", "error"],
    "policy_change_ratio": ["exponential", N.FIELD_MULTIPLIER, 3, 1, ">other_policy", "error"],
    "policy_delay_ns": ["policy", 1, 0, "u64"],
    "policy_max_retries": ["policy", "u64"],
    "policy_window_ns": ["policy", 0, "u64"],
    "policy_fill_ns": ["policy", 1, 0, "numbers", 2, "u64"],
    "preview_init": [">preview", "policy"],
    "preview_next": ["preview", "preview_row"],
    "policy_fit_base": ["policy", 2, 1000, ">other_policy", "error"],
    "policy_fit_cap": ["exponential", 2, N.SECOND, ">other_policy", "error"],
    "stream_from_key": [1, b"k", 1, "u64"],
    "stream_from_entropy": ["u64"],
    "stream_nth": [1, 0, "u64"],
    "iter_init": [">iter", "policy", 1],
    "iter_next_ns": ["iter", "u64"],
    "iter_reset": ["iter"],
    "iter_index": ["iter", "u64", "other_u64"],
    "budget_parse": [">budget", b"ratio", 5, "error"],
    "budget_print": ["budget", "text", 900, "length"],
    "budget_get": ["budget", N.FIELD_COST, "u64"],
    "budget_get_ratio": ["ratio", N.FIELD_RATIO, "u32", "other_u32"],
    "budget_get_level": ["budget", 0, "budget_level"],
    "operation_begin": [">operation", "policy", 1, 0, N.NO_TIME, "budget"],
    "operation_resume": [">operation", "policy", 1, 0, 0, N.NO_TIME],
    "operation_decide": ["operation", N.OUTCOME_TRANSIENT, N.NO_TIME, 0, "budget", "decision"],
    "operation_decide_with_delay": [
        "operation",
        N.OUTCOME_TRANSIENT,
        5,
        N.NO_TIME,
        0,
        "budget",
        "decision",
    ],
    "operation_attempt_limit": ["operation", 0, "u64"],
    "operation_time_left": ["operation", 0, "u64"],
    "operation_retry_index": ["operation", 0, "u64"],
    "operation_refuse_retry": ["operation", "budget", "u32"],
    "operation_cancel": ["operation", "budget", "u32"],
    "operation_state": ["operation", "u64", "other_u64", "u32"],
    "parse_retry_after": [b"1", 1, 0, "u64"],
    "http_retry_after": [503, b"Retry-After: 1", 14, 0, "u64"],
    "stats_init": [">stats"],
    "stats_record": ["stats", 1, N.REASON_SUCCESS],
    "stats_merge": ["stats", "other_stats"],
    "stats_read": ["stats", "stats_counts"],
    "stats_stopped": ["stats", N.REASON_SUCCESS, "u64"],
    "stats_bucket": ["stats", 0, "u64", "other_u64"],
    "stats_print": ["stats", "text", 4096, "length"],
    "retry": ["loop", 1, "context", "loop_event"],
    "error_message": ["cap_error", "text", 900, "length"],
    "error_message_with": ["cap_error", b"5 ms", 4, "text", 900, "length"],
    "budget_state_full": [">budget_state", "budget"],
    "budget_state_parse": [">budget_state", "budget", b"0 2", 3],
    "budget_state_print": ["budget_state", "text", 900, "length"],
    "budget_state_step": ["budget_state", "budget_event", 0, "budget_answer"],
    "budget_member_init": [">budget_member", "budget", "budget", 1, 0, 0, 0],
    "budget_member_note": ["budget_member", "began_event", 0, 0],
    "budget_member_request": ["budget_member", N.OUTCOME_TRANSIENT, 0, "member_answer"],
    "budget_member_cancel": ["asking_member", N.OUTCOME_TRANSIENT],
    "budget_member_state": ["budget_member", 0, "u32", "u64", "other_u32", "other_u64"],
    "budget_member_stats": ["budget_member", "shared_budget_stats"],
    "budget_member_begin": ["budget_member", 0],
    "budget_member_step": ["asking_member", "account", 11, 0, "text", 900, "length", "u32"],
    "budget_member_exchange_step": ["stepped_member", 0, "exchange_step"],
    "budget_member_stored": ["stepped_member", 0, "exchange_answers"],
    "budget_member_lost": ["budget_member", 0, "u64"],
    "budget_member_failed": ["budget_member", 0, 0],
    "budget_member_late": ["budget_member", 0],
    "constant": [b"BACKOFF_OK", 10, "u64"],
    "constant_at": [0, "pointer", "u64"],
}
#: The functions that return something else than a code.
VALUES = {
    "version", "http_outcome", "is_idempotent_method", "stream_draw", "stream_advance", "outcome_from_name",
    "reason_from_name",
}  # fmt: skip
#: What a call of CALLS does not write, although it may: a quota changes with requests of retries and successes.
UNCHANGED = {
    "operation_begin": {"budget"},
    "operation_refuse_retry": {"budget"},
    "operation_cancel": {"budget"},
    "retry": {"context"},
}
#: What a call writes through the pointers in a struct.
INDIRECT = {"retry": {"stats"}}
#: The calls that continue an operation, each with the place of the budget.
SPENDING = {
    "operation_decide": 4,
    "operation_decide_with_delay": 5,
    "operation_refuse_retry": 1,
    "operation_cancel": 1,
}
#: What a call gives without what may be NULL, where that is not success: the preset "default" has no waits.
WITHOUT = {"policy_get_waits": "unused"}
#: Calls that fail for other reasons: the function, the arguments that differ by their place, and the code.
FAILURES = [
    ("policy_parse", {1: b"no", 2: 2}, "unknown_head"),
    ("policy_parse", {1: b"x" * 1024, 2: 1024}, "unknown_head"),
    ("policy_parse", {1: b"x" * 1025, 2: 1025}, "text_too_long"),
    ("budget_parse", {1: b"x" * 1025, 2: 1025}, "text_too_long"),
    ("policy_fit_base", {2: 0}, "does_not_fit"),
    ("policy_fit_base", {2: 2**63}, "too_large"),
    ("policy_init", {1: "empty_params"}, "missing"),
    ("policy_get", {1: N.FIELD_INCREMENT}, "unused"),
    ("policy_get", {1: N.FIELD_MULTIPLIER}, "wrong_unit"),
    ("policy_get_ratio", {0: "policy"}, "unused"),
    ("policy_get_waits", {0: "policy"}, "unused"),
    *((name, {1: N.FIELD_WAITS}, "wrong_unit") for name in ("params_set", "params_set_ratio", "policy_get")),
    ("policy_get_ratio", {1: N.FIELD_BASE}, "wrong_unit"),
    ("budget_get", {1: N.FIELD_TTL}, "unused"),
    ("budget_get", {1: N.FIELD_RATIO}, "wrong_unit"),
    ("budget_get_ratio", {0: "budget"}, "unused"),
    ("budget_get_ratio", {1: N.FIELD_MAX_TOKENS}, "wrong_unit"),
    ("policy_fill_ns", {4: 2**64 - 1}, "too_long"),
    ("policy_fill_ns", {2: 2**32 - 1, 4: 2**60}, "too_long"),
    ("budget_state_parse", {2: b"2", 3: 1}, "not_a_state"),
    ("budget_member_step", {1: b"x", 2: 1}, "not_a_state"),
    ("budget_member_exchange_step", {0: "budget_member"}, "end"),
    ("budget_member_init", {3: 0}, "too_small"),
    ("budget_member_init", {3: 1001}, "too_large"),
    ("budget_member_init", {4: 1000001}, "too_large"),
    ("budget_member_init", {4: 2**64 - 2}, "too_large"),
    *((name, {0: "lone_operation"}, "wrong_budget") for name in SPENDING),
    *((name, {0: "resumed_operation"}, "wrong_budget") for name in SPENDING),
    *((name, {SPENDING[name]: None}, "wrong_budget") for name in SPENDING),
    ("duration_parse", {0: b"1x"}, "unknown_unit"),
    ("policy_change", {2: 9}, "cap_below_base"),
    ("policy_change", {1: N.FIELD_INCREMENT}, "unused"),
    ("policy_change", {1: N.FIELD_MULTIPLIER}, "wrong_unit"),
    ("policy_change_ratio", {1: N.FIELD_CAP}, "wrong_unit"),
    ("policy_change_ratio", {3: 0}, "zero_denominator"),
    ("constant", {0: b"BACKOFF_NO"}, "unknown_name"),
    ("constant_at", {0: 2**64 - 1}, "end"),
    *(("stats_bucket", {1: index}, "end") for index in [12, 2**32, 2**64 - 1]),
    *(("stats_stopped", {1: reason}, "unknown_reason") for reason in [0, 8, 257, 2**32 - 1]),
    *(
        (name, {1: outcome}, "unknown_outcome")
        for name in ("operation_decide", "operation_decide_with_delay")
        for outcome in [0, 6, 257, 2**32 - 1]
    ),
    *(("budget_member_request", {1: outcome}, "unknown_outcome") for outcome in [0, 6]),
    *(("budget_member_cancel", {1: outcome}, "unknown_outcome") for outcome in [0, 6]),
    *(("budget_state_step", {1: event}, "unknown_outcome") for event in ["outcome_0", "outcome_6"]),
    *(("budget_state_step", {1: event}, "unknown_event") for event in ["event_0", "event_7"]),
    *(("budget_member_note", {1: event}, "unknown_event") for event in ["event_0", "event_7"]),
    *(("stats_record", {2: reason}, "unknown_reason") for reason in [0, 8, 257, 2**32 - 1]),
    *(
        (name, {1: field}, "unknown_field")
        for names, known in [
            ("params_set params_set_ratio policy_get policy_get_ratio policy_change policy_change_ratio", range(1, 28)),
            ("budget_get budget_get_ratio", range(33, 43)),
        ]
        for name in names.split()
        for field in [*range(65), 1 << 31, 2**32 - 1]
        if field not in known
    ),
    *(("params_set", {1: field}, "wrong_unit") for field in [4, 12, 13]),
    *(("params_set_ratio", {1: field}, "wrong_unit") for field in range(1, 28) if field not in (4, 12, 13)),
]  # fmt: skip
