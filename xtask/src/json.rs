//! JSON files that are committed: a row on each line, so that a difference shows a row.

use anyhow::Result;
use serde::Serialize;

/// A list.
pub(crate) fn list<T: Serialize>(rows: &[T]) -> Result<String> {
    let rows: Vec<_> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(format!("[\n  {}\n]", rows.join(",\n  ")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_row_has_a_line() {
        assert_eq!(super::list(&[(1, "a"), (2, "b")]).unwrap(), "[\n  [1,\"a\"],\n  [2,\"b\"]\n]");
    }
}
