//! `cargo xtask demo`: the parameter sets of published articles in five languages, side by side.

use serde_json::{Value, json};

use crate::differential::requests;
use crate::languages::ALL;
use crate::shell::*;

const KEY: &str = "job-1";

/// One parameter set and the delays of each language.
struct Table {
    title: String,
    /// The delays of the reference, from the vectors.
    expected: Vec<String>,
    columns: Vec<Vec<String>>,
}

/// Prints the tables, and fails if the languages disagree.
pub(crate) fn run() -> Result<()> {
    let tables = tables()?;
    for table in &tables {
        println!("\n{}", table.text());
    }
    let (agreed, all) = (tables.iter().filter(|table| table.agrees()).count(), tables.len());
    println!("\n{agreed} of {all} parameter sets: the same nanoseconds in {} languages", ALL.len());
    ensure!(agreed == all, "the languages disagree");
    println!(
        "\nseed 42, key \"{KEY}\"; another key gives other delays, again the same in every language.\n\
         Next:\n  \
         docs/programs.md                      the same loop in each language\n  \
         cargo xtask package --host --out DIR  the wheel, the npm tarball and the crates to install\n  \
         cargo xtask install --prefix DIR      libbackoff for C\n  \
         cargo xtask scenario                  five HTTP clients and a server that fails\n  \
         cargo xtask test                      the tests"
    );
    Ok(())
}

/// Fails if the languages disagree, for the tests.
pub(crate) fn check() -> Result<()> {
    tables()?.iter().try_for_each(|table| Ok(ensure!(table.agrees(), "{}", table.text())))
}

fn tables() -> Result<Vec<Table>> {
    let file: Value = serde_json::from_str(&read("tests/vectors/articles.json")?)?;
    let cases = file["cases"].as_array().filter(|cases| !cases.is_empty());
    let (mut tables, mut lines) = (Vec::new(), String::new());
    for case in cases.context("no parameter sets")? {
        let title = case["why"].as_str().context("no title")?.to_owned();
        let expected = delays(case)?;
        let asked = json!({"via": "next", "index": 0, "count": expected.len()});
        // The key is that of the heading.
        let (policy, seed) = (&case["policy"], &case["seed"]);
        lines += &json!({"policy": policy, "seed": seed, "key": KEY, "delays": asked}).to_string();
        lines += "\n";
        tables.push(Table { title, expected, columns: Vec::new() });
    }
    let requests = requests("demo.jsonl", &lines)?;
    for language in &ALL {
        let evaluator = (language.evaluator)().with_context(|| format!("for {}", language.name))?;
        progress(&format!("asking {}", language.name));
        for (table, answer) in tables.iter_mut().zip(evaluator.answers(&requests)?.lines()) {
            table.columns.push(delays(&serde_json::from_str(answer)?)?);
        }
    }
    Ok(tables)
}

fn delays(case: &Value) -> Result<Vec<String>> {
    let delays = case["delays"].as_array().filter(|delays| !delays.is_empty());
    let delays = delays.context("no delays")?.iter();
    delays.map(|delay| Ok(delay.as_str().context("not a string")?.to_owned())).collect()
}

impl Table {
    fn agrees(&self) -> bool {
        self.columns.len() == ALL.len()
            && self.columns.iter().all(|column| *column == self.expected)
    }

    fn text(&self) -> String {
        let mut text = format!("{}\nretry", self.title);
        text.extend(ALL.iter().map(|language| format!("{:>16}", format!("{} ns", language.name))));
        for retry in 0..self.columns.iter().map(Vec::len).max().unwrap_or(0) {
            text += &format!("\n{:>5}", retry + 1);
            let cell = |column: &Vec<String>| column.get(retry).cloned().unwrap_or_default();
            text.extend(self.columns.iter().map(|column| format!("{:>16}", cell(column))));
        }
        text + if self.agrees() { "" } else { "\nNOT THE SAME" }
    }
}
