//! `cargo xtask demo`: the parameter sets of published articles in five languages, side by side.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::evaluators::{answers, write_requests};
use crate::languages::ALL;
use crate::shell::{progress, root};

/// The key of all parameter sets.
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
    let mut agreed = 0;
    for table in &tables {
        println!("\n{}", table.text());
        agreed += usize::from(table.agrees());
    }
    println!(
        "\n{agreed} of {} parameter sets: the same nanoseconds in {} languages",
        tables.len(),
        ALL.len()
    );
    if agreed < tables.len() {
        bail!("the languages disagree");
    }
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
    for table in tables()? {
        ensure!(table.agrees(), "{}", table.text());
    }
    Ok(())
}

fn tables() -> Result<Vec<Table>> {
    let path = root().join("tests/vectors/articles.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let cases = file.get("cases").and_then(Value::as_array).context("no cases")?;
    ensure!(!cases.is_empty(), "no parameter sets");
    let requests: Vec<String> = cases.iter().map(request).collect::<Result<_>>()?;
    let requests = write_requests("demo.jsonl", &format!("{}\n", requests.join("\n")))?;

    let mut tables: Vec<Table> = cases
        .iter()
        .map(|case| {
            let title = case.get("why").and_then(Value::as_str).context("no title")?;
            Ok(Table { title: title.to_owned(), expected: delays(case)?, columns: Vec::new() })
        })
        .collect::<Result<_>>()?;
    for language in &ALL {
        let evaluator =
            &mut (language.evaluator)().with_context(|| format!("for {}", language.name))?;
        progress(&format!("asking {}", language.name));
        let answers = answers(evaluator, &requests)?;
        for (table, answer) in tables.iter_mut().zip(answers.lines()) {
            table.columns.push(delays(&serde_json::from_str(answer)?)?);
        }
    }
    Ok(tables)
}

/// The request of a case. Its key is that of the heading.
fn request(case: &Value) -> Result<String> {
    let [policy, seed] = ["policy", "seed"].map(|name| case.get(name));
    let asked = json!({"via": "next", "index": 0, "count": delays(case)?.len()});
    let request = json!({"policy": policy, "seed": seed, "key": KEY, "delays": asked});
    Ok(request.to_string())
}

fn delays(case: &Value) -> Result<Vec<String>> {
    let delays = case.get("delays").and_then(Value::as_array).context("no delays")?;
    ensure!(!delays.is_empty(), "no delays");
    delays.iter().map(|delay| Ok(delay.as_str().context("not a string")?.to_owned())).collect()
}

impl Table {
    fn agrees(&self) -> bool {
        self.columns.len() == ALL.len()
            && self.columns.iter().all(|column| *column == self.expected)
    }

    fn text(&self) -> String {
        let row = |first: &str, cells: &mut dyn Iterator<Item = String>| {
            cells.fold(format!("{first:>5}"), |row, cell| row + &format!("{cell:>16}"))
        };
        let headings = &mut ALL.iter().map(|language| format!("{} ns", language.name));
        let mut rows = vec![self.title.clone(), row("retry", headings)];
        for retry in 0..self.columns.iter().map(Vec::len).max().unwrap_or(0) {
            let delay = |column: &Vec<String>| column.get(retry).cloned().unwrap_or_default();
            let delays = &mut self.columns.iter().map(delay);
            rows.push(row(&(retry + 1).to_string(), delays));
        }
        if !self.agrees() {
            rows.push("NOT THE SAME".to_owned());
        }
        rows.join("\n")
    }
}
