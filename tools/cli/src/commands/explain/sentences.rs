//! What a policy means, in sentences.

use backoff_core::{Field, FieldValue, MAX_NS};

use crate::commands::explain::facts::{CapReach, Facts};
use crate::commands::explain::percent;
use crate::duration::{humanize, total_after};
use crate::rows::retries;

pub(crate) fn sentences(facts: &Facts) -> Vec<String> {
    if facts.retries == Some(0) {
        let never = "It never retries: max_retries is 0.".to_owned();
        return [Some(never), attempt_timeout(facts)].into_iter().flatten().collect();
    }
    let is_decorrelated = facts.fields.kind(Field::Jitter) == "decorrelated";
    let growth = if is_decorrelated { None } else { Some(growth(facts)) };
    let all = [
        growth,
        (!is_decorrelated).then(|| windows(facts)).flatten(),
        Some(jitter(facts)),
        cap(facts),
        floor(facts),
        Some(limit(facts)),
        attempt_timeout(facts),
        reset_after(facts),
        total(facts),
        throttled(facts),
        Some(retry_after(facts)),
    ];
    all.into_iter().flatten().collect()
}

fn duration(facts: &Facts, field: Field) -> String {
    humanize(facts.fields.ns(field).unwrap_or(0))
}

fn text(facts: &Facts, field: Field) -> String {
    facts.fields.get(field).map(|value| value.to_string()).unwrap_or_default()
}

fn growth(facts: &Facts) -> String {
    let base = duration(facts, Field::Base);
    let grown = match facts.fields.kind(Field::Growth) {
        "linear" => {
            let increment = duration(facts, Field::Increment);
            format!("The window begins at {base} and grows by {increment} with each retry")
        }
        "exponential" => match text(facts, Field::Multiplier).as_str() {
            "1" => format!("The window is always {base}"),
            "2" => format!("The window begins at {base} and doubles with each retry"),
            factor => {
                format!(
                    "The window begins at {base} and becomes {factor} times as long with each \
                         retry"
                )
            }
        },
        "polynomial" => {
            let (origin, power) = (text(facts, Field::Origin), text(facts, Field::Power));
            let number = match origin.as_str() {
                "0" => "index".to_owned(),
                origin => format!("(index + {origin})"),
            };
            format!("The window is {base} * {number}^{power}, where index 0 is the first retry")
        }
        "steps" => {
            let waits = facts.fields.get(Field::Waits).and_then(FieldValue::as_waits);
            let waits = waits.unwrap_or_default();
            let waits: Vec<_> = waits.as_ns().iter().map(|&ns| humanize(ns)).collect();
            match waits.as_slice() {
                [wait] => format!("The window is always {wait}"),
                waits => format!("The windows are {}, and then the last one", waits.join(", ")),
            }
        }
        "fibonacci" => format!("The window is {base} times 1, 1, 2, 3, 5, 8 and so on"),
        _ => format!("The window is always {base}"),
    };
    match facts.fields.ns(Field::Offset) {
        None | Some(0) => grown + ".",
        Some(offset) => {
            let which = if grown.starts_with("The windows") { "each" } else { "it" };
            format!("{grown}; {} are added to {which}.", humanize(offset))
        }
    }
}

/// The first windows, unless they are all the same.
fn windows(facts: &Facts) -> Option<String> {
    // Those of steps are in the sentence before, unless something is added to them.
    let is_listed = facts.fields.kind(Field::Growth) == "steps"
        && facts.fields.ns(Field::Offset) == Some(0);
    let count = if is_listed { 0 } else { u32::try_from(facts.rows.len().min(6)).unwrap_or(6) };
    let windows: Vec<_> = (0..count).map(|index| facts.policy.window_ns(index)).collect();
    if windows.first() == windows.last() {
        return None;
    }
    let list = windows.into_iter().map(humanize).collect::<Vec<_>>().join(", ");
    let end = if facts.rows.len() > 6 { ", ..." } else { "." };
    Some(format!("The first windows: {list}{end}"))
}

fn jitter(facts: &Facts) -> String {
    match facts.fields.kind(Field::Jitter) {
        "full" => "Each delay is drawn from 0 to the window.".to_owned(),
        "equal" => "Each delay is drawn from half of the window to the window.".to_owned(),
        "proportional" => proportional(facts),
        "additive" => {
            let most = duration(facts, Field::JitterMax);
            match facts.fields.ns(Field::JitterIncrement) {
                None | Some(0) => format!("Each delay is the window and 0 to {most} more."),
                Some(more) => format!(
                    "Each delay is the window and 0 to {most} more, a range that grows by {} with \
                     each retry.",
                    humanize(more)
                ),
            }
        }
        "decorrelated" => {
            let (base, factor) = (duration(facts, Field::Base), text(facts, Field::Multiplier));
            let first = facts.rows.first().map_or(0, |row| row.max_ns);
            format!(
                "Each delay is drawn from {base} to {factor} times the delay before it; the first \
                 one from {base} to {}.",
                humanize(first)
            )
        }
        "slotted" => {
            let slot = duration(facts, Field::JitterSlot);
            format!(
                "Each delay is a whole number of slots of {slot}, drawn from 0 to one less than \
                 fit into the window."
            )
        }
        _ => "Each delay is the window: there is no jitter.".to_owned(),
    }
}

fn proportional(facts: &Facts) -> String {
    let (below, above) = (percent(facts, Field::JitterBelow), percent(facts, Field::JitterAbove));
    match (below.as_str(), above.as_str()) {
        ("0%", "0%") => "Each delay is the window: the jitter is 0.".to_owned(),
        (below, above) if below == above => {
            format!("Each delay is the window, up to {below} less or more.")
        }
        (below, "0%") => format!("Each delay is the window, or up to {below} less."),
        ("0%", above) => format!("Each delay is the window, or up to {above} more."),
        (below, above) => {
            format!("Each delay is the window, up to {below} less or up to {above} more.")
        }
    }
}

/// A ratio of a window in percent, or as it is written.
fn percent(facts: &Facts, field: Field) -> String {
    let ratio = facts.fields.get(field).and_then(FieldValue::as_ratio);
    ratio.and_then(percent::percent).unwrap_or_else(|| format!("{} of it", text(facts, field)))
}

fn cap(facts: &Facts) -> Option<String> {
    let cap = humanize(facts.cap?);
    let is_hard = facts.fields.kind(Field::CapOn) == "delay";
    let what = if is_hard || facts.fields.kind(Field::Jitter) == "decorrelated" {
        "delay"
    } else {
        "window"
    };
    let reached = match facts.cap_reach {
        CapReach::At(index) => format!(", which retry {} can reach", index + 1),
        CapReach::Never => ", which its retries never reach".to_owned(),
        _ => String::new(),
    };
    let beyond = match facts.longest() {
        longest if Some(longest) > facts.cap => {
            format!("; with its jitter a delay can be {}", humanize(longest))
        }
        _ => String::new(),
    };
    Some(format!("The cap allows no {what} longer than {cap}{reached}{beyond}."))
}

fn floor(facts: &Facts) -> Option<String> {
    let floor = facts.fields.ns(Field::Floor).filter(|&ns| ns > 0)?;
    Some(format!("No delay is shorter than the floor, {}.", humanize(floor)))
}

fn limit(facts: &Facts) -> String {
    let from_failure = facts.fields.kind(Field::ElapsedFrom) == "failure";
    let from = if from_failure { "the first failure" } else { "the start" };
    let elapsed = facts.max_elapsed.map(humanize);
    match (facts.retries, elapsed) {
        (None, None) => "It has no limit: it retries for ever.".to_owned(),
        (Some(count), None) => {
            format!("It stops after {} ({} attempts).", retries(count), count + 1)
        }
        (None, Some(elapsed)) => {
            format!("It stops when the next wait would end later than {elapsed} after {from}.")
        }
        (Some(count), Some(elapsed)) => format!(
            "It stops after {} ({} attempts), or when the next wait would end later than {elapsed} \
             after {from}.",
            retries(count),
            count + 1
        ),
    }
}

fn attempt_timeout(facts: &Facts) -> Option<String> {
    let limit = humanize(facts.fields.ns(Field::AttemptTimeout)?);
    let sooner = facts.max_elapsed.map(|_| ", or until max_elapsed ends, if that is sooner");
    Some(format!("An attempt may take {limit}{}.", sooner.unwrap_or_default()))
}

fn reset_after(facts: &Facts) -> Option<String> {
    let limit = humanize(facts.fields.ns(Field::ResetAfter)?);
    let what = if facts.max_elapsed.is_some() { "retries and max_elapsed" } else { "retries" };
    Some(format!("If an attempt fails after {limit} or more, the {what} count anew."))
}

fn total(facts: &Facts) -> Option<String> {
    let last = facts.rows.last()?;
    let longest = facts.longest_total()?;
    let times = if facts.max_elapsed == Some(longest) || !facts.has_all_rows {
        total_after("at most ", longest)
    } else if last.total_min_ns == longest {
        total_after("", longest)
    } else {
        let (shortest, mean) = (humanize(last.total_min_ns), total_after("", last.total_mean_ns));
        // The mean of decorrelated jitter is exact below the cap only (SPEC 16.3).
        let is_estimate = facts.fields.kind(Field::Jitter) == "decorrelated"
            && matches!(facts.cap_reach, CapReach::At(_));
        let mean = if is_estimate { format!("at most {mean}") } else { mean };
        format!("{shortest} to {}, and {mean} on average", total_after("", longest))
    };
    let anew = facts.fields.ns(Field::ResetAfter).map(|_| ", until they count anew");
    Some(format!("All waits together take {times}{}.", anew.unwrap_or_default()))
}

fn throttled(facts: &Facts) -> Option<String> {
    let (base, throttled) = (facts.fields.ns(Field::Base)?, facts.fields.ns(Field::ThrottledBase)?);
    (base != throttled).then(|| {
        format!(
            "After a throttled failure the base is {} instead, which the times above leave out.",
            humanize(throttled)
        )
    })
}

fn retry_after(facts: &Facts) -> String {
    let waits = match facts.fields.kind(Field::RetryAfter) {
        "exact" => "A server's Retry-After replaces the delay",
        "spread" => {
            "A server's Retry-After replaces the delay: the wait is drawn from it to 1.5 times it"
        }
        _ => "If a server's Retry-After is longer than the delay, the wait is the Retry-After",
    };
    let max = facts.fields.ns(Field::RetryAfterMax).map(humanize);
    let extra = facts.fields.ns(Field::RetryAfterMaxExtra).map(humanize);
    let bound = match (max, extra) {
        (Some(max), None) => format!(", up to {max}"),
        (Some(max), Some(extra)) => {
            format!(", up to {max}, and at most {extra} longer than the delay")
        }
        (None, Some(extra)) => format!(", at most {extra} longer than the delay"),
        (None, None) => format!(", however long (up to {})", humanize(MAX_NS)),
    };
    format!("{waits}{bound}.")
}
