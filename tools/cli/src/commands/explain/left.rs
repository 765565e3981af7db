//! What the budget in a file has left.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use backoff_core::{BudgetLevel, BudgetMember, Fallback};
use serde::Serialize;

use crate::arguments::BudgetArgument;
use crate::commands::run::account::{DAMAGED, MAX_BYTES, parts};

/// SPEC 15.9: `level / unit` of `max / unit` are left.
#[derive(Serialize)]
pub(crate) struct Left {
    level: String,
    max: String,
    unit: String,
    #[serde(skip)]
    sentence: String,
}

impl Left {
    fn new(level: BudgetLevel) -> Self {
        let BudgetLevel { level, max, unit } = level;
        let tokens = |parts| decimal(parts, unit);
        let sentence = format!("Now {} of {} are left.", tokens(level), tokens(max));
        let [level, max, unit] = [level, max, unit].map(|number| number.to_string());
        Self { level, max, unit, sentence }
    }

    pub(crate) fn sentence(&self) -> &str {
        &self.sentence
    }
}

/// The budget of a file that `backoff run --budget-file` wrote, and what it has left. It takes no lock,
/// because a change renames a whole file over it.
pub(crate) fn read(path: &Path) -> Result<(BudgetArgument, Left)> {
    try_read(path).with_context(|| format!("budget file {}", path.display()))
}

fn try_read(path: &Path) -> Result<(BudgetArgument, Left)> {
    let mut content = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut content)?;
    ensure!(!content.is_empty(), "it is empty, which is a full budget");
    ensure!(content.len() as u64 <= MAX_BYTES, "it has more than {MAX_BYTES} bytes");
    let (budget, account) = parts(&content).context("it is not a budget file")?;
    let parsed = budget.parse::<BudgetArgument>().ok();
    let parsed = parsed.with_context(|| format!("it is {DAMAGED}"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let member = BudgetMember::new(&parsed, &parsed, 1, Fallback::Refuse, u64::MAX, 0);
    let level = member.level(Some(account.as_bytes()), now_ns);
    let level = level.with_context(|| format!("it is {DAMAGED}"))?;
    Ok((parsed, Left::new(level)))
}

/// A number of parts as a number of wholes, to two decimals, rounded down.
fn decimal(parts: u64, unit: u64) -> String {
    let hundredths = u128::from(parts) * 100 / u128::from(unit.max(1));
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn parts_of_tokens_are_decimals() {
        for (parts, unit, expected) in
            [(0, 1, "0"), (40, 10, "4"), (10, 3, "3.33"), (19, 10, "1.9"), (100, 1, "100")]
        {
            assert_eq!(decimal(parts, unit), expected);
        }
    }
}
