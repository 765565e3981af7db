//! The results of a run, as `bench/results.json` holds them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bench::floors;
use crate::bench::harness::{Harness, Measurement, Series, Tool};
use crate::bench::statistics::{median, spread};
use crate::json;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    pub(super) machine: Machine,
    /// How often everything was measured.
    pub(super) rounds: u32,
    /// The time of each measurement.
    pub(super) time_ms: u32,
    pub(super) versions: Vec<Tool>,
    pub(super) rows: Vec<Row>,
    pub(super) sizes: Vec<Size>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    pub(super) processor: String,
    pub(super) cores: usize,
    pub(super) system: String,
}

/// A work of ours beside that of a peer. Without a peer, the name of the peer is empty and its
/// numbers are missing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) language: String,
    pub(super) work: String,
    pub(super) peer: String,
    /// The median of the rounds.
    pub(super) ours_ns: f64,
    pub(super) peer_ns: Option<f64>,
    /// Ours over theirs, round by round: the median, and the range of the middle 80 percent.
    pub(super) ratio: Option<f64>,
    pub(super) ratio_low: Option<f64>,
    pub(super) ratio_high: Option<f64>,
    /// The largest ratio that is good enough.
    pub(super) floor: Option<f64>,
    pub(super) ours: Cost,
    pub(super) theirs: Cost,
}

/// What an operation takes beside the time, and the time of each round.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cost {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allocations: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instructions: Option<f64>,
    pub(super) rounds_ns: Vec<f64>,
}

/// A file that users install or download.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Size {
    pub(super) language: String,
    pub(super) what: String,
    pub(super) bytes: u64,
    pub(super) floor: Option<u64>,
}

impl Results {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        fs::write(path, self.text()?).with_context(|| path.display().to_string())
    }

    fn text(&self) -> Result<String> {
        let members = [
            ("machine", serde_json::to_string(&self.machine)?),
            ("rounds", self.rounds.to_string()),
            ("time_ms", self.time_ms.to_string()),
            ("versions", json::list(&self.versions)?),
            ("rows", json::list(&self.rows)?),
            ("sizes", json::list(&self.sizes)?),
        ];
        let members = members.map(|(name, value)| format!("\"{name}\": {value}"));
        Ok(format!("{{\n{}\n}}\n", members.join(",\n")))
    }
}

impl Row {
    /// Whether it is above its floor.
    pub(super) fn misses(&self) -> bool {
        self.ratio.zip(self.floor).is_some_and(|(ratio, floor)| ratio > floor)
    }
}

/// The rows of a language: for each work one with each peer.
pub(super) fn rows(harness: &Harness, series: &Series) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for work in &harness.works {
        let measured = series.of(work);
        let [(_, ours), peers @ ..] = &measured[..] else { continue };
        let cost = |by: &str, measured: &[Measurement]| -> Result<Cost> {
            let cost = cost_of(measured);
            let ns = median(&cost.rounds_ns);
            let instructions = harness.instructions(work, by, ns)?;
            Ok(Cost { instructions, ..cost })
        };
        let ours = cost("ours", ours)?;
        if peers.is_empty() {
            rows.push(row(harness.language, work, "", &ours, None)?);
        }
        for (peer, theirs) in peers {
            rows.push(row(harness.language, work, peer, &ours, Some(cost(peer, theirs)?))?);
        }
    }
    Ok(rows)
}

fn cost_of(measured: &[Measurement]) -> Cost {
    let median_of = |value: fn(&Measurement) -> Option<f64>| {
        let values: Vec<f64> = measured.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| median(&values))
    };
    Cost {
        bytes: median_of(|measurement| measurement.bytes),
        allocations: median_of(|measurement| measurement.allocations),
        instructions: None,
        rounds_ns: measured.iter().map(|measurement| measurement.ns).collect(),
    }
}

fn row(language: &str, work: &str, peer: &str, ours: &Cost, theirs: Option<Cost>) -> Result<Row> {
    let ours_ns = median(&ours.rounds_ns);
    let (language, work, peer) = (language.to_owned(), work.to_owned(), peer.to_owned());
    let Some(theirs) = theirs else {
        let (peer_ns, ratio, ratio_low, ratio_high, floor) = (None, None, None, None, None);
        let (ours, theirs) = (ours.clone(), Cost::default());
        return Ok(Row {
            language,
            work,
            peer,
            ours_ns,
            peer_ns,
            ratio,
            ratio_low,
            ratio_high,
            floor,
            ours,
            theirs,
        });
    };
    ensure!(
        ours.rounds_ns.len() == theirs.rounds_ns.len(),
        "{language}, {work}: ours and {peer} were measured in different rounds"
    );
    let pairs = ours.rounds_ns.iter().zip(&theirs.rounds_ns);
    let ratios: Vec<f64> = pairs.map(|(ours, theirs)| ours / theirs).collect();
    let (low, high) = spread(&ratios);
    let peer_ns = median(&theirs.rounds_ns);
    Ok(Row {
        floor: floors::of(&language, &work, &peer, peer_ns),
        ratio: Some(median(&ratios)),
        ratio_low: Some(low),
        ratio_high: Some(high),
        peer_ns: Some(peer_ns),
        ours: ours.clone(),
        language,
        work,
        peer,
        ours_ns,
        theirs,
    })
}

#[cfg(test)]
mod tests {
    use super::{Results, fs};
    use crate::shell::root;

    #[test]
    fn the_record_has_a_row_on_each_line() {
        let record = root().join("bench/results.json");
        let written = Results::read(&record).unwrap().text().unwrap();
        let _: Results = serde_json::from_str(&written).unwrap();
        // Numbers are read with their last digit rounded.
        assert_eq!(written.lines().count(), fs::read_to_string(record).unwrap().lines().count());
    }
}
