//! The tables and the chart that the documents show, made from `bench/results.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::bench::chart;
use crate::bench::format::{ratio, time, title};
use crate::bench::results::{Cost, Results, Row};
use crate::page::with_part;
use crate::shell::root;

const RECORD: &str = "bench/results.json";
const PAGE: &str = "bench/README.md";
const SHORT_PAGE: &str = "docs/speed.md";
const CHART: &str = "docs/speed.svg";

/// The works of the short table.
const SHOWN: [&str; 5] =
    ["next", "next, proportional", "loop, success at once", "loop, two failures", "1000 loops"];

/// The recorded run.
pub(super) fn results() -> PathBuf {
    root().join(RECORD)
}

/// The pages with the short and the full table, and the chart.
pub(crate) fn pages() -> Result<BTreeMap<PathBuf, String>> {
    let results = Results::read(&results())?;
    let mut files = BTreeMap::from([(CHART.into(), chart::svg(&results))]);
    for (page, table) in [(SHORT_PAGE, short(&results)), (PAGE, full(&results))] {
        let old = fs::read_to_string(root().join(page))?;
        files.insert(page.into(), with_part(&old, RECORD, &table)?);
    }
    Ok(files)
}

/// The works that most programs do, a line for each.
fn short(results: &Results) -> String {
    let mut text = "\n| | work | ours | ours divided by others |\n|---|---|---|---|\n".to_owned();
    let shown = results.rows.iter().filter(|row| SHOWN.contains(&&*row.work));
    let shown: Vec<&Row> = shown.collect();
    for rows in
        shown.chunk_by(|one, next| (&one.language, &one.work) == (&next.language, &next.work))
    {
        let Some(first) = rows.first() else { continue };
        let peers: Vec<String> = rows
            .iter()
            .filter_map(|row| Some(format!("{} {}", row.peer, ratio(row.ratio?))))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            title(&first.language),
            first.work,
            time(first.ours_ns),
            peers.join(", ")
        );
    }
    text + "\n"
}

/// Everything that was measured.
pub(super) fn full(results: &Results) -> String {
    let machine = &results.machine;
    let mut text = format!(
        "\n{} with {} cores, {}. Rounds: {}, with {} ms for each measurement.\n\n",
        machine.processor, machine.cores, machine.system, results.rounds, results.time_ms
    );
    text += "| | work | beside | ours | theirs | ratio | spread | at most | bytes | allocations | instructions |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n";
    for row in &results.rows {
        text += &line(row);
    }
    text += "\n| | file | bytes | at most |\n|---|---|---|---|\n";
    for size in &results.sizes {
        let missed =
            if size.floor.is_some_and(|floor| size.bytes > floor) { " (missed)" } else { "" };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {}{missed} |",
            title(&size.language),
            size.what,
            size.bytes,
            size.floor.map_or_else(String::new, |floor| floor.to_string())
        );
    }
    text += "\n| | measured with |\n|---|---|\n";
    for versions in results.versions.chunk_by(|one, next| one.language == next.language) {
        let Some(first) = versions.first() else { continue };
        let versions: Vec<String> =
            versions.iter().map(|tool| format!("{} {}", tool.name, tool.version)).collect();
        let _ = writeln!(text, "| {} | {} |", title(&first.language), versions.join(", "));
    }
    text + "\n"
}

fn line(row: &Row) -> String {
    let or_empty = |value: Option<String>| value.unwrap_or_default();
    let spread = row.ratio_low.zip(row.ratio_high);
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {}{} | {} | {} | {} |\n",
        title(&row.language),
        row.work,
        row.peer,
        time(row.ours_ns),
        or_empty(row.peer_ns.map(time)),
        or_empty(row.ratio.map(ratio)),
        or_empty(spread.map(|(low, high)| format!("{} to {}", ratio(low), ratio(high)))),
        or_empty(row.floor.map(ratio)),
        if row.misses() { " (missed)" } else { "" },
        both(row, |cost| cost.bytes),
        both(row, |cost| cost.allocations),
        both(row, |cost| cost.instructions),
    )
}

/// A count of ours and of theirs.
fn both(row: &Row, count: fn(&Cost) -> Option<f64>) -> String {
    match (count(&row.ours), count(&row.theirs)) {
        (None, None) => String::new(),
        (Some(ours), None) => format!("{ours:.0}"),
        (None, Some(theirs)) => format!("– / {theirs:.0}"),
        (Some(ours), Some(theirs)) => format!("{ours:.0} / {theirs:.0}"),
    }
}
