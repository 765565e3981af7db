//! `cargo xtask demo`: the articles' parameter sets in five languages, side by side.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::answers;
use crate::languages::ALL;
use crate::shell::{progress, root};

/// One parameter set and what each language answered.
struct Table {
    title: String,
    /// What the reference says, from the vectors.
    expected: Vec<String>,
    columns: Vec<Vec<String>>,
}

/// Prints the tables and says whether all languages agree.
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
        bail!("the languages do not agree");
    }
    println!(
        "\nseed 42, key \"job-1\"; another key gives other delays, in every language the same.\n\
         What next:\n  \
         README.md             the same few lines in each language\n  \
         cargo xtask package --out DIR   the wheel, the npm tarball and the crate to install\n  \
         cargo xtask install --prefix DIR   libbackoff for C and Go\n  \
         cargo xtask test      everything that must be true"
    );
    Ok(())
}

/// Whether all languages agree, for the tests.
pub(crate) fn check() -> Result<()> {
    for table in tables()? {
        if !table.agrees() {
            bail!("{}", table.text());
        }
    }
    Ok(())
}

fn tables() -> Result<Vec<Table>> {
    let path = root().join("tests/vectors/articles.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let cases = file.get("cases").and_then(Value::as_array).context("cases")?;
    ensure!(!cases.is_empty(), "no parameter sets");
    let requests: Vec<String> = cases.iter().map(request).collect::<Result<_>>()?;
    let requests = answers::requests("demo.txt", &format!("{}\n", requests.join("\n")))?;

    let mut tables: Vec<Table> = cases
        .iter()
        .map(|case| {
            let title = case.get("why").and_then(Value::as_str).context("a title")?;
            Ok(Table { title: title.to_owned(), expected: delays(case)?, columns: Vec::new() })
        })
        .collect::<Result<_>>()?;
    for language in &ALL {
        let driver = &mut (language.driver)().with_context(|| format!("for {}", language.name))?;
        progress(&format!("asking {}", language.name));
        let answers = answers::of(driver, &requests)?;
        for (table, answer) in tables.iter_mut().zip(answers.lines()) {
            let delays = answer.strip_prefix("ok ").with_context(|| format!("it says {answer}"))?;
            table.columns.push(delays.split(' ').map(str::to_owned).collect());
        }
    }
    Ok(tables)
}

fn request(case: &Value) -> Result<String> {
    let policy = case.get("policy").and_then(Value::as_object).context("a policy")?;
    let mut line = String::new();
    for (field, value) in policy {
        write!(line, "{field}={} ", value.as_str().context("a text")?)?;
    }
    let text = |name| case.get(name).and_then(Value::as_str).context(name);
    let count = delays(case)?.len();
    write!(line, "seed={} key={} via=next index=0 count={count}", text("seed")?, text("key")?)?;
    Ok(line)
}

fn delays(case: &Value) -> Result<Vec<String>> {
    let delays = case.get("delays").and_then(Value::as_array).context("delays")?;
    ensure!(!delays.is_empty(), "no delays");
    delays.iter().map(|delay| Ok(delay.as_str().context("a text")?.to_owned())).collect()
}

impl Table {
    fn agrees(&self) -> bool {
        self.columns.len() == ALL.len()
            && self.columns.iter().all(|column| *column == self.expected)
    }

    fn text(&self) -> String {
        let row = |cells: &mut dyn Iterator<Item = &str>| -> String {
            cells.fold(String::new(), |line, cell| line + &format!("{cell:>16}"))
        };
        let headings: Vec<String> =
            ALL.iter().map(|language| language.name.to_owned() + " ns").collect();
        let headings = row(&mut headings.iter().map(String::as_str));
        let mut lines = vec![self.title.clone(), format!("retry{headings}")];
        for retry in 0..self.columns.iter().map(Vec::len).max().unwrap_or(0) {
            let delays = |column: &'_ Vec<String>| column.get(retry).cloned().unwrap_or_default();
            let delays: Vec<String> = self.columns.iter().map(delays).collect();
            let delays = row(&mut delays.iter().map(String::as_str));
            lines.push(format!("{:>5}{delays}", retry + 1));
        }
        if !self.agrees() {
            lines.push("NOT THE SAME".to_owned());
        }
        lines.join("\n")
    }
}
