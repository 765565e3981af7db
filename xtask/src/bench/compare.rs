//! What changed between two runs.
//!
//! Machines differ, and so does one machine from hour to hour. Peers that were measured beside us
//! are the yardstick: what is compared is our time over the geometric mean of theirs, round by round.

use std::fmt::Write as _;

use crate::bench::results::{Cost, Results, Row};
use crate::bench::statistics::{median, p_value};

/// A difference is reported if chance makes one as large in fewer than 1 of 100 works, and if it is
/// larger than this.
const LEAST_P: f64 = 0.01;
const LEAST_CHANGE: f64 = 0.05;

/// The works that got slower, faster, larger or smaller, as text.
pub(super) fn changes(old: &Results, new: &Results) -> String {
    let mut text = String::new();
    for work in works(new) {
        if let Some(change) = time(old, new, work) {
            let _ = writeln!(text, "{}: {}: {change}", work.0, work.1);
        }
        for change in costs(old, new, work) {
            let _ = writeln!(text, "{}: {}: {change}", work.0, work.1);
        }
    }
    for size in &new.sizes {
        let before =
            old.sizes.iter().find(|one| (&one.language, &one.what) == (&size.language, &size.what));
        if let Some(before) = before.filter(|before| before.bytes != size.bytes) {
            let _ = writeln!(
                text,
                "{}: {}: {} bytes, {} before",
                size.language, size.what, size.bytes, before.bytes
            );
        }
    }
    if text.is_empty() { "nothing changed\n".into() } else { text }
}

type Work<'a> = (&'a str, &'a str);

/// The works of both languages and names, each once.
fn works(results: &Results) -> Vec<Work<'_>> {
    let mut works: Vec<Work<'_>> =
        results.rows.iter().map(|row| (&*row.language, &*row.work)).collect();
    works.dedup();
    works
}

fn rows<'a>(results: &'a Results, work: Work<'_>) -> Vec<&'a Row> {
    results.rows.iter().filter(|row| (&*row.language, &*row.work) == work).collect()
}

/// How the time changed, with the confidence that it did.
fn time(old: &Results, new: &Results, work: Work<'_>) -> Option<String> {
    let (old, new) = (rows(old, work), rows(new, work));
    let in_both = |row: &&Row, others: &[&Row]| others.iter().any(|other| other.peer == row.peer);
    let before = relative(old.iter().copied().filter(|row| in_both(row, &new)))?;
    let after = relative(new.iter().copied().filter(|row| in_both(row, &old)))?;
    let p = p_value(&before, &after);
    let change = (median(&after) - median(&before)).exp() - 1.0;
    if p >= LEAST_P || change.abs() < LEAST_CHANGE {
        return None;
    }
    let what = if change > 0.0 { "slower" } else { "faster" };
    Some(format!(
        "{:.0} % {what} (confidence {:.1} %)",
        change.abs() * 100.0,
        ((1.0 - p) * 100.0).min(99.9)
    ))
}

/// The logarithm of our time over the geometric mean of the peers' times, for each round. Of our
/// time alone without peers.
fn relative<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<Vec<f64>> {
    let rows: Vec<&Row> = rows.collect();
    let ours = &rows.first()?.ours.rounds_ns;
    let peers: Vec<&Vec<f64>> =
        rows.iter().map(|row| &row.theirs.rounds_ns).filter(|rounds| !rounds.is_empty()).collect();
    let round = |(round, ours): (usize, &f64)| {
        let logs = peers.iter().filter_map(|rounds| rounds.get(round)).map(|ns| ns.ln());
        #[expect(clippy::cast_precision_loss, reason = "few peers")]
        let mean = logs.sum::<f64>() / peers.len().max(1) as f64;
        ours.ln() - mean
    };
    Some(ours.iter().enumerate().map(round).collect())
}

/// Changes of what is counted, which no noise explains.
fn costs(old: &Results, new: &Results, work: Work<'_>) -> Vec<String> {
    let (before, after) = (rows(old, work), rows(new, work));
    let (Some(before), Some(after)) = (before.first(), after.first()) else { return Vec::new() };
    let counts = |cost: &Cost| [cost.bytes, cost.allocations, cost.instructions];
    ["bytes allocated", "allocations", "instructions"]
        .into_iter()
        .zip(counts(&before.ours).into_iter().zip(counts(&after.ours)))
        .filter_map(|(what, (before, after))| {
            let (before, after) = (before?, after?);
            // Averages over many operations differ in their last digits.
            let differs = (after - before).abs() > 0.5 + before * LEAST_CHANGE;
            differs.then(|| format!("{after:.0} {what}, {before:.0} before"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::bench::results::{Cost, Results, Row, Size};

    /// A run in which everything takes `machine` times as long, and ours `ours` times.
    fn run(machine: f64, ours: f64, allocations: f64, bytes: u64) -> Results {
        let rounds = |factor: f64| Cost {
            rounds_ns: (0..9)
                .map(|round| machine * factor * (10.0 + f64::from(round) / 9.0))
                .collect(),
            allocations: Some(allocations),
            ..Cost::default()
        };
        let row = Row {
            language: "go".into(),
            work: "next".into(),
            peer: "by hand".into(),
            ours_ns: 0.0,
            peer_ns: None,
            ratio: None,
            ratio_low: None,
            ratio_high: None,
            floor: None,
            ours: rounds(ours),
            theirs: rounds(2.0),
        };
        let size = Size { language: "js".into(), what: "bundle".into(), bytes, floor: None };
        Results { rows: vec![row], sizes: vec![size], ..Results::default() }
    }

    #[test]
    fn a_slower_machine_is_no_change_and_a_slower_call_is() {
        let old = run(1.0, 1.0, 3.0, 7);
        assert_eq!(changes(&old, &run(3.0, 1.0, 3.0, 7)), "nothing changed\n");
        assert_eq!(changes(&old, &run(3.0, 1.04, 3.0, 7)), "nothing changed\n", "too little");
        assert_eq!(
            changes(&old, &run(3.0, 1.5, 3.0, 7)),
            "go: next: 50 % slower (confidence 99.9 %)\n"
        );
        assert_eq!(
            changes(&old, &run(1.0, 0.5, 4.0, 8)),
            "go: next: 50 % faster (confidence 99.9 %)\n\
             go: next: 4 allocations, 3 before\n\
             js: bundle: 8 bytes, 7 before\n"
        );
    }
}
