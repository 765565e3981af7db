//! The clauses of SPEC.md: what each says, and which of them a vector is about.

use super::vectors::{Error, Fields, Of};

/// The clause of the requests that only `tests/README.md` defines.
pub(crate) const PROTOCOL: &str = "protocol";

/// The clauses that requests are about, in order.
const CLAUSES: [(&str, &str); 40] = [
    ("2.1", "the draw of an index"),
    ("2.2", "each index has one draw"),
    ("3.1", "the stream of a seed"),
    ("3.2", "the stream of a seed and a key"),
    ("4.1", "a draw selects a value of a range"),
    ("5.2", "growth"),
    ("5.3", "the window: offset"),
    ("6.1", "the range of each jitter"),
    ("6.3", "jitter decorrelated"),
    ("6.4", "jitter slotted"),
    ("7.1", "the cap"),
    ("7.2", "the floor"),
    ("8.3", "jitter decorrelated needs growth exponential"),
    ("8.4", "errors of single fields"),
    ("8.5", "errors between fields"),
    ("11.2", "heads of policy strings"),
    ("11.3", "what pairs set and remove"),
    ("11.4", "the form of values"),
    ("11.5", "errors of reading, and where they are"),
    ("11.6", "errors of clause 8, and where they are"),
    ("11.8", "canonical form"),
    ("12.1", "presets of policies"),
    ("13.4", "decisions"),
    ("13.5", "decisions with a retry_after"),
    ("13.6", "cancellation, and steps after the end"),
    ("14.1", "Retry-After in seconds, and values that give nothing"),
    ("14.2", "Retry-After as a date"),
    ("14.3", "dates with a year of two digits"),
    ("14.4", "the outcome of a status of HTTP"),
    ("14.5", "what the header fields of a response ask for"),
    ("15.1", "budget strings and their presets"),
    ("15.2", "errors of budgets"),
    ("15.3", "budgets: what each transition does"),
    ("15.5", "the texts of states of budgets"),
    ("15.6", "steps of states of budgets"),
    ("15.7", "exchanges of shared budgets"),
    ("16.2", "rows of a preview"),
    ("16.3", "previews of jitter decorrelated"),
    ("16.4", "where a preview ends"),
    ("16.5", "fitting"),
];

/// What a clause says.
pub(crate) fn title(clause: &str) -> &'static str {
    let known = CLAUSES.iter().find(|(number, _)| *number == clause);
    known.map_or("which lines are requests (tests/README.md)", |(_, title)| *title)
}

/// Sorts clauses by number, and the protocol after them.
pub(crate) fn order(clause: &str) -> Vec<u32> {
    clause.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

/// Whether a clause is another one, or a part of it: 11.5 is within 11.
pub(crate) fn is_within(clause: &str, outer: &str) -> bool {
    clause.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reads a clause that requests are about: `11`, `11.5` or `protocol`.
pub(crate) fn argument(text: &str) -> Result<String, String> {
    let mut all = CLAUSES.iter().map(|(number, _)| *number).chain([PROTOCOL]);
    if all.any(|clause| is_within(clause, text)) {
        return Ok(text.to_owned());
    }
    let numbers: Vec<_> = CLAUSES.iter().map(|(number, _)| *number).collect();
    Err(format!(
        "no request is about this clause; the clauses are {} and {PROTOCOL}, \
         and 11 stands for 11.2 and all others of 11",
        numbers.join(", ")
    ))
}

/// The clause of a stream.
pub(crate) fn of_stream(key: Option<&str>) -> &'static str {
    if key.is_some() { "3.2" } else { "3.1" }
}

/// The clause of a case of delays.
pub(crate) fn of_delays(layer: &str, id: &str, policy: &Fields) -> &'static str {
    let jitter = policy.get("jitter").map(String::as_str);
    match (layer, jitter) {
        ("samples", _) => "4.1",
        ("growths", _) if policy.contains_key("offset") => "5.3",
        ("growths", _) | ("articles", None | Some("none")) => "5.2",
        ("caps", _) if policy.contains_key("floor") => "7.2",
        ("caps", _) => "7.1",
        ("jitters", _) if id == "draw-index-kept" => "2.2",
        (_, Some("decorrelated")) => "6.3",
        (_, Some("slotted")) => "6.4",
        _ => "6.1",
    }
}

/// The clause of a string that is valid.
pub(crate) fn of_text(of: Of, id: &str) -> &'static str {
    let begins = |starts: &[&str]| starts.iter().any(|start| id.starts_with(start));
    match of {
        Of::Budget => "15.1",
        // The heads with pairs test what the pairs remove.
        Of::Policy if begins(&["head-preset-", "none-", "retry_after_max", "jitter-ratio"]) => {
            "11.3"
        }
        Of::Policy if begins(&["head-"]) => "11.2",
        Of::Policy if begins(&["unit-", "duration-", "ratio-", "count-"]) => "11.4",
        Of::Policy => "11.8",
    }
}

/// The clause of a string that is not valid. An error of 11.5 has no limit.
pub(crate) fn of_text_error(of: Of, error: &Error) -> &'static str {
    let is_read = error.limit == "0" && error.code != "missing";
    match (of, is_read) {
        (Of::Policy, true) => "11.5",
        (Of::Policy, false) => "11.6",
        (Of::Budget, true) => "15.1",
        (Of::Budget, false) => "15.2",
    }
}

/// The clause of a policy that is not valid.
pub(crate) fn of_error(error: &Error, policy: &Fields) -> &'static str {
    let is_throttled = error.field.as_deref() == Some("throttled_base");
    match error.code.as_str() {
        "not_exponential" => "8.3",
        "cap_below_base" | "offset_above_cap" | "floor_above_cap" | "growth_stalls" => "8.5",
        "too_large" if is_throttled && policy.get("cap") == Some(&error.limit) => "8.5",
        _ => "8.4",
    }
}

/// The clause of a preset.
pub(crate) fn of_preset(of: Of) -> &'static str {
    if of == Of::Policy { "12.1" } else { "15.1" }
}

/// The clause of operations.
pub(crate) fn of_decisions(budget: bool, retry_after: bool, cancels: bool) -> &'static str {
    match (budget, retry_after, cancels) {
        (true, _, _) => "15.3",
        (_, true, _) => "13.5",
        (_, _, true) => "13.6",
        _ => "13.4",
    }
}

/// The clause of a value of Retry-After.
pub(crate) fn of_retry_after(id: &str) -> &'static str {
    let dates = ["imf", "rfc850", "asctime", "date-", "iso"];
    match id {
        _ if id.starts_with("century-") => "14.3",
        _ if dates.iter().any(|date| id.starts_with(date)) => "14.2",
        _ => "14.1",
    }
}

/// The clause of a preview.
pub(crate) fn of_preview(id: &str, is_decorrelated: bool) -> &'static str {
    match id {
        _ if id.starts_with("max_") || id.starts_with("count") => "16.4",
        _ if is_decorrelated => "16.3",
        _ => "16.2",
    }
}
