//! The rules behind the advice about a policy.

use backoff_core::{Field, FieldValue, MAX_NS, PreviewRow};
use serde::Serialize;

use crate::commands::explain::facts::Facts;
use crate::commands::fit::rounded;
use crate::duration::{compared, humanize, total_after};
use crate::fields::{Fields, without_limits};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// It harms a server or its clients when things go wrong.
    Warning,
    /// It may be intended.
    Note,
}

/// A rule: what is wrong, if it is, and the policies that may be right. The first one that is right
/// is proposed.
pub(crate) struct Rule {
    pub(crate) code: &'static str,
    pub(crate) level: Level,
    pub(crate) message: fn(&Facts) -> Option<String>,
    pub(crate) changes: fn(&Facts) -> Vec<Fields>,
}

const fn rule(
    code: &'static str,
    level: Level,
    message: fn(&Facts) -> Option<String>,
    changes: fn(&Facts) -> Vec<Fields>,
) -> Rule {
    Rule { code, level, message, changes }
}

/// Every rule, in the order in which the advice is shown.
pub(crate) const RULES: &[Rule] = &[
    rule("no_limit", Level::Warning, no_limit, |facts| {
        vec![facts.fields.with_retries(usual_retries(facts))]
    }),
    rule("elapsed_too_short", Level::Warning, elapsed_too_short, longer_elapsed),
    rule("no_wait", Level::Warning, no_wait, waits),
    rule("no_jitter", Level::Warning, no_jitter, full_jitter),
    rule("jitter_ends_at_cap", Level::Warning, jitter_ends_at_cap, |facts| {
        vec![facts.fields.without(&[Field::CapOn])]
    }),
    rule("no_cap", Level::Warning, no_cap, capped),
    rule("elapsed_cuts_retries", Level::Note, elapsed_cuts_retries, elapsed_or_fewer_retries),
    rule("long_wait", Level::Note, long_wait, shorter),
    rule("never_anew", Level::Note, never_anew, |facts| {
        vec![facts.fields.without(&[Field::ResetAfter])]
    }),
];

/// The fields of a jitter, which another jitter does not use.
const JITTER_FIELDS: [Field; 5] = [
    Field::JitterBelow,
    Field::JitterAbove,
    Field::JitterMax,
    Field::JitterIncrement,
    Field::JitterSlot,
];

/// The retries that are proposed where there is no limit.
const RETRIES: u64 = 3;

/// More retries than anybody counts on.
const MAX_RETRIES: usize = 1_000;

const SECOND: u64 = 1_000_000_000;

/// Shorter than a call to another machine takes.
const SHORT_WAIT: u64 = SECOND / 1_000;

/// Longer than a caller waits for an answer.
const LONG_WAIT: u64 = 60 * SECOND;

/// A cap, and a base, of many policies.
const CAP: u64 = 20 * SECOND;
const BASE: u64 = SECOND / 10;

fn no_limit(facts: &Facts) -> Option<String> {
    if facts.retries.is_some() || facts.max_elapsed.is_some() {
        return None;
    }
    let message = format!(
        "It has no limit: while the calls fail, it retries for ever{}. Add max_retries={}",
        if facts.longest() == 0 { ", at once" } else { "" },
        usual_retries(facts)
    );
    // `default` and this policy differ in nothing else that matters.
    let base = facts.fields.ns(Field::Base).filter(|_| {
        facts.fields.kind(Field::Growth) == "exponential"
            && facts.fields.kind(Field::Jitter) == "full"
    });
    Some(match base {
        Some(base) => format!(
            "{message}, or write default:base={}, which keeps the limit of `default`.",
            FieldValue::from_ns(base)
        ),
        None if facts.longest() == 0 => format!("{message}; `off` makes no retries."),
        None => format!("{message}."),
    })
}

/// The number of retries that is proposed: that of a list of waits, if it has more.
fn usual_retries(facts: &Facts) -> u64 {
    let waits = facts.fields.get(Field::Waits).and_then(FieldValue::as_waits);
    waits.map_or(0, |waits| waits.as_ns().len() as u64).max(RETRIES)
}

fn elapsed_too_short(facts: &Facts) -> Option<String> {
    let elapsed = facts.max_elapsed.filter(|_| facts.retries != Some(0))?;
    facts.never_retries().then(|| {
        format!(
            "It never retries: even the first wait is longer than max_elapsed, {}.",
            humanize(elapsed)
        )
    })
}

fn longer_elapsed(facts: &Facts) -> Vec<Fields> {
    let first = without_limits(&facts.policy).preview().next();
    let longest = first.map_or(MAX_NS, |row| row.max_ns);
    let elapsed = longest.saturating_mul(10).min(MAX_NS);
    vec![facts.fields.with_ns(Field::MaxElapsed, elapsed)]
}

fn no_wait(facts: &Facts) -> Option<String> {
    if facts.never_retries() {
        return None;
    }
    match facts.longest() {
        0 => Some("It does not wait: a server that fails gets the retries at once.".to_owned()),
        longest if longest < SHORT_WAIT => Some(format!(
            "Its waits are too short: none is longer than {}, so a server that fails gets the \
             retries at once.",
            humanize(longest)
        )),
        _ => None,
    }
}

fn waits(facts: &Facts) -> Vec<Fields> {
    let fields = facts.fields.without(&JITTER_FIELDS).without(&[
        Field::Increment,
        Field::Multiplier,
        Field::Power,
        Field::Origin,
        Field::Offset,
        Field::CapOn,
        Field::ThrottledBase,
        Field::Waits,
    ]);
    let fields = fields
        .with(Field::Growth, FieldValue::Kind("exponential"))
        .with(Field::Jitter, FieldValue::Kind("full"));
    vec![fields.with_ns(Field::Base, BASE).with_ns(Field::Cap, CAP)]
}

fn no_jitter(facts: &Facts) -> Option<String> {
    (facts.longest() > 0 && !facts.has_jitter())
        .then(|| "It has no jitter: clients that fail together retry together.".to_owned())
}

fn full_jitter(facts: &Facts) -> Vec<Fields> {
    let fields = facts.fields.without(&JITTER_FIELDS).with(Field::Jitter, FieldValue::Kind("full"));
    // A floor as high as the window leaves no range: the window becomes as long as the floor.
    let floor = fields.ns(Field::Floor).unwrap_or(0);
    let bases = [Field::Base, Field::ThrottledBase].into_iter();
    let longer = bases.fold(fields, |fields, field| match fields.ns(field) {
        Some(ns) => fields.with_ns(field, ns.max(floor)),
        None => fields,
    });
    vec![fields, longer.without(&[Field::Floor])]
}

fn jitter_ends_at_cap(facts: &Facts) -> Option<String> {
    let cap = facts.cap?;
    let ends = facts.rows.iter().position(|row| row.min_ns == cap && row.max_ns == cap);
    let index = ends.filter(|_| facts.has_jitter())?;
    Some(format!(
        "The cap removes the jitter: from retry {} on, each delay is {}.",
        index + 1,
        humanize(cap)
    ))
}

fn no_cap(facts: &Facts) -> Option<String> {
    let is_bounded = facts.retries.is_some() || facts.max_elapsed.is_some();
    let (first, last) = (facts.rows.first()?, facts.rows.last()?);
    let grows = facts.grows() && last.max_ns > first.max_ns;
    (facts.cap.is_none() && !is_bounded && grows).then(|| {
        format!(
            "It has no cap: retry 20 waits up to {}, and later ones grow further.",
            humanize(facts.rows.get(19).unwrap_or(last).max_ns)
        )
    })
}

fn capped(facts: &Facts) -> Vec<Fields> {
    let least = [Field::Base, Field::Offset, Field::Floor, Field::ThrottledBase];
    let least = least.into_iter().filter_map(|field| facts.fields.ns(field)).max().unwrap_or(0);
    let cap = if least.saturating_mul(10) <= CAP {
        CAP
    } else {
        least.saturating_mul(10).min(MAX_NS - 1)
    };
    vec![facts.fields.with_ns(Field::Cap, cap)]
}

/// The retries that operations are promised, and that the time does not allow.
fn elapsed_cuts_retries(facts: &Facts) -> Option<String> {
    let (elapsed, retries) = (facts.max_elapsed?, facts.retries?);
    let total = total_without_elapsed(facts)?;
    (!facts.never_retries() && total.total_mean_ns > elapsed).then(|| {
        let (elapsed, mean) = match total.total_mean_ns {
            MAX_NS => (humanize(elapsed), total_after("", MAX_NS)),
            mean => compared(elapsed, mean),
        };
        format!(
            "max_elapsed, {elapsed}, ends most operations before max_retries, {retries}, does: so \
             many waits take {mean} on average, and {}.",
            total_after("up to ", total.total_max_ns)
        )
    })
}

fn elapsed_or_fewer_retries(facts: &Facts) -> Vec<Fields> {
    let longest = total_without_elapsed(facts).map(|total| total.total_max_ns);
    let longer = longest.filter(|&longest| longest <= LONG_WAIT);
    let longer = longer.map(|longest| facts.fields.with_ns(Field::MaxElapsed, longest));
    let rows = without_limits(&facts.policy).preview();
    let fits = rows.take_while(|row| facts.max_elapsed.is_some_and(|ns| row.total_mean_ns <= ns));
    let fewer = fits.take(MAX_RETRIES).count().max(1) as u64;
    longer.into_iter().chain([facts.fields.with_retries(fewer)]).collect()
}

/// The last row of the preview of all retries, if they are not too many.
fn total_without_elapsed(facts: &Facts) -> Option<PreviewRow> {
    let retries =
        usize::try_from(facts.retries?).ok().filter(|retries| *retries <= MAX_RETRIES)?;
    without_limits(&facts.policy).preview().take(retries).last()
}

/// Fewer retries, a limit of time, or shorter waits.
fn shorter(facts: &Facts) -> Vec<Fields> {
    let rows = facts.rows.iter().take_while(|row| row.total_max_ns <= LONG_WAIT);
    let fewer = rows.count().max(1) as u64;
    let fewer = facts.retries.map(|_| facts.fields.with_retries(fewer));
    let elapsed = facts.fields.with_ns(Field::MaxElapsed, LONG_WAIT);
    let base = facts.retries.and_then(|retries| {
        let fitted = facts.policy.fit_base(retries + 1, LONG_WAIT).ok()?;
        Some(Fields::of(&rounded(&fitted, Field::Base)))
    });
    [fewer, Some(elapsed), base].into_iter().flatten().collect()
}

fn long_wait(facts: &Facts) -> Option<String> {
    let longest = facts.longest_total().filter(|&longest| longest > LONG_WAIT)?;
    Some(format!(
        "All waits together take {}: too long if somebody waits for the answer.",
        total_after("up to ", longest)
    ))
}

fn never_anew(facts: &Facts) -> Option<String> {
    let ns = |field| facts.fields.ns(field);
    let (limit, reset) = (ns(Field::AttemptTimeout)?, ns(Field::ResetAfter)?);
    (facts.retries != Some(0) && limit < reset).then(|| {
        format!(
            "The retries never count anew: attempt_timeout, {}, ends an attempt before \
             reset_after, {}.",
            humanize(limit),
            humanize(reset)
        )
    })
}
